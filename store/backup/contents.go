package backup

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"bugle/store"
	"bugle/store/kv"
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

// A visitor is called with a page, see [kv.Export], which is valid only until it returns.
type visitor func(page []kv.Item) error

func ignore([]kv.Item) error { return nil }

// A source visits all records of a store or a backup, and returns a description of them.
type source func(visitor) (Contents, error)

// counting returns a visitor that adds each page to the contents before another one visits it. progress may be nil.
func (c *Contents) counting(ctx context.Context, progress func(records int), visit visitor) visitor {
	c.Workspaces = []string{}
	return func(page []kv.Item) error {
		for _, r := range page {
			c.add(r)
		}
		if progress != nil {
			progress(c.Records)
		}
		return errors.Join(ctx.Err(), visit(page))
	}
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

// check fails unless the records of a page are sound, and belong to the workspace of the last settings.
func (c *Contents) check(page []kv.Item) error {
	if len(page) == 0 {
		return errors.New("a page is empty")
	}
	for _, r := range page {
		if n := len(c.Workspaces); n == 0 || kv.OriginOf(r.Key).Workspace != c.Workspaces[n-1] {
			return errors.New("a record does not belong to the workspace before it")
		}
		if err := kv.VerifyValue(r.Key, r.Value); err != nil {
			return err
		}
	}
	return nil
}

// ErrStoreDamaged reports that a store cannot be copied or backed up, because some of it is damaged or was lost.
var ErrStoreDamaged = errors.New("the store is damaged, so it was not copied")

// pages visits all records of a store, as it was at one moment, after it has read every block that the store has on disk. It
// holds few pages in memory at once. progress may be nil.
func pages(ctx context.Context, db store.DB, progress func(records int), visit visitor) (c Contents, err error) {
	var damage []string
	visit = c.counting(ctx, progress, visit)
	once := func() error {
		if c.Records > 0 { // this would be a later snapshot
			return errors.New("the connection to the store was lost while it was read; try again")
		}
		return nil
	}
	if folder, ok := db.(keyValueDB); ok {
		if err := folder.Driver().Verify(ctx); err != nil {
			return c, err
		}
		err = folder.View(ctx, func(tx *kv.Tx) error {
			err := once()
			if err == nil {
				damage, err = kv.Export(tx, visit)
			}
			return err
		})
	} else {
		err = db.Read(ctx, func(tx store.Tx) error {
			ids, err := tx.Workspaces()
			err = errors.Join(err, once())
			for _, id := range ids {
				if err == nil {
					err = export(ctx, tx.Workspace(id), id, visit)
				}
			}
			return err
		})
		var bad *store.CorruptError
		if errors.As(err, &bad) {
			damage = []string{bad.Error()}
		}
	}
	if len(damage) > 0 {
		err = fmt.Errorf("%w: %s; check with `bugle doctor`", ErrStoreDamaged, damage[0])
	}
	return c, err
}

// keyValueDB is a store in a folder, or in memory.
type keyValueDB interface {
	View(ctx context.Context, fn func(*kv.Tx) error) error
	Update(ctx context.Context, fn func(*kv.Tx) error) error
	Driver() kv.Driver
}

// Load writes the workspaces of a backup into a store that has none of them. A folder, which must be empty, gets the records
// as they are, in transactions of limited size. A database gets all in one transaction. progress may be nil.
func Load(ctx context.Context, db store.DB, file, passphrase string, progress func(records int)) error {
	_, err := fill(ctx, db, func(visit visitor) (Contents, error) {
		info, err := read(ctx, file, passphrase, progress, visit)
		return info.Contents, err
	})
	return err
}

// Copy copies all records of a store into one that has none of its workspaces, as [Load] does. It fails with
// [ErrStoreDamaged] or a [store.DamagedError] if some of them cannot be read. progress may be nil.
func Copy(ctx context.Context, from, to store.DB, progress func(records int)) (Contents, error) {
	return fill(ctx, to, func(visit visitor) (Contents, error) { return pages(ctx, from, progress, visit) })
}

// fill writes the records of a source into a store.
func fill(ctx context.Context, db store.DB, from source) (c Contents, err error) {
	if to, ok := db.(keyValueDB); ok {
		return from(func(page []kv.Item) error { return set(ctx, to, page) })
	}
	err = db.Write(ctx, func(tx store.Tx) error {
		c, err = from(func(page []kv.Item) error { return importPage(ctx, tx, page) })
		return err
	})
	return c, err
}

// Compare reads every block and record of a store, and fails unless it has exactly the records that want describes.
// progress may be nil.
func Compare(ctx context.Context, db store.DB, want Contents, progress func(records int)) error {
	got, err := pages(ctx, db, progress, ignore)
	if err == nil && !got.same(want) {
		err = fmt.Errorf("the new store has %d campaigns and %d records instead of %d and %d, or others",
			got.Campaigns, got.Records, want.Campaigns, want.Records)
	}
	return err
}
