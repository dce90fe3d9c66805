package badger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dgraph-io/badger/v4"

	"bugle/store/crypt"
)

// Badger encrypts the files of a store with data keys, and these with the key of the store. Beside them, a file of ours says that
// the store is encrypted, and with which key.
const encryptionFile = "ENCRYPTION"

// encryption is the contents of the file.
type encryption struct {
	Key string `json:"key_id"`
}

const (
	// dataKeyLife is how long Badger uses a data key. A new data key would be appended to the file that everything depends on,
	// so there is one, from before anything else is written. A life of more than 50 years would mean none: Badger counts from
	// 1970 where there is no key yet, and would not encrypt.
	dataKeyLife = 10 * 365 * 24 * time.Hour
	// encryptedIndexCache is the memory for decrypted table indexes. An index that is not cached is decrypted each
	// time.
	encryptedIndexCache = 32 << 20
)

// encrypted adds the key to the settings of the database.
func (d *driver) encrypted(o badger.Options) badger.Options {
	if d.key == nil {
		return o
	}
	return o.WithEncryptionKey(d.key.Derive("registry")).WithEncryptionKeyRotationDuration(dataKeyLife).
		WithIndexCacheSize(max(o.IndexCacheSize, encryptedIndexCache))
}

// Encryption reports whether the store in a data folder is encrypted, and returns the id of its key, which is empty if
// the store has lost it.
func Encryption(dir string) (key string, encrypted bool, err error) {
	if key, encrypted, err = readEncryption(filepath.Join(dir, Folder)); err != nil {
		err = unreadable(dir, err)
	}
	return key, encrypted, err
}

func readEncryption(path string) (key string, encrypted bool, err error) {
	b, err := os.ReadFile(filepath.Join(path, encryptionFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	var e encryption
	_ = json.Unmarshal(b, &e) // a damaged file names no key, and then any may be tried
	return e.Key, true, nil
}

// Exists reports whether a data folder contains a store.
func Exists(dir string) bool { return exists(filepath.Join(dir, Folder, badger.ManifestFilename)) }

// unlock determines whether the store is encrypted, and gets its key. A new store is encrypted if the options say so.
func (d *driver) unlock(ctx context.Context, o Options) error {
	id, encrypted, err := readEncryption(d.path)
	switch {
	case err != nil:
		return unreadable(d.dir, err)
	case encrypted && hasTables(d.path) && !exists(filepath.Join(d.path, badger.KeyRegistryFileName)):
		// Badger would make another data key, and end the process when it reads its tables with that.
		return d.damagedError(fmt.Errorf("its file %s is missing, without which nothing can be decrypted", badger.KeyRegistryFileName))
	case encrypted:
		key, err := findKey(ctx, id, o)
		if err != nil {
			return keyError(d.dir, err)
		}
		d.key = &key
		return nil
	case o.Encrypt == nil:
		return nil
	case exists(filepath.Join(d.path, badger.ManifestFilename)):
		return fmt.Errorf("the store in %s already exists and is not encrypted; encrypt it with `bugle encrypt`", d.dir)
	}
	d.key = o.Encrypt
	b, err := json.Marshal(encryption{d.key.ID()})
	if err != nil {
		return err
	}
	if err := writeDurably(filepath.Join(d.path, encryptionFile), append(b, '\n')); err != nil {
		return d.unwritable(err)
	}
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

// mismatch describes the refusal of the database to open with the key, or without one.
func (d *driver) mismatch() error {
	if d.key != nil {
		return keyError(d.dir, crypt.ErrWrongKey)
	}
	file := filepath.Join(d.dir, Folder, encryptionFile)
	return keyError(d.dir, fmt.Errorf("%w: the file %s, which names it, is missing; restore a backup with `bugle restore`, or make an empty file with that name and set the key", crypt.ErrNoKey, file))
}

func keyError(dir string, err error) error {
	return fmt.Errorf("cannot open the encrypted store in %s: %w", dir, err)
}
