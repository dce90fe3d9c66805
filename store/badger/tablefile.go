package badger

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/klauspost/compress/snappy"
	"google.golang.org/protobuf/proto"
)

// The database reads its tables in trust: a block that is not what was written ends a scan without a
// word, ends the process, or is dropped for good by the next compaction. So the files are read here
// before the database gets them, by the layout of badger/v4/table.

// entry is one version of a record as a file holds it.
type entry struct {
	key     []byte // without the version
	version uint64
	meta    byte
	tag     byte // of the store that wrote it; 0: none
	value   []byte
}

// The bits of entry.meta (badger/v4/value.go).
const (
	metaDeleted = 1 << 0
	metaPointer = 1 << 1
	metaTxn     = 1 << 6
	metaTxnEnd  = 1 << 7
)

// table is what a table's file holds.
type table struct {
	indexed bool   // the table's own list of blocks is whole
	bloom   []byte // whether it may have a key; nil where that is not known
	newest  uint64 // the highest version in it, as its index says
	gaps    []span
	print   tableFingerprint
}

var errBlock = errors.New("a block is damaged")

// how says how the blocks of a table are to be read.
type how struct {
	packed options.CompressionType
	keys   []cipher.Block // one of these encrypted it; none: it is not encrypted
}

// readTable reads a table's file and gives all entries to fn, which may be nil. What cannot be read is
// in the table's gaps; an error is one of the file system, or of fn.
func readTable(path string, h how, fn func(entry) error) (t table, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return t, fmt.Errorf("reading a table: %w", err)
	}
	index, key, hash := readIndex(b, int64(len(b)), h.keys)
	if index == nil {
		return t, walkBlocks(b, h, fn)
	}
	t.print = tableFingerprint{size: int64(len(b)), index: hash}
	t.indexed, t.newest, t.bloom = true, index.MaxVersion(), index.BloomFilterBytes()
	r := blockReader{packed: h.packed, key: key}
	var at, next fb.BlockOffset
	for i := range index.OffsetsLength() {
		index.Offsets(&at, i)
		from, end := int(at.Offset()), int(at.Offset())+int(at.Len())
		err := errBlock
		if end <= len(b) {
			err = r.read(b[from:end], fn)
		}
		if errors.Is(err, errBlock) {
			g := span{From: y.ParseKey(y.Copy(at.KeyBytes()))}
			if i+1 < index.OffsetsLength() {
				index.Offsets(&next, i+1)
				g.To = append(y.ParseKey(y.Copy(next.KeyBytes())), 0) // that key may have a version here as well
			}
			t.gaps = append(t.gaps, g)
		} else if err != nil {
			return t, err
		} else if i+1 == index.OffsetsLength() {
			t.print.last = xxhash.Sum64(b[from:end])
		}
	}
	return t, nil
}

// readIndex returns a table's list of blocks, nil where it is not what was written, the key of those that the
// table is encrypted with, and a hash of the list. b is the end of the table's file, which has that size.
func readIndex(b []byte, size int64, keys []cipher.Block) (*fb.TableIndex, cipher.Block, uint64) {
	rest, sum := cutSized(b)
	var want pb.Checksum
	if sum == nil || proto.Unmarshal(sum, &want) != nil {
		return nil, nil, 0
	}
	_, data := cutSized(rest)
	if data == nil || y.VerifyChecksum(data, &want) != nil {
		return nil, nil, 0
	}
	if len(keys) == 0 {
		if index := asIndex(data); index != nil && likely(index, size) {
			return index, nil, xxhash.Sum64(data)
		}
		return nil, nil, 0 // it is encrypted
	}
	// The checksum is of what is encrypted, and says nothing about the key.
	for _, key := range keys {
		if index := asIndex(unseal(nil, data, key)); index != nil && likely(index, size) {
			return index, key, xxhash.Sum64(data)
		}
	}
	return nil, nil, 0
}

// asIndex gives the list of blocks in b, nil where there is none.
func asIndex(b []byte) (index *fb.TableIndex) {
	defer func() {
		if recover() != nil {
			index = nil
		}
	}()
	return fb.GetRootAsTableIndex(b, 0)
}

// likely reports whether a list of blocks can be that of a file of that size: they lie one after another
// from its beginning.
func likely(index *fb.TableIndex, size int64) (ok bool) {
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

// unseal decrypts what has its initialisation vector after it, into buf; nil where it has none.
func unseal(buf, b []byte, key cipher.Block) []byte {
	n := len(b) - key.BlockSize()
	if n < 0 {
		return nil
	}
	buf = append(buf[:0], b[:n]...)
	cipher.NewCTR(key, b[n:]).XORKeyStream(buf, buf)
	return buf
}

// cutSized cuts off the end of b what stands there before its own length in four bytes.
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

// blockReader reads the blocks of one table.
type blockReader struct {
	packed           options.CompressionType
	key              cipher.Block // nil: they are not encrypted
	raw              []byte       // of the block before, as are the others
	opened, unpacked []byte
}

// read gives the entries of a block to fn, which must not keep them; errBlock where it is not what was
// written.
func (r *blockReader) read(raw []byte, fn func(entry) error) (err error) {
	if r.key != nil {
		if raw = unseal(r.opened, raw, r.key); raw == nil {
			return errBlock
		}
		r.opened = raw
	}
	if r.packed == options.Snappy {
		n, err := snappy.DecodedLen(raw)
		if err != nil || n > maxBlock {
			return errBlock
		}
		if raw, err = snappy.Decode(r.unpacked[:cap(r.unpacked)], raw); err != nil {
			r.unpacked = nil
			return errBlock
		}
		r.unpacked = raw
	}
	return readUnpacked(raw, fn)
}

func readUnpacked(raw []byte, fn func(entry) error) error {
	rest, sum := cutSized(raw)
	var want pb.Checksum
	if sum == nil || len(rest) < 4 || proto.Unmarshal(sum, &want) != nil || y.VerifyChecksum(rest, &want) != nil {
		return errBlock
	}
	if fn == nil {
		return nil
	}
	n := int(binary.BigEndian.Uint32(rest[len(rest)-4:]))
	ends := len(rest) - 4 - 4*n
	if n < 0 || ends < 0 {
		return errBlock
	}
	return eachEntry(rest[:ends], rest[ends:len(rest)-4], fn)
}

// maxBlock is far more than a block with the largest record takes.
const maxBlock = 64 << 20

// eachEntry gives the entries of a block's data to fn; offsets is where each begins.
func eachEntry(data, offsets []byte, fn func(entry) error) error {
	n := len(offsets) / 4
	var base []byte
	for i := range n {
		from, to := int(binary.NativeEndian.Uint32(offsets[4*i:])), len(data)
		if i+1 < n {
			to = int(binary.NativeEndian.Uint32(offsets[4*i+4:]))
		}
		if from > to || to > len(data) || to-from < 4 {
			return errBlock
		}
		b := data[from:to]
		overlap, diff := int(binary.NativeEndian.Uint16(b)), int(binary.NativeEndian.Uint16(b[2:]))
		if 4+diff > len(b) || overlap > len(base) {
			return errBlock
		}
		key := append(append([]byte(nil), base[:overlap]...), b[4:4+diff]...)
		if i == 0 {
			base = key
		}
		if len(key) < 8 {
			return errBlock
		}
		var v y.ValueStruct
		v.Decode(b[4+diff:])
		if err := fn(entry{key: y.ParseKey(key), version: y.ParseTs(key), meta: v.Meta, tag: v.UserMeta, value: v.Value}); err != nil {
			return err
		}
	}
	return nil
}

// maxHead bounds the index of a table, for one that claims to be larger.
const maxHead = 64 << 20

// tailSize is about what stands after a table's index: its length, a checksum, the length of that.
const tailSize = 256

// readTableHead reads of a table what the database reads as it opens: its index and its last block. It
// reads into buf, and gives that back for the next one.
func readTableHead(path string, h how, buf []byte) (t table, _ []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return t, buf, fmt.Errorf("reading a table: %w", err)
	}
	defer f.Close()
	index, key, print, buf, err := readTail(f, h, buf)
	if err != nil || index == nil {
		return t, buf, err
	}
	t = table{indexed: true, newest: index.MaxVersion(), print: print}
	var last fb.BlockOffset
	if index.Offsets(&last, index.OffsetsLength()-1) {
		r := blockReader{packed: h.packed, key: key}
		if err := r.readAt(f, &last, nil); errors.Is(err, errBlock) {
			t.gaps = append(t.gaps, span{From: y.ParseKey(y.Copy(last.KeyBytes()))})
		} else if err != nil {
			return t, buf, err
		} else {
			t.print.last = xxhash.Sum64(r.raw)
		}
	}
	return t, buf, nil
}

// readKey calls fn with those entries of a table that may be of a key. Blocks that cannot be read are left out.
func readKey(path string, h how, key []byte, fn func(entry) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading a table: %w", err)
	}
	defer f.Close()
	index, cipher, _, _, err := readTail(f, h, nil)
	if err != nil || index == nil {
		return err
	}
	x := tableIndex{blocks: index, proved: make([]atomic.Int64, index.OffsetsLength())}
	r := blockReader{packed: h.packed, key: cipher}
	for n, end := x.span(key, after(key)); n < end; n++ {
		var at fb.BlockOffset
		index.Offsets(&at, n)
		if err := r.readAt(f, &at, fn); err != nil && !errors.Is(err, errBlock) {
			return err
		}
	}
	return nil
}

// readTail reads a table's index, nil where it is not what was written, into buf, which it gives back
// as large as it was needed. The table's fingerprint has no last block.
func readTail(f *os.File, h how, buf []byte) (*fb.TableIndex, cipher.Block, tableFingerprint, []byte, error) {
	var print tableFingerprint
	info, err := f.Stat()
	if err != nil {
		return nil, nil, print, buf, fmt.Errorf("reading a table: %w", err)
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
		return nil, nil, print, buf, err
	}
	if rest, sum := cutSized(buf); sum != nil && len(rest) >= 4 {
		n += int64(binary.BigEndian.Uint32(rest[len(rest)-4:]))
	}
	if n > maxHead {
		return nil, nil, print, buf, nil
	}
	if err := read(min(n, size)); err != nil {
		return nil, nil, print, buf, err
	}
	index, key, hash := readIndex(buf, size, h.keys)
	return index, key, tableFingerprint{size: size, index: hash}, buf, nil
}

// readAt proves a block of a table's file, and gives its entries to fn, which may be nil. It fails with errBlock
// where the block is not what was written.
func (r *blockReader) readAt(f *os.File, at *fb.BlockOffset, fn func(entry) error) error {
	if at.Len() > maxBlock {
		return errBlock
	}
	r.raw = slices.Grow(r.raw[:0], int(at.Len()))[:at.Len()]
	if _, err := f.ReadAt(r.raw, int64(at.Offset())); errors.Is(err, io.EOF) {
		return errBlock
	} else if err != nil {
		return fmt.Errorf("reading a table: %w", err)
	}
	return r.read(r.raw, fn)
}
