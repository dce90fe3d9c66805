// Package files reads the files of a Badger database without Badger: tables, logs, the manifest, and the key registry.
// A test fails when the version of Badger changes, as a reminder to check the formats.
package files

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"

	"github.com/cespare/xxhash/v2"
	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/klauspost/compress/snappy"
	"google.golang.org/protobuf/proto"
)

// The database trusts its tables: a damaged block silently ends a scan, ends the process, or is dropped for good by the
// next compaction. So this package reads the files before the database does, in the format of badger/v4/table.

// Entry is one version of a record in a file.
type Entry struct {
	Key     []byte // without the version
	Version uint64
	Meta    byte
	Tag     byte // identifies the store that wrote it; 0: none
	Value   []byte
}

// Bits of [Entry.Meta] (badger/v4/value.go).
const (
	MetaDeleted = 1 << 0
	MetaPointer = 1 << 1
	metaTxn     = 1 << 6
	metaTxnEnd  = 1 << 7
)

// Table is the contents of a table's file.
type Table struct {
	Indexed     bool   // the table's index is readable
	Bloom       []byte // filter of the keys; nil if unknown
	Newest      uint64 // highest version, according to the index
	Gaps        []Span
	Fingerprint Fingerprint
}

// Span is a range of keys, including From and excluding To. A nil To means no upper bound.
type Span struct {
	From []byte `json:"from,omitempty"`
	To   []byte `json:"to,omitempty"`
}

// Has reports whether the span contains key.
func (s Span) Has(key []byte) bool {
	return bytes.Compare(key, s.From) >= 0 && (s.To == nil || bytes.Compare(key, s.To) < 0)
}

// Fingerprint identifies a table.
type Fingerprint struct {
	Size  int64  // of the file
	Index uint64 // hash of the index
	Last  uint64 // hash of the last block; 0 if it cannot be read
}

// Matches reports whether two fingerprints belong to the same table, as far as it can be read.
func (p Fingerprint) Matches(o Fingerprint) bool {
	return p.Size == o.Size && p.Index == o.Index && (p.Last == o.Last || p.Last == 0 || o.Last == 0)
}

// TableName returns the file name of a table.
func TableName(id uint64) string { return fmt.Sprintf("%06d.sst", id) }

// ErrBlock reports that a block is damaged.
var ErrBlock = errors.New("a block is damaged")

// TableFormat is the compression and the encryption of a table.
type TableFormat struct {
	Compression options.CompressionType
	Keys        []cipher.Block // candidates for the key; none if it is not encrypted
}

// ReadTable reads a table's file and calls fn, which may be nil, with all entries. Unreadable parts are in the table's
// Gaps. An error is one of the file system or of fn.
func ReadTable(path string, h TableFormat, fn func(Entry) error) (t Table, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return t, fmt.Errorf("reading a table: %w", err)
	}
	x := ReadIndex(b, int64(len(b)), h.Keys)
	if x == nil {
		return t, walkBlocks(b, h, fn)
	}
	t = Table{Indexed: true, Newest: x.Blocks.MaxVersion(), Bloom: x.Blocks.BloomFilterBytes(), Fingerprint: x.print}
	r := BlockReader{Compression: h.Compression, Key: x.Key}
	for i := range x.Len() {
		at := x.Block(i)
		from, end := int(at.Offset()), int(at.Offset())+int(at.Len())
		err := ErrBlock
		if end <= len(b) {
			err = r.Read(b[from:end], fn)
		}
		if errors.Is(err, ErrBlock) {
			t.Gaps = append(t.Gaps, x.Gap(i))
		} else if err != nil {
			return t, err
		} else if i+1 == x.Len() {
			t.Fingerprint.Last = xxhash.Sum64(b[from:end])
		}
	}
	return t, nil
}

// Index is the block index of a table.
type Index struct {
	Blocks *fb.TableIndex
	Key    cipher.Block // decrypts the table; nil if it is not encrypted
	print  Fingerprint  // without the last block
}

// Len returns the number of blocks.
func (x *Index) Len() int { return x.Blocks.OffsetsLength() }

// Block returns the offset and size of block n.
func (x *Index) Block(n int) (at fb.BlockOffset) {
	x.Blocks.Offsets(&at, n)
	return at
}

// First returns the first key of block n.
func (x *Index) First(n int) []byte {
	at := x.Block(n)
	return y.ParseKey(at.KeyBytes())
}

// Gap returns the range of keys that block n may contain.
func (x *Index) Gap(n int) Span {
	g := Span{From: bytes.Clone(x.First(n))}
	if n+1 < x.Len() {
		g.To = append(bytes.Clone(x.First(n+1)), 0) // another version of that key may be in block n
	}
	return g
}

// Span returns the blocks that may contain keys of a range. Versions of one key may be in two blocks.
func (x *Index) Span(from, to []byte) (begin, end int) {
	n := x.Len()
	begin = max(0, sort.Search(n, func(i int) bool { return bytes.Compare(x.First(i), from) >= 0 })-1)
	if to == nil {
		return begin, n
	}
	return begin, sort.Search(n, func(i int) bool { return bytes.Compare(x.First(i), to) >= 0 })
}

// ReadIndex returns the index of a table, or nil if it is damaged. b is the end of the table's file, which has that
// size.
func ReadIndex(b []byte, size int64, keys []cipher.Block) *Index {
	rest, sum := cutSized(b)
	var want pb.Checksum
	if sum == nil || proto.Unmarshal(sum, &want) != nil {
		return nil
	}
	_, data := cutSized(rest)
	if data == nil || y.VerifyChecksum(data, &want) != nil {
		return nil
	}
	if len(keys) == 0 {
		if index := parseIndex(data); index != nil && plausible(index, size) {
			return &Index{index, nil, Fingerprint{Size: size, Index: xxhash.Sum64(data)}}
		}
		return nil // it is encrypted
	}
	// The checksum covers the encrypted bytes, so it does not verify the key.
	for _, key := range keys {
		if index := parseIndex(decrypt(nil, data, key)); index != nil && plausible(index, size) {
			return &Index{index, key, Fingerprint{Size: size, Index: xxhash.Sum64(data)}}
		}
	}
	return nil
}

// parseIndex returns the index encoded in b, or nil if there is none.
func parseIndex(b []byte) (index *fb.TableIndex) {
	defer func() {
		if recover() != nil {
			index = nil
		}
	}()
	return fb.GetRootAsTableIndex(b, 0)
}

// plausible reports whether an index can belong to a file of that size: the blocks must follow each other from its
// beginning.
func plausible(index *fb.TableIndex, size int64) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	end := int64(0)
	var at fb.BlockOffset
	n := index.OffsetsLength()
	for i := range n {
		if !index.Offsets(&at, i) || int64(at.Offset()) != end || len(at.KeyBytes()) < 8 {
			return false
		}
		end += int64(at.Len())
	}
	_, _ = index.BloomFilterBytes(), index.MaxVersion()
	return n > 0 && end <= size
}

// decrypt decrypts data followed by its initialization vector, into buf; nil if there is none.
func decrypt(buf, b []byte, key cipher.Block) []byte {
	n := len(b) - key.BlockSize()
	if n < 0 {
		return nil
	}
	buf = append(buf[:0], b[:n]...)
	cipher.NewCTR(key, b[n:]).XORKeyStream(buf, buf)
	return buf
}

// cutSized splits off the bytes at the end of b that precede their length in four bytes.
func cutSized(b []byte) (rest, cut []byte) {
	if len(b) < 4 {
		return nil, nil
	}
	n := uint64(binary.BigEndian.Uint32(b[len(b)-4:]))
	if n > uint64(len(b)-4) {
		return nil, nil
	}
	at := len(b) - 4 - int(n)
	return b[:at], b[at : len(b)-4]
}

// BlockReader reads the blocks of a table.
type BlockReader struct {
	Compression      options.CompressionType
	Key              cipher.Block // nil if they are not encrypted
	raw              []byte       // of the previous block, as are the others
	opened, unpacked []byte
}

// Read calls fn, which must not retain them, with the entries of a block. It returns ErrBlock if the block is damaged.
func (r *BlockReader) Read(raw []byte, fn func(Entry) error) (err error) {
	if r.Key != nil {
		if raw = decrypt(r.opened, raw, r.Key); raw == nil {
			return ErrBlock
		}
		r.opened = raw
	}
	if r.Compression == options.Snappy {
		n, err := snappy.DecodedLen(raw)
		if err != nil || n > maxBlock {
			return ErrBlock
		}
		if raw, err = snappy.Decode(r.unpacked[:cap(r.unpacked)], raw); err != nil {
			r.unpacked = nil
			return ErrBlock
		}
		r.unpacked = raw
	}
	return readUnpacked(raw, fn)
}

func readUnpacked(raw []byte, fn func(Entry) error) error {
	rest, sum := cutSized(raw)
	var want pb.Checksum
	if sum == nil || len(rest) < 4 || proto.Unmarshal(sum, &want) != nil || y.VerifyChecksum(rest, &want) != nil {
		return ErrBlock
	}
	if fn == nil {
		return nil
	}
	n := int(binary.BigEndian.Uint32(rest[len(rest)-4:]))
	ends := len(rest) - 4 - 4*n
	if n < 0 || ends < 0 {
		return ErrBlock
	}
	return eachEntry(rest[:ends], rest[ends:len(rest)-4], fn)
}

// maxBlock is far more than a block with the largest record needs.
const maxBlock = 64 << 20

// eachEntry calls fn with the entries of a block's data; offsets are their offsets.
func eachEntry(data, offsets []byte, fn func(Entry) error) error {
	n := len(offsets) / 4
	var base []byte
	for i := range n {
		from, to := int(binary.NativeEndian.Uint32(offsets[4*i:])), len(data)
		if i+1 < n {
			to = int(binary.NativeEndian.Uint32(offsets[4*i+4:]))
		}
		if from > to || to > len(data) || to-from < 4 {
			return ErrBlock
		}
		b := data[from:to]
		overlap, diff := int(binary.NativeEndian.Uint16(b)), int(binary.NativeEndian.Uint16(b[2:]))
		if 4+diff > len(b) || overlap > len(base) {
			return ErrBlock
		}
		key := append(append([]byte(nil), base[:overlap]...), b[4:4+diff]...)
		if i == 0 {
			base = key
		}
		if len(key) < 8 {
			return ErrBlock
		}
		var v y.ValueStruct
		v.Decode(b[4+diff:])
		if err := fn(Entry{Key: y.ParseKey(key), Version: y.ParseTs(key), Meta: v.Meta, Tag: v.UserMeta, Value: v.Value}); err != nil {
			return err
		}
	}
	return nil
}

// maxIndex limits the size of an index, which may be damaged.
const maxIndex = 64 << 20

// tailSize is about the number of bytes after a table's index: its length, a checksum, and the length of that.
const tailSize = 256

// ReadTableHead reads the parts of a table that the database reads when it opens: the index and the last block. It
// reads into buf, and returns buf for the next call.
func ReadTableHead(path string, h TableFormat, buf []byte) (t Table, _ []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return t, buf, fmt.Errorf("reading a table: %w", err)
	}
	defer f.Close()
	x, buf, err := ReadTail(f, h, buf)
	if err != nil || x == nil {
		return t, buf, err
	}
	t = Table{Indexed: true, Newest: x.Blocks.MaxVersion(), Fingerprint: x.print}
	r := BlockReader{Compression: h.Compression, Key: x.Key}
	if err := r.ReadAt(f, x, x.Len()-1, nil); errors.Is(err, ErrBlock) {
		t.Gaps = append(t.Gaps, x.Gap(x.Len()-1))
	} else if err != nil {
		return t, buf, err
	} else {
		t.Fingerprint.Last = xxhash.Sum64(r.raw)
	}
	return t, buf, nil
}

// ReadKey calls fn with the entries of a table that may have the key. It skips unreadable blocks.
func ReadKey(path string, h TableFormat, key []byte, fn func(Entry) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading a table: %w", err)
	}
	defer f.Close()
	x, _, err := ReadTail(f, h, nil)
	if err != nil || x == nil {
		return err
	}
	r := BlockReader{Compression: h.Compression, Key: x.Key}
	for n, end := x.Span(key, append(slices.Clip(key), 0)); n < end; n++ {
		if err := r.ReadAt(f, x, n, fn); err != nil && !errors.Is(err, ErrBlock) {
			return err
		}
	}
	return nil
}

// ReadTail reads the index of a table into buf, and returns the index, or nil if it is damaged, and the buffer, which
// may have grown.
func ReadTail(f *os.File, h TableFormat, buf []byte) (*Index, []byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, buf, fmt.Errorf("reading a table: %w", err)
	}
	size := info.Size()
	read := func(n int64) error {
		buf = slices.Grow(buf[:0], int(n))[:n]
		if _, err := f.ReadAt(buf, size-n); err != nil {
			return fmt.Errorf("reading a table: %w", err)
		}
		return nil
	}
	n := min(size, tailSize)
	if err := read(n); err != nil {
		return nil, buf, err
	}
	if rest, sum := cutSized(buf); sum != nil && len(rest) >= 4 {
		n += int64(binary.BigEndian.Uint32(rest[len(rest)-4:]))
	}
	if n > maxIndex {
		return nil, buf, nil
	}
	if err := read(min(n, size)); err != nil {
		return nil, buf, err
	}
	return ReadIndex(buf, size, h.Keys), buf, nil
}

// ReadAt verifies block n of a table's file, and calls fn, which may be nil, with its entries. It fails with ErrBlock
// if the block is damaged.
func (r *BlockReader) ReadAt(f *os.File, x *Index, n int, fn func(Entry) error) error {
	at := x.Block(n)
	if at.Len() > maxBlock {
		return ErrBlock
	}
	r.raw = slices.Grow(r.raw[:0], int(at.Len()))[:at.Len()]
	if _, err := f.ReadAt(r.raw, int64(at.Offset())); errors.Is(err, io.EOF) {
		return ErrBlock
	} else if err != nil {
		return fmt.Errorf("reading a table: %w", err)
	}
	return r.Read(r.raw, fn)
}
