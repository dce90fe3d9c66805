package doc

import (
	"bytes"
	"encoding/json"
)

// Encode returns the value as compact JSON with the original spelling of literals. An absent value results in
// no bytes.
func (v Value) Encode() []byte {
	if !v.Exists() {
		return nil
	}
	return v.AppendTo(make([]byte, 0, v.Size()))
}

// AppendTo appends the result of [Value.Encode] to b.
func (v Value) AppendTo(b []byte) []byte {
	switch {
	case !v.Exists():
		return b
	case v.n.raw != "":
		return append(b, v.n.raw...)
	case v.n.kind == Array:
		b = append(b, '[')
		for i, e := range v.n.body.elems {
			if i > 0 {
				b = append(b, ',')
			}
			b = e.AppendTo(b)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i := range v.n.body.members {
		m := &v.n.body.members[i]
		if i > 0 {
			b = append(b, ',')
		}
		if m.raw != nil {
			b = append(append(b, *m.raw...), ':')
		} else {
			b = append(append(append(b, '"'), m.Name...), '"', ':')
		}
		b = m.Value.AppendTo(b)
	}
	return append(b, '}')
}

// Size returns the length of [Value.Encode] in bytes.
func (v Value) Size() int {
	switch {
	case !v.Exists():
		return 0
	case v.n.raw != "":
		return len(v.n.raw)
	}
	size := 1 + max(1, v.Len()) // brackets, and commas between
	for _, e := range v.n.body.elems {
		size += e.Size()
	}
	for i := range v.n.body.members {
		m := &v.n.body.members[i]
		if m.raw != nil {
			size += len(*m.raw) - len(`""`)
		} else {
			size += len(m.Name)
		}
		size += len(`"":`) + m.Value.Size()
	}
	return size
}

// Depth returns the nesting depth: 0 for a scalar, 1 for an array of scalars. A document's depth is at most
// [MaxDepth].
func (v Value) Depth() int {
	deepest := 0
	switch v.Kind() {
	case Array:
		for _, e := range v.n.body.elems {
			deepest = max(deepest, e.Depth())
		}
	case Object:
		for i := range v.n.body.members {
			deepest = max(deepest, v.n.body.members[i].Value.Depth())
		}
	default:
		return 0
	}
	return 1 + deepest
}

// Indent returns the value as indented JSON: two spaces per level, without a final newline.
func (v Value) Indent() []byte {
	if !v.Exists() {
		return nil
	}
	var out bytes.Buffer
	if err := json.Indent(&out, v.Encode(), "", "  "); err != nil {
		return v.Encode()
	}
	return out.Bytes()
}

// MarshalJSON returns the result of [Value.Encode], or null for an absent value.
func (v Value) MarshalJSON() ([]byte, error) {
	if !v.Exists() {
		return []byte("null"), nil
	}
	return v.Encode(), nil
}

// UnmarshalJSON sets v to the result of [Parse].
func (v *Value) UnmarshalJSON(b []byte) error {
	p, err := Parse(b)
	if err != nil {
		return err
	}
	*v = p
	return nil
}

// Equal reports whether two values are semantically equal: members in any order, numbers by value if both fit
// an integer or a float64, strings by their text.
func Equal(a, b Value) bool {
	if a.n == b.n {
		return true
	}
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case Number:
		return equalNumber(a, b)
	case String:
		return a.n.text() == b.n.text()
	case Array:
		if a.Len() != b.Len() {
			return false
		}
		for i, e := range a.n.body.elems {
			if !Equal(e, b.n.body.elems[i]) {
				return false
			}
		}
		return true
	case Object:
		if a.Len() != b.Len() {
			return false
		}
		for name, m := range a.Members() {
			if !Equal(m, b.Get(name)) {
				return false
			}
		}
		return true
	}
	return a.n.raw == b.n.raw
}

func equalNumber(a, b Value) bool {
	if a.n.raw == b.n.raw {
		return true
	}
	ai, aok := a.Int()
	bi, bok := b.Int()
	if aok || bok {
		return aok && bok && ai == bi
	}
	af, aok := a.Float()
	bf, bok := b.Float()
	return aok && bok && af == bf
}
