package index

import (
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"bugle/engine/search/query"
)

// The columns with few values, each with a set of rows per value, in the order of query.Facets.
const (
	statuses = iota
	channels
	kinds
	tags
	people
	teams
	platforms
	facets
)

// values are the values of a column in a snapshot by number. Number 0 is no value.
type values struct {
	texts  []string
	folds  []string
	shapes []shape           // of folds
	rows   []*roaring.Bitmap // nil if no row ever had it; includes removed rows
}

// dict numbers the values of a column as they come.
type dict struct {
	values
	numbers map[string]uint32
	// owned has the turn in which the bitmap of a value was created; one of this turn is in no snapshot
	// yet, and can be changed.
	owned   []uint32
	turn    uint32
	changed bool              // in this turn
	shown   []*roaring.Bitmap // the rows of the last snapshot
}

func newDict() *dict {
	d := &dict{numbers: map[string]uint32{}, turn: 1}
	d.number("")
	return d
}

func (d *dict) number(text string) uint32 {
	if n, ok := d.numbers[text]; ok {
		return n
	}
	return d.enter(strings.Clone(text))
}

// numberOf is number for bytes, which are copied where they are new.
func (d *dict) numberOf(text []byte) uint32 {
	if n, ok := d.numbers[string(text)]; ok {
		return n
	}
	return d.enter(string(text))
}

func (d *dict) enter(text string) uint32 {
	n := uint32(len(d.texts))
	d.numbers[text] = n
	d.owned, d.changed = append(d.owned, 0), true
	folded := query.Fold(text)
	d.texts, d.folds, d.rows = append(d.texts, text), append(d.folds, folded), append(d.rows, nil)
	d.shapes = append(d.shapes, shapeOf([]byte(folded)))
	return n
}

func (d *dict) add(n, slot uint32)    { d.writable(n).Add(slot) }
func (d *dict) remove(n, slot uint32) { d.writable(n).Remove(slot) }

// writable returns the rows of a value, in a copy where a snapshot has them.
func (d *dict) writable(n uint32) *roaring.Bitmap {
	if d.owned[n] == d.turn {
		return d.rows[n]
	}
	switch rows := d.rows[n]; rows {
	case nil:
		d.rows[n] = roaring.New()
	default:
		d.rows[n] = rows.Clone()
	}
	d.owned[n], d.changed = d.turn, true
	return d.rows[n]
}

// clear takes the rows off all values.
func (d *dict) clear() {
	clear(d.rows)
	clear(d.owned)
	d.changed = true
}

// publish returns the values as they are now, for a snapshot.
func (d *dict) publish() values {
	if d.changed {
		d.shown, d.changed = slices.Clone(d.rows), false
		d.turn++
	}
	out := d.values
	out.rows = d.shown
	return out
}

// find returns the number of a value.
func (v *values) find(text string) (uint32, bool) {
	i := slices.Index(v.texts, text)
	return uint32(max(i, 0)), i >= 0
}

// meant returns the numbers of the values that a query's text selects: equal ones ignoring case or, if there
// are none, those with a word that starts with it.
func (v *values) meant(text string, quoted bool, alive set) []uint32 {
	want := query.Fold(text)
	var same, begin []uint32
	for i, f := range v.folds {
		switch {
		case i == 0 || v.rows[i] == nil:
		case f == want && alive.meets(v.rows[i]):
			same = append(same, uint32(i))
		case !quoted && query.WordStart(f, want) >= 0:
			begin = append(begin, uint32(i))
		}
	}
	if len(same) > 0 || quoted {
		return same
	}
	return begin
}

// sets assigns numbers to lists of values: the tags or platforms of a row. Number 0 is the empty list.
type sets struct {
	of      *dict
	numbers map[string]uint32
	lists   [][]uint32
	key     []byte // room for a key
}

func newSets(of *dict) *sets {
	return &sets{of: of, numbers: map[string]uint32{}, lists: [][]uint32{nil}}
}

func (s *sets) number(texts []string) uint32 {
	if len(texts) == 0 {
		return 0
	}
	s.key = s.key[:0]
	for _, t := range texts {
		s.key = append(append(s.key, t...), 0)
	}
	if n, ok := s.numbers[string(s.key)]; ok && len(s.lists[n]) == len(texts) {
		return n
	}
	list := make([]uint32, len(texts))
	for i, t := range texts {
		list[i] = s.of.number(t)
	}
	n := uint32(len(s.lists))
	s.lists = append(s.lists, list)
	s.numbers[string(s.key)] = n
	return n
}

func texts(of values, list []uint32) []string {
	if len(list) == 0 {
		return nil
	}
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = of.texts[n]
	}
	return out
}

// stringTable holds texts that few rows have: identifiers that are not ObjectIds, flows, parents.
type stringTable struct {
	numbers map[string]uint32
	texts   []string
}

func (o *stringTable) number(text string) uint32 {
	if n, ok := o.numbers[text]; ok {
		return n
	}
	if o.numbers == nil {
		o.numbers = map[string]uint32{}
	}
	text = strings.Clone(text)
	n := uint32(len(o.texts))
	o.numbers[text] = n
	o.texts = append(o.texts, text)
	return n
}

// extra is what few rows have.
type extra struct{ flowID, flowName, parentID, rejection string }
