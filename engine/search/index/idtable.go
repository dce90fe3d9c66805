package index

import "hash/maphash"

// idTable maps the idents of rows to their slots: a hash table of slots, whose idents are in their blocks.
type idTable struct {
	cells []uint32 // slots, each one more; 0 is free
	used  int
	seed  maphash.Seed
}

// initialSlots is the initial size of a table, which is always a power of two.
const initialSlots = 64

// cell returns the cell that the ident is in, or else the free one for it.
func (p *idTable) cell(id ident, idOf func(uint32) ident) *uint32 {
	h := maphash.Bytes(p.seed, id.bytes[:])
	for i := h; ; i++ {
		c := &p.cells[i&uint64(len(p.cells)-1)]
		if *c == 0 || idOf(*c-1) == id {
			return c
		}
	}
}

func (p *idTable) get(id ident, idOf func(uint32) ident) (slot uint32, ok bool) {
	if len(p.cells) == 0 {
		return 0, false
	}
	c := *p.cell(id, idOf)
	return c - 1, c != 0
}

// put notes that the ident is in a slot, behind all that were put before, and returns the one that it was in.
// Half of the cells stay free: each one in use that is passed on the way to a free one is a look at a record
// somewhere in memory.
func (p *idTable) put(id ident, slot uint32, idOf func(uint32) ident) (old uint32, ok bool) {
	if p.used*2 >= len(p.cells) {
		p.grow(slot, idOf)
	}
	c := p.cell(id, idOf)
	if *c == 0 {
		p.used++
	}
	old, ok = *c-1, *c != 0
	*c = slot + 1
	return old, ok
}

// grow makes room for further slots behind the first n. It goes through the records in their order, which
// is quicker than through the cells; of slots with the same ident the last one counts.
func (p *idTable) grow(n uint32, idOf func(uint32) ident) {
	if p.cells == nil {
		p.seed = maphash.MakeSeed()
	}
	p.cells, p.used = make([]uint32, max(initialSlots, 2*len(p.cells))), 0
	for slot := range n {
		c := p.cell(idOf(slot), idOf)
		if *c == 0 {
			p.used++
		}
		*c = slot + 1
	}
}
