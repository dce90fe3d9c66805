package badger

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/y"

	"bugle/store/badger/internal/files"
)

// identity is the id of a store, which ties the store to its files. A file of another store, or an older copy of one of
// our own files, is internally consistent, so the files need such a tie:
//   - Each entry has a tag, derived from the id and the key.
//   - The sequence record, which every commit writes, has the id and the version of the previous commit.
//   - A list has the fingerprint of each table ([files.Fingerprint]).
//
// The id is in the file STORE, together with the version of the last acknowledged change, which is also in the sequence
// file. If STORE is damaged, the list of tables has the id, and if that is damaged too, the sequence records have it. A
// store that is written anew after damage, encryption, or a restore gets a new id, because its versions start again. A
// store of an earlier version gets an id when it is opened; entries of that version have no tags.
type identity struct {
	id       [16]byte
	untagged uint64 // entries up to that version may have no tag
	version  uint64 // of the last acknowledged change, as far as known
	seed     uint64 // for the tags
}

func newIdentity(v *keyring, untagged uint64) *identity {
	s := &identity{untagged: untagged}
	rand.Read(s.id[:])
	return s.withSeed(v)
}

// withSeed sets the seed. In an encrypted store, the seed depends on the key, because tags are not encrypted and would
// otherwise reveal which keys may exist.
func (s *identity) withSeed(v *keyring) *identity {
	s.seed = xxhash.Sum64(s.id[:])
	if v != nil {
		s.seed ^= binary.BigEndian.Uint64(v.key.Derive("tags"))
	}
	return s
}

// tag returns the tag of the entries of a key; it is never 0.
func (s *identity) tag(key []byte) byte {
	h := (xxhash.Sum64(key) ^ s.seed) * 0x9e3779b97f4a7c15
	h = (h ^ h>>32) * 0xbf58476d1ce4e5b9
	return byte(1 + (h>>32)%255)
}

// entry returns the Badger entry of a record. A nil identity belongs to a store that is not written to.
func (s *identity) entry(key, value []byte) *badger.Entry {
	e := badger.NewEntry(key, value)
	if s != nil {
		e.UserMeta = s.tag(key)
	}
	return e
}

// chainEntry returns the sequence record of a commit; before is the version of the previous commit, or 0 if unknown.
func (s *identity) chainEntry(before uint64) *badger.Entry {
	if s == nil {
		return badger.NewEntry(sequenceKey, nil)
	}
	return s.entry(sequenceKey, binary.BigEndian.AppendUint64(s.id[:len(s.id):len(s.id)], before))
}

// linkSize is the size of a sequence record's value. Earlier versions wrote an empty value.
const linkSize = 16 + 8

// lastCommit returns the version of the newest commit in a transaction's snapshot, or 0 if unknown.
func lastCommit(txn *badger.Txn) uint64 {
	var item *badger.Item
	var err error
	if recoverMove(func() { item, err = txn.Get(sequenceKey) }) != nil || err != nil {
		return 0
	}
	return item.Version()
}

// origin records which store wrote the entries of a file.
type origin struct {
	of      *identity // nil if unknown
	ours    bool      // some entries are from this store
	foreign bool      // some entries are from another store
	older   bool      // an earlier version wrote some entries after the last change that this store knows of
}

// add evaluates one entry. Deletions have no tag.
func (o *origin) add(e files.Entry) error {
	switch {
	case o.of == nil || e.Meta&files.MetaDeleted != 0 || bytes.HasPrefix(e.Key, []byte("!badger!")):
	case e.Tag == 0 && e.Version <= o.of.untagged:
		o.ours = true
	case e.Tag == 0 && e.Version > o.of.version:
		o.ours, o.older = true, true
	case e.Tag == 0, e.Tag != o.of.tag(e.Key):
		o.foreign = true
	case bytes.Equal(e.Key, sequenceKey) && len(e.Value) == linkSize && [16]byte(e.Value) != o.of.id:
		o.foreign = true
	default:
		o.ours = true
	}
	return nil
}

// The STORE file has the id of the store and the version of the last acknowledged change. Like the sequence file, it is
// written after each commit without waiting for it.
const (
	storeFile = "STORE"
	storeHead = "BUGLE 1\n"
	storeSize = len(storeHead) + 16 + 3*8
)

func (s *identity) encode(version uint64) []byte {
	b := append([]byte(storeHead), s.id[:]...)
	b = binary.BigEndian.AppendUint64(b, s.untagged)
	b = binary.BigEndian.AppendUint64(b, version)
	return binary.BigEndian.AppendUint64(b, xxhash.Sum64(b))
}

func decodeIdentity(b []byte) *identity {
	end := storeSize - 8
	if len(b) != storeSize || string(b[:len(storeHead)]) != storeHead || xxhash.Sum64(b[:end]) != binary.BigEndian.Uint64(b[end:]) {
		return nil
	}
	b = b[len(storeHead):]
	return &identity{id: [16]byte(b), untagged: binary.BigEndian.Uint64(b[16:]), version: binary.BigEndian.Uint64(b[24:])}
}

// readIdentity returns the id of a store and the recorded fingerprints of its tables. Both are nil if an earlier
// version created the store.
func readIdentity(path string, v *keyring) (*identity, map[string]files.Fingerprint, error) {
	b, err := os.ReadFile(filepath.Join(path, storeFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("reading the id of the store: %w", err)
	}
	own := decodeIdentity(b)
	listed, prints := readTables(path)
	switch {
	case own != nil && listed != nil && own.id == listed.id:
		own.version, own.untagged = max(own.version, listed.version), max(own.untagged, listed.untagged)
		return own.withSeed(v), prints, nil
	case own == nil && listed != nil:
		return listed.withSeed(v), prints, nil
	case own != nil && listed == nil:
		return own.withSeed(v), nil, nil
	}
	// One of them belongs to another store, or both are damaged: decide by the other files.
	id, err := majorityID(path, v)
	switch {
	case err != nil:
		return nil, nil, err
	case listed != nil && id == listed.id:
		return listed.withSeed(v), prints, nil
	case own != nil:
		return own.withSeed(v), nil, nil
	case id != [16]byte{}:
		return (&identity{id: id}).withSeed(v), nil, nil
	}
	return nil, nil, nil
}

// majorityID returns the id that most of the tables and logs have, or zero.
func majorityID(path string, v *keyring) (id [16]byte, err error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return id, fmt.Errorf("reading %s: %w", path, err)
	}
	votes := map[[16]byte]int{}
	for _, f := range entries {
		seen := map[[16]byte]bool{}
		see := func(e files.Entry) error {
			if bytes.Equal(e.Key, sequenceKey) && len(e.Value) == linkSize {
				seen[[16]byte(e.Value)] = true
			}
			return nil
		}
		switch name := filepath.Join(path, f.Name()); filepath.Ext(name) {
		case ".sst":
			err = files.ReadKey(name, v.tableFormat(nil, 0), sequenceKey, see)
		case ".mem":
			var l logContents
			l, err = v.readLog(name, nil)
			for _, e := range l.Entries {
				_ = see(e)
			}
		}
		if err != nil {
			return id, err
		}
		for s := range seen {
			if votes[s]++; votes[s] > votes[id] {
				id = s
			}
		}
	}
	return id, nil
}

// The TABLES file lists the tables of the store: a header with the store's id, a line for each table, and a checksum.
// It is rewritten when tables are added or removed. A table that is not listed was created just before a process was
// killed, so its tags are checked.
const (
	tablesFile = "TABLES"
	tablesHead = "BUGLE TABLES 1"
)

func readTables(path string) (*identity, map[string]files.Fingerprint) {
	b, err := os.ReadFile(filepath.Join(path, tablesFile))
	at := len(b) - 17
	if err != nil || at < 0 || string(b[at:]) != fmt.Sprintf("%016x\n", xxhash.Sum64(b[:at])) {
		return nil, nil
	}
	head, lines, _ := strings.Cut(string(b[:at]), "\n")
	var id []byte
	s := &identity{}
	if _, err := fmt.Sscanf(head, tablesHead+" %x %d %d", &id, &s.untagged, &s.version); err != nil || len(id) != len(s.id) {
		return nil, nil
	}
	s.id = [16]byte(id)
	prints := map[string]files.Fingerprint{}
	for line := range strings.Lines(lines) {
		var name string
		var p files.Fingerprint
		if _, err := fmt.Sscanf(line, "%s %d %x %x\n", &name, &p.Size, &p.Index, &p.Last); err != nil {
			return nil, nil
		}
		prints[name] = p
	}
	return s, prints
}

// writeTables writes the list. If it is not synced, an older one or none may remain after a power failure.
func writeTables(path string, s *identity, version uint64, prints map[string]files.Fingerprint, synced bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %d %d\n", tablesHead, hex.EncodeToString(s.id[:]), s.untagged, version)
	for _, name := range slices.Sorted(maps.Keys(prints)) {
		p := prints[name]
		fmt.Fprintf(&b, "%s %d %x %x\n", name, p.Size, p.Index, p.Last)
	}
	fmt.Fprintf(&b, "%016x\n", xxhash.Sum64String(b.String()))
	name := filepath.Join(path, tablesFile)
	if synced {
		return replaceFile(name, []byte(b.String()))
	}
	if err := os.WriteFile(name+".new", []byte(b.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// foreignValues reports whether a value log has a record of another store. It reads all keys, and the whole record if
// the tag differs, because the tag may be damaged.
func (v *keyring) foreignValues(name string, of *identity) (bool, error) {
	f, err := os.Open(name)
	if err != nil {
		return false, fmt.Errorf("reading the value log: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, fmt.Errorf("reading the value log: %w", err)
	}
	read := func(at, n int64) ([]byte, error) {
		b := make([]byte, max(0, min(n, info.Size()-at)))
		if _, err := f.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("reading the value log: %w", err)
		}
		return b, nil
	}
	head, err := read(0, files.LogHeaderSize)
	if err != nil {
		return false, err
	}
	for at := int64(files.LogHeaderSize); at < info.Size(); {
		b, err := read(at, 1<<10)
		if err != nil {
			return false, err
		}
		from, klen, vlen := files.RecordSizes(b)
		size := int64(from + klen + vlen + crc32.Size)
		if from == 0 || size > info.Size()-at {
			return false, nil // the log ends here, or is damaged
		}
		if from+klen > len(b) {
			if b, err = read(at, int64(from+klen)); err != nil {
				return false, err
			}
		}
		ours := func(c files.LogCipher) bool {
			key := c.Open(b[from:from+klen], int(at))
			o := origin{of: of}
			_ = o.add(files.Entry{Key: y.ParseKey(key), Version: y.ParseTs(key), Tag: b[1]})
			return o.ours
		}
		if !slices.ContainsFunc(v.dataKeys().LogCiphers(head), ours) {
			all, err := os.ReadFile(name)
			if err != nil {
				return false, fmt.Errorf("reading the value log: %w", err)
			}
			if _, _, ok := files.LogEntry(all, int(at), files.LogCipher{}); ok {
				return true, nil
			}
		}
		at += size
	}
	return false, nil
}
