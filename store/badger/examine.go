package badger

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/dgraph-io/badger/v4"

	"bugle/store/badger/internal/files"
)

// examination reads the input tables of a compaction and finds the entries that the compaction has lost.
type examination struct {
	d      *DB
	newest map[uint64]uint64 // key hash → newest version
	values map[uint32][]byte // the value logs, read when first needed

	pending  []files.Entry // entries to write again
	size     int
	restored int // number of entries written again
}

// examine reads the tables with those ids, writes or deletes again what is readable and missing, and records what
// cannot be read as lost.
func (c *compactions) examine(ids []uint64) {
	e := &examination{d: c.d, newest: map[uint64]uint64{}}
	var marks []lostMark
	for _, id := range ids {
		if !exists(c.file(id)) {
			info, ok := c.known.of(id)
			c.d.log.Warn("cannot check a table: it is missing", "table", files.TableName(id))
			if ok && info.Left != nil {
				marks = append(marks, lostMark{Table: files.TableName(id), Spans: []files.Span{spanOf(info)}, Version: info.MaxVersion, At: time.Now(),
					Why: "the table " + files.TableName(id) + " was not compacted completely"})
			}
			continue
		}
		t, err := files.ReadTable(c.file(id), c.d.vault.tableFormat(c.d.named, id), e.note)
		if err != nil {
			c.d.log.Error("cannot check a table", "table", files.TableName(id), "error", err)
			continue
		}
		if mark, bad := lostIn(files.TableName(id), t); bad {
			mark.At = time.Now()
			marks = append(marks, mark)
		}
	}
	keep := func() {
		c.d.addLost(marks...)
		if err := c.d.saveLost(); err != nil {
			c.d.log.Error("cannot record the data loss in the store", "error", err)
		}
	}
	if len(marks) > 0 {
		c.d.damaged.Store(true)
		keep()
		c.d.reportDamage(fmt.Sprintf("a compaction could not read part of the table %s", marks[0].Table))
	}
	for _, id := range ids {
		_, err := files.ReadTable(c.file(id), c.d.vault.tableFormat(c.d.named, id), e.restore)
		if err == nil {
			err = e.flush()
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			c.d.log.Error("cannot rewrite the records of a table", "table", files.TableName(id), "error", err)
		}
	}
	if e.restored > 0 && len(marks) > 0 {
		// An entry that was written again may be older than one that is lost.
		txn := c.d.db.NewTransaction(false) // waits for running commits, with which MaxVersion would race
		newest := txn.ReadTs()
		txn.Discard()
		for i := range marks {
			marks[i].Version = max(marks[i].Version, newest)
		}
		keep()
	}
	if e.restored > 0 {
		c.d.log.Warn("records that a compaction had dropped were written again", "records", e.restored)
	}
}

// isForeign reports whether a held table belongs to another store.
func (c *compactions) isForeign(id uint64) bool {
	name := join(c.path, files.TableName(id))
	o := origin{of: c.d.identity}
	if _, err := files.ReadTable(name, c.d.vault.tableFormat(nil, 0), o.add); err != nil || !o.foreign {
		return false
	}
	c.d.log.Warn("a table to check was not written by this store", "table", files.TableName(id))
	return true
}

// note records the newest version of each key.
func (e *examination) note(x files.Entry) error {
	h := xxhash.Sum64(x.Key)
	e.newest[h] = max(e.newest[h], x.Version)
	return nil
}

// restore collects the entries to write again.
func (e *examination) restore(x files.Entry) error {
	if x.Version < e.newest[xxhash.Sum64(x.Key)] || strings.HasPrefix(string(x.Key), "!badger!") {
		return nil
	}
	if x.Meta&files.MetaPointer != 0 {
		if e.values == nil {
			var err error
			if e.values, err = readValueLogs(e.d.path); err != nil {
				return err
			}
		}
		value, ok := e.d.vault.dataKeys().ValueOf(x.Key, x.Value, e.values)
		if !ok {
			return nil // readers of that key get an error
		}
		x.Value = value
	}
	x.Key, x.Value = slices.Clone(x.Key), slices.Clone(x.Value)
	e.pending, e.size = append(e.pending, x), e.size+len(x.Key)+len(x.Value)
	if len(e.pending) < 1000 && e.size < 2<<20 {
		return nil
	}
	return e.flush()
}

// flush writes the collected entries unless the database has them or newer ones.
func (e *examination) flush() error {
	for {
		n, err := e.attempt()
		if errors.Is(err, badger.ErrConflict) {
			continue
		}
		e.restored += n
		e.pending, e.size = e.pending[:0], 0
		return err
	}
}

func (e *examination) attempt() (n int, err error) {
	at := e.d.commits.acquire()
	defer e.d.commits.release(at)
	ch := &change{version: at.version()}
	for _, x := range e.pending {
		if newer, err := atLeast(at.txn, x.Key, x.Version); err != nil {
			return 0, err
		} else if newer {
			continue
		}
		w := write{key: x.Key, value: x.Value, keyHash: xxhash.Sum64(x.Key), deleted: x.Meta&files.MetaDeleted != 0}
		if w.deleted {
			if _, err := at.txn.Get(x.Key); errors.Is(err, badger.ErrKeyNotFound) {
				continue // nothing left to delete
			}
		}
		w.existed = !w.deleted // it was counted when it was saved or deleted
		ch.reads = append(ch.reads, w.keyHash)
		ch.writes = append(ch.writes, w)
		ch.count, ch.size = ch.count+1, ch.size+int64(len(x.Key)+len(x.Value)+12)
	}
	if len(ch.writes) == 0 {
		return 0, nil
	}
	return len(ch.writes), e.d.commits.commit(ch)
}

// atLeast reports whether the database has that version of a key or a newer one, which may be a deletion.
func atLeast(txn *badger.Txn, key []byte, version uint64) (bool, error) {
	switch item, err := txn.Get(key); {
	case err == nil && item.Version() >= version:
		return true, nil
	case err != nil && !errors.Is(err, badger.ErrKeyNotFound):
		return false, err
	}
	newest, err := newestVersion(txn, key)
	return newest >= version, err
}

// newestVersion returns the newest version of a key, which may be a deletion, or 0.
func newestVersion(txn *badger.Txn, key []byte) (version uint64, err error) {
	it := txn.NewKeyIterator(key, badger.IteratorOptions{AllVersions: true})
	defer it.Close()
	err = recoverMove(func() {
		if it.Rewind(); it.Valid() {
			version = it.Item().Version()
		}
	})
	return version, err
}

// lostIn returns the mark for the unreadable parts of a table.
func lostIn(name string, t files.Table) (lostMark, bool) {
	why := "part of the table " + name + " cannot be read"
	switch {
	case !t.Indexed:
		return lostMark{Table: name, Unknown: true, Why: why}, true
	case len(t.Gaps) == 0:
		return lostMark{}, false
	}
	return lostMark{Table: name, Spans: spansOf(t.Gaps), Bloom: t.Bloom, Version: t.Newest, Why: why}, true
}
