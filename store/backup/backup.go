// Package backup writes a whole store into one file, reads it back, and fills a store from it. The store can be in a folder
// or in a database; a backup of one can be restored into the other.
//
// A backup begins with the line "BUGLE BACKUP" and a line of JSON, its [Header]. Its body is a Zstandard stream, within an
// age stream (https://age-encryption.org/v1) where it is encrypted: with a passphrase that somebody chose, or with one that
// is derived from the key of an encrypted store. It ends with the SHA-256 of everything before. In the body, a record is the
// key and the value that a folder stores, each after its length as a varint. Records are in pages (bugle/store/kv.Export);
// a page ends with an empty key and an empty value, and the body with an empty key and the [Contents] as JSON. A page at a
// time is in memory, so that the size of a store does not matter, and a page of a database goes through a small store in
// memory, which encodes or decodes its records.
package backup

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"bugle/engine/files"
	"bugle/store"
	"bugle/store/crypt"
	"bugle/store/kv"
)

// Format is the number of the layout of files that this package writes and reads.
const Format = 3

const magic = "BUGLE BACKUP\n"

// Header is the description of a backup that can be read without its passphrase.
type Header struct {
	Format  int       `json:"format"`
	Made    time.Time `json:"made"`
	Program string    `json:"program,omitempty"` // the version that wrote it
	Source
	Encrypted bool `json:"encrypted"`
	// Key is the id of the store's key if that encrypts it; its passphrase is [crypt.Key.Passphrase].
	Key string `json:"key,omitempty"`
}

// Source is the store that a backup was made of: a folder, or a database, named without its secrets.
type Source struct {
	Folder   string `json:"folder,omitempty"`
	Database string `json:"database,omitempty"`
}

// String returns the path of the folder, or the name of the database.
func (s Source) String() string { return cmp.Or(s.Database, s.Folder) }

// Info describes a backup file.
type Info struct {
	File string `json:"file"`
	Size int64  `json:"bytes"`
	Header
	Contents
}

// Options are the options of a backup.
type Options struct {
	Passphrase string     // encrypts it; if empty, Key does
	Key        *crypt.Key // encrypts it if there is no passphrase; nil: it is not encrypted
	Program    string     // the version of the program
	Source     Source     // the store
	Now        time.Time  // zero: time.Now
	// Progress is called with the number of records that were written, or read back. It may be nil.
	Progress func(records int, verifying bool)
	// Prove reads what reading the records would not show to be lost, and fails if something is. It may be nil.
	Prove func(ctx context.Context) error
	// WorkFactor is the cost of guessing the passphrase, as the exponent of scrypt's N; 0 means age's.
	WorkFactor int
}

// keyWorkFactor is the work factor of a passphrase that is derived from a key: nobody can guess it.
const keyWorkFactor = 10

// secret returns the passphrase and its work factor.
func (o Options) secret() (passphrase string, workFactor int) {
	if o.Passphrase == "" && o.Key != nil {
		return o.Key.Passphrase(), keyWorkFactor
	}
	return o.Passphrase, o.WorkFactor
}

func (o Options) header() Header {
	if dir, err := filepath.Abs(o.Source.Folder); err == nil && o.Source.Folder != "" {
		o.Source.Folder = dir
	}
	h := Header{Format: Format, Made: o.Now.UTC().Truncate(time.Second), Program: o.Program, Source: o.Source, Encrypted: o.Passphrase != "" || o.Key != nil}
	if o.Passphrase == "" && o.Key != nil {
		h.Key = o.Key.ID()
	}
	return h
}

// Write writes a snapshot of the store to a new file, while others may write to the store. It reads the file back and
// checks the file before renaming it. If anything fails, or ctx ends, no file is left. It fails if the file exists, and
// with a [DamagedError] if some of the store cannot be read: a backup is always whole.
func Write(ctx context.Context, db store.DB, file string, o Options) (info Info, err error) {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if _, err := os.Lstat(file); err == nil {
		return info, fmt.Errorf("%s already exists; choose another name", file)
	}
	if o.Prove != nil {
		if err := o.Prove(ctx); err != nil {
			return info, err
		}
	}
	return create(ctx, file, o, func(w *writer) error {
		c, err := pages(ctx, db, o.progress(false), w.page)
		if err != nil {
			return err
		}
		return w.end(c)
	})
}

// progress returns the function that reports progress, or nil.
func (o Options) progress(verifying bool) func(records int) {
	if o.Progress == nil {
		return nil
	}
	return func(records int) { o.Progress(records, verifying) }
}

// Reencrypt encrypts a backup with another key, in place; nil removes the encryption. from is its present passphrase, or
// that of its key; empty if the backup is not encrypted. The rest of the header stays the same. If anything fails, the
// backup is unchanged.
func Reencrypt(ctx context.Context, file, from string, to *crypt.Key) (Info, error) {
	was, err := ReadHeader(file)
	if err != nil {
		return was, err
	}
	stat, err := os.Stat(file)
	if err != nil {
		return was, err
	}
	o := Options{Key: to, Program: was.Program, Source: was.Source, Now: was.Made}
	info, err := create(ctx, file, o, func(w *writer) error {
		info, err := read(ctx, file, from, nil, w.page)
		if err != nil {
			return err
		}
		return w.end(info.Contents)
	})
	if err != nil {
		return info, err
	}
	return info, os.Chtimes(file, stat.ModTime(), stat.ModTime())
}

// create makes a file, whose records fill writes, or replaces it. The file has its name only once it was read back.
func create(ctx context.Context, file string, o Options, fill func(*writer) error) (info Info, err error) {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*"+partialSuffix)
	if err != nil {
		return info, unwritable(file, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, remove(f.Name()))
		}
	}()
	err = writeFile(f, o, fill)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return info, unwritable(file, err)
	}
	passphrase, _ := o.secret()
	if info, err = read(ctx, f.Name(), passphrase, o.progress(true), ignore); err != nil {
		return info, fmt.Errorf("cannot verify %s after writing it: %w", file, err)
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return info, unwritable(file, err)
	}
	info.File = file
	return info, files.SyncFolder(filepath.Dir(file))
}

func writeFile(f *os.File, o Options, fill func(*writer) error) error {
	sum := sha256.New()
	buf := bufio.NewWriterSize(f, 1<<18)
	out := io.MultiWriter(buf, sum)
	head, err := json.Marshal(o.header())
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "%s%s\n", magic, head); err != nil {
		return err
	}
	if err := writeBody(out, o, fill); err != nil {
		return err
	}
	if _, err := buf.Write(sum.Sum(nil)); err != nil {
		return err
	}
	return buf.Flush()
}

func writeBody(out io.Writer, o Options, fill func(*writer) error) (err error) {
	if passphrase, workFactor := o.secret(); passphrase != "" {
		to, err := age.NewScryptRecipient(passphrase)
		if err != nil {
			return fmt.Errorf("the passphrase cannot be used: %w", err)
		}
		if workFactor > 0 {
			to.SetWorkFactor(workFactor)
		}
		encrypted, err := age.Encrypt(out, to)
		if err != nil {
			return fmt.Errorf("encrypting: %w", err)
		}
		o.Passphrase, o.Key = "", nil
		return errors.Join(writeBody(encrypted, o, fill), encrypted.Close())
	}
	z, err := zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	return errors.Join(fill(&writer{z}), z.Close())
}

// writer writes the records of a backup.
type writer struct{ out io.Writer }

func (w *writer) page(page []kv.Item) error {
	for _, r := range append(page, kv.Item{}) {
		if err := errors.Join(w.part(r.Key), w.part(r.Value)); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) end(c Contents) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return errors.Join(w.part(nil), w.part(b))
}

func (w *writer) part(b []byte) error {
	var n [binary.MaxVarintLen64]byte
	if _, err := w.out.Write(n[:binary.PutUvarint(n[:], uint64(len(b)))]); err != nil {
		return err
	}
	_, err := w.out.Write(b)
	return err
}

func remove(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// unwritable describes an error of writing a backup.
func unwritable(file string, err error) error {
	var path *os.PathError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.As(err, new(*DamagedError)):
		return err
	case store.IsDiskFull(err):
		return fmt.Errorf("%w: no backup was made, because there is not enough space in %s; free some, or choose a file on another disk", store.ErrDiskFull, filepath.Dir(file))
	case errors.As(err, &path):
		return fmt.Errorf("cannot write %s: %w%s", file, path.Err, owned(path.Path, err))
	}
	return fmt.Errorf("cannot create the backup %s: %w", file, err)
}

// owned returns a remark about whose file it is to which the system refuses access.
func owned(file string, err error) string {
	if _, name, at, ok := store.OwnerOf(file); ok && errors.Is(err, fs.ErrPermission) {
		return fmt.Sprintf("; %s belongs to %s", at, name)
	}
	return ""
}

// cause returns an error of the system without the name of the file, or another error as it is.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
