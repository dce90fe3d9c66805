package index

import (
	"context"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"

	"bugle/engine/query"
)

// set is a set of slots, one bit for each. A nil set is empty.
type set []uint64

func newSet(slots int) set { return make(set, (slots+63)/64) }

func (s set) has(slot uint32) bool {
	i := int(slot / 64)
	return i < len(s) && s[i]>>(slot%64)&1 != 0
}

// meets reports whether one of the rows is in the set.
func (s set) meets(rows *roaring.Bitmap) bool {
	for it := rows.Iterator(); it.HasNext(); {
		if s.has(it.Next()) {
			return true
		}
	}
	return false
}

// or gives the union; it may be one of the two.
func or(a, b set) set {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := slices.Clone(a)
	for i, w := range b {
		out[i] |= w
	}
	return out
}

// and keeps of s what is in b too.
func (s set) and(b set) set {
	for i := range s {
		if i < len(b) {
			s[i] &= b[i]
		} else {
			s[i] = 0
		}
	}
	return s
}

// not keeps of s what is not in b.
func (s set) not(b set) set {
	for i := range min(len(s), len(b)) {
		s[i] &^= b[i]
	}
	return s
}

// slots lists the set.
func (s set) slots(n int) []uint32 {
	out := make([]uint32, 0, n)
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			out = append(out, uint32(i*64+bits.TrailingZeros64(w)))
		}
	}
	return out
}

// hits are the names that a word matches, by their tiers. They stay right as rows are added:
// what a slot holds never changes.
type hits struct {
	word  string // folded
	exact bool
	epoch uint64
	n     int // the slots that were looked at
	tiers [tiers]set
}

func (h *hits) all() set {
	var out set
	for _, t := range h.tiers {
		out = or(out, t)
	}
	return out
}

// first gives the hits among the first n slots.
func (h *hits) first(n int) *hits {
	if h.n == n {
		return h
	}
	out := *h
	out.n = n
	for t, s := range out.tiers {
		out.tiers[t] = s[:min(len(s), (n+63)/64)]
	}
	return &out
}

// kept is how many words' hits are kept: those of the query as it was some keystrokes ago.
const kept = 12

// words keeps the hits of the words that were looked for last.
type words struct {
	mu   sync.Mutex
	list []*hits // the last one used at the end
}

func (ws *words) put(h *hits) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.list = slices.DeleteFunc(ws.list, func(o *hits) bool {
		return o.epoch != h.epoch || o.word == h.word && o.exact == h.exact
	})
	if len(ws.list) >= kept {
		ws.list = slices.Delete(ws.list, 0, len(ws.list)-kept+1)
	}
	ws.list = append(ws.list, h)
}

// get gives the hits of the word, or else those of the longest beginning of it that is known to
// match wherever the word does.
func (ws *words) get(epoch uint64, n *needle, exact bool) (same, wider *hits) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	word := string(n.text)
	for i, h := range ws.list {
		if h.epoch != epoch {
			continue
		}
		if h.word == word && h.exact == exact {
			ws.list = append(slices.Delete(ws.list, i, i+1), h)
			return h, nil
		}
		if h.wider(n) && (wider == nil || len(h.word) > len(wider.word)) {
			wider = h
		}
	}
	return nil, wider
}

// wider reports whether the names that the word matches are all among the hits.
func (h *hits) wider(n *needle) bool {
	if len(h.word) >= len(n.text) || string(n.text[:len(h.word)]) != h.word {
		return false
	}
	return !n.fuzzy || !h.exact && len([]rune(h.word)) >= fuzzyFrom
}

// find gives the names that a word matches.
func (ix *Index) find(ctx context.Context, s *snapshot, text string, exact bool) (*hits, error) {
	n := newNeedle(text, exact)
	exact = exact || !n.fuzzy // then both are the same
	same, wider := ix.words.get(s.epoch, &n, exact)
	if same != nil && same.n >= s.n {
		return same.first(s.n), nil
	}
	h := &hits{word: string(n.text), exact: exact, epoch: s.epoch, n: s.n}
	for t := range h.tiers {
		h.tiers[t] = newSet(s.n)
	}
	from := 0
	var among set
	switch {
	case same != nil:
		from = same.n
		for t := range h.tiers {
			copy(h.tiers[t], same.tiers[t])
		}
	case wider != nil && wider.n >= s.n:
		among = wider.all()
		if among == nil {
			among = set{}
		}
	}
	if err := s.scan(ctx, &n, from, among, &h.tiers); err != nil {
		return nil, err
	}
	for t := range h.tiers {
		if !slices.ContainsFunc(h.tiers[t], func(w uint64) bool { return w != 0 }) {
			h.tiers[t] = nil
		}
	}
	ix.words.put(h)
	return h, nil
}

// scanned is how many slots one goroutine looks at between two looks at the context.
const scanned = 1 << 14

// scan looks for the word in the names of the slots from from on, of those in among where it is
// not nil.
func (s *snapshot) scan(ctx context.Context, n *needle, from int, among set, out *[tiers]set) error {
	first := from / scanned
	return parallel(ctx, (s.n+scanned-1)/scanned-first, func(i int) {
		lo := (first + i) * scanned
		s.scanPart(n, max(lo, from), min(lo+scanned, s.n), among, out)
	})
}

// scanPart looks at a part of a block.
func (s *snapshot) scanPart(n *needle, from, to int, among set, out *[tiers]set) {
	b := s.blocks[from/blockRows]
	base := from / blockRows * blockRows
	letter := len(n.text) == 1 && n.text[0] >= 'a' && n.text[0] <= 'z'
	for g := from / 64; g*64 < to; g++ {
		lo, hi := max(g*64, from), min(g*64+64, to)
		pass := ^uint64(0)
		if among != nil {
			if g >= len(among) {
				return
			}
			pass = among[g]
		}
		pass &= ^uint64(0) << (lo - g*64)
		pass &= ^uint64(0) >> (64 - (hi - g*64))
		var found [tiers]uint64
		lo, hi = lo-base, hi-base
		shift := (lo + base) % 64
		if bits.OnesCount64(pass) > dense {
			pass &= passing(b.masks[lo:hi], n.mask) << shift
			if letter {
				// The mask alone tells, but for words that begin so.
				heads := pass & heading(b.heads[lo:hi], n.head) << shift
				found[tierSub], pass = pass&^heads, heads
			}
		}
		for ; pass != 0; pass &= pass - 1 {
			bit := bits.TrailingZeros64(pass)
			i := g*64 + bit - base
			t := tierNone
			if letter {
				t = b.letterTier(i, n)
			} else if k := &b.names[i]; k.pairs&n.pairs == n.pairs || n.fuzzy && k.heads&n.head != 0 {
				t = n.tier(k.fold.in(b.folded), k.shape())
			}
			if t < tiers {
				found[t] |= 1 << bit
			}
		}
		for t, w := range found {
			if w != 0 {
				out[t][g] |= w
			}
		}
	}
}

// dense is how many of 64 names are looked at one by one without asking all their masks first.
const dense = 16

// letterTier is tier for a word of one letter, which the shape tells all about.
func (b *block) letterTier(i int, n *needle) int {
	switch k := &b.names[i]; {
	case b.masks[i]&n.mask == 0:
		return tierNone
	case k.heads&n.head == 0:
		return tierSub
	case k.first != n.text[0]:
		return tierWord
	case k.fold.size == 1:
		return tierExact
	}
	return tierPrefix
}

// passing gives a bit for each mask that has all bits of want.
func passing(masks []uint64, want uint64) uint64 {
	var out uint64
	for i, m := range masks {
		miss := want &^ m
		// The sign of miss | -miss is set where miss is not zero.
		out |= (^(miss | -miss) >> 63) << i
	}
	return out
}

// heading gives a bit for each of heads that has the bit want.
func heading(heads []uint32, want uint32) uint64 {
	var out uint64
	at := bits.TrailingZeros32(want)
	for i, h := range heads {
		out |= uint64(h>>at&1) << i
	}
	return out
}

// starting gives those of among whose name begins with the text, and those that are it.
func (s *snapshot) starting(text string, among set) (exact, prefix set) {
	want := query.Fold(text)
	for g, w := range among {
		for ; w != 0; w &= w - 1 {
			slot := uint32(g*64 + bits.TrailingZeros64(w))
			b, i := s.at(slot)
			name := b.fold(i)
			if len(name) < len(want) || string(name[:len(want)]) != want {
				continue
			}
			to := &prefix
			if len(name) == len(want) {
				to = &exact
			}
			if *to == nil {
				*to = newSet(s.n)
			}
			(*to)[g] |= w & -w
		}
	}
	return exact, prefix
}

// parallel does f for 0 to n-1, on all processors where there is more than one to do. It ends
// early when ctx does, and returns when all that was begun is done.
func parallel(ctx context.Context, n int, f func(i int)) error {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		for i := 0; i < n && ctx.Err() == nil; i++ {
			f(i)
		}
		return ctx.Err()
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}
