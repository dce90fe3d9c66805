package index

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/maphash"
	"io"
	"iter"
	"math"
	"math/bits"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"bugle/engine"
	"bugle/engine/catalog"
)

// savedHead starts a saved index, which saves the next process from reading each row of the store. It
// contains the rows column by column; everything derived from them, such as folded names, their words and
// current states, is computed again, because another version of the program may do that differently.
//
// The format: savedHead, the hash of the layout of [engine.Summary], the number of rows, the texts by number,
// the blocks of rows, and a checksum over everything before it.
const savedHead = "BUGLE INDEX 1\n"

// savedLayout identifies the layout of rows, so that an index of another version is not read.
var savedLayout = xxhash.Sum64String(layout(reflect.TypeFor[engine.Summary]()))

func layout(t reflect.Type) string {
	var b strings.Builder
	for f := range fields(t) {
		fmt.Fprintf(&b, "%s %s\n", f.Name, f.Type)
		if f.Anonymous {
			b.WriteString(layout(f.Type))
		}
	}
	return b.String()
}

func fields(t reflect.Type) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

// ErrSaved reports that a saved index is damaged or from another version of the program.
var ErrSaved = errors.New("this is no index that was saved by this version of the program, or it is damaged")

// WriteTo saves the current rows for Read.
func (ix *Index) WriteTo(w io.Writer) (int64, error) {
	sum := xxhash.New()
	out := &savedWriter{w: bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<18)}
	ix.current().save(out)
	if out.err == nil {
		out.err = out.w.Flush()
	}
	if out.err == nil {
		var n int
		n, out.err = w.Write(binary.LittleEndian.AppendUint64(nil, sum.Sum64()))
		out.n += int64(n)
	}
	if out.err != nil {
		return out.n, fmt.Errorf("save the index: %w", out.err)
	}
	return out.n, nil
}

// savedWriter writes a saved index until an error.
type savedWriter struct {
	w   *bufio.Writer
	n   int64
	err error
	buf []byte
}

func (o *savedWriter) bytes(b []byte) {
	if o.err == nil {
		var n int
		n, o.err = o.w.Write(b)
		o.n += int64(n)
	}
}

func (o *savedWriter) number(n int) {
	o.buf = binary.AppendUvarint(o.buf[:0], uint64(n))
	o.bytes(o.buf)
}

func (o *savedWriter) text(s string) {
	o.number(len(s))
	if o.err == nil {
		var n int
		n, o.err = o.w.WriteString(s)
		o.n += int64(n)
	}
}

func (o *savedWriter) texts(list []string) {
	o.number(len(list))
	for _, s := range list {
		o.text(s)
	}
}

// column writes numbers relative to the smallest one, with as few bytes as the largest needs.
func (o *savedWriter) column(list []int64) {
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for _, v := range list {
		low, high = min(low, v), max(high, v)
	}
	width := 0
	if len(list) > 0 {
		width = (bits.Len64(uint64(high)-uint64(low)) + 7) / 8
	}
	o.buf = binary.LittleEndian.AppendUint64(append(o.buf[:0], byte(width)), uint64(low))
	var b [8]byte
	for _, v := range list {
		binary.LittleEndian.PutUint64(b[:], uint64(v)-uint64(low))
		o.buf = append(o.buf, b[:width]...)
	}
	o.bytes(o.buf)
}

func (s *snapshot) save(o *savedWriter) {
	o.bytes([]byte(savedHead))
	o.bytes(binary.LittleEndian.AppendUint64(nil, savedLayout))
	o.number(s.live)
	for _, v := range s.values {
		o.texts(v.texts[1:])
	}
	for _, lists := range [][][]uint32{s.tags, s.plats} {
		o.number(len(lists) - 1)
		for _, list := range lists[1:] {
			o.number(len(list))
			for _, n := range list {
				o.number(int(n))
			}
		}
	}
	o.texts(s.strings)
	var extras []uint32 // of the rows that have some, in their order
	set(s.alive).each(func(slot uint32) {
		if e := s.record(slot).extra; e != 0 {
			extras = append(extras, e)
		}
	})
	o.number(len(extras))
	for _, n := range extras {
		e := &s.extras[n]
		for _, text := range [...]string{e.flowID, e.flowName, e.parentID, e.rejection} {
			o.text(text)
		}
	}
	slots := make([]uint32, 0, blockRows)
	set(s.alive).each(func(slot uint32) {
		if slots = append(slots, slot); len(slots) == blockRows {
			s.saveBlock(o, slots)
			slots = slots[:0]
		}
	})
	if len(slots) > 0 {
		s.saveBlock(o, slots)
	}
}

// numbers are the number columns of a block in the order of saving.
var numbers = [...]func(r *record) int64{
	func(r *record) int64 { return bit(r.id.other) },
	func(r *record) int64 { return bit(r.allUsers) },
	func(r *record) int64 { return r.revision },
	func(r *record) int64 { return r.version },
	func(r *record) int64 { return int64(r.campaign) },
	func(r *record) int64 { return int64(r.status) },
	func(r *record) int64 { return int64(r.channel) },
	func(r *record) int64 { return int64(r.kind) },
	func(r *record) int64 { return int64(r.by) },
	func(r *record) int64 { return int64(r.updatedBy) },
	func(r *record) int64 { return int64(r.team) },
	func(r *record) int64 { return int64(r.tags) },
	func(r *record) int64 { return int64(r.platforms) },
	func(r *record) int64 { return min(int64(r.extra), 1) },
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// saveBlock writes the rows of up to blockRows slots.
func (s *snapshot) saveBlock(o *savedWriter, slots []uint32) {
	column := make([]int64, len(slots))
	for _, of := range numbers {
		for i, slot := range slots {
			column[i] = of(s.record(slot))
		}
		o.column(column)
	}
	var ids, names []byte
	for i, slot := range slots {
		b, at := s.at(slot)
		name := b.name(at)
		ids, names = append(ids, b.records[at].id.bytes[:]...), append(names, name...)
		column[i] = int64(len(name))
	}
	o.bytes(ids)
	o.column(column)
	o.bytes(names)
	for c := range columns {
		s.saveTimes(o, c, slots, column)
	}
}

// units are common divisors of times in nanoseconds.
var units = [...]int64{1e9, 1e6, 1e3, 1}

// saveTimes writes a column of times: which rows have one, the unit and the values, and the fractions of a
// second of distant times.
func (s *snapshot) saveTimes(o *savedWriter, c int, slots []uint32, column []int64) {
	var rests []int64
	least := int64(math.MaxInt64)
	for i, slot := range slots {
		b, at := s.at(slot)
		v := b.times[c].list[at]
		if column[i] = bit(v != noTime); v != noTime {
			least = min(least, v)
		}
		if _, nsec := b.times[c].stamp(at); nsec != 0 && (v >= maxNanos || v <= -maxNanos) {
			rests = append(rests, int64(i), int64(nsec))
		}
	}
	o.column(column)
	unit := 0
	for i, slot := range slots {
		b, at := s.at(slot)
		column[i] = 0
		if v := b.times[c].list[at]; v != noTime {
			column[i] = int64(uint64(v) - uint64(least))
			for column[i] < 0 || column[i]%units[unit] != 0 {
				if unit == len(units)-1 {
					break
				}
				unit++
			}
		}
	}
	for i, v := range column {
		if unit < len(units)-1 {
			column[i] = v / units[unit]
		}
	}
	o.number(unit)
	o.bytes(binary.LittleEndian.AppendUint64(nil, uint64(least)))
	o.column(column)
	o.number(len(rests) / 2)
	for _, n := range rests {
		o.number(int(n))
	}
}

// Saved is an index that was saved, and is in nobody's use yet: [Index.Restore] takes it over.
type Saved struct{ w *writer }

// Len returns how many rows there are.
func (s *Saved) Len() int { return s.w.live }

// Put adds rows, or replaces those with the same id.
func (s *Saved) Put(rows ...engine.Summary) {
	from := s.w.n
	for i := range rows {
		s.w.add(s.w.key(rows[i].ID), &rows[i])
	}
	s.w.indexRows(from)
}

// Restore fills an empty index with what restore returns. Like in [Index.Load], rows that are put or removed
// meanwhile take precedence. Rows passed to show are searchable earlier.
func (ix *Index) Restore(restore func(show func([]engine.Summary)) (*Saved, error)) error {
	l := ix.begin()
	defer ix.end(l)
	s, err := restore(func(rows []engine.Summary) {
		ix.take(l, rows)
		ix.mu.Lock()
		defer ix.mu.Unlock()
		ix.show(l)
	})
	if err != nil {
		return err
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	old, w := ix.writer, s.w
	for id := range l.touched {
		if _, ok := old.slot(id); !ok {
			w.drop(w.key(old.text(id)))
		}
	}
	newer, from := old.publish(), w.n
	set(newer.alive).each(func(slot uint32) {
		sum := newer.row(slot)
		id := w.key(sum.ID)
		if at, ok := w.slot(id); !ok || !w.same(at, &sum) {
			w.add(id, &sum)
		}
	})
	w.indexRows(from)
	w.epoch = old.epoch + 1
	ix.writer = w
	ix.loaded.Store(int64(w.live))
	ix.dirty.Store(true)
	ix.filled.Store(true)
	ix.grow()
	return nil
}

// text returns the identifier of an ident.
func (w *writer) text(id ident) string { return (&snapshot{strings: w.strings.texts}).text(id) }

// savedReader reads a saved index until an error.
type savedReader struct {
	r   *bufio.Reader
	sum hash.Hash64
	err error
}

func (in *savedReader) fail() {
	if in.err == nil {
		in.err = ErrSaved
	}
}

// Read reads an index that [Index.WriteTo] wrote. It fails with [ErrSaved] where that is not whole.
func Read(r io.Reader, o Options) (*Saved, error) {
	ix := New(o)
	in := &savedReader{r: bufio.NewReaderSize(r, 1<<18), sum: xxhash.New()}
	in.load(ix.writer)
	sum := in.sum.Sum64()
	if end := in.bytes(8); in.err == nil && binary.LittleEndian.Uint64(end) != sum {
		in.fail()
	}
	if _, err := in.r.ReadByte(); in.err == nil && !errors.Is(err, io.EOF) {
		if in.err = err; err == nil {
			in.fail()
		}
	}
	if in.err != nil {
		return nil, fmt.Errorf("read the saved index: %w", in.err)
	}
	return &Saved{ix.writer}, nil
}

// readStep is the most bytes allocated before they are read.
const readStep = 1 << 20

// bytes reads n bytes.
func (in *savedReader) bytes(n int) []byte {
	if in.err != nil || n < 0 {
		in.fail()
		return nil
	}
	b := make([]byte, 0, min(n, readStep))
	for len(b) < n && in.err == nil {
		from := len(b)
		if from == cap(b) {
			b = append(make([]byte, 0, min(n, 2*from)), b...)
		}
		b = b[:cap(b)]
		if _, err := io.ReadFull(in.r, b[from:]); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			in.fail()
		} else if err != nil {
			in.err = err
		}
	}
	if in.err != nil {
		return nil
	}
	_, _ = in.sum.Write(b)
	return b
}

// number reads a number up to most.
func (in *savedReader) number(most int) int {
	var b [binary.MaxVarintLen64]byte
	for i := range b {
		c, err := in.r.ReadByte()
		if in.err != nil || err != nil {
			in.fail()
			return 0
		}
		if b[i] = c; c < 0x80 {
			_, _ = in.sum.Write(b[:i+1])
			if n, _ := binary.Uvarint(b[:i+1]); n <= uint64(most) {
				return int(n)
			}
			break
		}
	}
	in.fail()
	return 0
}

// maxCount is the largest count of anything.
const maxCount = math.MaxInt32

func (in *savedReader) text() string { return string(in.bytes(in.number(maxCount))) }

func (in *savedReader) texts(f func(string)) {
	for n := in.number(maxCount); n > 0 && in.err == nil; n-- {
		f(in.text())
	}
}

// packedColumn is a column as read.
type packedColumn struct {
	width int
	low   uint64
	b     []byte
}

func (in *savedReader) column(n int) packedColumn {
	head := in.bytes(9)
	if in.err != nil || head[0] > 8 {
		in.fail()
		return packedColumn{}
	}
	p := packedColumn{width: int(head[0]), low: binary.LittleEndian.Uint64(head[1:])}
	p.b = in.bytes(n * p.width)
	return p
}

func (p *packedColumn) at(i int) int64 {
	from := i * p.width
	if from+8 <= len(p.b) {
		v := binary.LittleEndian.Uint64(p.b[from:])
		return int64(p.low + v&(1<<(8*p.width)-1))
	}
	var v uint64
	for k, c := range p.b[from : from+p.width] {
		v |= uint64(c) << (8 * k)
	}
	return int64(p.low + v)
}

// savedBlock is a block as read.
type savedBlock struct {
	n       int
	numbers [len(numbers)]packedColumn
	ids     []byte
	lengths packedColumn
	names   []byte
	times   [columns]savedTimes

	block  *block
	failed bool
	done   chan struct{} // closed when it is unpacked
}

type savedTimes struct {
	has, list packedColumn
	unit      int64
	least     uint64
	rest      []rest
}

// load reads everything but the checksum into an empty writer.
func (in *savedReader) load(w *writer) {
	head := in.bytes(len(savedHead) + 8)
	if in.err != nil || string(head[:len(savedHead)]) != savedHead || binary.LittleEndian.Uint64(head[len(savedHead):]) != savedLayout {
		in.fail()
		return
	}
	n := in.number(maxCount)
	for _, d := range w.dicts {
		in.texts(func(s string) {
			if d.number(s) != uint32(len(d.texts)-1) || s == "" {
				in.fail() // twice the same
			}
		})
	}
	in.sets(w.tagSets)
	in.sets(w.platformSets)
	in.texts(func(s string) {
		if w.strings.number(s) != uint32(len(w.strings.texts)-1) {
			in.fail()
		}
	})
	for k := in.number(n); k > 0 && in.err == nil; k-- {
		w.extras = append(w.extras, extra{in.text(), in.text(), in.text(), in.text()})
	}
	if in.err != nil {
		return
	}
	in.rows(w, n)
}

func (in *savedReader) sets(s *sets) {
	for n := in.number(maxCount); n > 0 && in.err == nil; n-- {
		var list []string
		for k := in.number(maxCount); k > 0 && in.err == nil; k-- {
			if v := in.number(len(s.of.texts) - 1); in.err == nil {
				list = append(list, s.of.texts[v])
			}
		}
		if in.err == nil && s.number(list) != uint32(len(s.lists)-1) {
			in.fail()
		}
	}
}

// rows reads the blocks. One goroutine indexes the words of names, others unpack blocks, and this one reads
// and places rows.
func (in *savedReader) rows(w *writer, n int) {
	limits := w.limits()
	read := make(chan *savedBlock, runtime.GOMAXPROCS(0))
	words := make(chan *block, 1+n/blockRows)
	var tasks sync.WaitGroup
	tasks.Go(func() {
		slot := uint32(0)
		for b := range words {
			for i := range b.records {
				w.lexicon.add(slot, b.fold(i))
				slot++
			}
		}
	})
	go func() {
		defer close(read)
		for left := n; left > 0 && in.err == nil; left -= blockRows {
			b := in.block(min(left, blockRows))
			if in.err != nil {
				return
			}
			b.done = make(chan struct{})
			go b.unpack(&limits)
			read <- b
		}
	}()
	w.ids.reserve(min(n, 1<<21)) // of more it is not known yet whether they are there
	extras := 0
	failed := false
	for b := range read {
		if <-b.done; failed || b.failed || !w.place(b.block, &extras) {
			failed = true
			continue
		}
		words <- b.block
	}
	close(words)
	if failed || extras != len(w.extras)-1 {
		in.fail()
	}
	if in.err == nil {
		heap.Init(&w.changes)
	}
	tasks.Wait()
}

// limits returns the largest allowed value of each of numbers.
func (w *writer) limits() [len(numbers)]int64 {
	top := func(facet int) int64 { return int64(len(w.dicts[facet].texts) - 1) }
	return [...]int64{
		1, 1, math.MaxInt64, math.MaxInt64, int64(len(w.strings.texts)), top(statuses), top(channels), top(kinds), top(people), top(people), top(teams),
		int64(len(w.tagSets.lists) - 1), int64(len(w.platformSets.lists) - 1), 1,
	}
}

// campaignColumn is the index in numbers of the column that is limited by the number of identifiers that are
// not ObjectIds.
const campaignColumn = 4

func (in *savedReader) block(n int) *savedBlock {
	b := &savedBlock{n: n}
	for i := range b.numbers {
		b.numbers[i] = in.column(n)
	}
	b.ids = in.bytes(n * len(ident{}.bytes))
	b.lengths = in.column(n)
	total := 0
	for i := range n {
		if in.err != nil {
			return b
		}
		size := b.lengths.at(i)
		if size < 0 || size > maxCount {
			in.fail()
			return b
		}
		if total += int(size); total > maxCount/4 { // folded, a name may be longer
			in.fail()
		}
	}
	b.names = in.bytes(total)
	for c := range b.times {
		t := &b.times[c]
		t.has = in.column(n)
		t.unit = units[in.number(len(units)-1)]
		if least := in.bytes(8); in.err == nil {
			t.least = binary.LittleEndian.Uint64(least)
		}
		t.list = in.column(n)
		for k := in.number(n); k > 0 && in.err == nil; k-- {
			r := rest{uint32(in.number(n - 1)), int32(in.number(int(second) - 1))}
			if len(t.rest) > 0 && t.rest[len(t.rest)-1].row >= r.row {
				in.fail()
			}
			t.rest = append(t.rest, r)
		}
	}
	return b
}

// unpack builds the block.
func (b *savedBlock) unpack(limits *[len(numbers)]int64) {
	defer close(b.done)
	out := &block{
		masks: make([]uint64, 0, b.n), pairs: make([]uint64, 0, b.n), heads: make([]uint32, 0, b.n), names: make([]nameRef, 0, b.n),
		folded: make([]byte, 0, len(b.names)), records: make([]record, b.n),
	}
	names := string(b.names)
	for i := range out.records {
		var v [len(numbers)]int64
		for k := range v {
			least := int64(0)
			if limits[k] == math.MaxInt64 {
				least = math.MinInt64
			}
			if v[k] = b.numbers[k].at(i); v[k] < least || v[k] > limits[k] {
				b.failed = true
				return
			}
		}
		r := &out.records[i]
		r.id = ident{[12]byte(b.ids[12*i:]), v[0] == 1}
		if r.id.other && (int64(r.id.number()) >= limits[campaignColumn] || r.id != numbered(r.id.number())) {
			b.failed = true
			return
		}
		r.allUsers, r.revision, r.version, r.campaign = v[1] == 1, v[2], v[3], uint32(v[4])
		r.status, r.channel, r.kind, r.by, r.updatedBy = uint32(v[5]), uint32(v[6]), uint32(v[7]), uint32(v[8]), uint32(v[9])
		r.team, r.tags, r.platforms, r.extra = uint32(v[10]), uint32(v[11]), uint32(v[12]), uint32(v[13])
		size := b.lengths.at(i)
		r.name, r.cased = out.addName(names[:size])
		names = names[size:]
	}
	for c := range out.times {
		t := &b.times[c]
		list := make([]int64, b.n)
		for i := range list {
			if list[i] = noTime; t.has.at(i) != 0 {
				list[i] = int64(t.least + uint64(t.list.at(i))*uint64(t.unit))
			}
		}
		out.times[c] = times{list, t.rest}
	}
	out.folded, out.bytes = shrink(out.folded), shrink(out.bytes)
	b.block = out
}

// place appends the rows of a block; extras counts those with an extra. It returns false if a row exists
// twice.
func (w *writer) place(b *block, extras *int) bool {
	first := uint32(w.n)
	w.blocks = append(w.blocks, b)
	var by [facets + 1]lists // the slots by values; the last one's those in families
	for i := range b.records {
		slot, r := first+uint32(i), &b.records[i]
		if _, twice := w.ids.put(r.id, slot, w.idOf); twice {
			return false
		}
		if r.extra != 0 {
			if *extras++; *extras >= len(w.extras) {
				return false
			}
			r.extra = uint32(*extras)
			e := &w.extras[r.extra]
			if e.parentID != "" {
				w.children[e.parentID]++
			}
			if e.flowID != "" || e.parentID != "" {
				by[facets].add(inFamily, slot)
			}
		}
		by[channels].add(r.channel, slot)
		by[kinds].add(r.kind, slot)
		by[people].add(r.by, slot)
		by[teams].add(r.team, slot)
		for _, n := range w.tagSets.lists[r.tags] {
			by[tags].add(n, slot)
		}
		for _, n := range w.platformSets.lists[r.platforms] {
			by[platforms].add(n, slot)
		}
		w.n++ // before timing
		state := r.status
		if catalog.State(w.dicts[statuses].texts[state]).Live() {
			sum := w.timing(slot)
			state = w.dicts[statuses].number(string(engine.StateAt(sum, w.from)))
			if next := w.next(&sum); !next.IsZero() {
				w.changes = append(w.changes, change{next, slot})
			}
		}
		by[statuses].add(state, slot)
	}
	for f, d := range w.dicts {
		by[f].into(d)
	}
	by[facets].into(w.nested)
	w.ownAlive()
	for n := len(b.records); n > 0; n -= 64 {
		w.alive = append(w.alive, ^uint64(0)>>(64-min(n, 64)))
	}
	w.live += len(b.records)
	return true
}

// lists are slots by the numbers of their values.
type lists [][]uint32

func (l *lists) add(n, slot uint32) {
	for int(n) >= len(*l) {
		*l = append(*l, nil)
	}
	(*l)[n] = append((*l)[n], slot)
}

func (l lists) into(d *dict) {
	for n, slots := range l {
		if len(slots) > 0 {
			d.writable(uint32(n)).AddMany(slots)
		}
	}
}

// reserve makes room for that many idents in an empty table.
func (p *idTable) reserve(n int) {
	p.seed = maphash.MakeSeed()
	p.cells = make([]uint32, max(initialSlots, 1<<bits.Len(uint(2*n))))
}
