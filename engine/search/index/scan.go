package index

import (
	"context"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"

	"bugle/engine/search/query"
)

// set is a bit set of slots. A nil set is empty.
type set []uint64

func newSet(slots int) set { return make(set, (slots+63)/64) }

func (s set) has(slot uint32) bool {
	i := int(slot / 64)
	return i < len(s) && s[i]>>(slot%64)&1 != 0
}

// word returns the bits of 64 slots.
func (s set) word(i int) uint64 {
	if i >= len(s) {
		return 0
	}
	return s[i]
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

// or returns the union; it may be one of the two.
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

// and removes the slots that are not in b.
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

// not removes the slots that are in b.
func (s set) not(b set) set {
	for i := range min(len(s), len(b)) {
		s[i] &^= b[i]
	}
	return s
}

// each iterates over the set.
func (s set) each(f func(slot uint32)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			f(uint32(i*64 + bits.TrailingZeros64(w)))
		}
	}
}

// slots returns the n slots of the set.
func (s set) slots(n int) []uint32 {
	out := make([]uint32, 0, n)
	s.each(func(slot uint32) { out = append(out, slot) })
	return out
}

// scanBatch is the number of slots between two checks of the context.
const scanBatch = 1 << 14

// task is a scan of names.
type task struct {
	n     *needle
	from  int  // the first slot
	among set  // only these names; nil for all
	known set  // skip these names
	loose bool // only fuzzy matches
}

// scan searches names for a word.
func (s *snapshot) scan(ctx context.Context, t task, out *[tiers]set) error {
	first := t.from / scanBatch
	return parallel(ctx, (s.n+scanBatch-1)/scanBatch-first, func(i int) {
		lo := (first + i) * scanBatch
		for g := max(lo, t.from) / 64; g*64 < min(lo+scanBatch, s.n); g++ {
			s.scanGroup(&t, g, out)
		}
	})
}

// scanGroup searches 64 names, using their masks to skip names that cannot contain the word or its letters.
func (s *snapshot) scanGroup(t *task, g int, out *[tiers]set) {
	pass := ^uint64(0)
	if t.from > g*64 {
		pass <<= t.from - g*64
	}
	if t.among != nil {
		pass &= t.among.word(g)
	}
	pass &^= t.known.word(g)
	if pass == 0 {
		return
	}
	b, lo := s.blocks[g*64/blockRows], g*64%blockRows
	hi := min(lo+64, s.n-g*64+lo)
	pass &= ^uint64(0) >> (64 - (hi - lo))
	n := t.n
	if bits.OnesCount64(pass) <= maxSparse {
		s.scanFew(t, b, lo, g, pass, out)
		return
	}
	pass &= passing(b.masks[lo:hi], n.mask)
	if pass == 0 {
		return
	}
	var whole, loose uint64
	if !t.loose {
		whole = pass & passing(b.pairs[lo:hi], n.pairs)
	}
	if n.fuzzy {
		loose = pass & headMatches(b.heads[lo:hi], n.heads) &^ whole
	}
	for ; whole != 0; whole &= whole - 1 {
		i := lo + bits.TrailingZeros64(whole)
		if tier := n.tier(b.fold(i), b.shape(i)); tier < tiers {
			out[tier][g] |= whole & -whole
		}
	}
	for ; loose != 0; loose &= loose - 1 {
		i := lo + bits.TrailingZeros64(loose)
		if n.fuzzyIn(b.fold(i), b.shape(i)) {
			out[tierFuzzy][g] |= loose & -loose
		}
	}
}

// maxSparse is the number of candidates among 64 names up to which they are checked one by one.
const maxSparse = 4

func (s *snapshot) scanFew(t *task, b *block, lo, g int, pass uint64, out *[tiers]set) {
	for n := t.n; pass != 0; pass &= pass - 1 {
		i := lo + bits.TrailingZeros64(pass)
		whole := !t.loose && b.pairs[i]&n.pairs == n.pairs
		if b.masks[i]&n.mask != n.mask || !whole && !n.fuzzy {
			continue
		}
		if tier := n.tier(b.fold(i), b.shape(i)); tier < tiers {
			out[tier][g] |= pass & -pass
		}
	}
}

// letter finds the names with a letter, and those with a word that starts with it, using masks.
func (s *snapshot) letter(ctx context.Context, n *needle) (words, all set, err error) {
	words, all = newSet(s.n), newSet(s.n)
	err = parallel(ctx, (len(all)+scanBatch-1)/scanBatch, func(part int) {
		for g := part * scanBatch; g < min((part+1)*scanBatch, len(all)); g++ {
			b, lo := s.blocks[g*64/blockRows], g*64%blockRows
			hi := min(lo+64, s.n-g*64+lo)
			all[g] = passing(b.masks[lo:hi], n.mask)
			words[g] = headMatches(b.heads[lo:hi], n.head)
		}
	})
	return words, all, err
}

// passing returns a bit for each mask that has all bits of want.
func passing(masks []uint64, want uint64) uint64 {
	var out uint64
	for i, m := range masks {
		miss := want &^ m
		// The sign of miss | -miss is set where miss is not zero.
		out |= (^(miss | -miss) >> 63) << i
	}
	return out
}

// headMatches returns a bit for each of heads that has all bits of want.
func headMatches(heads []uint32, want uint32) uint64 {
	var out uint64
	for i, h := range heads {
		miss := uint64(want &^ h)
		out |= (miss - 1) >> 63 << i // only nothing less one has the sign
	}
	return out
}

// prefixMatches returns the rows among a set whose name equals the text, and those whose name starts with it.
func (s *snapshot) prefixMatches(text string, among set) (exact, prefix set) {
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

// parallel calls f for 0 to n-1 on all processors. It stops early when ctx ends, and returns after all
// running calls.
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
