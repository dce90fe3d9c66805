package query

import (
	"slices"
	"strings"
)

// Has reports whether the query asks for the value, which is as [Text] writes it. A state counts
// that is asked for with is: too.
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

// With returns the query with the value asked for too: beside the values of the same query word
// where there are some. What left the value out is gone. For sort it is the only value.
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

// Without returns the query with the value no longer asked for.
func (q Query) Without(k Key, value string) Query { return q.remove(k, value, false) }

// Toggle asks for the value, or no longer where the query asked for it.
func (q Query) Toggle(k Key, value string) Query {
	if q.Has(k, value) {
		return q.Without(k, value)
	}
	return q.With(k, value)
}

// Clear returns the query without the terms of a query word; those of "" are the words that are
// looked for.
func (q Query) Clear(k Key) Query {
	q.Terms = slices.DeleteFunc(slices.Clone(q.Terms), func(t Term) bool { return t.Key == k })
	return q
}

// remove takes a value out of the terms that ask for it, or of those that leave it out.
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
