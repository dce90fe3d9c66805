package kv

import (
	"context"
	"errors"
	"fmt"

	"bugle/store"
	"bugle/store/internal/record"
)

// WorkspaceTx is the records of one workspace within one transaction. It implements [store.Transfer], whose
// documentation applies.
type WorkspaceTx struct {
	record.Workspace
	rows rows
}

var _ store.WorkspaceTx = WorkspaceTx{}

// workspace returns the records of the workspace. Every method fails if its id is empty or contains spaces or unprintable
// characters.
func (s rows) workspace() WorkspaceTx { return WorkspaceTx{record.Workspace{B: s}, s} }

// Records implements [store.Transfer].
func (s WorkspaceTx) Records(fn func(store.Record) error) error { return record.Records(s, s.rows, fn) }

// PutRecords implements [store.Transfer].
func (s WorkspaceTx) PutRecords(list []store.Record) error { return record.PutRecords(s, s.rows, list) }

// clearBatch is how many records [WorkspaceTx.ClearWorkspace] removes at a time.
const clearBatch = 500

// ClearWorkspace implements [store.Transfer]. Campaigns and users go with what belongs to them.
func (s WorkspaceTx) ClearWorkspace() (more bool, err error) {
	for k, remove := range map[*record.Kind]func(id string) error{campaigns.Kind: s.DeleteCampaign, record.Users.Kind: s.DeleteProfile} {
		var ids []string
		err := s.rows.Scan(k, record.Options{Limit: clearBatch}, nil, func(key func() []any, _ record.Row, _ error) error {
			ids = append(ids, key()[0].(string))
			return nil
		})
		for _, id := range ids {
			err = errors.Join(err, remove(id))
		}
		if err != nil || len(ids) > 0 {
			return err == nil, err
		}
	}
	for _, k := range kinds {
		if k == settingsChanges.Kind {
			continue // without it, the settings would be damaged
		}
		if n, err := k.Clear(s.rows, clearBatch); err != nil || n == clearBatch {
			return err == nil, err
		}
	}
	return false, errors.Join(settings.Delete(s.rows), settingsChanges.Delete(s.rows))
}

// Workspaces returns the ids of the workspaces in the store, sorted.
func Workspaces(tx *Tx) ([]string, error) {
	var ids []string
	err := tx.Scan([]byte{rootWorkspace}, ScanOptions{KeysOnly: true}, func(key, _ []byte) error {
		id, _, err := cutName(key[1:])
		if err == nil {
			ids = append(ids, id)
		}
		return err
	})
	return ids, err
}

// Format is the format number that this package reads and writes.
const Format = 7

type storeFormat struct {
	Format int `json:"format"`
}

// Prepare prepares an opened store for use: it writes the format number into a fresh one, and refuses one of another format,
// with [store.ErrNewerVersion] if a later program wrote it. Drivers call it before they return the store.
func Prepare(ctx context.Context, db *Store, fresh bool) error {
	key := appendName([]byte{rootMeta}, "format")
	var have storeFormat
	err := db.View(ctx, func(tx *Tx) error {
		value, err := tx.Get(key)
		if err != nil {
			return err
		}
		payload, err := decodeValue(key, value)
		if err == nil {
			err = record.Decode(payload, &have)
		}
		if err != nil {
			return &store.CorruptError{What: "the format number", Err: err}
		}
		return nil
	})
	switch {
	case errors.Is(err, store.ErrNotFound) && !fresh:
		return &store.CorruptError{What: "the format number", Err: errLost}
	case errors.Is(err, store.ErrNotFound):
		payload, err := record.Encode(storeFormat{Format})
		if err != nil {
			return err
		}
		return db.Update(ctx, func(tx *Tx) error { return tx.Set(key, EncodeValue(key, payload)) })
	case err != nil:
		return fmt.Errorf("reading the format of the store: %w", err)
	case have.Format > Format:
		return fmt.Errorf("%w (its format is %d, and this version reads %d)", store.ErrNewerVersion, have.Format, Format)
	case have.Format < Format:
		return fmt.Errorf("this store has format %d, which was never released, and this version reads only %d; export its campaigns with the program that wrote it", have.Format, Format)
	}
	return nil
}
