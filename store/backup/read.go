package backup

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"bugle/store/kv"
)

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
	// ErrOlder reports that the backup has a format from before the first release.
	ErrOlder = errors.New("this backup has a format that was never released; restore it with the program that wrote it, and make a new one")
)

// Limits of the size of a record's parts, and of the header.
const (
	maxPart = 64 << 20
	maxHead = 64 << 10
)

// ReadHeader reads only the header of a backup.
func ReadHeader(file string) (Info, error) {
	r, err := open(file)
	if err != nil {
		return Info{}, err
	}
	defer r.file.Close()
	return r.info, nil
}

// Verify reads an entire backup, checks it, and returns a description of it.
func Verify(ctx context.Context, file, passphrase string) (Info, error) {
	return read(ctx, file, passphrase, nil, ignore)
}

// read visits the pages of a backup. They are only known to be undamaged when it returns nil. progress may be nil.
func read(ctx context.Context, file, passphrase string, progress func(records int), visit visitor) (Info, error) {
	r, err := open(file)
	if err != nil {
		return Info{}, err
	}
	defer r.file.Close()
	if err := r.records(ctx, passphrase, progress, visit); err != nil {
		return r.info, fmt.Errorf("%s: %w", file, err)
	}
	return r.info, nil
}

// reader reads one backup file.
type reader struct {
	file *os.File
	info Info
	body *bufio.Reader // everything before the checksum
	sum  hash.Hash     // of the bytes read so far
	end  int64         // offset of the checksum
}

func open(file string) (r *reader, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w%s", file, cause(err), owned(file, err))
	}
	r = &reader{file: f, sum: sha256.New()}
	if err := r.head(file); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", file, err), f.Close())
	}
	return r, nil
}

func (r *reader) head(file string) error {
	stat, err := r.file.Stat()
	if err != nil {
		return err
	}
	if stat.IsDir() {
		return errors.New("this is a folder, not a backup")
	}
	r.info.File, r.info.Size, r.end = file, stat.Size(), max(0, stat.Size()-sha256.Size)
	in := bufio.NewReaderSize(io.LimitReader(r.file, r.end), maxHead)
	first, err := in.Peek(len(magic))
	if err != nil || string(first) != magic {
		return fmt.Errorf("%w: it does not start like a backup", ErrDamaged)
	}
	r.sum.Write(first)
	_, _ = in.Discard(len(magic)) // they are in the buffer
	line, err := in.ReadSlice('\n')
	if err != nil || json.Unmarshal(line, &r.info.Header) != nil {
		return fmt.Errorf("%w: it does not start like a backup", ErrDamaged)
	}
	r.sum.Write(line)
	r.body = bufio.NewReaderSize(io.TeeReader(in, r.sum), 1<<18)
	switch {
	case r.info.Format > Format:
		return ErrNewer
	case r.info.Format < Format:
		return ErrOlder
	}
	return nil
}

func (r *reader) records(ctx context.Context, passphrase string, progress func(int), visit visitor) error {
	in, err := r.decrypt(passphrase)
	if err != nil {
		return err
	}
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
	if err != nil {
		return err
	}
	defer z.Close()
	if err := r.each(ctx, bufio.NewReader(z), progress, visit); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, r.body); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	var want [sha256.Size]byte
	if _, err := r.file.ReadAt(want[:], r.end); err != nil || !bytes.Equal(want[:], r.sum.Sum(nil)) {
		return fmt.Errorf("%w: its checksum does not match", ErrDamaged)
	}
	return nil
}

func (r *reader) decrypt(passphrase string) (io.Reader, error) {
	if !r.info.Encrypted {
		return r.body, nil
	}
	if passphrase == "" {
		return nil, ErrNoPassphrase
	}
	who, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, fmt.Errorf("the passphrase cannot be used: %w", err)
	}
	in, err := age.Decrypt(r.body, who)
	switch {
	case err == nil:
		return in, nil
	case !errors.As(err, new(*age.NoIdentityMatchError)):
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	case r.info.Key != "":
		return nil, ErrKey
	}
	return nil, ErrPassphrase
}

func (r *reader) each(ctx context.Context, in *bufio.Reader, progress func(int), visit visitor) error {
	bad := func(err error) error { return fmt.Errorf("%w: %w", ErrDamaged, err) }
	found := Contents{Workspaces: []string{}}
	var page []kv.Item
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		key, err := readPart(in)
		if err != nil {
			return bad(err)
		}
		value, err := readPart(in)
		switch {
		case err != nil:
			return bad(err)
		case len(key) > 0:
			next := kv.Item{Key: key, Value: value}
			if err := checkRecord(next, page); err != nil {
				return bad(err)
			}
			page = append(page, next)
			found.add(next)
		case len(value) == 0 && len(page) == 0:
			return bad(errors.New("a page is empty"))
		case len(value) == 0:
			if err := visit(page); err != nil {
				return err
			}
			if page = page[:0]; progress != nil {
				progress(found.Records)
			}
		default:
			if err := json.Unmarshal(value, &r.info.Contents); err != nil {
				return bad(err)
			}
			if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
				return bad(errors.New("there is data after its end"))
			}
			if !found.same(r.info.Contents) || len(page) > 0 {
				return bad(fmt.Errorf("it should have %d records, but has %d, or others", r.info.Records, found.Records))
			}
			return nil
		}
	}
}

// checkRecord fails unless a record is sound and belongs to the workspace of its page.
func checkRecord(r kv.Item, page []kv.Item) error {
	workspace := kv.OriginOf(r.Key).Workspace
	if workspace == "" {
		return errors.New("a record belongs to no workspace")
	}
	if len(page) > 0 && kv.OriginOf(page[0].Key).Workspace != workspace {
		return errors.New("a page has records of two workspaces")
	}
	return kv.VerifyValue(r.Key, r.Value)
}

// readPart reads a key or a value.
func readPart(in *bufio.Reader) ([]byte, error) {
	n, err := binary.ReadUvarint(in)
	if err != nil {
		return nil, unexpected(err)
	}
	if n > maxPart {
		return nil, fmt.Errorf("a record has an impossible length of %d bytes", n)
	}
	buf := make([]byte, n)
	_, err = io.ReadFull(in, buf)
	return buf, unexpected(err)
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
