package backup

import (
	"bufio"
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"bugle/store/kv"
)

// block is a part of the stream of a backup: a page or, at the end, the header and the contents. Its names and those of
// [kv.Item] and [Contents] are part of the format.
type block struct {
	Page     []kv.Item
	Header   []byte // the first line of the file
	Contents *Contents
}

// The cost of guessing a passphrase, as the exponent of scrypt's N: of one that somebody chose, and of one that is derived
// from a key, which nobody can guess.
var (
	chosenWorkFactor = 18
	keyWorkFactor    = 10
)

// write writes a header and the records of a source.
func write(f io.Writer, o Options, from source) error {
	head, err := json.Marshal(o.Header)
	if err != nil {
		return err
	}
	head = append(head, '\n')
	buf := bufio.NewWriterSize(f, 1<<18)
	_, _ = buf.Write(head) // Flush returns its error
	out, err := encrypted(buf, o)
	if err != nil {
		return err
	}
	z, err := zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	to := gob.NewEncoder(z)
	c, err := from(func(page []kv.Item) error { return to.Encode(block{Page: page}) })
	if err == nil {
		err = to.Encode(block{Header: head, Contents: &c})
	}
	return errors.Join(err, z.Close(), out.Close(), buf.Flush())
}

// encrypted returns a writer that encrypts what is written to out, if the options say so.
func encrypted(out io.Writer, o Options) (io.WriteCloser, error) {
	if o.Passphrase == "" {
		return plain{out}, nil
	}
	to, err := age.NewScryptRecipient(o.Passphrase)
	if err != nil {
		return nil, fmt.Errorf("the passphrase cannot be used: %w", err)
	}
	to.SetWorkFactor(chosenWorkFactor)
	if o.Key != "" {
		to.SetWorkFactor(keyWorkFactor)
	}
	return age.Encrypt(out, to)
}

// plain is a writer that does not encrypt.
type plain struct{ io.Writer }

func (plain) Close() error { return nil }

var (
	// ErrPassphrase reports that a backup is encrypted, and its passphrase, or that of its key, was not given or is wrong.
	ErrPassphrase = errors.New("wrong passphrase for this backup")
	// ErrDamaged reports that a file is not a backup or is damaged.
	ErrDamaged = errors.New("this backup is damaged")
	// ErrFormat reports that another version of the program wrote the backup.
	ErrFormat = errors.New("this backup has the format of another version of bugle; restore it with the version that wrote it")
)

func damaged(err error) error { return fmt.Errorf("%w: %w", ErrDamaged, err) }

// maxHead is the length of a header at most.
const maxHead = 64 << 10

// reader reads one backup file.
type reader struct {
	*os.File
	info Info
	head []byte        // the first line
	body *bufio.Reader // everything after it
}

// open reads the header of a backup.
func open(file string) (*reader, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, refused("cannot read", file, err)
	}
	r := &reader{File: f, info: Info{File: file}, body: bufio.NewReaderSize(f, maxHead)}
	stat, err := f.Stat()
	if err == nil {
		r.info.Size = stat.Size()
		r.head, err = r.body.ReadBytes('\n')
	}
	switch {
	case stat != nil && stat.IsDir():
		err = errors.New("this is a folder, not a backup")
	case err != nil, json.Unmarshal(r.head, &r.info.Header) != nil, r.info.Format == 0:
		err = damaged(errors.New("it does not start like a backup"))
	case r.info.Format != Format:
		err = ErrFormat
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", file, err), f.Close())
	}
	return r, nil
}

// ReadHeader reads only the header of a backup.
func ReadHeader(file string) (Info, error) {
	r, err := open(file)
	if err != nil {
		return Info{}, err
	}
	return r.info, r.Close()
}

// read visits the pages of a backup. They are only known to be all when it returns nil. progress may be nil.
func read(ctx context.Context, file, passphrase string, progress func(records int), visit visitor) (Info, error) {
	r, err := open(file)
	if err != nil {
		return Info{}, err
	}
	defer r.Close()
	last, err := r.blocks(passphrase, r.info.counting(ctx, progress, func(page []kv.Item) error {
		if err := r.info.check(page); err != nil {
			return damaged(err)
		}
		return visit(page)
	}))
	switch {
	case err != nil:
	case !bytes.Equal(last.Header, r.head):
		err = damaged(errors.New("its first line was changed"))
	case !r.info.same(*last.Contents):
		err = damaged(fmt.Errorf("it should have %d records, but has %d, or others", last.Contents.Records, r.info.Records))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return r.info, err
}

// blocks visits the pages, and returns the last block.
func (r *reader) blocks(passphrase string, visit visitor) (last block, err error) {
	in, err := r.decrypted(passphrase)
	if err != nil {
		return last, err
	}
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
	if err != nil {
		return last, err
	}
	defer z.Close()
	from := gob.NewDecoder(z)
	for {
		var b block
		switch err := from.Decode(&b); {
		case errors.As(err, new(*fs.PathError)):
			return b, err
		case err != nil:
			return b, damaged(errors.New("it was changed or cut short"))
		case b.Contents == nil:
			if err := visit(b.Page); err != nil {
				return b, err
			}
		case !errors.Is(from.Decode(new(block)), io.EOF):
			return b, damaged(errors.New("there is data after its end"))
		default:
			return b, nil
		}
	}
}

func (r *reader) decrypted(passphrase string) (io.Reader, error) {
	if !r.info.Encrypted {
		return r.body, nil
	}
	who, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, ErrPassphrase
	}
	in, err := age.Decrypt(r.body, who)
	switch {
	case errors.As(err, new(*age.NoIdentityMatchError)):
		return nil, ErrPassphrase
	case err != nil:
		return nil, damaged(errors.New("it was changed or cut short"))
	}
	return in, nil
}
