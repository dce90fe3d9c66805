package badger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"

	disk "bugle/engine/files"
	"bugle/store"
	"bugle/store/badger/internal/files"
)

// What the readers of the database's files need to decrypt them. It goes with them.

// forNewStore returns the keyring of a new store with the same key, and writes its file.
func (v *keyring) forNewStore(path string) (*keyring, error) {
	if v == nil {
		return nil, nil
	}
	fresh := &keyring{v.key, path}
	return fresh, fresh.write()
}

// registry returns the data keys of the store.
func (v *keyring) registry() files.Registry {
	b, err := os.ReadFile(filepath.Join(v.path, badger.KeyRegistryFileName))
	if err != nil {
		return files.Registry{Err: files.ErrNoRegistry}
	}
	return files.ReadRegistry(b, v.key.Derive("registry"))
}

// dataKeys returns the keys of the store's files, or nil if it is not encrypted.
func (v *keyring) dataKeys() *files.Registry {
	if v == nil {
		return nil
	}
	r := v.registry()
	return &r
}

// tableFormat returns the format of a table according to the manifest.
func (v *keyring) tableFormat(named map[uint64]badger.TableManifest, id uint64) files.TableFormat {
	t, ok := named[id]
	if !ok {
		return files.TableFormat{Compression: settings("", nil).Compression, Keys: v.dataKeys().Ciphers(0)}
	}
	if t.KeyID == 0 {
		return files.TableFormat{Compression: t.Compression}
	}
	return files.TableFormat{Compression: t.Compression, Keys: v.dataKeys().Ciphers(t.KeyID)}
}

// checkRegistry fails if the data keys of an existing store cannot be read.
func (d *DB) checkRegistry() error {
	b, err := os.ReadFile(filepath.Join(d.path, badger.KeyRegistryFileName))
	switch {
	case err != nil && !os.IsNotExist(err):
		return err
	case d.vault == nil && len(b) > files.RegistryHeaderSize:
		return d.vault.mismatch(d.dir)
	case d.vault == nil || !exists(filepath.Join(d.path, badger.ManifestFilename)) || d.vault.registry().Err == nil:
		return nil
	case len(b) >= files.RegistryHeaderSize && d.vault.registry().Wrong():
		return d.vault.mismatch(d.dir)
	}
	return noRegistry(d.dir, files.ErrNoRegistry)
}

func noRegistry(dir string, err error) error {
	return fmt.Errorf("%w: %w; restore a backup with `bugle restore`", &store.DamagedError{Dir: dir}, err)
}

// replaceFile writes a file atomically: a crash leaves the old or the new contents.
func replaceFile(name string, b []byte) (err error) {
	f, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	return disk.SyncFolder(filepath.Dir(name))
}
