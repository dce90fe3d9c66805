package files

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"iter"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"
	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"google.golang.org/protobuf/proto"
)

// The manifest is a header of 8 bytes followed by change sets, each preceded by its length and its checksum (CRC-32C),
// 4 bytes each (badger/v4/manifest.go).

// manifestHeaderSize is the number of bytes before the first change set.
const manifestHeaderSize = 8

// changeSet is a change set of the manifest.
type changeSet struct {
	body []byte
	sum  uint32
	end  int64 // offset of the next one
}

// changeSets returns the change sets of a manifest up to the first incomplete one.
func changeSets(b []byte) iter.Seq[changeSet] {
	return func(yield func(changeSet) bool) {
		for at := int64(manifestHeaderSize); at+8 <= int64(len(b)); {
			size, sum := int64(binary.BigEndian.Uint32(b[at:])), binary.BigEndian.Uint32(b[at+4:])
			end := at + 8 + size
			if end > int64(len(b)) || !yield(changeSet{b[at+8 : end], sum, end}) {
				return
			}
			at = end
		}
	}
}

func (s changeSet) read() (*pb.ManifestChangeSet, error) {
	var set pb.ManifestChangeSet
	if crc32.Checksum(s.body, crc32.MakeTable(crc32.Castagnoli)) != s.sum || proto.Unmarshal(s.body, &set) != nil {
		return nil, errors.New("a set of changes is damaged")
	}
	return &set, nil
}

// RemovedTables returns the tables that the manifest lists as removed, because a compaction has moved their valid
// records to other tables. If a process was killed before it removed their files, the remaining ones contain records
// that have been deleted since. The manifest is read up to the first damage.
func RemovedTables(path string) map[uint64]bool {
	out := map[uint64]bool{}
	b, err := os.ReadFile(filepath.Join(path, badger.ManifestFilename))
	if err != nil {
		return out
	}
	for s := range changeSets(b) {
		set, err := s.read()
		if err != nil {
			return out
		}
		for _, c := range set.Changes {
			out[c.Id] = c.Op == pb.ManifestChange_DELETE
		}
	}
	return out
}

// ManifestChange is the input tables and the output tables of one compaction.
type ManifestChange struct{ In, Out []uint64 }

func changeOf(set *pb.ManifestChangeSet) (c ManifestChange) {
	for _, change := range set.Changes {
		if change.Op == pb.ManifestChange_DELETE {
			c.In = append(c.In, change.Id)
		} else {
			c.Out = append(c.Out, change.Id)
		}
	}
	return c
}

// ManifestLog reads the manifest incrementally.
type ManifestLog struct {
	Name   string
	Offset int64
	// Restarted reports that the manifest was rewritten, which drops its record of compactions.
	Restarted bool
	First     uint64 // fingerprint of the first change set
}

// Read returns the compactions since the last call.
func (m *ManifestLog) Read() (out []ManifestChange, err error) {
	b, err := os.ReadFile(m.Name)
	if err != nil {
		return nil, err
	}
	end, first := int64(manifestHeaderSize), true
	for s := range changeSets(b) {
		if first {
			print := xxhash.Sum64(s.body)
			if m.Offset > manifestHeaderSize && print != m.First {
				m.Restarted, m.Offset = true, 0
			}
			m.First, first = print, false
		}
		end = s.end
		if end <= m.Offset {
			continue
		}
		set, err := s.read()
		if err != nil {
			return out, err
		}
		if c := changeOf(set); len(c.In) > 0 && m.Offset > 0 {
			out = append(out, c)
		}
	}
	m.Offset = end
	return out, nil
}
