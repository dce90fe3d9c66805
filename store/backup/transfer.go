package backup

import (
	"context"
	"errors"
	"fmt"

	"bugle/engine"
	"bugle/store"
	"bugle/store/kv"
	"bugle/store/mem"
)

// batchSize is about how many records of a database are in a page.
const batchSize = 500

// export visits the records of a workspace in a database, as a folder would store them: each page has been in a small store
// of its own.
func export(ctx context.Context, from store.WorkspaceTx, workspace string, visit visitor) error {
	var batch []store.Record
	size := 0
	flush := func() error {
		page := mem.New()
		err := page.Write(ctx, func(tx store.Tx) error { return tx.Workspace(workspace).PutRecords(batch) })
		batch, size = nil, 0
		if err != nil {
			return err
		}
		return page.View(ctx, func(tx *kv.Tx) error {
			_, err := kv.Export(tx, visit)
			return err
		})
	}
	err := from.Records(func(r store.Record) error {
		batch = append(batch, r)
		if c, ok := r.(store.WholeCampaign); ok {
			size += len(c.History)
		}
		if size++; size < batchSize {
			return nil
		}
		return flush()
	})
	return errors.Join(err, flush())
}

// opened returns a store with only the records of a page.
func opened(ctx context.Context, page []kv.Item) (*mem.DB, error) {
	db := mem.New()
	return db, set(ctx, db, page)
}

// set stores records in one transaction, or in several if they are more than the store takes at once.
func set(ctx context.Context, db keyValueDB, records []kv.Item) error {
	err := db.Update(ctx, func(tx *kv.Tx) error {
		for _, r := range records {
			if err := tx.Set(r.Key, r.Value); err != nil {
				return err
			}
		}
		return nil
	})
	if half := len(records) / 2; half > 0 && errors.Is(err, store.ErrTooLarge) {
		if err = set(ctx, db, records[:half]); err == nil {
			err = set(ctx, db, records[half:])
		}
	}
	return err
}

// decoded returns the records of a page.
func decoded(ctx context.Context, page []kv.Item) (list []store.Record, err error) {
	db, err := opened(ctx, page)
	if err != nil {
		return nil, err
	}
	of := kv.OriginOf(page[0].Key)
	if !of.Settings { // without them, a store is damaged
		err = db.Write(ctx, func(tx store.Tx) error {
			return tx.Workspace(of.Workspace).PutSettings(engine.Workspace{ID: of.Workspace})
		})
		if err != nil {
			return nil, err
		}
	}
	err = db.Read(ctx, func(tx store.Tx) error {
		return tx.Workspace(of.Workspace).Records(func(r store.Record) error {
			if _, is := r.(engine.Workspace); !is || of.Settings {
				list = append(list, r)
			}
			return nil
		})
	})
	return list, err
}

// importPage stores a page in a transaction of a database, which does not have the workspace before its first page.
func importPage(ctx context.Context, tx store.Tx, page []kv.Item) error {
	of := kv.OriginOf(page[0].Key)
	to := tx.Workspace(of.Workspace)
	if of.Settings {
		if _, err := to.Settings(); err == nil {
			return fmt.Errorf("there is already a workspace %q in this store; restore into an empty one", of.Workspace)
		} else if !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	list, err := decoded(ctx, page)
	if err != nil {
		return err
	}
	return to.PutRecords(list)
}
