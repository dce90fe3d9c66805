// Package index keeps the summaries of campaigns in memory, so that a million of them can be searched while
// the user types. It ranks matches of words in names, counts facets, and sorts by any column.
//
// A search sees a consistent snapshot. Concurrent writes are visible to later searches.
package index

import (
	"context"
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
	// Now is the clock for states between searches; nil means time.Now.
	Now func() time.Time
}

// Index is an index of summary rows. It is safe for concurrent use.
type Index struct {
	snap  atomic.Pointer[snapshot]
	dirty atomic.Bool // the writer has changes that are not in snap

	mu        sync.RWMutex // guards writer and loads
	writer    *writer
	loads     map[*load]bool
	loaded    atomic.Int64
	filled    atomic.Bool
	orders    orders
	words     words
	idleClock func() time.Time
	grew      chan struct{} // closed when a load has added rows or ended
	closed    chan struct{} // closed when the index is no longer kept current
	closeErr  error         // why it was closed; nil for a normal end
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

// Len returns the number of rows.
func (ix *Index) Len() int { return ix.current().live }

// Progress returns the number of rows that the last [Index.Load] has added, and whether it is complete.
func (ix *Index) Progress() (rows int, complete bool) {
	return int(ix.loaded.Load()), ix.filled.Load()
}

// Put adds or replaces rows. The next search sees all of them.
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

// PutNewer is [Index.Put] for rows from store transactions in any order: it skips rows that are not newer
// than the existing row, by revision.
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

// noteChanged tells running loads about a row that is newer than theirs.
func (ix *Index) noteChanged(id ident) {
	for l := range ix.loads {
		l.touched[id] = true
	}
}

// Remove removes rows, if they exist.
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

// Get returns the row with an id as of a time.
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

// slot returns the slot of a row in a snapshot.
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

// campaign returns the number of a campaign id that is not the row's own, or false if no row has it.
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

// search finds a row without the writer.
func (s *snapshot) search(id string) (uint32, bool) {
	for slot := range uint32(s.n) {
		if s.has(slot) && s.text(s.record(slot).id) == id {
			return slot, true
		}
	}
	return 0, false
}

// current returns the snapshot with all writes. It is created on demand, so that writes without searches
// cause no copies.
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

// publish makes writes visible to searches. If more rows were replaced than exist, it compacts them first.
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

// at returns the snapshot with the states as of a time.
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

// Values returns the values of rows for a keyword with the number of rows that are not archived, for
// query.Env.
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

// load is a running load.
type load struct {
	seen    map[ident]bool // rows loaded again, if there were rows before
	touched map[ident]bool // rows written meanwhile, which are newer
	hidden  int            // rows added since the last publication
	size    int            // rows per publication
}

// The first rows of a load are published immediately. Later rows are published in larger chunks, because each
// publication copies what it changes. Rows are passed on in runs that fit the processor's cache.
const (
	firstChunk = 512
	lastChunk  = 1 << 15
	runRows    = 1 << 11
)

// Load fills the index with all rows in any order (newest first is fastest). Rows are searchable as they are
// added. It returns when the sequence ends or fails, or when ctx ends; run it in a goroutine. Rows that are
// put or removed meanwhile take precedence. At the end it removes earlier rows that are not in the sequence,
// so that loading again updates the index.
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
		return err
	}
	ix.finish(l)
	return nil
}

// cut collects the rows in chunks and reuses the memory of used ones.
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

// show makes the rows of a load visible to searches.
func (ix *Index) show(l *load) {
	if l.hidden == 0 {
		return
	}
	ix.loaded.Add(int64(l.hidden))
	l.hidden, l.size = 0, min(2*l.size, lastChunk)
	ix.grow()
	ix.dirty.Store(true)
}

// take adds a chunk of a load.
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

// finish removes the rows that were not loaded again.
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

// Warm computes the slow sort orders, so that users need not wait for them. Call it after a load; it stops
// early when ctx ends. The default order is computed first, the others at low priority.
func (ix *Index) Warm(ctx context.Context) {
	s := ix.current()
	ix.sorted(s, query.Updated, false)
	for _, column := range []query.Key{query.Name, query.Start, query.Created, query.Version} {
		if ctx.Err() == nil {
			ix.sorted(s, column, true)
		}
	}
}

// same reports whether a slot has exactly that row. Revisions distinguish the rows of one service; times and
// states show what the clock or another service changed.
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
