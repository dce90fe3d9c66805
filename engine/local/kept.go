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
	"bugle/engine/index"
	"bugle/store"
)

// kept is the state of the copy of the index that the store keeps for the next process: reading each row of a large
// store takes longer than anybody wants to wait for a search.
type kept struct {
	ix      *index.Index // the others are of it
	version uint64       // of the store: the index has all that was written up to it; 0: it is not known
	changes int          // told of since it was kept
	changed *time.Timer  // runs since the last one; nil: nobody waits for it
}

const (
	// keptShare and keptMost are how many changes are worth keeping the index again: one for so many rows, or that many. They
	// are put into it again at the next start, which takes 10 µs each.
	keptShare = 25
	keptMost  = 20_000
	// neverKept stands for the changes of an index that is not kept yet.
	neverKept = 1 << 30
)

// KeepIndex says when the index of a workspace is kept for the next process.
type KeepIndex struct {
	From  int           // how many campaigns are worth it, as fewer are read in a moment; 10,000 where 0
	After time.Duration // how long nothing is changed before; 3 s where 0
}

func (k KeepIndex) orDefaults() KeepIndex {
	return KeepIndex{From: cmp.Or(k.From, 10_000), After: cmp.Or(k.After, 3*time.Second)}
}

func (s *Service) keptName() string { return "index of " + s.workspace }

// loaded notes that the index is complete.
func (r *rows) loaded(ix *index.Index, version uint64, changes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept.ix != ix {
		r.kept = kept{ix: ix, changed: r.kept.changed}
	}
	r.kept.version, r.kept.changes = version, changes
	r.wake()
}

// wake has who keeps the index wait anew.
func (r *rows) wake() {
	if r.kept.changed != nil {
		r.kept.changed.Reset(r.keep.After)
	}
}

var errOutdated = errors.New("the index that is kept does not fit")

// restore fills an index with what the store keeps, and brings it up to date. It fails where that cannot be done,
// and where it would not have just the rows that the store has.
func (s *Service) restore(ctx context.Context, ix *index.Index) error {
	k, ok := s.db.(store.Keeper)
	if !ok || ix.Len() > 0 {
		return errOutdated
	}
	version, changes := uint64(0), 0
	err := ix.Restore(func(show func([]engine.Summary)) (saved *index.Saved, err error) {
		err = k.Kept(ctx, s.keptName(), func(tx store.Tx, since uint64, r io.Reader) error {
			ids, err := readFront(r)
			if err != nil {
				return err
			}
			show(s.those(tx, ids))
			first, err := s.first(tx)
			if err != nil {
				return err
			}
			show(first)
			if saved, err = index.Read(r, index.Options{Now: s.now}); err != nil {
				return err
			}
			changes, err = s.changedSince(tx, since, func(rows []engine.Summary) { saved.Put(rows...) }, saved.Len)
			if d, ok := tx.(store.Dated); ok {
				version = d.Version()
			}
			return err
		})
		return saved, err
	})
	if err == nil {
		s.rows.loaded(ix, version, changes)
	}
	return err
}

// shown is how many rows are shown before the index is there.
const shown = 512

// first returns the rows of the newest campaigns.
func (s *Service) first(tx store.Tx) (rows []engine.Summary, err error) {
	err = store.In(tx, s.workspace).NewestSummaries(func(row engine.Summary) error {
		if rows = append(rows, row); len(rows) < shown {
			return nil
		}
		return store.Stop
	})
	return rows, err
}

// front is how many campaigns are named before the index that is kept: those that were changed last, which a list
// shows first. Their rows are shown before the index is read.
const front = 64

func (s *Service) writeFront(ctx context.Context, w io.Writer, ix *index.Index) error {
	rows, err := ix.Page(ctx, index.Filter{}, s.now(), 0, front)
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

// those returns the rows of campaigns, without those that cannot be read.
func (s *Service) those(tx store.Tx, ids []string) (rows []engine.Summary) {
	sp := store.In(tx, s.workspace)
	for _, id := range ids {
		if row, err := sp.Summary(id); err == nil {
			rows = append(rows, row)
		}
	}
	return rows
}

// changedSince puts the rows that were written since a version of the store. It fails where there are not as many
// rows then as in the store: where one was removed, that is.
func (s *Service) changedSince(tx store.Tx, since uint64, put func([]engine.Summary), rows func() int) (n int, err error) {
	sp := store.In(tx, s.workspace)
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

// keepIndex keeps an index that is complete, and again whenever much has changed and nothing does any more.
func (s *Service) keepIndex(ctx context.Context, ix *index.Index) {
	k, ok := s.db.(store.Keeper)
	if !ok {
		return
	}
	r := &s.rows
	r.mu.Lock()
	if r.ix != ix || r.kept.ix != ix || r.kept.changed != nil || r.kept.version == 0 {
		r.mu.Unlock()
		return
	}
	timer := time.NewTimer(r.keep.After)
	r.kept.changed = timer
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		timer.Stop()
		r.kept.changed = nil
	}()
	for {
		select {
		case <-timer.C:
		case <-ix.Left():
			return
		case <-ctx.Done():
			return
		}
		if !r.worthKeeping(ix) {
			continue
		}
		if err := s.keepOnce(ctx, k, ix); err != nil {
			s.log.Info("the index is not kept for the next start", "error", err)
		}
	}
}

// worthKeeping reports whether there are many rows, of which many were changed since they were kept.
func (r *rows) worthKeeping(ix *index.Index) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := ix.Len()
	return r.ix == ix && r.loads == 0 && n >= r.keep.From && r.kept.changes >= min(n/keptShare, keptMost)
}

// keepOnce keeps the index. What the store says was written since the index was known to be right is put into it
// before, whoever has written it.
func (s *Service) keepOnce(ctx context.Context, k store.Keeper, ix *index.Index) error {
	s.rows.mu.Lock()
	since, before := s.rows.kept.version, s.rows.kept.changes
	s.rows.mu.Unlock()
	version := uint64(0)
	err := k.Keep(ctx, s.keptName(), func(tx store.Tx, w io.Writer) error {
		put := func(rows []engine.Summary) {
			changes := make([]change, len(rows))
			for i, row := range rows {
				changes[i].row = row
			}
			s.rows.mu.Lock()
			defer s.rows.mu.Unlock()
			if s.rows.ix == ix {
				s.rows.take(changes)
			}
		}
		if _, err := s.changedSince(tx, since, put, ix.Len); err != nil {
			return err
		}
		if d, ok := tx.(store.Dated); ok {
			version = d.Version()
		}
		if err := s.writeFront(ctx, w, ix); err != nil {
			return err
		}
		_, err := ix.WriteTo(w)
		return err
	})
	if err != nil {
		return fmt.Errorf("keep the index: %w", err)
	}
	s.rows.mu.Lock()
	defer s.rows.mu.Unlock()
	if s.rows.kept.ix == ix {
		s.rows.kept.version = version
		s.rows.kept.changes = max(0, s.rows.kept.changes-before)
	}
	return nil
}

// KeepIndex keeps the index at once, as is done by itself when nothing was changed for a moment: for who fills a
// store, or measures one. A small store keeps none.
func (s *Service) KeepIndex(ctx context.Context) error {
	k, ok := s.db.(store.Keeper)
	ix := s.rows.want(s, patience+1)
	if !ok || ix == nil {
		return nil
	}
	for rows, complete := 0, false; !complete; {
		var err error
		if rows, complete, err = ix.Wait(ctx, rows); err != nil {
			return fmt.Errorf("load the index: %w", err)
		}
	}
	if ix.Len() < s.rows.keep.From {
		return nil
	}
	return s.keepOnce(ctx, k, ix)
}
