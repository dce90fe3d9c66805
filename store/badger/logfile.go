package badger

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"slices"

	"github.com/dgraph-io/badger/v4/y"
)

// logHead is how many bytes a log begins with before its first record (badger/v4/memtable.go).
const logHead = 20

// logged is what the log of a table in memory holds.
type logged struct {
	entries []entry // of transactions that ended
	torn    []entry // of those that did not: the last one as the process ended, or one that lost its end
	newest  uint64  // the highest version among entries
	// broken says that a record cannot be read, and others stand after it; after is the lowest version
	// of those. near are the keys that such records seem to have had.
	// Of a log that is encrypted and has lost its beginning nothing can be read; after is 0 then.
	broken bool
	after  uint64
	near   [][]byte
	links  []link
	origin // of its entries
}

// link is what a sequence record says of the commits before.
type link struct{ version, before uint64 }

// lost reports whether acknowledged changes cannot be read; acked is the last one, 0 where that is
// not known.
func (l logged) lost(acked uint64) bool { return l.broken && (acked == 0 || l.after <= acked) }

// logCipher decrypts the records of one log. The zero value is that of a log which is not encrypted.
type logCipher struct {
	key  cipher.Block
	base []byte // with the place of a record it makes the initialisation vector
}

// open decrypts what stands at the beginning of key and value of the record at that place.
func (c logCipher) open(b []byte, at int) []byte {
	if c.key == nil {
		return b
	}
	iv := binary.BigEndian.AppendUint32(append(make([]byte, 0, aes.BlockSize), c.base...), uint32(at))
	out := make([]byte, len(b))
	cipher.NewCTR(c.key, iv).XORKeyStream(out, b)
	return out
}

// logCiphers gives what a log may be encrypted with.
func (v *vault) logCiphers(b []byte) (out []logCipher) {
	if v == nil || len(b) < logHead {
		return []logCipher{{}}
	}
	for _, key := range v.ciphers(binary.BigEndian.Uint64(b)) {
		out = append(out, logCipher{key, b[8:logHead]})
	}
	return out
}

// logCipher gives what a log is encrypted with: where its first record makes sense. It is false where
// that cannot be found any more.
func (v *vault) logCipher(b []byte, end int) (logCipher, bool) {
	all := v.logCiphers(b)
	for at := logHead; v != nil && at < end; at++ {
		if _, _, ok := logEntry(b, at, logCipher{}); !ok {
			continue
		}
		for _, c := range all {
			if e, _, _ := logEntry(b, at, c); e.version < unlikely {
				return c, true
			}
		}
		return logCipher{}, false
	}
	return all[0], true
}

// unlikely is a version that no store comes to.
const unlikely = 1 << 48

// readLog reads the log of a table in memory, and leaves out what another store than that one has written; nil
// takes all.
func (v *vault) readLog(path string, of *identity) (l logged, err error) {
	l.of = of
	b, err := os.ReadFile(path)
	if err != nil {
		return l, fmt.Errorf("reading a log: %w", err)
	}
	end := len(b)
	for end > 0 && b[end-1] == 0 { // what was reserved and not written
		end--
	}
	c, ok := v.logCipher(b, end)
	if !ok {
		return logged{broken: true}, nil
	}
	var open []entry
	failed := false
	for at := logHead; at < end; {
		e, n, ok := logEntry(b, at, c)
		if !ok {
			if n > 0 && !failed {
				l.near = append(l.near, e.key)
			}
			failed = true
			for at++; at < end && b[at] == 0; {
				at++
			}
			continue
		}
		at += n
		if failed && !l.broken {
			l.broken, l.after = true, e.version
		}
		failed = false
		if len(open) > 0 && open[0].version != e.version {
			l.torn, open = append(l.torn, open...), nil
		}
		switch {
		case e.meta&metaTxn != 0:
			open = append(open, e)
		case e.meta&metaTxnEnd != 0:
			l.entries, open = append(l.entries, open...), nil
			l.newest = max(l.newest, e.version)
		default:
			l.entries, l.newest = append(l.entries, e), max(l.newest, e.version)
		}
	}
	l.torn = append(l.torn, open...)
	l.settle()
	return l, nil
}

// settle removes the transactions that another store has written.
func (l *logged) settle() {
	strange := map[uint64]bool{} // versions
	for _, e := range slices.Concat(l.entries, l.torn) {
		o := origin{of: l.of}
		_ = o.see(e)
		l.ours, l.foreign, l.older = l.ours || o.ours, l.foreign || o.foreign, l.older || o.older
		if o.foreign {
			strange[e.version] = true
		}
	}
	if l.foreign {
		drop := func(e entry) bool { return !l.ours || strange[e.version] } // a deletion does not tell
		l.entries, l.torn = slices.DeleteFunc(l.entries, drop), slices.DeleteFunc(l.torn, drop)
		l.newest = 0
	}
	for _, e := range l.entries {
		l.newest = max(l.newest, e.version)
		if bytes.Equal(e.key, sequenceKey) && len(e.value) == linkSize {
			l.links = append(l.links, link{e.version, binary.BigEndian.Uint64(e.value[16:])})
		}
	}
}

// recordSizes returns where the key of a record begins, and how long key and value are; all 0 where none begins
// like that.
func recordSizes(b []byte) (from, klen, vlen int) {
	if len(b) < 2 {
		return 0, 0, 0
	}
	from = 2
	var sizes [3]uint64 // of key and value; when it expires
	for i := range sizes {
		v, used := binary.Uvarint(b[from:])
		if used <= 0 {
			return 0, 0, 0
		}
		sizes[i] = v
		from += used
	}
	if sizes[0] < 8 || sizes[0] > 1<<16 || sizes[1] > 2*maxValue {
		return 0, 0, 0
	}
	return from, int(sizes[0]), int(sizes[1])
}

// logEntry reads the record at a place of a log, and returns its length. Where its checksum is wrong, it
// gives the key that it seems to have.
func logEntry(log []byte, at int, c logCipher) (e entry, n int, ok bool) {
	b := log[at:]
	from, klen, vlen := recordSizes(b)
	if n = from + klen + vlen; from == 0 || len(b)-n < crc32.Size {
		return e, 0, false
	}
	e.meta, e.tag = b[0], b[1]
	ok = crc32.Checksum(b[:n], y.CastagnoliCrcTable) == binary.BigEndian.Uint32(b[n:])
	size := n
	if !ok {
		size = from + klen
	}
	plain := c.open(b[from:size], at)
	e.key, e.version, e.value = y.ParseKey(plain[:klen]), y.ParseTs(plain[:klen]), plain[klen:]
	return e, n + crc32.Size, ok
}

// pointed gives the value of a key that a pointer leads to; false where it is not there.
func (v *vault) pointed(key, b []byte, logs map[uint32][]byte) ([]byte, bool) {
	if len(b) < 12 {
		return nil, false
	}
	file, size, at := binary.NativeEndian.Uint32(b), binary.NativeEndian.Uint32(b[4:]), binary.NativeEndian.Uint32(b[8:])
	log := logs[file]
	if uint64(at)+uint64(size) > uint64(len(log)) {
		return nil, false
	}
	for _, c := range v.logCiphers(log) {
		if e, _, ok := logEntry(log[:at+size], int(at), c); ok && bytes.Equal(e.key, key) {
			return e.value, true
		}
	}
	return nil, false
}
