package backup

import (
	"context"
	"errors"
	"strings"

	"bugle/engine"
	"bugle/store"
)

// apply puts records into a workspace, in one transaction, unless check, which may be nil, fails.
func apply(ctx context.Context, db store.DB, workspace string, batch []store.Record, check func(to store.WorkspaceTx) error) error {
	return db.Write(ctx, func(tx store.Tx) error {
		to := tx.Workspace(workspace)
		if check != nil {
			if err := check(to); err != nil {
				return err
			}
		}
		return to.PutRecords(batch)
	})
}

// batchRecords is about how many records are in a batch.
const batchRecords = 500

// batches calls fn with the records of a workspace that skip, which may be nil, does not report, in batches. It returns what
// is damaged.
func batches(from store.WorkspaceTx, skip func(store.Record) bool, fn func(batch []store.Record) error) (damage []string, err error) {
	var batch []store.Record
	size := 0
	err = from.Records(func(r store.Record) error {
		if skip != nil && skip(r) {
			return nil
		}
		batch = append(batch, r)
		if c, ok := r.(store.WholeCampaign); ok {
			size += len(c.History)
		}
		if size++; size < batchRecords {
			return nil
		}
		full := batch
		batch, size = nil, 0
		return fn(full)
	})
	if errors.As(err, new(*store.CorruptError)) {
		damage, err = strings.Split(err.Error(), "\n"), nil
	}
	if err == nil && len(batch) > 0 {
		err = fn(batch)
	}
	return damage, err
}

// isSettings reports whether a record is the settings of a workspace.
func isSettings(r store.Record) bool {
	_, is := r.(engine.Workspace)
	return is
}
