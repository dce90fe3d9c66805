package badger

import (
	"bufio"
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/dgraph-io/badger/v4"

	"bugle/engine/files"
	"bugle/store"
	"bugle/store/kv"
)

var _ store.CacheStore = (*DB)(nil)

// A cache is a file, and a record that names the file: it has the id of the store, the version that the cache was made
// from, and the file's size and checksum. The record is written once the file is durable. So a file is only valid if it
// belongs to the store's own history: not if only one of the two was restored, if it was cut off by a crash, or if it
// belongs to another store or another time.
var cachePrefix = []byte("\x00kept")

func cacheKey(name string) []byte { return append(slices.Clone(cachePrefix), name...) }

func (d *DB) cacheFile(name string) string {
	return filepath.Join(d.path, fmt.Sprintf("KEPT-%016x", xxhash.Sum64String(name)))
}

type cacheHeader struct {
	id               [16]byte
	since, size, sum uint64
}

const keptSize = 16 + 4*8

func (k cacheHeader) encode(key []byte) []byte {
	b := slices.Clone(k.id[:])
	for _, n := range [...]uint64{k.since, k.size, k.sum} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return binary.BigEndian.AppendUint64(b, xxhash.Sum64(append(slices.Clone(key), b...)))
}

func decodeCacheHeader(key, b []byte) (k cacheHeader, ok bool) {
	end := keptSize - 8
	if len(b) != keptSize || binary.BigEndian.Uint64(b[end:]) != xxhash.Sum64(append(slices.Clone(key), b[:end]...)) {
		return k, false
	}
	n := func(i int) uint64 { return binary.BigEndian.Uint64(b[16+8*i:]) }
	return cacheHeader{[16]byte(b), n(0), n(1), n(2)}, true
}

// WriteCache implements [store.CacheStore].
func (d *DB) WriteCache(ctx context.Context, name string, fill func(store.Tx, io.Writer) error) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	defer d.running.Done()
	if d.identity == nil || d.damaged.Load() || len(d.Lost()) > 0 {
		return fmt.Errorf("keeping %s: %w", name, store.ErrDataLost) // [DB.ReadCache] would refuse it
	}
	if err := d.checkWriteSpace(); err != nil {
		return err
	}
	k, err := d.writeCache(ctx, name, fill)
	if err != nil {
		return fmt.Errorf("keeping %s: %w", name, d.explain(err))
	}
	key := cacheKey(name)
	value := k.encode(key)
	return d.explain(d.commits.commit(&change{
		version: k.since, count: 1, size: int64(len(key) + len(value) + 12),
		writes: []write{{key: key, value: value, keyHash: xxhash.Sum64(key), existed: true}},
	}))
}

// writeCache writes the file, and returns when it is durable.
func (d *DB) writeCache(ctx context.Context, name string, fill func(store.Tx, io.Writer) error) (k cacheHeader, err error) {
	at := d.commits.acquire()
	defer d.commits.release(at)
	file := d.cacheFile(name)
	f, err := os.OpenFile(file+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return k, err
	}
	k = cacheHeader{id: d.identity.id, since: at.version()}
	out := &cacheWriter{ctx: ctx, d: d, f: f}
	seal, err := d.vault.encrypter(out)
	if err == nil {
		err = fill(kv.WrapTx(&tx{ctx: ctx, txn: at.txn, db: d}), seal)
	}
	if err == nil {
		err = seal.Close()
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return k, errors.Join(err, os.Remove(f.Name()))
	}
	k.size, k.sum = out.size, out.sum.Sum64()
	return k, files.SyncFolder(d.path)
}

// cacheWriter writes a file until the context ends or the disk is full.
type cacheWriter struct {
	ctx     context.Context
	d       *DB
	f       *os.File
	sum     xxhash.Digest
	size    uint64
	checked uint64 // number of bytes written at the last check of the free space
}

func (w *cacheWriter) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	switch {
	case w.size == 0:
		w.sum.Reset()
	case w.size-w.checked > reserve/8:
		if err := w.d.checkWriteSpace(); err != nil {
			return 0, err
		}
		w.checked = w.size
	}
	n, err := w.f.Write(b)
	_, _ = w.sum.Write(b[:n])
	w.size += uint64(n)
	return n, err
}

// ReadCache implements [store.CacheStore].
func (d *DB) ReadCache(ctx context.Context, name string, read func(tx store.Tx, since uint64, r io.Reader) error) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	defer d.running.Done()
	at := d.commits.acquire()
	defer d.commits.release(at)
	k, err := d.cacheRecord(at.txn, name)
	if err != nil {
		return err
	}
	f, err := os.Open(d.cacheFile(name))
	if err != nil {
		return store.ErrNotFound
	}
	defer f.Close()
	in := &cacheReader{ctx: ctx, r: f}
	in.sum.Reset()
	open, err := d.vault.decrypter(in)
	if err == nil {
		err = read(kv.WrapTx(&tx{ctx: ctx, txn: at.txn, db: d}), k.since, open)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, in)
	}
	if err != nil {
		return fmt.Errorf("reading what is kept of %s: %w", name, err)
	}
	if in.size != k.size || in.sum.Sum64() != k.sum {
		return store.ErrNotFound
	}
	return nil
}

// cacheRecord returns the record of a cache if it belongs to this store and nothing of the store is lost.
func (d *DB) cacheRecord(txn *badger.Txn, name string) (cacheHeader, error) {
	if d.identity == nil || d.damaged.Load() || len(d.Lost()) > 0 {
		return cacheHeader{}, store.ErrNotFound
	}
	key := cacheKey(name)
	var k cacheHeader
	ok := false
	err := recoverMove(func() {
		item, err := txn.Get(key)
		if err != nil {
			return
		}
		_ = item.Value(func(v []byte) error {
			k, ok = decodeCacheHeader(key, v)
			return nil
		})
	})
	if err != nil || !ok || k.id != d.identity.id || k.since > txn.ReadTs() {
		return cacheHeader{}, store.ErrNotFound
	}
	return k, nil
}

type cacheReader struct {
	ctx  context.Context
	r    io.Reader
	sum  xxhash.Digest
	size uint64
}

func (r *cacheReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(b)
	_, _ = r.sum.Write(b[:n])
	r.size += uint64(n)
	return n, err
}

// The cache of an encrypted store begins with a salt, from which its key is derived, and consists of numbered chunks
// encrypted with AES-GCM. The last chunk, which is shorter than the others or empty, is marked as such.
const (
	saltSize   = 32
	chunkBytes = 64 << 10
)

func (v *keyring) chunks(salt []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(v.key.Derive("kept " + hex.EncodeToString(salt)))
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func nonce(n uint64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 4), n) }

var lastChunk = []byte("last")

// encrypter returns a writer that encrypts to w like the store; its Close does not close w.
func (v *keyring) encrypter(w io.Writer) (io.WriteCloser, error) {
	if v == nil {
		return &plainWriter{bufio.NewWriterSize(w, chunkBytes)}, nil
	}
	salt := make([]byte, saltSize)
	rand.Read(salt)
	aead, err := v.chunks(salt)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(salt)
	return &encryptWriter{w: w, aead: aead}, err
}

type plainWriter struct{ *bufio.Writer }

func (w *plainWriter) Close() error { return w.Flush() }

type encryptWriter struct {
	w    io.Writer
	aead cipher.AEAD
	n    uint64
	buf  []byte
}

func (s *encryptWriter) Write(b []byte) (int, error) {
	s.buf = append(s.buf, b...)
	for len(s.buf) >= chunkBytes {
		if err := s.chunk(s.buf[:chunkBytes], nil); err != nil {
			return 0, err
		}
		s.buf = append(s.buf[:0], s.buf[chunkBytes:]...)
	}
	return len(b), nil
}

func (s *encryptWriter) chunk(b, more []byte) error {
	_, err := s.w.Write(s.aead.Seal(nil, nonce(s.n), b, more))
	s.n++
	return err
}

func (s *encryptWriter) Close() error { return s.chunk(s.buf, lastChunk) }

// decrypter returns a reader that reverses encrypter.
func (v *keyring) decrypter(r io.Reader) (io.Reader, error) {
	if v == nil {
		return r, nil
	}
	salt := make([]byte, saltSize)
	if _, err := io.ReadFull(r, salt); err != nil {
		return nil, store.ErrNotFound
	}
	aead, err := v.chunks(salt)
	return &decryptReader{r: r, aead: aead}, err
}

type decryptReader struct {
	r    io.Reader
	aead cipher.AEAD
	n    uint64
	rest bytes.Reader
	last bool
}

func (o *decryptReader) Read(b []byte) (int, error) {
	for o.rest.Len() == 0 {
		if o.last {
			return 0, io.EOF
		}
		sealed := make([]byte, chunkBytes+o.aead.Overhead())
		n, err := io.ReadFull(o.r, sealed)
		var more []byte
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			o.last, more = true, lastChunk
		case err != nil:
			return 0, err
		}
		text, err := o.aead.Open(nil, nonce(o.n), sealed[:n], more)
		if err != nil {
			return 0, store.ErrNotFound
		}
		o.n++
		o.rest.Reset(text)
	}
	return o.rest.Read(b)
}
