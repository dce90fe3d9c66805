package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"bugle/store"
	"bugle/store/kv"
)

// ErrIntact reports that a campaign is not damaged.
var ErrIntact = errors.New("the campaign is not damaged; nothing was restored")

// ErrNotInBackup reports that a backup does not contain a campaign.
var ErrNotInBackup = errors.New("this backup does not have the campaign")

// RestoreCampaign restores one campaign and its history from a backup if it is damaged or missing in the store. It
// fails with [ErrIntact] if the campaign can be read, and with [ErrNotInBackup] if the backup does not contain it.
func RestoreCampaign(ctx context.Context, db kv.DB, file, passphrase, workspace, id string) (Info, error) {
	type record struct{ key, value []byte }
	var records []record
	info, err := Read(ctx, file, passphrase, func(_ int, key, value []byte) error {
		if kv.BelongsTo(key, workspace, id) {
			records = append(records, record{bytes.Clone(key), bytes.Clone(value)})
		}
		return nil
	})
	if err != nil {
		return info, err
	}
	if len(records) == 0 {
		return info, fmt.Errorf("%s: %w %q of workspace %q", file, ErrNotInBackup, id, workspace)
	}
	return info, db.Update(ctx, func(tx kv.Tx) error {
		s := kv.NewWorkspaceTx(tx, workspace)
		_, err := s.Campaign(id)
		if err == nil {
			return ErrIntact
		}
		if !errors.Is(err, store.ErrNotFound) && !errors.As(err, new(*store.CorruptError)) {
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
		return s.Upgrade(id) // the backup may have an earlier format
	})
}
