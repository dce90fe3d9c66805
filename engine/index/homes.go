package index

import "hash/maphash"

// homes tells where the row with an ident is: a hash table of slots, whose idents stand in their
// records, for a table of idents would take a tenth of the index. A slot whose row is gone stays in
// it until the ident comes again.
type homes struct {
	cells []uint32 // slots, each one more; 0 is free
	used  int
	seed  maphash.Seed
}

// firstCells is how many cells a table begins with; their number is always a power of two.
const firstCells = 64

// cell gives the cell that the ident is in, or else the free one for it.
func (p *homes) cell(id ident, idOf func(uint32) ident) *uint32 {
	h := maphash.Bytes(p.seed, id.bytes[:])
	for i := h; ; i++ {
		c := &p.cells[i&uint64(len(p.cells)-1)]
		if *c == 0 || idOf(*c-1) == id {
			return c
		}
	}
}

func (p *homes) get(id ident, idOf func(uint32) ident) (slot uint32, ok bool) {
	if len(p.cells) == 0 {
		return 0, false
	}
	c := *p.cell(id, idOf)
	return c - 1, c != 0
}

// put notes that the ident is in a slot, and gives the one that it was in.
func (p *homes) put(id ident, slot uint32, idOf func(uint32) ident) (old uint32, ok bool) {
	if p.used*4 >= len(p.cells)*3 {
		p.grow(idOf)
	}
	c := p.cell(id, idOf)
	if *c == 0 {
		p.used++
	}
	old, ok = *c-1, *c != 0
	*c = slot + 1
	return old, ok
}

func (p *homes) grow(idOf func(uint32) ident) {
	old := p.cells
	if old == nil {
		p.seed = maphash.MakeSeed()
	}
	p.cells = make([]uint32, max(firstCells, 2*len(old)))
	for _, c := range old {
		if c != 0 {
			*p.cell(idOf(c-1), idOf) = c
		}
	}
}
