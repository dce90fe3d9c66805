package badger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/dgraph-io/badger/v4"

	"bugle/store"
	"bugle/store/badger/internal/files"
)

// salvage copies the intact records of a damaged database to a new one.
type salvage struct {
	inspection
	path     string
	values   map[uint32][]byte      // value logs by number
	latest   map[uint64]uint64      // key hash → highest version
	top      uint64                 // highest version of all
	oldMarks map[string]files.Entry // newest entry of each earlier lost mark
	marks    []lostMark             // with the version below which records may be missing
	at       time.Time
	fresh    *identity // of the new store
}

// repair replaces a damaged database with one that has its intact records, and returns the folder to which it moved the
// damaged one.
func repair(path string, i inspection, free func(string) (uint64, error), log *slog.Logger) (aside string, marks []lostMark, err error) {
	s := &salvage{inspection: i, path: path, latest: map[uint64]uint64{}, oldMarks: map[string]files.Entry{}, at: time.Now()}
	if s.values, err = readValueLogs(path); err != nil {
		return "", nil, err
	}
	maps.DeleteFunc(s.values, func(n uint32, _ []byte) bool { return s.foreign[fmt.Sprintf("%06d.vlog", n)] })
	if err := s.each(s.note); err != nil {
		return "", nil, err
	}
	s.keepMarks()
	if s.top < s.acked {
		s.addMark(lostMark{Unknown: true, Why: fmt.Sprintf("the last %d changes are missing", s.acked-s.top)})
	}
	if err := checkRoom(path, free); err != nil {
		return "", nil, err
	}
	into := path + mendingSuffix
	if err := errors.Join(os.RemoveAll(into), os.MkdirAll(into, 0o700)); err != nil {
		return "", nil, fmt.Errorf("creating a new store: %w", err)
	}
	if err := s.write(into, log); err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(into))
	}
	aside, err = swapIn(path, damagedReason, s.at)
	return aside, s.marks, err
}

// checkRoom returns [store.ErrDiskFull] if the disk has no space for a second copy of the store's files.
func checkRoom(path string, free func(string) (uint64, error)) error {
	files, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	need := uint64(reserve)
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			continue
		}
		switch filepath.Ext(f.Name()) {
		case ".mem": // at most half of it is used
			need += uint64(info.Size()) / 2
		case ".sst", ".vlog":
			need += uint64(info.Size())
		}
	}
	if n, err := free(filepath.Dir(path)); err == nil && n < need {
		return fmt.Errorf("%w: a second copy of the store is needed, and no changes were made; free at least %d MB in %s and try again", store.ErrDiskFull, need>>20, filepath.Dir(path))
	}
	return nil
}

// readValueLogs reads the value logs of a database by their number.
func readValueLogs(path string) (map[uint32][]byte, error) {
	names, err := filepath.Glob(filepath.Join(globEscape(path), "*.vlog"))
	if err != nil {
		return nil, err
	}
	logs := map[uint32][]byte{}
	for _, name := range names {
		n, err := strconv.ParseUint(strings.TrimSuffix(filepath.Base(name), ".vlog"), 10, 32)
		if err != nil {
			continue
		}
		if logs[uint32(n)], err = os.ReadFile(name); err != nil {
			return nil, fmt.Errorf("reading the value log: %w", err)
		}
	}
	return logs, nil
}

func (s *salvage) addMark(l lostMark) {
	l.At = s.at
	s.marks = append(s.marks, l)
}

// note is the first pass over all entries: it finds the latest version of each key.
func (s *salvage) note(e files.Entry) error {
	h := xxhash.Sum64(e.Key)
	s.latest[h], s.top = max(s.latest[h], e.Version), max(s.top, e.Version)
	if bytes.HasPrefix(e.Key, lostPrefix) && s.oldMarks[string(e.Key)].Version <= e.Version {
		e.Value = bytes.Clone(e.Value)
		s.oldMarks[string(e.Key)] = e
	}
	return nil
}

// keepMarks carries over earlier lost marks that were not acknowledged.
func (s *salvage) keepMarks() {
	for _, key := range slices.Sorted(maps.Keys(s.oldMarks)) {
		var l lostMark
		if e := s.oldMarks[key]; e.Meta&files.MetaDeleted == 0 && json.Unmarshal(e.Value, &l) == nil {
			s.marks = append(s.marks, l)
		}
	}
}

// each calls fn with all readable entries, and in the first pass records the unreadable ones.
func (s *salvage) each(fn func(files.Entry) error) error {
	files, err := os.ReadDir(s.path)
	if err != nil {
		return fmt.Errorf("reading %s: %w", s.path, err)
	}
	first := len(s.latest) == 0
	if first {
		for _, p := range s.missing {
			s.addMark(lostMark{Unknown: true, Why: p})
		}
	}
	for _, f := range files {
		name := filepath.Join(s.path, f.Name())
		switch filepath.Ext(f.Name()) {
		case ".sst":
			if s.foreign[f.Name()] {
				continue
			}
			err = s.table(name, first, fn)
		case ".mem":
			if slices.Contains(s.outdated, f.Name()) {
				continue
			}
			err = s.log(name, first, fn)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *salvage) table(name string, first bool, fn func(files.Entry) error) error {
	id, err := strconv.ParseUint(strings.TrimSuffix(filepath.Base(name), ".sst"), 10, 64)
	if err != nil {
		return nil
	}
	if _, ok := s.named[id]; !ok && first {
		foreign, err := s.isForeign(s.path, filepath.Base(name))
		if _, ok := s.listed[filepath.Base(name)]; ok && foreign { // the manifest is damaged as well
			s.addMark(lostMark{Unknown: true, Why: fmt.Sprintf("the table %s was not written by this store", filepath.Base(name))})
		}
		if err != nil || foreign {
			return err
		}
	}
	t, err := files.ReadTable(name, s.vault.tableFormat(s.named, id), fn)
	if err != nil || !first {
		return err
	}
	if mark, bad := lostIn(filepath.Base(name), t); bad {
		s.addMark(mark)
	}
	return nil
}

func (s *salvage) log(name string, first bool, fn func(files.Entry) error) error {
	l, err := s.vault.readLog(name, s.identity)
	if err != nil {
		return err
	}
	if first && l.lost(s.acked) {
		s.addMark(lostMark{Unknown: true, Why: "some changes before that time cannot be read"})
		for _, key := range l.Near {
			m := markKey(key, "some changes before that time cannot be read")
			m.Version = ^uint64(0)
			s.addMark(m)
		}
	}
	for _, e := range l.Entries {
		if err := fn(e); err != nil {
			return err
		}
	}
	for _, e := range l.Torn {
		if e.Version > s.acked {
			continue
		}
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

// write writes the new database. If lost marks cannot be stored, it logs them and continues.
func (s *salvage) write(into string, log *slog.Logger) (err error) {
	v, err := s.vault.forNewStore(into)
	if err != nil {
		return fmt.Errorf("creating a new store: %w", err)
	}
	db, err := open(v.settings(into, log))
	if err != nil {
		return fmt.Errorf("creating a new store: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	s.fresh = newIdentity(v, 0)
	if err := os.WriteFile(filepath.Join(into, storeFile), s.fresh.encode(0), 0o600); err != nil {
		return fmt.Errorf("creating a new store: %w", err)
	}
	if err := s.pass(db); err != nil {
		return err
	}
	if err := db.Update(func(txn *badger.Txn) error { return txn.SetEntry(s.fresh.chainEntry(0)) }); err != nil {
		return fmt.Errorf("writing the new store: %w", err)
	}
	for i := range s.marks {
		s.marks[i].Version = db.MaxVersion()
	}
	if err := writeLost(db, s.fresh, s.marks); err != nil {
		log.Error("cannot record the data loss in the store", "error", err)
	}
	return nil
}

// pass writes the latest version of each record.
func (s *salvage) pass(db *badger.DB) error {
	wb := db.NewWriteBatch()
	defer wb.Cancel()
	err := s.each(func(e files.Entry) error {
		if e.Version < s.latest[xxhash.Sum64(e.Key)] || e.Meta&files.MetaDeleted != 0 || isInternal(e.Key) && !bytes.HasPrefix(e.Key, countPrefix) || strings.HasPrefix(string(e.Key), "!badger!") {
			return nil
		}
		if e.Meta&files.MetaPointer != 0 {
			value, ok := s.vault.dataKeys().ValueOf(e.Key, e.Value, s.values)
			if !ok {
				s.addMark(markKey(e.Key, "a large record cannot be read"))
				return nil
			}
			e.Value = value
		}
		return wb.SetEntry(s.fresh.entry(append([]byte(nil), e.Key...), append([]byte(nil), e.Value...)))
	})
	if err != nil {
		return fmt.Errorf("writing the new store: %w", err)
	}
	if err := wb.Flush(); err != nil {
		return fmt.Errorf("writing the new store: %w", err)
	}
	return nil
}

// mendingSuffix is the end of the name of a repaired store while it is written.
const mendingSuffix = newSuffix

const damagedReason = "damaged"

// damagedError returns the error for a store that cannot be opened or repaired.
func (d *DB) damagedError(err error) error {
	return fmt.Errorf("%w: %w; restore a backup with `bugle restore`, or choose another folder with --data or BUGLE_DATA", &store.DamagedError{Dir: d.dir}, err)
}
