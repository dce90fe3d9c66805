package backup

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"bugle/store"
	"bugle/store/kv"
	"bugle/store/mem"
)

// Contents describes the records of a backup or of a store.
type Contents struct {
	Records    int      `json:"records"`
	Campaigns  int      `json:"campaigns"`
	Workspaces []string `json:"workspaces"`
	// Checksum is that of all records, in any order.
	Checksum uint64 `json:"checksum,string"`
}

// same reports whether both have the same records.
func (c Contents) same(other Contents) bool {
	return c.Records == other.Records && c.Campaigns == other.Campaigns && c.Checksum == other.Checksum && slices.Equal(c.Workspaces, other.Workspaces)
}

func (c *Contents) add(r kv.Item) {
	c.Records++
	c.Checksum += xxhash.Sum64(r.Value) // which has a checksum of the key
	switch of := kv.OriginOf(r.Key); {
	case of.Settings:
		c.Workspaces = append(c.Workspaces, of.Workspace)
	case of.Current:
		c.Campaigns++
	}
}

// DamagedError reports that a store cannot be copied or backed up, because some of it is damaged or was lost.
type DamagedError struct {
	What []string // what is damaged
}

func (e *DamagedError) Error() string {
	more := ""
	if n := len(e.What) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Sprintf("the store is damaged, so it was not copied: %s%s; check with `bugle doctor`", e.What[0], more)
}

// A visitor is called with a page, see [kv.Export], which is valid only until it returns.
type visitor func(page []kv.Item) error

func ignore([]kv.Item) error { return nil }

// pages visits all records of a store, as it was at one moment. It holds few pages in memory at once. It fails with a
// [DamagedError] at the end if some of the store cannot be read. progress may be nil.
func pages(ctx context.Context, db store.DB, progress func(records int), visit visitor) (Contents, error) {
	c := Contents{Workspaces: []string{}}
	counted := func(page []kv.Item) error {
		for _, r := range page {
			c.add(r)
		}
		if progress != nil {
			progress(c.Records)
		}
		return errors.Join(ctx.Err(), visit(page))
	}
	var damage []string
	once := func() error {
		if c.Records > 0 { // this would be a later snapshot
			return fmt.Errorf("%w while it was read; try again", store.ErrUnreachable)
		}
		return nil
	}
	var err error
	if records, ok := db.(kv.DB); ok {
		err = records.View(ctx, func(tx kv.Tx) error {
			err := once()
			if err == nil {
				damage, err = kv.Export(tx, counted)
			}
			return err
		})
	} else {
		err = db.Read(ctx, func(tx store.Tx) error {
			err := once()
			if err == nil {
				damage, err = encoded(ctx, tx, counted)
			}
			return err
		})
	}
	if err == nil && len(damage) > 0 {
		err = &DamagedError{damage}
	}
	return c, err
}

// encoded visits the records of a database, as a folder would store them: each page has been in a small store of its own.
func encoded(ctx context.Context, tx store.Tx, visit visitor) (damage []string, err error) {
	ids, err := tx.Workspaces()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		found, err := batches(tx.Workspace(id), nil, func(batch []store.Record) error {
			page := mem.New()
			if err := apply(ctx, page, id, batch, nil); err != nil {
				return err
			}
			return page.View(ctx, func(tx kv.Tx) error {
				_, err := kv.Export(tx, visit)
				return err
			})
		})
		if err != nil {
			return nil, err
		}
		damage = append(damage, found...)
	}
	return damage, nil
}

// opened returns a store with only the records of a page.
func opened(ctx context.Context, page []kv.Item) (*mem.DB, error) {
	db := mem.New()
	return db, set(ctx, db, page)
}

// set stores records in one transaction, or in several if they are more than the store takes at once.
func set(ctx context.Context, db kv.DB, records []kv.Item) error {
	err := db.Update(ctx, func(tx kv.Tx) error {
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
