package local

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"bugle/engine"
	"bugle/engine/search/index"
	"bugle/store"
)

// savedIndex is the state of the index's saved copy, because reading each row of a large store takes longer
// than a user wants to wait for a search.
type savedIndex struct {
	ix      *index.Index // the index that the other fields are about
	version uint64       // the store's version up to which the index is complete; 0: unknown
	changes int          // number of changes since it was saved
	changed *time.Timer  // idle timer; nil: none
}

const (
	// saveAfterShare and saveAfterChanges are how many changes make saving the index worthwhile: one per so
	// many rows, or that many. Changes are applied to the saved index at the next start, at 10 µs each.
	saveAfterShare   = 25
	saveAfterChanges = 20_000
	// neverSaved stands for the changes of an index that was never saved.
	neverSaved = 1 << 30
)

// KeepIndex configures when the index of a workspace is saved for the next process.
type KeepIndex struct {
	From  int           // the least number of campaigns, as fewer are read quickly; 10,000 if 0
	After time.Duration // the idle time before saving; 3 s if 0
}

func (k KeepIndex) orDefaults() KeepIndex {
	return KeepIndex{From: cmp.Or(k.From, 10_000), After: cmp.Or(k.After, 3*time.Second)}
}

func (x *indexer) savedName() string { return "index of " + x.workspace }

// loaded records that the index is complete.
func (x *indexer) loaded(ix *index.Index, version uint64, changes int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.saved.ix != ix {
		x.saved = savedIndex{ix: ix, changed: x.saved.changed}
	}
	x.saved.version, x.saved.changes = version, changes
	x.wake()
}

// wake restarts the idle time before saving.
func (x *indexer) wake() {
	if x.saved.changed != nil {
		x.saved.changed.Reset(x.keep.After)
	}
}

// errOutdated reports that the saved index does not match the store.
var errOutdated = errors.New("the index that is kept does not fit")

// restore fills an index from the saved one, and updates it. It fails if that is impossible, or would not
// result in exactly the store's rows.
func (x *indexer) restore(ctx context.Context, ix *index.Index) error {
	k, ok := x.db.(store.CacheStore)
	if !ok || ix.Len() > 0 {
		return errOutdated
	}
	version, changes := uint64(0), 0
	err := ix.Restore(func(show func([]engine.Summary)) (saved *index.Saved, err error) {
		err = k.ReadCache(ctx, x.savedName(), func(tx store.Tx, since uint64, r io.Reader) error {
			ids, err := readFront(r)
			if err != nil {
				return err
			}
			show(x.rows(tx, ids))
			first, err := x.first(tx)
			if err != nil {
				return err
			}
			show(first)
			if saved, err = index.Read(r, index.Options{Now: x.now}); err != nil {
				return err
			}
			changes, err = x.changedSince(tx, since, func(rows []engine.Summary) { saved.Put(rows...) }, saved.Len)
			version = tx.Version()
			return err
		})
		return saved, err
	})
	if err == nil {
		x.loaded(ix, version, changes)
	}
	return err
}

// shownBeforeLoad is the number of rows shown before the index is loaded.
const shownBeforeLoad = 512

// first returns the rows of the newest campaigns.
func (x *indexer) first(tx store.Tx) (rows []engine.Summary, err error) {
	err = tx.Workspace(x.workspace).NewestSummaries(func(row engine.Summary) error {
		if rows = append(rows, row); len(rows) < shownBeforeLoad {
			return nil
		}
		return store.Stop
	})
	return rows, err
}

// frontRows is the number of campaigns listed at the start of a saved index: the last changed ones, which a
// list shows first. Their rows are shown before the index is read.
const frontRows = 64

func (x *indexer) writeFront(ctx context.Context, w io.Writer, ix *index.Index) error {
	rows, err := ix.Page(ctx, index.Filter{}, x.now(), 0, frontRows)
	if err != nil {
		return err
	}
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	b, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...))
	return err
}

func readFront(r io.Reader) (ids []string, err error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > 1<<16 {
		return nil, errOutdated
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	return ids, json.Unmarshal(b, &ids)
}

// rows returns the rows of campaigns that can be read.
func (x *indexer) rows(tx store.Tx, ids []string) (rows []engine.Summary) {
	_ = tx.Workspace(x.workspace).SummariesByID(ids, func(row engine.Summary) error { // a damaged one is reported when all are read
		rows = append(rows, row)
		return nil
	})
	return rows
}

// changedSince applies the rows written since a version of the store. It fails if the number of rows then
// differs from the store's, because rows were deleted.
func (x *indexer) changedSince(tx store.Tx, since uint64, put func([]engine.Summary), rows func() int) (n int, err error) {
	sp := tx.Workspace(x.workspace)
	some := make([]engine.Summary, 0, 512)
	err = sp.ChangedSummaries(since, func(row engine.Summary) error {
		n++
		if some = append(some, row); len(some) == cap(some) {
			put(some)
			some = some[:0]
		}
		return nil
	})
	if err != nil {
		return n, err
	}
	put(some)
	if want, ok := sp.CountSummaries(); !ok || want != rows() {
		return n, errOutdated
	}
	return n, nil
}

// saveWhenIdle saves a complete index, and again whenever it has changed much and is idle.
func (x *indexer) saveWhenIdle(ctx context.Context, ix *index.Index) {
	k, ok := x.db.(store.CacheStore)
	if !ok {
		return
	}
	x.mu.Lock()
	if x.ix != ix || x.saved.ix != ix || x.saved.changed != nil || x.saved.version == 0 {
		x.mu.Unlock()
		return
	}
	timer := time.NewTimer(x.keep.After)
	x.saved.changed = timer
	x.mu.Unlock()
	defer func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		timer.Stop()
		x.saved.changed = nil
	}()
	for {
		select {
		case <-timer.C:
		case <-ix.Closed():
			return
		case <-ctx.Done():
			return
		}
		if !x.worthSaving(ix) {
			continue
		}
		if err := x.saveOnce(ctx, k, ix); err != nil {
			x.log.Info("the index is not kept for the next start", "error", err)
		}
	}
}

// worthSaving reports whether the index is large and has changed much since it was saved.
func (x *indexer) worthSaving(ix *index.Index) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := ix.Len()
	return x.ix == ix && x.loads == 0 && n >= x.keep.From && x.saved.changes >= min(n/saveAfterShare, saveAfterChanges)
}

// saveOnce saves the index, after applying what the store reports as written since the index was last known
// to be correct, by any process.
func (x *indexer) saveOnce(ctx context.Context, k store.CacheStore, ix *index.Index) error {
	x.mu.Lock()
	since, before := x.saved.version, x.saved.changes
	x.mu.Unlock()
	version := uint64(0)
	err := k.WriteCache(ctx, x.savedName(), func(tx store.Tx, w io.Writer) error {
		put := func(rows []engine.Summary) {
			changes := make([]change, len(rows))
			for i, row := range rows {
				changes[i].row = row
			}
			x.mu.Lock()
			defer x.mu.Unlock()
			if x.ix == ix {
				x.apply(changes)
			}
		}
		if _, err := x.changedSince(tx, since, put, ix.Len); err != nil {
			return err
		}
		version = tx.Version()
		if err := x.writeFront(ctx, w, ix); err != nil {
			return err
		}
		_, err := ix.WriteTo(w)
		return err
	})
	if err != nil {
		return fmt.Errorf("keep the index: %w", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.saved.ix == ix {
		x.saved.version = version
		x.saved.changes = max(0, x.saved.changes-before)
	}
	return nil
}

// saveNow loads and saves the index if the store is large enough.
func (x *indexer) saveNow(ctx context.Context) error {
	k, ok := x.db.(store.CacheStore)
	ix := x.request(scansBeforeIndex + 1)
	if !ok || ix == nil {
		return nil
	}
	for rows, complete := 0, false; !complete; {
		var err error
		if rows, complete, err = ix.Wait(ctx, rows); err != nil {
			return fmt.Errorf("load the index: %w", err)
		}
	}
	if ix.Len() < x.keep.From {
		return nil
	}
	return x.saveOnce(ctx, k, ix)
}
