package badger

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"google.golang.org/protobuf/proto"
)

// rewritten gives the tables that the database's list of tables says were removed: a compaction has put
// what counts of their records into others. Where a process was killed before it removed all of their
// files, those that stay hold records that have been deleted since, of which nothing else tells any more.
//
// The list is a head of 8 bytes and then sets of changes, each after its length and its checksum
// (CRC-32C), 4 bytes each. It is read as far as it is whole.
func rewritten(path string) map[uint64]bool {
	out := map[uint64]bool{}
	b, err := os.ReadFile(filepath.Join(path, badger.ManifestFilename))
	if err != nil || len(b) < 8 {
		return out
	}
	for b = b[8:]; len(b) >= 8; {
		size, sum := uint64(binary.BigEndian.Uint32(b)), binary.BigEndian.Uint32(b[4:])
		if b = b[8:]; size > uint64(len(b)) || crc32.Checksum(b[:size], crc32.MakeTable(crc32.Castagnoli)) != sum {
			return out
		}
		var set pb.ManifestChangeSet
		if proto.Unmarshal(b[:size], &set) != nil {
			return out
		}
		for _, c := range set.Changes {
			out[c.Id] = c.Op == pb.ManifestChange_DELETE
		}
		b = b[size:]
	}
	return out
}
