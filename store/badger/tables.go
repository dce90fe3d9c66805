package badger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/ristretto/v2"
	"github.com/dgraph-io/ristretto/v2/z"
)

// checkTables returns an error if a table of the database cannot be opened. Badger opens them in goroutines of its own, and
// a table whose end is damaged panics there, which would end the process. Where the list of tables is missing, it would make
// a new list, and remove the tables.
func checkTables(o badger.Options, fresh bool) (err error) {
	list, err := os.Open(filepath.Join(o.Dir, badger.ManifestFilename))
	if errors.Is(err, fs.ErrNotExist) {
		tables, err := filepath.Glob(filepath.Join(globEscape(o.Dir), "*.sst"))
		if fresh && err == nil && len(tables) == 0 {
			return nil
		}
		return errors.Join(errors.New("its list of tables is missing"), err)
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
		to := table.Options{BlockSize: o.BlockSize, BloomFalsePositive: o.BloomFalsePositive, ChkMode: o.ChecksumVerificationMode, Compression: t.Compression, IndexCache: indexes}
		if to.DataKey, err = keys.DataKey(t.KeyID); err != nil {
			return err
		}
		if err := checkTable(table.NewFilename(id, o.Dir), to); err != nil {
			return fmt.Errorf("its table %s is damaged: %w", filepath.Base(table.NewFilename(id, o.Dir)), err)
		}
	}
	return nil
}

// checkTable opens one table.
func checkTable(name string, o table.Options) (err error) {
	file, err := z.OpenMmapFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close(-1)) }()
	defer func() {
		if recover() != nil {
			err = errors.New("its end cannot be read")
		}
	}()
	_, err = table.OpenTable(file, o)
	return err
}
