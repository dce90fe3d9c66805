// Package index keeps the summary rows of campaigns in memory, so that a million of them are
// searched between two keystrokes: words in names, ranked; facets counted; each column sorted by.
//
// A search sees the rows of one moment. What is written meanwhile is seen by the next one.
package index

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"bugle/engine"
	"bugle/engine/search/query"
)

// Options say how an index is made. The zero value does.
type Options struct {
	// Now is the clock that states follow while no search says what time it is; time.Now where nil.
	Now func() time.Time
}

// Index is an index over summary rows. Any number of goroutines may read and write it.
type Index struct {
	snap  atomic.Pointer[snapshot]
	dirty atomic.Bool // the writer has more than snap

	mu        sync.RWMutex // guards writer and loads
	writer    *writer
	loads     map[*load]bool
	loaded    atomic.Int64
	filled    atomic.Bool
	orders    orders
	words     words
	idleClock func() time.Time
	grew      chan struct{} // closed when a load has taken rows, or has ended
	closed    chan struct{} // closed when nobody keeps the index current any more
	closeErr  error         // it was left; nil where its keeper ended in order
}

// New returns an empty index.
func New(o Options) *Index {
	if o.Now == nil {
		o.Now = time.Now
	}
	ix := &Index{writer: newWriter(1), loads: map[*load]bool{}, idleClock: o.Now, grew: make(chan struct{}), closed: make(chan struct{})}
	ix.writer.from = o.Now()
	ix.snap.Store(ix.writer.publish())
	return ix
}

// Len returns how many rows there are.
func (ix *Index) Len() int { return ix.current().live }

// Progress tells how many rows the last [Index.Load] has taken, and whether it is complete.
func (ix *Index) Progress() (rows int, complete bool) {
	return int(ix.loaded.Load()), ix.filled.Load()
}

// Put adds rows, or replaces those with the same id. The next search sees all of them.
func (ix *Index) Put(rows ...engine.Summary) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	from := ix.writer.n
	for i := range rows {
		id := ix.writer.key(rows[i].ID)
		ix.noteChanged(id)
		ix.writer.add(id, &rows[i])
	}
	ix.writer.indexRows(from)
	ix.dirty.Store(true)
}

// PutNewer is Put for rows as the transactions of a store leave them, told in whatever order: one that is
// not newer than the row that is there, by its revision, is passed over.
func (ix *Index) PutNewer(rows ...engine.Summary) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	from := ix.writer.n
	for i := range rows {
		id := ix.writer.key(rows[i].ID)
		if slot, ok := ix.writer.slot(id); ok && ix.writer.record(slot).revision >= rows[i].Revision {
			continue
		}
		ix.noteChanged(id)
		ix.writer.add(id, &rows[i])
	}
	if ix.writer.n > from {
		ix.writer.indexRows(from)
		ix.dirty.Store(true)
	}
}

// noteChanged tells the loads that run of a row that is newer than theirs.
func (ix *Index) noteChanged(id ident) {
	for l := range ix.loads {
		l.touched[id] = true
	}
}

// Remove takes rows out. Those that are not there are passed over.
func (ix *Index) Remove(ids ...string) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for _, id := range ids {
		key := ix.writer.key(id)
		ix.noteChanged(key)
		ix.writer.drop(key)
	}
	ix.dirty.Store(true)
}

func (w *writer) drop(id ident) {
	if slot, ok := w.slot(id); ok {
		w.markDead(slot)
	}
}

// Get returns the row with that id, as it is at that time.
func (ix *Index) Get(id string, now time.Time) (engine.Summary, bool) {
	s := ix.current()
	slot, ok := ix.slot(s, id)
	if !ok {
		return engine.Summary{}, false
	}
	sum := s.row(slot)
	sum.Head = engine.HeadAt(sum, now)
	return sum, true
}

// slot returns where a row is in a snapshot.
func (ix *Index) slot(s *snapshot, id string) (uint32, bool) {
	key, ok := objectID(id)
	ix.mu.RLock()
	if !ok {
		var n uint32
		n, ok = ix.writer.strings.numbers[id]
		key = numbered(n)
	}
	slot, there := ix.writer.slot(key)
	epoch := ix.writer.epoch
	ix.mu.RUnlock()
	if ok && there && epoch == s.epoch && int(slot) < s.n && s.has(slot) {
		return slot, true
	}
	return s.search(id) // it was changed after the snapshot
}

// campaign returns the number that rows have of the id of a campaign which is not their own; false where
// no row has it.
func (ix *Index) campaign(s *snapshot, id string) (uint32, bool) {
	ix.mu.RLock()
	n, ok := ix.writer.strings.numbers[id]
	epoch := ix.writer.epoch
	ix.mu.RUnlock()
	if epoch != s.epoch {
		i := slices.Index(s.strings, id)
		n, ok = uint32(max(i, 0)), i >= 0
	}
	return n + 1, ok
}

func (s *snapshot) has(slot uint32) bool { return s.alive[slot/64]>>(slot%64)&1 != 0 }

// search looks for a row without the writer's help.
func (s *snapshot) search(id string) (uint32, bool) {
	for slot := range uint32(s.n) {
		if s.has(slot) && s.text(s.record(slot).id) == id {
			return slot, true
		}
	}
	return 0, false
}

// current returns the snapshot with all that was written. It is made when it is asked for: what is
// written without being looked at costs no copies of what readers have.
func (ix *Index) current() *snapshot {
	if ix.dirty.Load() {
		ix.mu.Lock()
		defer ix.mu.Unlock()
		if ix.dirty.Load() {
			ix.publish()
		}
	}
	return ix.snap.Load()
}

// publish lets searches see what was written. Where more rows were replaced than there are, they
// are first written anew without those that are gone.
func (ix *Index) publish() {
	if w := ix.writer; w.n-w.live > max(w.live, blockRows) {
		ix.writer = w.compact()
	}
	ix.snap.Store(ix.writer.publish())
	ix.dirty.Store(false) // not before: who sees it reads the snapshot without a lock
}

func (w *writer) compact() *writer {
	s, out := w.publish(), newWriter(w.epoch+1)
	out.from = w.from
	for slot := range uint32(s.n) {
		if s.has(slot) {
			sum := s.row(slot)
			out.add(out.key(sum.ID), &sum)
		}
	}
	out.indexRows(0)
	return out
}

// at returns the snapshot with the states of that time.
func (ix *Index) at(now time.Time) *snapshot {
	if s := ix.current(); s.current(now) {
		return s
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if s := ix.snap.Load(); s.current(now) {
		return s
	}
	ix.writer.advance(now)
	s := ix.writer.publish()
	ix.snap.Store(s)
	return s
}

// Values returns the values that rows have for a query word and how many rows that are not
// archived have each: what [query.Env] asks for.
func (ix *Index) Values(k query.Key) []query.ValueCount {
	s := ix.at(ix.idleClock())
	f, ok := facetOf(k)
	if !ok {
		return nil
	}
	set := s.visible()
	if f == statuses {
		set = s.alive
	}
	var out []query.ValueCount
	for n, c := range s.count(f, set, count(set)) {
		if c > 0 && n > 0 {
			out = append(out, query.ValueCount{Text: query.Text(k, s.values[f].texts[n]), Count: c})
		}
	}
	return out
}

// load is a load that runs.
type load struct {
	seen    map[ident]bool // the rows that came, where there were some before
	touched map[ident]bool // the rows that were written meanwhile: they are newer
	hidden  int            // how many rows were taken since searches were told of some
	size    int            // how many they are told of at once
}

// The first rows of a load can be searched at once; searches are told of later ones in larger chunks, for
// each costs a copy of what it changes. They are handed over in runs that stay in the processor's cache.
const (
	firstChunk = 512
	lastChunk  = 1 << 15
	runRows    = 1 << 11
)

// Load fills the index with rows: all that there are, in any order (newest first is quickest).
// They can be searched as they come. It returns when rows end, when they give an error, or when
// ctx ends; run it in a goroutine of its own. Rows that were put or removed meanwhile stay as they
// were put. Rows that were there before and do not come are removed at the end, so that loading
// again brings the index up to date.
func (ix *Index) Load(ctx context.Context, rows iter.Seq2[engine.Summary, error]) error {
	l := ix.begin()
	defer ix.end(l)
	chunks, used := make(chan []engine.Summary, 1), make(chan []engine.Summary, 3)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for chunk := range chunks {
			ix.take(l, chunk)
			used <- chunk[:0] // there are never more than three
		}
	}()
	err := cut(ctx, rows, chunks, used)
	close(chunks)
	<-done
	if err != nil {
		return fmt.Errorf("load the index: %w", err)
	}
	ix.finish(l)
	return nil
}

// cut collects the rows in chunks. Of those that were used it takes the room again.
func cut(ctx context.Context, rows iter.Seq2[engine.Summary, error], out chan<- []engine.Summary, used <-chan []engine.Summary) error {
	size := firstChunk
	chunk := make([]engine.Summary, 0, size)
	empty := func() []engine.Summary {
		select {
		case c := <-used:
			if cap(c) >= size {
				return c
			}
		default:
		}
		return make([]engine.Summary, 0, size)
	}
	send := func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		select {
		case out <- chunk:
			size = min(2*size, runRows)
			chunk = empty()
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		if chunk = append(chunk, row); len(chunk) == size {
			if err := send(); err != nil {
				return err
			}
		}
	}
	if len(chunk) > 0 {
		return send()
	}
	return ctx.Err()
}

func (ix *Index) begin() *load {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	l := &load{touched: map[ident]bool{}, size: firstChunk}
	if ix.writer.live > 0 {
		l.seen = map[ident]bool{}
	}
	ix.loads[l] = true
	ix.loaded.Store(0)
	ix.filled.Store(false)
	return l
}

func (ix *Index) end(l *load) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.show(l)
	delete(ix.loads, l)
}

// show tells searches of the rows that the load has taken.
func (ix *Index) show(l *load) {
	if l.hidden == 0 {
		return
	}
	ix.loaded.Add(int64(l.hidden))
	l.hidden, l.size = 0, min(2*l.size, lastChunk)
	ix.grow()
	ix.dirty.Store(true)
}

// take writes a chunk of a load.
func (ix *Index) take(l *load, chunk []engine.Summary) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	from := ix.writer.n
	for i := range chunk {
		id := ix.writer.key(chunk[i].ID)
		if len(l.touched) > 0 && l.touched[id] {
			continue
		}
		if l.seen != nil {
			l.seen[id] = true
			if slot, ok := ix.writer.slot(id); ok && ix.writer.same(slot, &chunk[i]) {
				continue
			}
		}
		ix.writer.add(id, &chunk[i])
	}
	ix.writer.indexRows(from)
	if l.hidden += len(chunk); l.hidden >= l.size {
		ix.show(l)
	}
}

// finish removes what did not come.
func (ix *Index) finish(l *load) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.show(l)
	if l.seen != nil {
		for slot := range uint32(ix.writer.n) {
			if id := ix.writer.idOf(slot); ix.writer.isAlive(slot) && !l.seen[id] && !l.touched[id] {
				ix.writer.markDead(slot)
			}
		}
		ix.dirty.Store(true)
	}
	ix.filled.Store(true)
	ix.grow()
}

// Warm makes the orders by each column that take a while, so that nobody waits for them. Run it
// where a load has ended; it ends early when ctx does. The order that lists begin with is made first, the others
// in the background.
func (ix *Index) Warm(ctx context.Context) {
	s := ix.current()
	ix.sorted(s, query.Updated, false)
	for _, column := range []query.Key{query.Name, query.Start, query.Created, query.Version} {
		if ctx.Err() == nil {
			ix.sorted(s, column, true)
		}
	}
}

// same reports whether a slot has just that row: its saves tell rows of one service apart, and
// times and state what the clock or another service changed.
func (w *writer) same(slot uint32, sum *engine.Summary) bool {
	b, i := w.blocks[slot/blockRows], int(slot%blockRows)
	r := &b.records[i]
	at := func(c int, t time.Time) bool {
		sec, nsec := stamp(t)
		s, n := b.times[c].stamp(i)
		return s == sec && n == nsec
	}
	return r.revision == sum.Revision && r.version == int64(sum.Version) && at(updated, sum.UpdatedAt) && at(created, sum.CreatedAt) &&
		at(sent, sum.SentTime) && at(start, sum.Start) && at(end, sum.End) &&
		w.dicts[statuses].texts[r.status] == string(sum.Status) && w.dicts[teams].texts[r.team] == sum.Team &&
		w.dicts[people].texts[r.updatedBy] == sum.UpdatedBy && w.tagSets.number(sum.Tags) == r.tags &&
		b.name(i) == sum.Name
}
