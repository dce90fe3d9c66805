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
	"slices"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"bugle/store/kv"
)

// Limits of the size of a record's key or value, and of the header.
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
func Verify(ctx context.Context, file, passphrase string, progress func(records int)) (Info, error) {
	return Read(ctx, file, passphrase, func(n int, _, _ []byte) error {
		if progress != nil && n%1024 == 0 {
			progress(n)
		}
		return nil
	})
}

// Read calls fn with the records of a backup and the number of records before each. The records are only known to be
// undamaged when Read returns nil. Key and value are valid only until fn returns.
func Read(ctx context.Context, file, passphrase string, fn func(n int, key, value []byte) error) (Info, error) {
	r, err := open(file)
	if err != nil {
		return Info{}, err
	}
	defer r.file.Close()
	if err := r.records(ctx, passphrase, fn); err != nil {
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
	r.info.File, r.info.Size = file, stat.Size()
	r.end = stat.Size() - sha256.Size
	first := make([]byte, min(maxHead, max(r.end, 0)))
	if _, err := io.ReadFull(r.file, first); err != nil {
		return err
	}
	line, ok := bytes.CutPrefix(first, []byte(magic))
	n := bytes.IndexByte(line, '\n')
	if !ok || n < 0 || json.Unmarshal(line[:n], &r.info.Header) != nil {
		return fmt.Errorf("%w: it does not start like a backup", ErrDamaged)
	}
	if r.info.Format > Format {
		return ErrNewer
	}
	at := int64(len(magic) + n + 1)
	r.sum.Write(first[:at])
	if _, err := r.file.Seek(at, io.SeekStart); err != nil {
		return err
	}
	r.body = bufio.NewReaderSize(io.TeeReader(io.LimitReader(r.file, r.end-at), r.sum), 1<<18)
	return nil
}

func (r *reader) records(ctx context.Context, passphrase string, fn func(n int, key, value []byte) error) error {
	var in io.Reader = r.body
	if r.info.Encrypted {
		if passphrase == "" {
			return ErrNoPassphrase
		}
		who, err := age.NewScryptIdentity(passphrase)
		if err != nil {
			return fmt.Errorf("the passphrase cannot be used: %w", err)
		}
		if in, err = age.Decrypt(r.body, who); errors.As(err, new(*age.NoIdentityMatchError)) {
			if r.info.Key != "" {
				return ErrKey
			}
			return ErrPassphrase
		} else if err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
	if err != nil {
		return err
	}
	defer z.Close()
	if err := r.each(ctx, bufio.NewReader(z), fn); err != nil {
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

func (r *reader) each(ctx context.Context, in *bufio.Reader, fn func(n int, key, value []byte) error) error {
	bad := func(err error) error { return fmt.Errorf("%w: %w", ErrDamaged, err) }
	damaged := 0
	var key, value []byte
	for n := 0; ; n++ {
		err := ctx.Err()
		if err != nil {
			return err
		}
		if key, err = readPart(in, key); err != nil {
			return bad(err)
		}
		if value, err = readPart(in, value); err != nil {
			return bad(err)
		}
		if len(key) == 0 {
			return r.finish(in, value, n, damaged)
		}
		if kv.VerifyValue(key, value) != nil {
			damaged++
		}
		if err := fn(n, key, value); err != nil {
			return err
		}
	}
}

// finish compares the records that were read with the [Contents] at the end of the backup.
func (r *reader) finish(in *bufio.Reader, end []byte, n, damaged int) error {
	if err := json.Unmarshal(end, &r.info.Contents); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: there is data after its end", ErrDamaged)
	}
	switch c := r.info.Contents; {
	case c.Store > kv.Format:
		return ErrNewer
	case c.Records != n, c.Damaged < damaged:
		return fmt.Errorf("%w: it should have %d records, but has %d", ErrDamaged, c.Records, n)
	}
	return nil
}

// readPart reads a key or a value, into buf if it is large enough.
func readPart(in *bufio.Reader, buf []byte) ([]byte, error) {
	n, err := binary.ReadUvarint(in)
	if err != nil {
		return nil, unexpected(err)
	}
	if n > maxPart {
		return nil, fmt.Errorf("a record has an impossible length of %d bytes", n)
	}
	buf = slices.Grow(buf[:0], int(n))[:n]
	_, err = io.ReadFull(in, buf)
	return buf, unexpected(err)
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Load writes the records of a backup into a new store.
func Load(ctx context.Context, db kv.DB, file, passphrase string, progress func(records int)) (Info, error) {
	var some []record
	size := 0
	flush := func() error {
		err := db.Update(ctx, func(tx kv.Tx) error {
			for _, r := range some {
				if err := tx.Set(r.key, r.value); err != nil {
					return err
				}
			}
			return nil
		})
		some, size = some[:0], 0
		return err
	}
	info, err := Read(ctx, file, passphrase, func(n int, key, value []byte) error {
		some, size = append(some, record{bytes.Clone(key), bytes.Clone(value)}), size+len(value)
		if len(some) < 1000 && size < 2<<20 {
			return nil
		}
		if progress != nil {
			progress(n)
		}
		return flush()
	})
	if err != nil {
		return info, err
	}
	if err := flush(); err != nil {
		return info, err
	}
	// A backup has the format of the store that it was made from.
	return info, kv.Prepare(ctx, db)
}
