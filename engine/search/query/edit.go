package query

import (
	"slices"
	"strings"
)

// Has reports whether the query requests a value, spelled as [Text] returns it. It includes states requested
// with is:.
func (q Query) Has(k Key, value string) bool {
	for _, t := range q.Terms {
		if t.holds(k, value) {
			return true
		}
	}
	return false
}

func (t Term) holds(k Key, value string) bool {
	if t.Bad || t.Not {
		return false
	}
	if t.Key == Is && k == Status {
		return value == IsArchived && slices.ContainsFunc(t.Values, func(v Value) bool { return v.Text == IsArchived })
	}
	return t.Key == k && slices.ContainsFunc(t.Values, func(v Value) bool { return !v.Bad && Same(v.Text, value) })
}

// With returns the query with the value added to those of the same keyword. It removes terms that exclude the
// value. For sort it replaces the value.
func (q Query) With(k Key, value string) Query {
	if q.Has(k, value) && k != Sort {
		return q
	}
	v := Value{Text: value, Quoted: needsQuotes(value, k == "")}
	if w := findKeyword(k); w != nil && w.kind == ofList {
		if o, ok := w.find(value); ok {
			v = Value{Text: o.text}
		}
	}
	if k == Sort {
		q = q.Clear(Sort)
	} else {
		q = q.remove(k, value, true)
	}
	q.Terms = slices.Clone(q.Terms)
	for i, t := range q.Terms {
		if k != "" && t.Key == k && !t.Not && !t.Bad {
			t.Values = append(slices.Clone(t.Values), v)
			q.Terms[i] = t
			return q
		}
	}
	q.Terms = append(q.Terms, Term{Key: k, Values: []Value{v}})
	return q
}

// Without returns the query without the value.
func (q Query) Without(k Key, value string) Query { return q.remove(k, value, false) }

// Toggle adds the value if the query does not request it, and removes it otherwise.
func (q Query) Toggle(k Key, value string) Query {
	if q.Has(k, value) {
		return q.Without(k, value)
	}
	return q.With(k, value)
}

// Clear returns the query without the terms of a keyword, or without search words for "".
func (q Query) Clear(k Key) Query {
	q.Terms = slices.DeleteFunc(slices.Clone(q.Terms), func(t Term) bool { return t.Key == k })
	return q
}

// remove removes a value from the terms that request it, or that exclude it.
func (q Query) remove(k Key, value string, not bool) Query {
	var out []Term
	for _, t := range q.Terms {
		sought := value
		if t.Key == Is && k == Status && strings.EqualFold(value, IsArchived) {
			sought = IsArchived
		} else if t.Key != k {
			out = append(out, t)
			continue
		}
		if t.Not == not && !t.Bad {
			n := len(t.Values)
			t.Values = slices.DeleteFunc(slices.Clone(t.Values), func(v Value) bool { return Same(v.Text, sought) })
			if len(t.Values) == 0 && n > 0 {
				continue
			}
		}
		out = append(out, t)
	}
	return Query{Terms: out}
}
