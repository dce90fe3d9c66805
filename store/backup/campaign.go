package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"bugle/store"
	"bugle/store/kv"
)

// ErrIntact reports that a campaign is not damaged.
var ErrIntact = errors.New("the campaign is not damaged; nothing was restored")

// ErrNotInBackup reports that a backup does not contain a campaign.
var ErrNotInBackup = errors.New("this backup does not have the campaign")

// FoundCampaign is a campaign in a backup, and what the store has of it.
type FoundCampaign struct {
	Backup    Info      `json:"backup"`
	Workspace string    `json:"workspace_id"`
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	Damaged   bool      `json:"damaged"` // in the store, or else it is missing there
}

// FindCampaign finds one campaign in a backup that is damaged or missing in the store. It fails with [ErrIntact] if the
// campaign can be read, and with [ErrNotInBackup] if the backup does not contain it.
func FindCampaign(ctx context.Context, db kv.DB, file, passphrase, workspace, id string) (FoundCampaign, error) {
	found, _, err := findCampaign(ctx, file, passphrase, workspace, id)
	if err != nil {
		return found, err
	}
	return found, db.View(ctx, func(tx kv.Tx) error {
		found.Damaged, err = isLost(kv.NewWorkspaceTx(tx, workspace), id)
		return err
	})
}

// RestoreCampaign restores what [FindCampaign] finds, with its history.
func RestoreCampaign(ctx context.Context, db kv.DB, file, passphrase, workspace, id string) (Info, error) {
	found, records, err := findCampaign(ctx, file, passphrase, workspace, id)
	if err != nil {
		return found.Backup, err
	}
	return found.Backup, db.Update(ctx, func(tx kv.Tx) error {
		s := kv.NewWorkspaceTx(tx, workspace)
		if _, err := isLost(s, id); err != nil {
			return err
		}
		if err := s.ClearCampaign(id); err != nil {
			return err
		}
		for _, r := range records {
			if err := tx.Set(r.key, r.value); err != nil {
				return err
			}
		}
		return nil
	})
}

type record struct{ key, value []byte }

func findCampaign(ctx context.Context, file, passphrase, workspace, id string) (found FoundCampaign, records []record, err error) {
	found = FoundCampaign{Workspace: workspace, ID: id}
	found.Backup, err = Read(ctx, file, passphrase, func(_ int, key, value []byte) error {
		if !kv.BelongsTo(key, workspace, id) {
			return nil
		}
		records = append(records, record{bytes.Clone(key), bytes.Clone(value)})
		if _, sum, ok := kv.SummaryIn(key, value); ok {
			found.Name, found.UpdatedAt = sum.Title(), sum.UpdatedAt
		}
		return nil
	})
	if err == nil && len(records) == 0 {
		err = fmt.Errorf("%s: %w %q of workspace %q", file, ErrNotInBackup, id, workspace)
	}
	return found, records, err
}

// isLost reports whether a campaign is damaged rather than missing. It fails with [ErrIntact] if it is neither.
func isLost(s store.WorkspaceTx, id string) (damaged bool, err error) {
	_, err = s.Campaign(id)
	switch {
	case err == nil:
		return false, ErrIntact
	case errors.As(err, new(*store.CorruptError)):
		return true, nil
	case errors.Is(err, store.ErrNotFound):
		return false, nil
	}
	return false, err
}
