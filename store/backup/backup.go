// Package backup writes a whole store into one file, reads it back, and fills a store from it. The store can be in a folder
// or in a database; a backup of one can be restored into the other.
//
// A backup begins with a line of JSON, its [Header]. The rest is a Zstandard stream, within an age stream
// (https://age-encryption.org/v1) where it is encrypted: with a passphrase that somebody chose, or with one that is derived
// from the key of an encrypted store. The stream consists of blocks in the encoding of encoding/gob. A block is a page of
// records as a folder stores them (bugle/store/kv.Export), each with its checksum; the last one repeats the header and
// has the [Contents]. One page at a time is in memory, so that the size of a store does not matter, and a page of a database
// goes through a small store in memory, which encodes or decodes its records.
package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"bugle/engine/files"
	"bugle/store"
	"bugle/store/crypt"
)

// Format is the number of the layout of files that this package writes and reads.
const Format = 5

// Header is the description of a backup that can be read without its passphrase.
type Header struct {
	Format  int       `json:"format"`
	Made    time.Time `json:"made"`
	Program string    `json:"program,omitempty"` // the version that wrote it
	// The store that it was made of is in a folder, or in a database, which is named without its secrets.
	Folder   string `json:"folder,omitempty"`
	Database string `json:"database,omitempty"`

	Encrypted bool `json:"encrypted"`
	// Key is the id of the store's key if that encrypts it; its passphrase is [crypt.Key.Passphrase].
	Key string `json:"key,omitempty"`
}

// Store returns the path of the folder, or the name of the database.
func (h Header) Store() string { return cmp.Or(h.Database, h.Folder) }

// Info describes a backup file.
type Info struct {
	File string `json:"file"`
	Size int64  `json:"bytes"`
	Header
	Contents
}

// Options are the options of a backup.
type Options struct {
	// Header has the program and the store, and the time of the backup, or zero for the present.
	Header
	Passphrase string // encrypts it; empty: it is not encrypted
	// Progress is called with the number of records that were written, and then read back. It may be nil.
	Progress func(records int)
}

// EncryptWith has the key of a store encrypt the backup; nil: it is not encrypted.
func (o *Options) EncryptWith(key *crypt.Key) {
	o.Passphrase, o.Key = "", ""
	if key != nil {
		o.Passphrase, o.Key = key.Passphrase(), key.ID()
	}
}

// Write writes a snapshot of the store to a new file, while others may write to the store. It reads the file back and
// checks the file before renaming it. If anything fails, or ctx ends, no file is left. It fails if the file exists, and
// with [ErrStoreDamaged] or a [store.DamagedError] if some of the store cannot be read: a backup is always whole.
func Write(ctx context.Context, db store.DB, file string, o Options) (Info, error) {
	if _, err := os.Lstat(file); err == nil {
		return Info{}, fmt.Errorf("%s already exists; choose another name", file)
	}
	if o.Made.IsZero() {
		o.Made = time.Now()
	}
	return create(ctx, file, o, func(visit visitor) (Contents, error) { return pages(ctx, db, o.Progress, visit) })
}

// Reencrypt encrypts a backup with another key, in place; nil removes the encryption. from is its present passphrase, or
// that of its key; empty if the backup is not encrypted. The rest of the header stays the same. If anything fails, the
// backup is unchanged.
func Reencrypt(ctx context.Context, file, from string, to *crypt.Key) (Info, error) {
	was, err := ReadHeader(file)
	if err != nil {
		return was, err
	}
	o := Options{Header: was.Header}
	o.EncryptWith(to)
	return create(ctx, file, o, func(visit visitor) (Contents, error) {
		info, err := read(ctx, file, from, nil, visit)
		return info.Contents, err
	})
}

// create makes a file with the records of a source, or replaces it. The file has its name only once it was read back.
func create(ctx context.Context, file string, o Options, from source) (info Info, err error) {
	o.Format, o.Made, o.Encrypted = Format, o.Made.UTC().Truncate(time.Second), o.Passphrase != ""
	if dir, err := filepath.Abs(o.Folder); err == nil && o.Folder != "" {
		o.Folder = dir
	}
	_ = Sweep(filepath.Dir(file), abandoned) // the next backup tries again
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*"+partialSuffix)
	if err != nil {
		return info, refused("cannot write", file, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(f.Name()))
		}
	}()
	err = write(f, o, from)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return info, refused("cannot write", file, err)
	}
	if info, err = read(ctx, f.Name(), o.Passphrase, o.Progress, ignore); err != nil {
		return info, fmt.Errorf("cannot verify %s after writing it: %w", file, err)
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return info, refused("cannot write", file, err)
	}
	info.File = file
	return info, files.SyncFolder(filepath.Dir(file))
}
