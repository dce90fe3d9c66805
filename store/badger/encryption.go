package badger

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/dgraph-io/badger/v4"

	"bugle/store/crypt"
)

// Badger encrypts the files of a store with a data key, and that with the key of the store, whose id is in the state.

const (
	// dataKeyLife is how long Badger uses a data key. A new data key would be appended to the file that everything depends on,
	// so there is one, from before anything else is written. A life of more than 50 years would mean none: Badger counts from
	// 1970 where there is no key yet, and would not encrypt.
	dataKeyLife = 10 * 365 * 24 * time.Hour
	// encryptedIndexCache is the memory for decrypted table indexes. An index that is not cached is decrypted each
	// time.
	encryptedIndexCache = 32 << 20
)

// options returns the settings of the database, with its key.
func (d *driver) options() badger.Options {
	o := settings(d.path).WithBypassLockGuard(ownLock)
	if d.key == nil {
		return o
	}
	return o.WithEncryptionKey(d.key.Derive("registry")).WithEncryptionKeyRotationDuration(dataKeyLife).
		WithIndexCacheSize(max(o.IndexCacheSize, encryptedIndexCache))
}

// openKeys reads the data keys of a database. Its options may have no key, or a wrong one.
func openKeys(o badger.Options) (*badger.KeyRegistry, error) {
	return badger.OpenKeyRegistry(badger.KeyRegistryOptions{
		Dir: o.Dir, ReadOnly: true, EncryptionKey: o.EncryptionKey, EncryptionKeyRotationDuration: o.EncryptionKeyRotationDuration,
	})
}

// Encryption reports whether the store in a data folder is encrypted, and returns the id of its key, which is empty if
// the store has lost it.
func Encryption(dir string) (key string, encrypted bool, err error) {
	d := newDriver(dir, Options{})
	if d.state, err = readState(d.path); err != nil {
		return "", false, d.unreadable(err)
	}
	return d.state.Key, d.isEncrypted(), nil
}

func (d *driver) isEncrypted() bool {
	_, err := openKeys(settings(d.path))
	return d.state.Key != "" || errors.Is(err, badger.ErrEncryptionKeyMismatch)
}

// Exists reports whether a data folder contains a store.
func Exists(dir string) bool { return exists(filepath.Join(dir, Folder, badger.ManifestFilename)) }

// unlock determines whether the store is encrypted, and gets its key. A new store is encrypted if the options say so.
func (d *driver) unlock(ctx context.Context, o Options) error {
	switch {
	case d.isEncrypted():
		key, err := findKey(ctx, d.state.Key, o)
		if err != nil {
			return d.keyError(err)
		}
		d.key = &key
		return nil
	case o.Encrypt == nil:
		return nil
	case exists(filepath.Join(d.path, badger.ManifestFilename)):
		return fmt.Errorf("the store in %s already exists and is not encrypted; encrypt it with `bugle encrypt`", d.dir)
	}
	d.key = o.Encrypt
	return nil
}

func findKey(ctx context.Context, id string, o Options) (crypt.Key, error) {
	if o.Key == nil {
		return crypt.Key{}, crypt.ErrNoKey
	}
	key, err := o.Key(ctx, id)
	if err == nil && (id != "" && key.ID() != id || o.Encrypt != nil && key != *o.Encrypt) {
		err = crypt.ErrWrongKey
	}
	return key, err
}

// Key returns the key of the store, or false if it is not encrypted.
func (db *DB) Key() (crypt.Key, bool) {
	if db.driver.key == nil {
		return crypt.Key{}, false
	}
	return *db.driver.key, true
}

func (d *driver) keyError(err error) error {
	return fmt.Errorf("cannot open the encrypted store in %s: %w", d.dir, err)
}
