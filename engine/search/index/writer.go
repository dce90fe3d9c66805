package index

import (
	"container/heap"
	"slices"
	"strings"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
)

// writer is the mutable side of the index, for one goroutine at a time. What it publishes is immutable.
type writer struct {
	epoch  uint64 // counts renumberings of the slots
	blocks []*block
	n      int      // slots
	alive  []uint64 // slots with a row; others were replaced or removed
	own    bool     // alive is not part of a snapshot
	live   int
	ids    idTable // where each row is

	dicts        [facets]*dict
	tagSets      *sets
	platformSets *sets
	lexicon      lexicon
	strings      stringTable
	extras       []extra
	nested       *dict          // one value: the rows that are nodes of flows or children of campaigns
	children     map[string]int // the number of children by parent

	changes changes   // when the clock changes states
	from    time.Time // the last time it did; the states are valid from here
}

func newWriter(epoch uint64) *writer {
	w := &writer{epoch: epoch, lexicon: newLexicon(), extras: []extra{{}}, nested: newDict(), children: map[string]int{}}
	w.nested.number(nestedValue)
	for i := range w.dicts {
		w.dicts[i] = newDict()
	}
	w.tagSets, w.platformSets = newSets(w.dicts[tags]), newSets(w.dicts[platforms])
	return w
}

// key returns the ident of an identifier. Equal texts have equal idents.
func (w *writer) key(id string) ident {
	if key, ok := objectID(id); ok {
		return key
	}
	return numbered(w.strings.number(id))
}

// add puts a row into a new slot, and replaces one with the same key. States are as of w.from. indexRows
// makes it searchable.
func (w *writer) add(id ident, sum *engine.Summary) {
	slot := uint32(w.n)
	if old, ok := w.ids.put(id, slot, w.idOf); ok && w.isAlive(old) {
		w.markDead(old)
	}
	w.append(id, sum)
	w.n++
	w.markAlive(slot)
	if sum.ParentID != "" {
		w.children[strings.Clone(sum.ParentID)]++
	}
	w.state(slot, sum)
}

// markDead hides a slot. Its bits in the values stay; alive masks them.
func (w *writer) markDead(slot uint32) {
	w.ownAlive()
	w.alive[slot/64] &^= 1 << (slot % 64)
	w.live--
	if parent := w.extras[w.record(slot).extra].parentID; parent != "" {
		if w.children[parent]--; w.children[parent] == 0 {
			delete(w.children, parent)
		}
	}
}

func (w *writer) record(slot uint32) *record {
	return &w.blocks[slot/blockRows].records[slot%blockRows]
}

func (w *writer) idOf(slot uint32) ident { return w.record(slot).id }

// slot returns the slot of the row with a key.
func (w *writer) slot(id ident) (uint32, bool) {
	slot, ok := w.ids.get(id, w.idOf)
	return slot, ok && w.isAlive(slot)
}

func (w *writer) markAlive(slot uint32) {
	w.ownAlive()
	for len(w.alive) <= int(slot/64) {
		w.alive = append(w.alive, 0)
	}
	w.alive[slot/64] |= 1 << (slot % 64)
	w.live++
}

func (w *writer) ownAlive() {
	if !w.own {
		w.alive, w.own = slices.Clone(w.alive), true
	}
}

func (w *writer) isAlive(slot uint32) bool { return w.alive[slot/64]>>(slot%64)&1 != 0 }

// The only value of the dict with nodes of flows and children of campaigns.
const (
	nestedValue = "nested"
	inFamily    = 1
)

// append appends a row to the columns.
func (w *writer) append(id ident, sum *engine.Summary) {
	if w.n%blockRows == 0 {
		next := &block{}
		if k := len(w.blocks); k > 0 {
			next = w.blocks[k-1].next()
			w.blocks[k-1] = w.blocks[k-1].sealed()
		}
		w.blocks = append(w.blocks, next)
	}
	b := w.blocks[len(w.blocks)-1]
	name, cased := b.addName(sum.Name)
	for i, t := range [columns]time.Time{sum.CreatedAt, sum.UpdatedAt, sum.SentTime, sum.Start, sum.End} {
		b.times[i].add(t)
	}
	r := record{
		id: id, revision: sum.Revision, version: int64(sum.Version), name: name, cased: cased,
		status:  w.dicts[statuses].number(string(sum.Status)),
		channel: w.dicts[channels].number(string(sum.Channel)), kind: w.dicts[kinds].number(string(sum.DeliveryType)),
		by: w.dicts[people].number(sum.CreatedBy), team: w.dicts[teams].number(sum.Team), tags: w.tagSets.number(sum.Tags), platforms: w.platformSets.number(sum.Platforms),
		extra: w.extra(sum), allUsers: sum.AllUsers,
	}
	if sum.CampaignID != sum.ID {
		r.campaign = w.strings.number(sum.CampaignID) + 1
	}
	r.updatedBy = r.by
	if sum.UpdatedBy != sum.CreatedBy {
		r.updatedBy = w.dicts[people].number(sum.UpdatedBy)
	}
	b.records = append(b.records, r)
}

// indexRows indexes the values and words of the rows from a slot on.
func (w *writer) indexRows(from int) {
	words := func() {
		for slot := from; slot < w.n; slot++ {
			b, i := w.blocks[slot/blockRows], slot%blockRows
			w.lexicon.add(uint32(slot), b.fold(i))
		}
	}
	if w.n-from < firstChunk {
		words()
		words = func() {}
	}
	var wg sync.WaitGroup
	wg.Go(words)
	for slot := from; slot < w.n; slot++ {
		w.value(uint32(slot))
	}
	wg.Wait()
}

// value indexes the values of a row.
func (w *writer) value(slot uint32) {
	r := w.record(slot)
	w.dicts[channels].add(r.channel, slot)
	w.dicts[kinds].add(r.kind, slot)
	w.dicts[people].add(r.by, slot)
	w.dicts[teams].add(r.team, slot)
	if e := &w.extras[r.extra]; e.flowID != "" || e.parentID != "" {
		w.nested.add(inFamily, slot)
	}
	for _, n := range w.tagSets.lists[r.tags] {
		w.dicts[tags].add(n, slot)
	}
	for _, n := range w.platformSets.lists[r.platforms] {
		w.dicts[platforms].add(n, slot)
	}
}

func (w *writer) extra(sum *engine.Summary) uint32 {
	e := extra{sum.FlowID, sum.FlowName, sum.ParentID, sum.RejectionComment}
	if e == (extra{}) {
		return 0
	}
	w.extras = append(w.extras, extra{
		strings.Clone(e.flowID), strings.Clone(e.flowName), strings.Clone(e.parentID), strings.Clone(e.rejection),
	})
	return uint32(len(w.extras) - 1)
}

// state indexes the state of a row as of w.from, and schedules its next change.
func (w *writer) state(slot uint32, sum *engine.Summary) {
	d := w.dicts[statuses]
	d.add(d.number(string(engine.StateAt(*sum, w.from))), slot)
	w.scheduleChange(slot, sum)
}

// scheduleChange schedules the next time after w.from at which the clock may change the state.
func (w *writer) scheduleChange(slot uint32, sum *engine.Summary) {
	if next := w.next(sum); !next.IsZero() {
		heap.Push(&w.changes, change{next, slot})
	}
}

// next returns the time of the next state change, or zero.
func (w *writer) next(sum *engine.Summary) (next time.Time) {
	if !sum.Status.Live() {
		return next
	}
	for _, t := range [...]time.Time{sum.Start, sum.End} {
		if t.After(w.from) && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	return next
}

// advance advances the states to now.
func (w *writer) advance(now time.Time) {
	if now.Before(w.from) {
		w.restate(now)
		return
	}
	for len(w.changes) > 0 && !w.changes[0].at.After(now) {
		c := heap.Pop(&w.changes).(change)
		w.from = c.at
		if !w.isAlive(c.slot) {
			continue
		}
		sum := w.timing(c.slot)
		d := w.dicts[statuses]
		before, after := engine.StateAt(sum, c.at.Add(-1)), engine.StateAt(sum, c.at)
		if before != after {
			d.remove(d.number(string(before)), c.slot)
			d.add(d.number(string(after)), c.slot)
		}
		w.scheduleChange(c.slot, &sum)
	}
}

// restate recomputes all states after the clock went back.
func (w *writer) restate(now time.Time) {
	w.from, w.changes = now, nil
	d := w.dicts[statuses]
	d.clear()
	for slot := range uint32(w.n) {
		if w.isAlive(slot) {
			sum := w.timing(slot)
			w.state(slot, &sum)
		}
	}
}

// until returns the time of the next state change, or zero.
func (w *writer) until() time.Time {
	if len(w.changes) == 0 {
		return time.Time{}
	}
	return w.changes[0].at
}

// timing returns the parts of a row that determine its state.
func (w *writer) timing(slot uint32) engine.Summary {
	b, i := w.blocks[slot/blockRows], int(slot%blockRows)
	r := &b.records[i]
	sum := engine.Summary{Start: b.times[start].at(i), End: b.times[end].at(i)}
	sum.Status = catalog.State(w.dicts[statuses].texts[r.status])
	sum.DeliveryType = catalog.DeliveryType(w.dicts[kinds].texts[r.kind])
	return sum
}

// change is a time at which the clock may move a row on.
type change struct {
	at   time.Time
	slot uint32
}

// changes is a heap, the earliest change on top.
type changes []change

func (c changes) Len() int           { return len(c) }
func (c changes) Less(i, j int) bool { return c[i].at.Before(c[j].at) }
func (c changes) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *changes) Push(x any)        { *c = append(*c, x.(change)) }
func (c *changes) Pop() any {
	last := len(*c) - 1
	x := (*c)[last]
	*c = (*c)[:last]
	return x
}
