package badger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/ristretto/v2"
	"github.com/dgraph-io/ristretto/v2/z"

	"bugle/store"
)

// errTable reports that a table is damaged.
var errTable = errors.New("damaged")

// readTables opens the tables of a database apart from it, so that what is read comes from the disk and not from a cache, and
// calls read with each. It fails with [errTable] if a table is damaged.
func readTables(ctx context.Context, o badger.Options, read func(*table.Table) error) error {
	list, err := os.Open(filepath.Join(o.Dir, badger.ManifestFilename))
	if errors.Is(err, fs.ErrNotExist) {
		if tables, _ := fs.Glob(os.DirFS(o.Dir), "*.sst"); len(tables) == 0 {
			return nil
		}
		return errors.New("its list of tables is missing")
	}
	if err != nil {
		return err
	}
	manifest, _, err := badger.ReplayManifestFile(list, 0, o)
	if err := errors.Join(err, list.Close()); err != nil {
		return fmt.Errorf("its list of tables is damaged: %w", err)
	}
	keys, err := openKeys(o)
	if err != nil {
		return err
	}
	// Badger keeps the decrypted indexes of tables in a cache.
	cache := &ristretto.Config[uint64, *fb.TableIndex]{NumCounters: 1000, MaxCost: encryptedIndexCache, BufferItems: 64}
	indexes, err := ristretto.NewCache(cache)
	if err != nil {
		return err
	}
	defer indexes.Close()
	for id, t := range manifest.Tables {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := table.Options{
			BlockSize: o.BlockSize, BloomFalsePositive: o.BloomFalsePositive, ChkMode: options.NoVerification,
			Compression: t.Compression, IndexCache: indexes,
		}
		if to.DataKey, err = keys.DataKey(t.KeyID); err != nil {
			return err
		}
		if err := readTable(table.NewFilename(id, o.Dir), to, read); err != nil {
			return err
		}
	}
	return nil
}

// readTable opens one table and calls read with it. One that is not there has just been merged, or Badger will not open.
func readTable(name string, o table.Options, read func(*table.Table) error) (err error) {
	file, err := z.OpenMmapFile(name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	damaged := func(err error) error { return fmt.Errorf("its table %s is %w: %w", filepath.Base(name), errTable, err) }
	defer func() { err = errors.Join(err, file.Close(-1)) }()
	defer guard(func(any) { err = damaged(errors.New("a part of it cannot be read")) })()
	t, err := table.OpenTable(file, o)
	if err == nil {
		err = read(t)
	}
	if err != nil && !store.IsTooManyFiles(err) {
		err = damaged(err)
	}
	return err
}
