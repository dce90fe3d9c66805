// Package backup writes a whole store into one file, and a store from it.
//
// A backup begins with the line "BUGLE BACKUP" and a line of JSON that says what it is ([Header]). Its
// body is a Zstandard stream of records, within an age stream (https://age-encryption.org/v1, a
// passphrase by scrypt) where it is encrypted: with a passphrase that somebody chose, or with one that
// is derived from the key of an encrypted store. It ends with the SHA-256 of everything before. Within
// the body a record is its key and its value, each after its length as a varint; after the last one a
// zero stands for a key, and then a length and the [Contents] as JSON.
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

// Format is the number of the layout of files that this package writes.
const Format = 1

const magic = "BUGLE BACKUP\n"

// Header is what a backup reports of itself before it is opened.
type Header struct {
	Format  int       `json:"format"`
	Made    time.Time `json:"made"`
	Program string    `json:"program,omitempty"` // the version that wrote it
	Source
	Encrypted bool `json:"encrypted"`
	// Key is the id of the store's key, where that encrypts it; its passphrase is [crypt.Key.Passphrase].
	Key string `json:"key,omitempty"`
}

// Source is the store that a backup was made of: one in a folder, or in a database, named without its secrets.
type Source struct {
	Folder   string `json:"folder,omitempty"`
	Database string `json:"database,omitempty"`
}

// String returns the path of the folder, or the name of the database.
func (s Source) String() string { return cmp.Or(s.Database, s.Folder) }

// Contents is what a backup holds.
type Contents struct {
	Store      int      `json:"store_format"`
	Records    int      `json:"records"`
	Campaigns  int      `json:"campaigns"`
	Workspaces []string `json:"workspaces"`
	// Damaged is how many records were damaged in the store already; Lost what it had lost as a whole; Missing
	// says where it held other records than it had saved.
	Damaged int      `json:"damaged,omitempty"`
	Lost    []string `json:"lost,omitempty"`
	Missing []string `json:"missing,omitempty"`
}

// Healthy reports whether the store was whole when the backup was made.
func (c Contents) Healthy() bool { return c.Damaged == 0 && len(c.Lost) == 0 && len(c.Missing) == 0 }

// Info is a backup that is there.
type Info struct {
	File string `json:"file"`
	Size int64  `json:"bytes"`
	Header
	Contents
}

// Progress is how far a backup has come.
type Progress struct {
	Records   int
	Verifying bool // what was written is read again
}

// Options are what a backup is made with.
type Options struct {
	Passphrase string         // encrypts it; empty: Key does
	Key        *crypt.Key     // encrypts it where there is no passphrase; nil: it is not encrypted
	Program    string         // the version of the program
	Source     Source         // the store
	Now        time.Time      // zero: time.Now
	Progress   func(Progress) // may be nil
	// WorkFactor is the cost of guessing the passphrase, as the exponent of scrypt's N; 0 means age's.
	WorkFactor int

	within string   // the folder of the file while it is written; empty: its own
	lost   []string // of the store that this one is a copy of
}

// keyWorkFactor is that of a passphrase which is derived from a key: nobody can guess it.
const keyWorkFactor = 10

// secret returns the passphrase and its scrypt work factor.
func (o Options) secret() (passphrase string, workFactor int) {
	if o.Passphrase == "" && o.Key != nil {
		return o.Key.Passphrase(), keyWorkFactor
	}
	return o.Passphrase, o.WorkFactor
}

// header returns the header of a new backup.
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

var (
	// ErrPassphrase reports that the passphrase of an encrypted backup is wrong.
	ErrPassphrase = errors.New("wrong passphrase for this backup")
	// ErrNoPassphrase reports that a backup is encrypted and no passphrase was given.
	ErrNoPassphrase = errors.New("this backup is encrypted; a passphrase is needed")
	// ErrKey reports that a backup is encrypted with the key of a store, and another key was given.
	ErrKey = errors.New("this backup is encrypted with the key of a store, and this is a different key")
	// ErrDamaged reports that a file is not a backup or is damaged.
	ErrDamaged = errors.New("this backup is damaged")
	// ErrNewer reports that a newer version of the program wrote the backup.
	ErrNewer = errors.New("this backup was written by a newer version; update bugle to read it")
)

// Write writes a snapshot of the store to a new file, while others may write to the store. It verifies the file before
// it gives it its name. If anything fails, or ctx ends, no file is left. It fails without changing anything if the file
// exists.
func Write(ctx context.Context, db kv.DB, file string, o Options) (info Info, err error) {
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	return write(ctx, file, o, func(out io.Writer) error { return writeRecords(ctx, db, out, o) })
}

// write creates the file; records writes its body.
func write(ctx context.Context, file string, o Options, records func(io.Writer) error) (info Info, err error) {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if _, err := os.Lstat(file); err == nil {
		return info, fmt.Errorf("%s already exists; choose another name", file)
	}
	f, err := os.CreateTemp(cmp.Or(o.within, filepath.Dir(file)), "."+filepath.Base(file)+"-*.partial")
	if err != nil {
		return info, unwritable(file, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, remove(f.Name()))
		}
	}()
	err = writeAll(f, o, records)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return info, unwritable(file, err)
	}
	passphrase, _ := o.secret()
	if info, err = Verify(ctx, f.Name(), passphrase, func(n int) { o.Progress(Progress{n, true}) }); err != nil {
		return info, fmt.Errorf("cannot verify %s after writing it: %w", file, err)
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return info, unwritable(file, err)
	}
	info.File = file
	return info, files.SyncFolder(filepath.Dir(file))
}

func remove(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// unwritable describes an error of the system.
func unwritable(file string, err error) error {
	var path *os.PathError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
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
	if owner, at, ok := store.OwnerOf(file); ok && errors.Is(err, fs.ErrPermission) {
		return fmt.Sprintf("; %s belongs to %s", at, owner)
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

func writeAll(f *os.File, o Options, records func(io.Writer) error) error {
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
	if err := writeBody(out, o, records); err != nil {
		return err
	}
	if _, err := buf.Write(sum.Sum(nil)); err != nil {
		return err
	}
	return buf.Flush()
}

func writeBody(out io.Writer, o Options, records func(io.Writer) error) (err error) {
	var closers []io.Closer
	defer func() {
		for i := len(closers) - 1; i >= 0; i-- {
			err = errors.Join(err, closers[i].Close())
		}
	}()
	if passphrase, workFactor := o.secret(); passphrase != "" {
		to, err := age.NewScryptRecipient(passphrase)
		if err != nil {
			return fmt.Errorf("the passphrase cannot be used: %w", err)
		}
		if workFactor > 0 {
			to.SetWorkFactor(workFactor)
		}
		w, err := age.Encrypt(out, to)
		if err != nil {
			return fmt.Errorf("encrypting: %w", err)
		}
		out, closers = w, append(closers, w)
	}
	z, err := zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	closers = append(closers, z)
	return records(z)
}

func writeRecords(ctx context.Context, db kv.DB, out io.Writer, o Options) error {
	c := Contents{Store: kv.Format, Workspaces: []string{}}
	err := db.View(ctx, func(tx kv.Tx) error {
		var err error
		if c.Workspaces, err = kv.Workspaces(tx); err != nil {
			return err
		}
		counts := kv.Counts{}
		err = tx.Scan(nil, kv.ScanOptions{Proved: true}, func(key, value []byte) error {
			if counts.Add(key, 1); kv.VerifyValue(key, value) != nil {
				c.Damaged++
			}
			if len(value) == 0 {
				return nil
			}
			if kv.IsCampaign(key) {
				c.Campaigns++
			}
			if c.Records++; c.Records%1024 == 0 {
				o.Progress(Progress{Records: c.Records})
			}
			return errors.Join(writePart(out, key), writePart(out, value))
		})
		if err != nil {
			return err
		}
		if counter, ok := tx.(kv.Counter); ok {
			want, err := counter.Counts()
			if err != nil {
				return err
			}
			if want != nil {
				c.Missing = counts.Differences(want)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if l, ok := db.(interface{ Lost() []string }); ok { // reading the store may have found more losses
		c.Lost = l.Lost()
	}
	c.Lost = append(c.Lost, o.lost...)
	o.Progress(Progress{Records: c.Records})
	end, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return errors.Join(writePart(out, nil), writePart(out, end))
}

func writePart(out io.Writer, b []byte) error {
	var n [binary.MaxVarintLen64]byte
	if _, err := out.Write(n[:binary.PutUvarint(n[:], uint64(len(b)))]); err != nil {
		return err
	}
	_, err := out.Write(b)
	return err
}
