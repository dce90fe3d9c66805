package postgres

import (
	"errors"
	"fmt"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
)

// dismissals are the warnings of campaigns that somebody dismissed.
type dismissals struct{ *records }

func dismissedName(id string) string { return fmt.Sprintf("the dismissed warnings of campaign %q", id) }

// Dismissals implements [store.Dismissals].
func (d dismissals) Dismissals(id string) ([]engine.Dismissal, error) {
	if err := d.check(whatCampaign, id); err != nil {
		return nil, err
	}
	var b []byte
	var sum int64
	err := d.one("SELECT list, checksum FROM dismissal WHERE workspace = $1 AND campaign = $2", []any{d.id, escape(id)}, &b, &sum)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if sum != d.sum("dismissal", []byte(id), b) {
		return nil, d.damaged(dismissedName(id), errChecksum)
	}
	var list []engine.Dismissal
	if err := wire.Decode(b, &list); err != nil {
		return nil, d.damaged(dismissedName(id), err)
	}
	return list, nil
}

// PutDismissals implements [store.Dismissals].
func (d dismissals) PutDismissals(id string, list []engine.Dismissal) error {
	if err := d.check(whatCampaign, id); err != nil {
		return err
	}
	if len(list) == 0 {
		return d.exec("DELETE FROM dismissal WHERE workspace = $1 AND campaign = $2", d.id, escape(id))
	}
	b, err := wire.Encode(list)
	if err != nil {
		return fmt.Errorf("%s %w", dismissedName(id), err)
	}
	return d.exec(`INSERT INTO dismissal (workspace, campaign, list, checksum) VALUES ($1, $2, $3, $4)
		ON CONFLICT (workspace, campaign) DO UPDATE SET list = excluded.list, checksum = excluded.checksum`,
		d.id, escape(id), b, d.sum("dismissal", []byte(id), b))
}
