package badger

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"

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
	broken bool
	after  uint64
	near   [][]byte
}

// lost reports whether acknowledged changes cannot be read; acked is the last one, 0 where that is
// not known.
func (l logged) lost(acked uint64) bool { return l.broken && (acked == 0 || l.after <= acked) }

// readLog reads the log of a table in memory.
func readLog(path string) (l logged, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return l, fmt.Errorf("reading a log: %w", err)
	}
	end := len(b)
	for end > 0 && b[end-1] == 0 { // what was reserved and not written
		end--
	}
	var open []entry
	failed := false
	for at := logHead; at < end; {
		e, n, ok := logEntry(b[at:])
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
	return l, nil
}

// logEntry reads the record at the start of b, and gives its length. Where its checksum is wrong, it
// gives what the record seems to be.
func logEntry(b []byte) (e entry, n int, ok bool) {
	if len(b) < 2 {
		return e, 0, false
	}
	e.meta, n = b[0], 2
	var sizes [3]uint64 // of key and value; when it expires
	for i := range sizes {
		v, used := binary.Uvarint(b[n:])
		if used <= 0 {
			return e, 0, false
		}
		sizes[i] = v
		n += used
	}
	klen, vlen := sizes[0], sizes[1]
	if klen < 8 || klen > 1<<16 || vlen > 2*maxValue || uint64(len(b)-n) < klen+vlen+crc32.Size {
		return e, 0, false
	}
	key := b[n : n+int(klen)]
	e.key, e.version = y.ParseKey(key), y.ParseTs(key)
	e.value = b[n+int(klen) : n+int(klen+vlen)]
	n += int(klen + vlen)
	sum := crc32.Checksum(b[:n], y.CastagnoliCrcTable)
	ok = sum == binary.BigEndian.Uint32(b[n:])
	return e, n + crc32.Size, ok
}

// pointed gives the value that a pointer of an entry leads to; false where it is not there.
func pointed(b []byte, logs map[uint32][]byte) ([]byte, bool) {
	if len(b) < 12 {
		return nil, false
	}
	file, size, at := binary.NativeEndian.Uint32(b), binary.NativeEndian.Uint32(b[4:]), binary.NativeEndian.Uint32(b[8:])
	log := logs[file]
	if uint64(at)+uint64(size) > uint64(len(log)) {
		return nil, false
	}
	e, _, ok := logEntry(log[at : at+size])
	return e.value, ok
}
