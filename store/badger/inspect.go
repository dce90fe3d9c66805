package badger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
	"github.com/dgraph-io/badger/v4"

	"bugle/store/badger/internal/files"
)

// fullVerifyLimit is the total size of tables up to which every block is verified before the database opens. In a
// larger store, only the tables that are not listed as verified are verified before; the others are verified while the
// store is open.
var fullVerifyLimit int64 = 4 << 20 // changed by tests

// inspection is the state of a database's files, determined without opening the database.
type inspection struct {
	problems []string                        // in plain words; empty if nothing is wrong
	missing  []string                        // the problems that are about missing files
	acked    uint64                          // version of the last acknowledged change, or 0
	newest   uint64                          // version of the newest change in the files
	named    map[uint64]badger.TableManifest // tables that belong to the database
	verified bool                            // every block of every table was verified
	closed   closedTables
	vault    *keyring

	identity *identity                    // nil if the store has no id yet
	listed   map[string]files.Fingerprint // recorded fingerprints of the tables
	prints   map[string]files.Fingerprint // actual fingerprints of the tables
	foreign  map[string]bool              // files of another store
	outdated []string                     // logs whose contents are all in tables
	older    bool                         // an earlier version has written to the store since it got its id
}

func (i *inspection) addProblem(format string, args ...any) {
	i.problems = append(i.problems, fmt.Sprintf(format, args...))
}

// inspect reads the files of a database that no process has open.
func inspect(path string, v *keyring, all bool) (i inspection, err error) {
	i.vault = v
	entries, err := os.ReadDir(path)
	if err != nil {
		return i, fmt.Errorf("reading %s: %w", path, err)
	}
	i.foreign = map[string]bool{}
	if i.identity, i.listed, err = readIdentity(path, v); err != nil {
		return i, err
	}
	i.acked = readSequence(path, i.identity)
	if i.identity != nil {
		i.acked = max(i.acked, i.identity.version)
	}
	known := readClosed(path)
	var tables, logs, values []string
	var total int64
	unchanged := map[string]bool{}
	for _, f := range entries {
		switch filepath.Ext(f.Name()) {
		case ".sst":
			tables = append(tables, f.Name())
			if info, err := f.Info(); err == nil {
				total += info.Size()
				unchanged[f.Name()] = known.has(info)
			}
		case ".mem":
			logs = append(logs, f.Name())
		case ".vlog":
			values = append(values, f.Name())
		}
	}
	named, err := i.manifest(path, len(tables)+len(logs) > 0)
	if err != nil {
		return i, err
	}
	if v == nil && i.encrypted() {
		return i, files.ErrNoRegistry
	}
	i.verified, i.closed = true, known
	found := map[string]bool{}
	for _, name := range tables {
		found[name] = true
	}
	var there []uint64
	for _, id := range named {
		if !found[files.TableName(id)] {
			i.addProblem("the table %s is missing", files.TableName(id))
			i.missing = append(i.missing, i.problems[len(i.problems)-1])
			continue
		}
		there = append(there, id)
	}
	soon := i.compacted(len(logs))
	unlisted := func(name string) bool { _, ok := i.listed[name]; return i.identity != nil && !ok }
	err = i.tables(path, there, func(name string) (whole, tags bool) {
		tags = total <= fullVerifyLimit || unlisted(name)
		return all || tags || soon[name] || !unchanged[name], tags
	})
	if err != nil {
		return i, err
	}
	if err := i.inspectLogs(path, logs); err != nil {
		return i, err
	}
	for _, name := range values {
		if i.identity == nil {
			break
		}
		if foreign, err := v.foreignValues(join(path, name), i.identity); err != nil {
			return i, err
		} else if foreign {
			i.foreign[name] = true
			i.addProblem("the value log %s was not written by this store", name)
		}
	}
	if err := i.inspectUnlisted(path, tables, named, logs); err != nil {
		return i, err
	}
	if i.newest < i.acked && len(i.problems) == 0 {
		i.addProblem("the last %d changes are missing", i.acked-i.newest)
	}
	return i, nil
}

// addForeign records a file that does not belong to the store. The file that it replaced is lost.
func (i *inspection) addForeign(name, format string, args ...any) {
	i.foreign[name] = true
	i.addProblem(format, args...)
	i.missing = append(i.missing, i.problems[len(i.problems)-1])
}

// inspectLogs reads the logs, which contain the changes after the tables without a gap. The log that was last written
// to a table may still exist, and even an older one if a process was killed during a read, or somebody restored the
// file. All of its contents are in tables or were deleted since.
func (i *inspection) inspectLogs(path string, names []string) error {
	flushed, links, there := i.newest, []link{}, map[uint64]bool{}
	for _, name := range names {
		l, err := i.vault.readLog(join(path, name), i.identity)
		if err != nil {
			return err
		}
		i.older = i.older || l.older
		switch {
		case l.foreign:
			i.addForeign(name, "the log %s was not written by this store", name)
		case len(l.links) > 0 && l.Newest < flushed:
			i.outdated = append(i.outdated, name)
			continue
		}
		if i.newest = max(i.newest, l.Newest); l.lost(i.acked) {
			i.addProblem("the log %s cannot be read to the end", name)
		}
		links = append(links, l.links...)
		for _, e := range l.Entries {
			there[e.Version] = true
		}
	}
	if len(i.problems) > 0 {
		return nil
	}
	missing := 0
	for _, l := range links {
		if l.before > flushed && !there[l.before] {
			missing++
		}
	}
	if missing > 0 {
		i.addProblem("changes before the last ones are missing")
		i.missing = append(i.missing, i.problems[len(i.problems)-1])
	}
	return nil
}

// removeOutdated removes logs that would restore deleted records.
func (i *inspection) removeOutdated(path string) error {
	if len(i.problems) > 0 {
		return nil
	}
	for _, name := range i.outdated {
		if err := os.Remove(join(path, name)); err != nil {
			return err
		}
	}
	return nil
}

// compacted returns the tables that the database compacts as soon as it opens, before they can be verified: those of
// level 0 if there are enough, and those of the next level. A compaction would drop everything behind a damaged block
// for good.
func (i *inspection) compacted(logs int) map[string]bool {
	out, first := map[string]bool{}, uint8(math.MaxUint8)
	for id, t := range i.named {
		if t.Level == 0 {
			out[files.TableName(id)] = true
		} else {
			first = min(first, t.Level)
		}
	}
	if len(out)+logs < settings("", nil).NumLevelZeroTables {
		return nil
	}
	for id, t := range i.named {
		if t.Level == first {
			out[files.TableName(id)] = true
		}
	}
	return out
}

// encrypted reports whether a table was encrypted.
func (i *inspection) encrypted() bool {
	for _, t := range i.named {
		if t.KeyID != 0 {
			return true
		}
	}
	return false
}

// inspectUnlisted checks tables that are not in the manifest. A killed process leaves such tables: those that it had
// compacted, according to the manifest, and those that it was writing, whose records are also in other files. Any other
// is missing from the manifest, and the database would remove it.
func (i *inspection) inspectUnlisted(path string, tables []string, named []uint64, logs []string) error {
	known := map[string]bool{}
	for _, id := range named {
		known[files.TableName(id)] = true
	}
	without := func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return known[name] })
	}
	if tables = without(tables); len(tables) > 0 {
		for id, gone := range files.RemovedTables(path) {
			known[files.TableName(id)] = gone
		}
		tables = without(tables)
	}
	if len(tables) == 0 || len(i.problems) > 0 {
		return nil
	}
	alone := map[uint64]files.Entry{}
	for _, name := range tables {
		if foreign, err := i.isForeign(path, name); err != nil {
			return err
		} else if foreign {
			continue
		}
		_, err := files.ReadTable(join(path, name), i.vault.tableFormat(nil, 0), func(e files.Entry) error {
			if h := xxhash.Sum64(e.Key); !isInternal(e.Key) && alone[h].Version <= e.Version {
				alone[h] = files.Entry{Version: e.Version, Meta: e.Meta}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	found := func(e files.Entry) error {
		if h := xxhash.Sum64(e.Key); alone[h].Version <= e.Version {
			delete(alone, h)
		}
		return nil
	}
	for _, id := range named {
		if _, err := files.ReadTable(join(path, files.TableName(id)), i.vault.tableFormat(i.named, id), found); err != nil {
			return err
		}
	}
	for _, name := range logs {
		l, err := i.vault.readLog(join(path, name), i.identity)
		if err != nil {
			return err
		}
		for _, e := range l.Entries {
			_ = found(e)
		}
	}
	for _, e := range alone {
		if e.Meta&files.MetaDeleted == 0 {
			i.addProblem("its list of tables (%s) is incomplete", badger.ManifestFilename)
			return nil
		}
	}
	return nil
}

// isForeign reports whether a table that is not in the manifest belongs to another store.
func (i *inspection) isForeign(path, name string) (bool, error) {
	o := origin{of: i.identity}
	if o.of == nil {
		return false, nil
	}
	t, err := files.ReadTable(join(path, name), i.vault.tableFormat(nil, 0), o.add)
	if err != nil {
		return false, err
	}
	print, ok := i.listed[name]
	i.foreign[name] = o.foreign || ok && t.Indexed && !t.Fingerprint.Matches(print)
	return i.foreign[name], nil
}

func join(dir, name string) string { return filepath.Join(dir, name) }

// manifest returns the ids of the tables that belong to the database.
func (i *inspection) manifest(path string, expected bool) (ids []uint64, err error) {
	f, err := os.Open(filepath.Join(path, badger.ManifestFilename))
	if errors.Is(err, fs.ErrNotExist) {
		if expected {
			i.addProblem("its list of tables (%s) is missing", badger.ManifestFilename)
		}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the list of tables: %w", err)
	}
	defer f.Close()
	m, _, err := badger.ReplayManifestFile(f, 0, settings(path, slog.New(slog.DiscardHandler)))
	if err != nil {
		i.addProblem("its list of tables (%s) is damaged", badger.ManifestFilename)
		return nil, nil
	}
	i.named = m.Tables
	return slices.Sorted(maps.Keys(m.Tables)), nil
}

// tables reads tables, several at a time; of a table that need not be verified, only its index and last block. verify
// reports whether to read all of a table, and whether to check its tags.
func (i *inspection) tables(path string, ids []uint64, prove func(name string) (whole, tags bool)) error {
	found, proved, failed := make([]files.Table, len(ids)), make([]bool, len(ids)), make([]error, len(ids))
	from := make([]origin, len(ids))
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(ids)) {
		all.Go(func() {
			var buf []byte
			for n := next.Add(1) - 1; n < int64(len(ids)); n = next.Add(1) - 1 {
				name, h := files.TableName(ids[n]), i.vault.tableFormat(i.named, ids[n])
				whole, tags := prove(name)
				proved[n] = whole
				switch {
				case tags && i.identity != nil:
					from[n].of = i.identity
					found[n], failed[n] = files.ReadTable(join(path, name), h, from[n].add)
				case whole:
					found[n], failed[n] = files.ReadTable(join(path, name), h, nil)
				default:
					found[n], buf, failed[n] = files.ReadTableHead(join(path, name), h, buf)
				}
			}
		})
	}
	all.Wait()
	i.prints = map[string]files.Fingerprint{}
	for n, t := range found {
		i.verified = i.verified && proved[n]
		if failed[n] != nil {
			return failed[n]
		}
		name := files.TableName(ids[n])
		if print, ok := i.listed[name]; from[n].foreign || ok && t.Indexed && !t.Fingerprint.Matches(print) {
			i.addForeign(name, "the table %s was not written by this store", name)
			continue
		}
		i.newest = max(i.newest, t.Newest)
		i.older = i.older || from[n].older
		if t.Indexed {
			i.prints[name] = t.Fingerprint
		}
		switch {
		case !t.Indexed:
			i.addProblem("the index of the table %s is missing", name)
		case len(t.Gaps) > 0:
			i.addProblem("%d blocks of the table %s are damaged", len(t.Gaps), name)
		}
	}
	return nil
}

// The sequence file has the version of the last acknowledged change, so that lost changes are noticed. It is written
// after the change is durable, without waiting for it: it may lag behind, but is never ahead.
const sequenceFile = "SEQUENCE"

// sequenceKey is the key of a record that every commit writes. Its newest version, which is never removed, is the
// version of the newest commit.
var sequenceKey = []byte("\x00sequence")

// encodeSequence encodes the version with a checksum, and a checksum of both and the store's id.
func encodeSequence(version uint64, of *identity) []byte {
	b := binary.BigEndian.AppendUint64(nil, version)
	b = binary.BigEndian.AppendUint64(b, xxhash.Sum64(b))
	if of == nil {
		return b
	}
	return binary.BigEndian.AppendUint64(b, xxhash.Sum64(append(of.id[:len(of.id):len(of.id)], b...)))
}

// readSequence returns the version in the sequence file, or 0 if it is unknown or of another store. A file of an
// earlier version has no id.
func readSequence(path string, of *identity) uint64 {
	b, err := os.ReadFile(filepath.Join(path, sequenceFile))
	if err != nil || len(b) < 16 {
		return 0
	}
	version := binary.BigEndian.Uint64(b)
	if !bytes.Equal(b[:16], encodeSequence(version, nil)) || of != nil && len(b) > 16 && !bytes.Equal(b, encodeSequence(version, of)) {
		return 0
	}
	return version
}

// sequence maintains the sequence file and the STORE file.
type sequence struct {
	mu    sync.Mutex
	of    *identity
	file  *os.File
	store *os.File // nil if the store has no id
	last  uint64
}

func (s *sequence) open(path string, version uint64, of *identity) (err error) {
	if s.file, err = os.OpenFile(filepath.Join(path, sequenceFile), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return fmt.Errorf("keeping the sequence of changes: %w", err)
	}
	if s.of = of; of != nil {
		if s.store, err = os.OpenFile(filepath.Join(path, storeFile), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			return errors.Join(fmt.Errorf("keeping the id of the store: %w", err), s.file.Close())
		}
	}
	s.write(version)
	for f, size := range map[*os.File]int64{s.file: int64(len(encodeSequence(0, of))), s.store: int64(storeSize)} {
		if f != nil {
			_ = f.Truncate(size) // anything behind it is damage
		}
	}
	return nil
}

// reachedVersion returns the version of the last acknowledged change.
func (s *sequence) reachedVersion() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// reached records that the change with that version is durable.
func (s *sequence) reached(version uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if version > s.last {
		s.write(version)
	}
}

// write ignores errors: the files may always lag behind.
func (s *sequence) write(version uint64) {
	if _, err := s.file.WriteAt(encodeSequence(version, s.of), 0); err == nil {
		s.last = version
	}
	if s.store != nil {
		_, _ = s.store.WriteAt(s.of.encode(version), 0)
	}
}

func (s *sequence) close(newest uint64) {
	if s.file != nil {
		s.reached(newest)
		_ = s.file.Close()
		if s.store != nil {
			_ = s.store.Close()
		}
	}
}
