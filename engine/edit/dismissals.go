package edit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bugle/engine"
)

var _ engine.DismissalStore = FileStore{}

// dismissed is what the file of a campaign's dismissed warnings holds.
type dismissed struct {
	ID   string             `json:"id"`
	List []engine.Dismissal `json:"dismissed"`
}

func (c FileStore) dismissedPath(id string) string {
	return strings.TrimSuffix(c.path(id), filepath.Ext(c.path(id))) + ".dismissed.json"
}

// Dismissals implements [engine.DismissalStore].
func (c FileStore) Dismissals(_ context.Context, id string) ([]engine.Dismissal, error) {
	b, err := os.ReadFile(c.dismissedPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var in dismissed
	if err == nil {
		err = json.Unmarshal(b, &in)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the dismissed warnings in %s (delete the file to see all warnings again): %w", c.dismissedPath(id), err)
	}
	return in.List, nil
}

// PutDismissal implements [engine.DismissalStore].
func (c FileStore) PutDismissal(ctx context.Context, id string, d engine.Dismissal) error {
	if strings.TrimSpace(d.Reason) == "" {
		return errors.New("say why the warning does not matter")
	}
	list, err := c.Dismissals(ctx, id)
	if err != nil {
		return err
	}
	list = append(withoutWarning(list, d.Warning), d)
	if len(list) > engine.MaxDismissals {
		return fmt.Errorf("%d warnings of this campaign are dismissed already; restore some first", engine.MaxDismissals)
	}
	return c.putDismissed(id, list)
}

// DeleteDismissal implements [engine.DismissalStore].
func (c FileStore) DeleteDismissal(ctx context.Context, id, warning string) error {
	list, err := c.Dismissals(ctx, id)
	if err != nil {
		return err
	}
	return c.putDismissed(id, withoutWarning(list, warning))
}

func withoutWarning(list []engine.Dismissal, warning string) []engine.Dismissal {
	return slices.DeleteFunc(list, func(d engine.Dismissal) bool { return d.Warning == warning })
}

func (c FileStore) putDismissed(id string, list []engine.Dismissal) error {
	if len(list) == 0 {
		if err := os.Remove(c.dismissedPath(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("restoring a warning of campaign %s: %w", id, err)
		}
		return nil
	}
	b, err := json.Marshal(dismissed{id, list})
	if err == nil {
		err = os.MkdirAll(c.dir, 0o700)
	}
	if err != nil {
		return fmt.Errorf("dismissing a warning of campaign %s: %w", id, err)
	}
	return c.write(c.dismissedPath(id), b)
}
