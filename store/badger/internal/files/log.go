package files

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"

	"github.com/dgraph-io/badger/v4/y"
)

// LogHeaderSize is the size of a log's header in bytes (badger/v4/memtable.go).
const LogHeaderSize = 20

// ValueLogSize is the size of a value log file in bytes.
const ValueLogSize = 16 << 20

// Log is the contents of a memtable's log.
type Log struct {
	Entries []Entry // of complete transactions
	Torn    []Entry // of incomplete transactions: the last one before the process ended, or one whose end is lost
	Newest  uint64  // highest version in Entries
	// Broken reports that a record cannot be read and is followed by others. After is the lowest version of those. Near
	// are the keys that the broken records seem to have. If an encrypted log has lost its beginning, nothing can be
	// read and After is 0.
	Broken bool
	After  uint64
	Near   [][]byte
}

// LogCipher decrypts the records of a log. The zero value belongs to a log that is not encrypted.
type LogCipher struct {
	key  cipher.Block
	base []byte // with the offset of a record, it is the initialization vector
}

// Open decrypts the start of the key and value of the record at offset at.
func (c LogCipher) Open(b []byte, at int) []byte {
	if c.key == nil {
		return b
	}
	iv := binary.BigEndian.AppendUint32(append(make([]byte, 0, aes.BlockSize), c.base...), uint32(at))
	out := make([]byte, len(b))
	cipher.NewCTR(c.key, iv).XORKeyStream(out, b)
	return out
}

// LogCiphers returns the ciphers that may have encrypted a log.
func (r *Registry) LogCiphers(b []byte) (out []LogCipher) {
	if r == nil || len(b) < LogHeaderSize {
		return []LogCipher{{}}
	}
	for _, key := range r.Ciphers(binary.BigEndian.Uint64(b)) {
		out = append(out, LogCipher{key, b[8:LogHeaderSize]})
	}
	return out
}

// logCipher returns the cipher with which the first record of a log decodes, or false if none does.
func (r *Registry) logCipher(b []byte, end int) (LogCipher, bool) {
	all := r.LogCiphers(b)
	for at := LogHeaderSize; r != nil && at < end; at++ {
		if _, _, ok := LogEntry(b, at, LogCipher{}); !ok {
			continue
		}
		for _, c := range all {
			if e, _, _ := LogEntry(b, at, c); e.Version < implausibleVersion {
				return c, true
			}
		}
		return LogCipher{}, false
	}
	return all[0], true
}

// implausibleVersion is a version that no store reaches.
const implausibleVersion = 1 << 48

// ReadLog reads a memtable's log.
func ReadLog(path string, r *Registry) (l Log, err error) {
	b, size, err := ReadWritten(path)
	if err != nil {
		return l, fmt.Errorf("reading a log: %w", err)
	}
	end := len(b)
	b = append(b, make([]byte, min(size-int64(end), readChunk))...) // the last record may end with zeros
	c, ok := r.logCipher(b, end)
	if !ok {
		return Log{Broken: true}, nil
	}
	var open []Entry
	failed := false
	for at := LogHeaderSize; at < end; {
		e, n, ok := LogEntry(b, at, c)
		if !ok {
			if n > 0 && !failed {
				l.Near = append(l.Near, e.Key)
			}
			failed = true
			for at++; at < end && b[at] == 0; {
				at++
			}
			continue
		}
		at += n
		if failed && !l.Broken {
			l.Broken, l.After = true, e.Version
		}
		failed = false
		if len(open) > 0 && open[0].Version != e.Version {
			l.Torn, open = append(l.Torn, open...), nil
		}
		switch {
		case e.Meta&metaTxn != 0:
			open = append(open, e)
		case e.Meta&metaTxnEnd != 0:
			l.Entries, open = append(l.Entries, open...), nil
			l.Newest = max(l.Newest, e.Version)
		default:
			l.Entries, l.Newest = append(l.Entries, e), max(l.Newest, e.Version)
		}
	}
	l.Torn = append(l.Torn, open...)
	return l, nil
}

// ReadWritten returns a file without the zeros at its end, which is most of a log: badger makes it at its full size, in
// bytes, before it writes to it.
func ReadWritten(path string) (b []byte, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close() // it is only read
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	size = info.Size()
	chunk, zeros := make([]byte, readChunk), make([]byte, readChunk)
	for end := size; end > 0; {
		at := max(0, end-readChunk)
		part := chunk[:end-at]
		if _, err := f.ReadAt(part, at); err != nil {
			return nil, 0, err
		}
		if bytes.Equal(part, zeros[:len(part)]) {
			end = at
			continue
		}
		b = make([]byte, at+int64(len(bytes.TrimRight(part, "\x00"))))
		_, err := f.ReadAt(b, 0)
		return b, size, err
	}
	return []byte{}, size, nil
}

// readChunk is how many bytes ReadWritten looks at once.
const readChunk = 256 << 10

// RecordSizes returns the offset of a record's key and the lengths of its key and value; all are 0 if b does not start
// with a record.
func RecordSizes(b []byte) (from, klen, vlen int) {
	if len(b) < 2 {
		return 0, 0, 0
	}
	from = 2
	var sizes [3]uint64 // of key and value; expiry time
	for i := range sizes {
		v, used := binary.Uvarint(b[from:])
		if used <= 0 {
			return 0, 0, 0
		}
		sizes[i] = v
		from += used
	}
	if sizes[0] < 8 || sizes[0] > 1<<16 || sizes[1] > 2*ValueLogSize {
		return 0, 0, 0
	}
	return from, int(sizes[0]), int(sizes[1])
}

// LogEntry reads the record at an offset of a log, and returns its length. If its checksum is wrong, ok is false and e
// has the key that the record seems to have.
func LogEntry(log []byte, at int, c LogCipher) (e Entry, n int, ok bool) {
	b := log[at:]
	from, klen, vlen := RecordSizes(b)
	if n = from + klen + vlen; from == 0 || len(b)-n < crc32.Size {
		return e, 0, false
	}
	e.Meta, e.Tag = b[0], b[1]
	ok = crc32.Checksum(b[:n], y.CastagnoliCrcTable) == binary.BigEndian.Uint32(b[n:])
	size := n
	if !ok {
		size = from + klen
	}
	plain := c.Open(b[from:size], at)
	e.Key, e.Version, e.Value = y.ParseKey(plain[:klen]), y.ParseTs(plain[:klen]), plain[klen:]
	return e, n + crc32.Size, ok
}

// ValueOf returns the value of a key that a value pointer refers to, or false if it does not exist.
func (r *Registry) ValueOf(key, b []byte, logs map[uint32][]byte) ([]byte, bool) {
	if len(b) < 12 {
		return nil, false
	}
	file, size, at := binary.NativeEndian.Uint32(b), binary.NativeEndian.Uint32(b[4:]), binary.NativeEndian.Uint32(b[8:])
	log := logs[file]
	if uint64(at)+uint64(size) > uint64(len(log)) {
		return nil, false
	}
	for _, c := range r.LogCiphers(log) {
		if e, _, ok := LogEntry(log[:at+size], int(at), c); ok && bytes.Equal(e.Key, key) {
			return e.Value, true
		}
	}
	return nil, false
}
