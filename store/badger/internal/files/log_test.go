package files

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/dgraph-io/badger/v4/y"
)

func TestReadWritten(t *testing.T) {
	const end = 3*readChunk + 100
	for name, content := range map[string][]byte{
		"empty":                       {},
		"short":                       []byte("abc"),
		"with zeros inside":           {1, 0, 0, 2},
		"up to the end of a chunk":    bytes.Repeat([]byte{1}, end-2*readChunk),
		"up to the middle of a chunk": append(make([]byte, end-readChunk-7), 5),
		"full":                        bytes.Repeat([]byte{7}, end),
	} {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, size := range []int64{int64(len(content)), end} {
			if err := os.Truncate(path, size); err != nil {
				t.Fatal(err)
			}
			got, whole, err := ReadWritten(path)
			if err != nil || whole != size || !bytes.Equal(got, content) {
				t.Errorf("%s: %d of %d bytes (%v), want %d of %d", name, len(got), whole, err, len(content), size)
			}
		}
	}
}

// A record can end with the zeros that follow a log's last record.
func TestLogEndsWithZero(t *testing.T) {
	b := make([]byte, LogHeaderSize)
	for n := 0; ; n++ {
		value := strconv.Itoa(n)
		record := []byte{0, 0, 9, byte(len(value)), 0}
		record = append(append(record, y.KeyWithTs([]byte("k"), 1)...), value...)
		record = binary.BigEndian.AppendUint32(record, crc32.Checksum(record, y.CastagnoliCrcTable))
		if record[len(record)-1] == 0 {
			b = append(b, record...)
			break
		}
	}
	for _, size := range []int{len(b), len(b) + 5*readChunk} {
		path := filepath.Join(t.TempDir(), "00001.mem")
		if err := os.WriteFile(path, append(bytes.Clone(b), make([]byte, size-len(b))...), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := ReadLog(path, nil)
		if err != nil || len(l.Entries) != 1 || l.Broken {
			t.Errorf("a log of %d bytes: %+v, %v", size, l, err)
		}
	}
}
