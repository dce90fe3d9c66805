package badger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/dgraph-io/badger/v4"

	disk "bugle/engine/files"
	"bugle/store"
	"bugle/store/badger/internal/files"
	"bugle/store/crypt"
)

// An encrypted store has a file with the id of its key and a copy of the database's registry of data keys, encrypted as
// it is. Without the registry, nothing can be decrypted, so there are two copies of the file.
const (
	encryptionFile = "ENCRYPTION"
	encryptionCopy = "ENCRYPTION.copy"
	encryptionHead = "BUGLE ENCRYPTION 1\n"
)

const (
	never = 200 * 365 * 24 * time.Hour
	// encryptedIndexCache is the memory for decrypted table indexes. An index that is not cached is decrypted each
	// time.
	encryptedIndexCache = 32 << 20
)

// encryption is the contents of the file.
type encryption struct {
	Key      string `json:"key"`      // id of the key
	Registry []byte `json:"registry"` // a copy of the database's own file
}

// keyring has the keys for the files of an encrypted store. The nil keyring belongs to a store without encryption.
type keyring struct {
	key      crypt.Key
	registry files.Registry
}

func newKeyring(key crypt.Key) (*keyring, error) {
	r, err := files.NewRegistry(key.Derive("registry"))
	if err != nil {
		return nil, err
	}
	return &keyring{key: key, registry: r}, nil
}

// forNewStore returns the keyring of a new store with the same key, and writes its files.
func (v *keyring) forNewStore(path string) (*keyring, error) {
	if v == nil {
		return nil, nil
	}
	fresh, err := newKeyring(v.key)
	if err != nil {
		return nil, err
	}
	return fresh, fresh.write(path)
}

// settings returns the options of the database.
func (v *keyring) settings(dir string, log *slog.Logger) badger.Options {
	o := settings(dir, log)
	if v == nil {
		return o
	}
	return o.WithEncryptionKey(v.key.Derive("registry")).WithEncryptionKeyRotationDuration(never).
		WithIndexCacheSize(max(o.IndexCacheSize, encryptedIndexCache))
}

// dataKeys returns the keys of the store's files, or nil if it is not encrypted.
func (v *keyring) dataKeys() *files.Registry {
	if v == nil {
		return nil
	}
	return &v.registry
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

// Encryption reports whether the store in a data folder is encrypted, and returns the id of its key, which is empty if
// the store has lost it.
func Encryption(dir string) (key string, encrypted bool, err error) {
	s, err := readEncryptionFiles(filepath.Join(dir, Folder))
	if err != nil {
		return "", false, unreadable(dir, err)
	}
	return s.key, s.encrypted, nil
}

// Exists reports whether a data folder contains a store.
func Exists(dir string) bool { return exists(filepath.Join(dir, Folder, badger.ManifestFilename)) }

// encryptionFiles is the contents of all files about the store's encryption.
type encryptionFiles struct {
	key        string
	registries [][]byte // the existing ones, intact or not
	encrypted  bool     // true even if the key's id is unreadable
	agree      bool     // all files exist and agree
}

func readEncryptionFiles(path string) (s encryptionFiles, err error) {
	s.agree = true
	for _, name := range []string{encryptionFile, encryptionCopy} {
		b, err := os.ReadFile(filepath.Join(path, name))
		if errors.Is(err, fs.ErrNotExist) {
			s.agree = false
			continue
		}
		if err != nil {
			return s, err
		}
		s.encrypted = true
		e, ok := decodeEncryption(b)
		if !ok {
			s.agree = false
			continue
		}
		s.key = e.Key
		s.registries = append(s.registries, e.Registry)
	}
	b, err := os.ReadFile(filepath.Join(path, badger.KeyRegistryFileName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	s.registries = append(s.registries, b)
	for _, r := range s.registries {
		s.agree = s.agree && bytes.Equal(r, b)
		s.encrypted = s.encrypted || len(r) > files.RegistryHeaderSize
	}
	return s, nil
}

// unlock determines whether the store is encrypted, and gets its key. A new store is encrypted if the options say so.
func (d *DB) unlock(ctx context.Context, o Options) (err error) {
	if d.vault, err = openKeyring(ctx, d.dir, d.path, o.Key); err != nil || o.Encrypt == nil {
		return err
	}
	switch {
	case d.vault != nil && d.vault.key == *o.Encrypt:
		return nil
	case d.vault != nil:
		return keyError(d.dir, crypt.ErrWrongKey)
	case Exists(d.dir):
		return fmt.Errorf("the store in %s already exists and is not encrypted; encrypt it with `bugle encrypt`", d.dir)
	}
	if d.vault, err = newKeyring(*o.Encrypt); err == nil {
		err = d.vault.write(d.path)
	}
	if err != nil {
		return d.unwritable(err)
	}
	return nil
}

// Key returns the key of the store, or false if it is not encrypted.
func (d *DB) Key() (crypt.Key, bool) {
	if d.vault == nil {
		return crypt.Key{}, false
	}
	return d.vault.key, true
}

// openKeyring determines whether a store is encrypted and finds its key. Once the key is verified, it rewrites damaged
// or outdated files.
func openKeyring(ctx context.Context, dir, path string, find KeyFinder) (*keyring, error) {
	s, err := readEncryptionFiles(path)
	if err != nil {
		return nil, err
	}
	if !s.encrypted {
		return nil, nil
	}
	if find == nil {
		return nil, keyError(dir, crypt.ErrNoKey)
	}
	key, err := find(ctx, s.key)
	if err != nil {
		return nil, keyError(dir, err)
	}
	if s.key != "" && key.ID() != s.key {
		return nil, keyError(dir, crypt.ErrWrongKey)
	}
	v := &keyring{key: key}
	v.registry.Err = files.ErrNoRegistry
	for _, b := range s.registries {
		if r := files.ReadRegistry(b, key.Derive("registry")); r.Err == nil && len(r.Data) > len(v.registry.Data) {
			v.registry = r
		}
	}
	switch {
	case v.registry.Err != nil && s.key == "":
		return nil, keyError(dir, crypt.ErrWrongKey)
	case v.registry.Err != nil:
		return nil, noRegistry(dir, v.registry.Err)
	}
	grown, err := v.registry.Rotate(time.Now())
	if err == nil && (grown || !s.agree) {
		err = v.write(path)
	}
	if err != nil {
		return nil, fmt.Errorf("keeping the keys of the store in %s: %w", dir, err)
	}
	return v, nil
}

func noRegistry(dir string, err error) error {
	return fmt.Errorf("%w: %w; restore a backup with `bugle restore`", &store.DamagedError{Dir: dir}, err)
}

func keyError(dir string, err error) error {
	return fmt.Errorf("cannot open the encrypted store in %s: %w", dir, err)
}

// write writes the files about the encryption. The database's own file is the last one, so the others have everything
// that it has.
func (v *keyring) write(path string) error {
	b, err := encodeEncryption(encryption{v.key.ID(), v.registry.Data})
	if err != nil {
		return err
	}
	return errors.Join(
		replaceFile(filepath.Join(path, encryptionFile), b),
		replaceFile(filepath.Join(path, encryptionCopy), b),
		replaceFile(filepath.Join(path, badger.KeyRegistryFileName), v.registry.Data))
}

func encodeEncryption(e encryption) ([]byte, error) {
	b, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	b = append(append([]byte(encryptionHead), b...), '\n')
	return fmt.Appendf(b, "%016x\n", xxhash.Sum64(b)), nil
}

func decodeEncryption(b []byte) (e encryption, ok bool) {
	at := len(b) - 17
	if at < 0 {
		return e, false
	}
	if string(b[at:]) != fmt.Sprintf("%016x\n", xxhash.Sum64(b[:at])) {
		return e, false
	}
	text, ok := bytes.CutPrefix(b[:at], []byte(encryptionHead))
	return e, ok && json.Unmarshal(text, &e) == nil
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
