package doc

// Change is one difference between two trees. Before is absent for an added value, and After for a removed
// one.
type Change struct {
	Path   Path  `json:"path"`
	Before Value `json:"before,omitzero"`
	After  Value `json:"after,omitzero"`
}

// Diff returns the changes from a to b, innermost first, in the order of a followed by the additions of b.
// Arrays are compared element by element. Values that only differ in spelling (1.0 and 1) count as changed.
func Diff(a, b Value) []Change {
	return appendDiff(nil, nil, a, b)
}

func appendDiff(out []Change, p Path, a, b Value) []Change {
	switch {
	case a.n == b.n:
		return out
	case a.Kind() == Object && b.Kind() == Object:
		for name, av := range a.Members() {
			out = appendDiff(out, p.Child(name), av, b.Get(name))
		}
		for name, bv := range b.Members() {
			if !a.Get(name).Exists() {
				out = append(out, Change{Path: p.Child(name), After: bv})
			}
		}
		return out
	case a.Kind() == Array && b.Kind() == Array:
		for i := range max(a.Len(), b.Len()) {
			out = appendDiff(out, p.Elem(i), a.At(i), b.At(i))
		}
		return out
	case a.Kind() == b.Kind() && a.Literal() == b.Literal() && a.Literal() != "":
		return out
	}
	return append(out, Change{Path: p, Before: a, After: b})
}

// ByField splits the changes of whole objects, and of arrays with objects, into those of the values in them.
func ByField(changes []Change) []Change {
	var out []Change
	for _, c := range changes {
		out = c.appendFields(out)
	}
	return out
}

func (c Change) appendFields(out []Change) []Change {
	v := c.After
	if !v.Exists() {
		v = c.Before
	}
	if c.Before.Exists() && c.After.Exists() || v.Len() == 0 || v.Simple() {
		return append(out, c)
	}
	at := func(step Step, v Value) {
		child := Change{Path: c.Path.Join(step), Before: v}
		if c.After.Exists() {
			child.Before, child.After = Value{}, v
		}
		out = child.appendFields(out)
	}
	if v.Kind() == Array {
		for i := range v.Len() {
			at(Index(i), v.At(i))
		}
		return out
	}
	for name, member := range v.Members() {
		at(Name(name), member)
	}
	return out
}

// Simple reports whether a value is a scalar, or an array of scalars.
func (v Value) Simple() bool {
	if v.Kind() == Array {
		for _, e := range v.Elems() {
			if e.Kind() == Object || e.Kind() == Array {
				return false
			}
		}
	}
	return v.Kind() != Object
}

// CommonPath returns the innermost path that contains all changes, or the empty path.
func CommonPath(changes []Change) Path {
	if len(changes) == 0 {
		return nil
	}
	at := changes[0].Path
	for _, c := range changes[1:] {
		n := 0
		for n < len(at) && n < len(c.Path) && at[n] == c.Path[n] {
			n++
		}
		at = at[:n]
	}
	if len(changes) > 1 {
		return at
	}
	// An object that came or went with its only field is about that field.
	v := changes[0].After
	if !v.Exists() {
		v = changes[0].Before
	}
	if changes[0].Before.Exists() && changes[0].After.Exists() {
		return at
	}
	for v.Kind() == Object && v.Len() == 1 {
		for name, m := range v.Members() {
			at, v = at.Child(name), m
		}
	}
	return at
}
