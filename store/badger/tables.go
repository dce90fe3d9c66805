package badger

import (
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

// tableError reports that a table is damaged.
type tableError struct {
	name string
	err  error
}

func (e *tableError) Error() string { return fmt.Sprintf("its table %s is damaged: %v", e.name, e.err) }

func (e *tableError) Unwrap() error { return e.err }

// hasTables reports whether there are tables in the folder of a database.
func hasTables(path string) bool {
	tables, err := filepath.Glob(filepath.Join(globEscape(path), "*.sst"))
	return err != nil || len(tables) > 0
}

// checkTables returns an error if a table of the database cannot be opened. Badger opens them in goroutines of its own, and
// a table whose end is damaged panics there, which would end the process. Where the list of tables is missing, it would make
// a new list, and remove the tables.
func checkTables(o badger.Options, fresh bool) error {
	err := readTables(o, func(*table.Table) error { return nil })
	if errors.Is(err, errNoList) && fresh && !hasTables(o.Dir) {
		return nil
	}
	return err
}

// errNoList reports that there is no list of tables.
var errNoList = errors.New("its list of tables is missing")

// readTables opens the tables of a database apart from it, so that what is read comes from the disk and not from a cache, and
// calls read with each. It fails with a *[tableError] if a table is damaged.
func readTables(o badger.Options, read func(*table.Table) error) (err error) {
	list, err := os.Open(filepath.Join(o.Dir, badger.ManifestFilename))
	if errors.Is(err, fs.ErrNotExist) {
		return errNoList
	}
	if err != nil {
		return err
	}
	manifest, _, err := badger.ReplayManifestFile(list, 0, o)
	if err := errors.Join(err, list.Close()); err != nil {
		return fmt.Errorf("its list of tables is damaged: %w", err)
	}
	keys, err := badger.OpenKeyRegistry(badger.KeyRegistryOptions{
		Dir: o.Dir, ReadOnly: true, EncryptionKey: o.EncryptionKey, EncryptionKeyRotationDuration: o.EncryptionKeyRotationDuration,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, keys.Close()) }()
	// Badger keeps the decrypted indexes of tables in a cache.
	indexes, err := ristretto.NewCache(&ristretto.Config[uint64, *fb.TableIndex]{NumCounters: 1000, MaxCost: encryptedIndexCache, BufferItems: 64})
	if err != nil {
		return err
	}
	defer indexes.Close()
	for id, t := range manifest.Tables {
		to := table.Options{BlockSize: o.BlockSize, BloomFalsePositive: o.BloomFalsePositive, ChkMode: options.NoVerification, Compression: t.Compression, IndexCache: indexes}
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
	damaged := func(err error) error { return &tableError{filepath.Base(name), err} }
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
