package local

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/store"
)

var _ engine.DismissalStore = (*Service)(nil)

// dismissals keep which warnings of campaigns were dismissed.
type dismissals struct{ *writer }

// Dismissals implements [engine.DismissalStore].
func (d *dismissals) Dismissals(ctx context.Context, id string) (list []engine.Dismissal, err error) {
	err = d.view(ctx, func(sp store.WorkspaceTx) error {
		if _, err := d.campaign(sp, id); err != nil {
			return err
		}
		list, err = sp.Dismissals(id)
		return err
	})
	return list, err
}

// PutDismissal implements [engine.DismissalStore].
func (d *dismissals) PutDismissal(ctx context.Context, id string, one engine.Dismissal) error {
	if strings.TrimSpace(one.Reason) == "" {
		return refuse("reason", "say why the warning does not matter")
	}
	if one.At.IsZero() {
		one.At = d.now()
	}
	return d.change(ctx, id, func(list []engine.Dismissal) ([]engine.Dismissal, error) {
		list = append(without(list, one.Warning), one)
		if len(list) > engine.MaxDismissals {
			return nil, engine.Errorf(engine.BadRequest, http.StatusConflict, "%d warnings of this campaign are dismissed already; restore some first", engine.MaxDismissals)
		}
		return list, nil
	})
}

// DeleteDismissal implements [engine.DismissalStore].
func (d *dismissals) DeleteDismissal(ctx context.Context, id, warning string) error {
	return d.change(ctx, id, func(list []engine.Dismissal) ([]engine.Dismissal, error) { return without(list, warning), nil })
}

func without(list []engine.Dismissal, warning string) []engine.Dismissal {
	return slices.DeleteFunc(list, func(d engine.Dismissal) bool { return d.Warning == warning })
}

func (d *dismissals) change(ctx context.Context, id string, fn func([]engine.Dismissal) ([]engine.Dismissal, error)) error {
	return d.update(ctx, func(sp store.WorkspaceTx) error {
		if _, err := d.campaign(sp, id); err != nil {
			return err
		}
		list, err := sp.Dismissals(id)
		if err != nil && !isDamage(err) { // what cannot be read is written anew
			return err
		}
		if list, err = fn(list); err != nil {
			return err
		}
		return sp.PutDismissals(id, list)
	})
}

func isDamage(err error) bool {
	var bad *store.CorruptError
	return errors.As(err, &bad)
}
