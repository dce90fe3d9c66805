// Package doc implements campaign documents as lossless, immutable JSON trees.
//
// A tree keeps the order of fields, the spelling of every number and string, and unknown fields. For every
// input b that Parse accepts,
//
//	Parse(b).Encode() == json.Compact(b)
//
// Trees are immutable: [Value.Set] and similar methods return a new root that shares as much as possible with
// the old one. An undo history is a list of roots, and readers need no locks.
package doc

import (
	"iter"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the JSON type of a [Value].
type Kind uint8

// The kinds. Absent is the kind of the zero [Value]: there is no value, which differs from an explicit null.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// String returns the JSON name of the kind, such as "object".
func (k Kind) String() string {
	switch k {
	case Absent:
		return "nothing"
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Number:
		return "number"
	case String:
		return "string"
	case Array:
		return "array"
	case Object:
		return "object"
	}
	return "unknown"
}

// Value is one JSON value. It is immutable and cheap to copy. The zero Value is absent.
//
// What [Parse] reads shares one copy of the text, which stays in memory as long as any value or string of it.
// Use [strings.Clone] for strings that outlive the document.
type Value struct{ n *node }

// Member is a name and value in an object.
type Member struct {
	Name  string
	Value Value
	// raw is the name as in the input, with quotes; nil if that is the quoted Name.
	raw *string
}

// M returns a member for [NewObject].
func M(name string, v Value) Member { return Member{Name: name, Value: v} }

var (
	nullNode  = &node{kind: Null, raw: "null"}
	trueNode  = &node{kind: Bool, raw: "true"}
	falseNode = &node{kind: Bool, raw: "false"}
)

// NullValue is the JSON null.
func NullValue() Value { return Value{nullNode} }

// NewBool returns true or false.
func NewBool(b bool) Value {
	if b {
		return Value{trueNode}
	}
	return Value{falseNode}
}

// NewString returns a JSON string. Invalid UTF-8 becomes U+FFFD.
func NewString(s string) Value {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if plain(s) {
		return Value{&node{kind: String, raw: `"` + s + `"`}}
	}
	return Value{&node{kind: String, raw: quote(s), body: &body{text: s}}}
}

// NewInt returns the JSON number of i.
func NewInt(i int64) Value {
	return Value{&node{kind: Number, raw: strconv.FormatInt(i, 10)}}
}

// NewNumber returns the JSON number with the spelling lit, or false if lit is not a JSON number.
func NewNumber(lit string) (Value, bool) {
	v, err := Parse([]byte(lit))
	if err != nil || v.Kind() != Number || v.n.raw != lit {
		return Value{}, false
	}
	return v, true
}

// NewArray returns an array of vs without absent values.
func NewArray(vs ...Value) Value {
	elems := make([]Value, 0, len(vs))
	for _, v := range vs {
		if v.Exists() {
			elems = append(elems, v)
		}
	}
	return Value{array(elems)}
}

// NewStrings returns the array of the strings ss.
func NewStrings(ss ...string) Value {
	vs := make([]Value, len(ss))
	for i, s := range ss {
		vs[i] = NewString(s)
	}
	return NewArray(vs...)
}

// NewObject returns an object of ms in order, without members whose value is absent. Of members with the same
// name, the last value is used at the first one's position.
func NewObject(ms ...Member) Value {
	out := make([]Member, 0, len(ms))
	at := make(map[string]int, len(ms))
	for _, m := range ms {
		if !m.Value.Exists() {
			continue
		}
		m = m.named()
		if i, ok := at[m.Name]; ok {
			out[i].Value = m.Value
			continue
		}
		at[m.Name] = len(out)
		out = append(out, m)
	}
	return Value{object(out)}
}

func (m Member) named() Member {
	if m.raw == nil && !plain(m.Name) {
		m.Name = strings.ToValidUTF8(m.Name, "\uFFFD")
		written := quote(m.Name)
		m.raw = &written
	}
	return m
}

// plain reports whether s needs no escapes in JSON.
func plain(s string) bool { return IndexSpecial(s, 0) == len(s) && utf8.ValidString(s) }

func quote(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // only invalid UTF-8 fails, and callers have replaced it
		return strconv.QuoteToASCII(s)
	}
	return string(b)
}

// Kind returns the value's kind.
func (v Value) Kind() Kind {
	if v.n == nil {
		return Absent
	}
	return v.n.kind
}

// Exists reports whether the value is not absent. It is true for null.
func (v Value) Exists() bool { return v.n != nil }

// Same reports whether both are the same node, which is a cheap test for "not edited".
func (v Value) Same(o Value) bool { return v.n == o.n }

// Text returns the decoded text of a string, and "" for other kinds.
func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	return v.n.text()
}

// Literal returns a boolean, number, null or string as written (a string with its quotes), and "" for other
// kinds.
func (v Value) Literal() string {
	switch v.Kind() {
	case Absent, Array, Object:
		return ""
	}
	return v.n.raw
}

// True reports whether the value is the boolean true.
func (v Value) True() bool { return v.Kind() == Bool && v.n.raw == "true" }

// Int returns a number as an integer. It returns false if the value is not a number, has a fraction, or does
// not fit. Spellings such as 1.0 or 1e2 are integers (CONTRACT.md, Requests).
func (v Value) Int() (int64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	if i, err := strconv.ParseInt(v.n.raw, 10, 64); err == nil {
		return i, true
	}
	if len(v.n.raw) > 40 {
		return 0, false
	}
	if e := strings.IndexAny(v.n.raw, "eE"); e >= 0 && len(v.n.raw)-e > 5 {
		return 0, false // an exponent of four digits and more: big.Rat would spell it out
	}
	r, ok := new(big.Rat).SetString(v.n.raw)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// Float returns a number as a float64, or false if it is not a number or out of range.
func (v Value) Float() (float64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.n.raw, 64)
	return f, err == nil
}

// Len returns the number of members or elements, or 0 for other kinds.
func (v Value) Len() int {
	switch v.Kind() {
	case Array:
		return len(v.n.body.elems)
	case Object:
		return len(v.n.body.members)
	}
	return 0
}

// Empty reports whether the value is absent, null, "", [] or {}.
func (v Value) Empty() bool {
	switch v.Kind() {
	case Absent, Null:
		return true
	case String:
		return v.n.text() == ""
	case Array, Object:
		return v.Len() == 0
	}
	return false
}

// Members iterates over the members of an object in document order.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != Object {
			return
		}
		for _, m := range v.n.body.members {
			if !yield(m.Name, m.Value) {
				return
			}
		}
	}
}

// Elems iterates over the elements of an array.
func (v Value) Elems() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.Kind() != Array {
			return
		}
		for i, e := range v.n.body.elems {
			if !yield(i, e) {
				return
			}
		}
	}
}

// Strings returns the texts of an array's string elements.
func (v Value) Strings() []string {
	var out []string
	for _, e := range v.Elems() {
		if e.Kind() == String {
			out = append(out, e.Text())
		}
	}
	return out
}

// Get returns the member with a name, or an absent value if there is none or v is not an object.
func (v Value) Get(name string) Value {
	if v.Kind() != Object {
		return Value{}
	}
	if i := v.n.body.index(name); i >= 0 {
		return v.n.body.members[i].Value
	}
	return Value{}
}

// MemberAt returns the i-th member of an object in document order, or an absent value if there is none or v
// is not an object.
func (v Value) MemberAt(i int) (name string, member Value) {
	if v.Kind() != Object || i < 0 || i >= len(v.n.body.members) {
		return "", Value{}
	}
	m := &v.n.body.members[i]
	return m.Name, m.Value
}

// At returns the i-th element, or an absent value if there is none or v is not an array.
func (v Value) At(i int) Value {
	if v.Kind() != Array || i < 0 || i >= len(v.n.body.elems) {
		return Value{}
	}
	return v.n.body.elems[i]
}
