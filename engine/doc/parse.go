package doc

import (
	"errors"
	"math"
	"math/bits"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is the deepest allowed nesting of arrays and objects (CONTRACT.md, Requests).
const MaxDepth = 200

// Parse parses one JSON text. It returns a *[SyntaxError] for duplicate names, invalid UTF-8, nesting deeper
// than [MaxDepth] and anything after the value.
func Parse(b []byte) (Value, error) { return ParseAtMost(b, math.MaxInt) }

// ErrTooMany reports that a text has more values than [ParseAtMost] allows.
var ErrTooMany = errors.New("too many values")

// ParseAtMost is [Parse] for untrusted input: it fails with [ErrTooMany] if there are more than most values,
// counting objects, arrays and scalars. A value can take a hundred bytes of memory for two bytes of text.
func ParseAtMost(b []byte, most int) (Value, error) {
	p := parsers.Get().(*parser)
	v, ok, more := p.document(string(b), most)
	parsers.Put(p)
	if ok {
		return v, nil
	}
	if more {
		return Value{}, ErrTooMany
	}
	if err := explainSyntax(b); err != nil {
		return Value{}, err
	}
	return Value{}, &SyntaxError{Line: 1, Column: 1, Msg: "it is not valid JSON"}
}

// parser parses valid text in one pass. At invalid text it just stops, and [explainSyntax] finds the error.
// Nodes come from slabs and strings are parts of the text, so that a document is few allocations.
type parser struct {
	src    string
	at     int // the next byte
	spaces int // bytes of white space skipped so far
	left   int // how many values may follow; negative if there were too many

	nodes   slab[node]
	bodies  slab[body]
	members slab[Member]
	elems   slab[Value]
	// What is read of the objects and arrays that are still open.
	openMembers []Member
	openElems   []Value
	scratch     []byte
}

var parsers = sync.Pool{New: func() any { return new(parser) }}

func (p *parser) document(src string, most int) (v Value, ok, more bool) {
	*p = parser{
		src: src, left: most, openMembers: p.openMembers, openElems: p.openElems, scratch: p.scratch,
		nodes: slab[node]{every: 24}, bodies: slab[body]{every: 96}, members: slab[Member]{every: 24}, elems: slab[Value]{every: 64},
	}
	defer p.reset()
	if !utf8.ValidString(src) {
		return Value{}, false, false
	}
	n, ok := p.value(0)
	p.space()
	return Value{n}, ok && p.at == len(p.src), p.left < 0
}

// reset drops references to the document, and keeps buffers unless they are large.
func (p *parser) reset() {
	const large = 1 << 10
	open := parser{openMembers: p.openMembers[:0], openElems: p.openElems[:0], scratch: p.scratch}
	if cap(open.openMembers) > large || cap(open.openElems) > large || cap(open.scratch) > 64*large {
		open = parser{}
	}
	clear(open.openMembers[:cap(open.openMembers)])
	clear(open.openElems[:cap(open.openElems)])
	*p = open
}

// slab allocates slices from larger pieces of memory.
type slab[T any] struct {
	free  []T
	every int // average bytes of text per item
}

// take returns n items. A new piece is sized for the estimated needs of the rest of the text.
func (s *slab[T]) take(n, rest int) []T {
	if len(s.free) < n {
		s.free = make([]T, max(n, min(1+rest/s.every, 128)))
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}

func (p *parser) node(kind Kind, raw string) *node {
	n := &p.nodes.take(1, len(p.src)-p.at)[0]
	n.kind, n.raw = kind, raw
	return n
}

// nodeWithBody returns a node with a body. It keeps the text since from as the encoding if that contains no
// white space.
func (p *parser) nodeWithBody(kind Kind, from, spaces int) *node {
	n := p.node(kind, "")
	if p.spaces == spaces {
		n.raw = p.src[from:p.at]
	}
	n.body = &p.bodies.take(1, len(p.src)-p.at)[0]
	return n
}

// peek returns the next byte that is not white space, or 0 at the end.
func (p *parser) peek() byte {
	if p.at < len(p.src) && p.src[p.at] > ' ' {
		return p.src[p.at]
	}
	p.space()
	if p.at == len(p.src) {
		return 0
	}
	return p.src[p.at]
}

func (p *parser) space() {
	for ; p.at < len(p.src); p.at++ {
		if c := p.src[p.at]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return
		}
		p.spaces++
	}
}

func (p *parser) value(depth int) (*node, bool) {
	if p.left--; p.left < 0 {
		return nil, false
	}
	switch p.peek() {
	case '{':
		return p.object(depth)
	case '[':
		return p.array(depth)
	case '"':
		raw, text, ok := p.quoted()
		if !ok {
			return nil, false
		}
		n := p.node(String, raw)
		if len(text) != len(raw)-2 {
			n.body = &p.bodies.take(1, len(p.src)-p.at)[0]
			n.body.text = text
		}
		return n, true
	case 't':
		return trueNode, p.word(trueNode.raw)
	case 'f':
		return falseNode, p.word(falseNode.raw)
	case 'n':
		return nullNode, p.word(nullNode.raw)
	}
	from := p.at
	if !p.number() {
		return nil, false
	}
	return p.node(Number, p.src[from:p.at]), true
}

func (p *parser) object(depth int) (*node, bool) {
	if depth == MaxDepth {
		return nil, false
	}
	from, spaces, base := p.at, p.spaces, len(p.openMembers)
	p.at++
	for c := p.peek(); c != '}'; c = p.peek() {
		if len(p.openMembers) > base && !p.comma(c) || p.peek() != '"' {
			return nil, false
		}
		raw, name, ok := p.quoted()
		if !ok || p.peek() != ':' || has(p.openMembers[base:], name) {
			return nil, false
		}
		p.at++
		v, ok := p.value(depth + 1)
		if !ok {
			return nil, false
		}
		m := Member{Name: name, Value: Value{v}}
		if len(name) != len(raw)-2 {
			written := raw
			m.raw = &written
		}
		p.openMembers = append(p.openMembers, m)
	}
	p.at++
	n := p.nodeWithBody(Object, from, spaces)
	n.body.members = p.members.take(len(p.openMembers)-base, len(p.src)-p.at)
	copy(n.body.members, p.openMembers[base:])
	p.openMembers = p.openMembers[:base]
	return n, n.body.indexNames()
}

// has reports whether one of a few members has the name. For many members use [body.index].
func has(ms []Member, name string) bool {
	if len(ms) > minIndexed {
		return false
	}
	for i := range ms {
		if ms[i].Name == name {
			return true
		}
	}
	return false
}

func (p *parser) array(depth int) (*node, bool) {
	if depth == MaxDepth {
		return nil, false
	}
	from, spaces, base := p.at, p.spaces, len(p.openElems)
	p.at++
	for c := p.peek(); c != ']'; c = p.peek() {
		if len(p.openElems) > base && !p.comma(c) {
			return nil, false
		}
		v, ok := p.value(depth + 1)
		if !ok {
			return nil, false
		}
		p.openElems = append(p.openElems, Value{v})
	}
	p.at++
	n := p.nodeWithBody(Array, from, spaces)
	n.body.elems = p.elems.take(len(p.openElems)-base, len(p.src)-p.at)
	copy(n.body.elems, p.openElems[base:])
	p.openElems = p.openElems[:base]
	return n, true
}

// comma consumes the next byte, which must be c.
func (p *parser) comma(c byte) bool {
	if c != ',' {
		return false
	}
	p.at++
	return true
}

func (p *parser) word(w string) bool {
	if !strings.HasPrefix(p.src[p.at:], w) {
		return false
	}
	p.at += len(w)
	return true
}

// quoted parses a string. Only a text with escapes is not a part of the input.
func (p *parser) quoted() (raw, text string, ok bool) {
	escaped, end := false, IndexSpecial(p.src, p.at+1)
	for end < len(p.src) && p.src[end] == '\\' {
		escaped = true
		end = IndexSpecial(p.src, min(end+2, len(p.src)))
	}
	if end == len(p.src) || p.src[end] != '"' {
		return "", "", false
	}
	raw = p.src[p.at : end+1]
	p.at = end + 1
	if !escaped {
		return raw, raw[1 : len(raw)-1], true
	}
	var err error
	if p.scratch, err = jsontext.AppendUnquote(p.scratch[:0], raw); err != nil {
		return "", "", false
	}
	return raw, string(p.scratch), true
}

// IndexSpecial returns the index of the first byte of s from i on that a JSON string must escape (RFC 8259,
// section 7): a quote, a backslash or a control character. It returns len(s) if there is none.
func IndexSpecial(s string, i int) int {
	for ; i+8 <= len(s); i += 8 {
		if found := specials(load64(s[i : i+8])); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// load64 loads eight bytes in little-endian order.
func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// specials sets the top bit of each byte of w that is special. Only the lowest bit set is reliable: a
// subtraction that borrows may set the next one as well.
func specials(w uint64) uint64 {
	const each = 0x0101010101010101
	quotes, backslashes := w^each*'"', w^each*'\\'
	return ((w-each*' ')&^w | (quotes-each)&^quotes | (backslashes-each)&^backslashes) & (each * 0x80)
}

// number consumes a number (RFC 8259, section 6).
func (p *parser) number() bool {
	if p.at < len(p.src) && p.src[p.at] == '-' {
		p.at++
	}
	if p.at < len(p.src) && p.src[p.at] == '0' {
		p.at++
	} else if !p.digits() {
		return false
	}
	if p.at < len(p.src) && p.src[p.at] == '.' {
		p.at++
		if !p.digits() {
			return false
		}
	}
	if p.at < len(p.src) && p.src[p.at]|0x20 == 'e' {
		p.at++
		if p.at < len(p.src) && (p.src[p.at] == '+' || p.src[p.at] == '-') {
			p.at++
		}
		return p.digits()
	}
	return true
}

// digits consumes at least one digit.
func (p *parser) digits() bool {
	from := p.at
	for p.at < len(p.src) && '0' <= p.src[p.at] && p.src[p.at] <= '9' {
		p.at++
	}
	return p.at > from
}
