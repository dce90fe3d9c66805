package schema

import (
	"slices"

	"bugle/engine/doc"
)

// literal is a schema that an object around the value must match. level is the index of the object's frame.
type literal struct {
	level int
	test  doc.Value
}

// formula is a condition in disjunctive normal form: a list of alternatives, each a list of literals that
// must all hold. This form can be tested level by level from the outermost object inwards.
type formula [][]literal

// always reports whether the formula always holds.
func (f formula) always() bool {
	return slices.ContainsFunc(f, func(c []literal) bool { return len(c) == 0 })
}

// formula returns when the condition, relative to the top frame's object, has the result want. Conditions
// have three results, so this differs from not having the opposite result. exact is false if the condition
// also depends on a feature flag, which documents do not contain.
func (w *walk) formula(c Cond, want Truth) (f formula, exact bool) {
	switch c := c.(type) {
	case nil:
		if want == True {
			return formula{{}}, true
		}
		return nil, true
	case Is:
		return w.atom(c.Path, oneOf(c.Values), want)
	case On:
		return w.atom(c.Path, oneValue(doc.NewBool(true)), want)
	case Holds:
		// Linters want items beside the type, though any will do.
		contains := doc.M("contains", oneValue(doc.NewString(c.Value)))
		return w.atom(c.Path, doc.NewObject(text("type", "array"), doc.M("items", doc.NewObject()), contains), want)
	case Has:
		f, exact := w.atom(c.Path, nonEmpty, True)
		if want == False {
			return negated(f), exact
		}
		return f, exact
	case Not:
		return w.formula(c.C, -want)
	case All:
		return w.group(c, want, want == True)
	case AnyOf:
		return w.group(c, want, want == False)
	}
	return nil, false
}

// group combines conditions: each of them must have the result want if all is set, otherwise one of them.
func (w *walk) group(cs []Cond, want Truth, all bool) (out formula, exact bool) {
	if exact = true; all {
		out = formula{{}}
	}
	for _, c := range cs {
		if c == nil && !all {
			continue
		}
		f, certain := w.formula(c, want)
		exact = exact && certain
		if !all {
			out = append(out, f...)
			continue
		}
		var both formula
		for _, a := range out {
			for _, b := range f {
				both = append(both, slices.Concat(a, b))
			}
		}
		out = both
	}
	if out.always() {
		return formula{{}}, exact
	}
	return out, exact
}

// nonEmpty is the JSON Schema of values for which [doc.Value.Empty] is false.
var nonEmpty = doc.NewObject(doc.M("not", doc.NewObject(doc.M("enum",
	doc.NewArray(doc.NullValue(), doc.NewString(""), doc.NewArray(), doc.NewObject())))))

// atom returns the formula for a test of the value at a condition's path, or for its failure.
func (w *walk) atom(path string, test doc.Value, want Truth) (formula, bool) {
	r := parseRef(path)
	level := len(w.frames) - 1 - r.ups
	if w.atRoot {
		level = -1
	}
	if r.root {
		level = min(0, len(w.frames)-1)
	}
	exact := w.loop < 0 || level >= w.loop
	switch {
	case level < 0 && (want == True || r.root):
		return nil, true
	case level < 0:
		return formula{{}}, true
	case want == True:
		return formula{{{level, chain(r.names, test)}}}, exact
	case r.root: // a member of the root that is not there leaves the outcome open
		return formula{{{level, chain(r.names, not(test))}}}, exact
	}
	return formula{{{level, not(chain(r.names, test))}}}, exact
}

// negated returns the negation of a formula with at most one literal.
func negated(f formula) formula {
	if len(f) == 0 {
		return formula{{}}
	}
	return formula{{{f[0][0].level, not(f[0][0].test)}}}
}

func not(v doc.Value) doc.Value { return doc.NewObject(doc.M("not", v)) }

func oneValue(v doc.Value) doc.Value { return doc.NewObject(doc.M("const", v)) }

func oneOf(values []string) doc.Value {
	if len(values) == 1 {
		return oneValue(doc.NewString(values[0]))
	}
	return doc.NewObject(doc.M("enum", doc.NewStrings(values...)))
}

// chain returns the schema of an object in which the field at names exists and matches test.
func chain(names []string, test doc.Value) doc.Value {
	for i := len(names) - 1; i >= 0; i-- {
		ms := []doc.Member{
			doc.M("properties", doc.NewObject(doc.M(names[i], test))), doc.M("required", doc.NewStrings(names[i])),
		}
		if i > 0 {
			ms = append([]doc.Member{text("type", "object")}, ms...)
		}
		test = doc.NewObject(ms...)
	}
	return test
}

// together returns the schema that combines all tests.
func together(tests []doc.Value) doc.Value {
	same := func(a, b doc.Value) bool { return doc.Equal(a, b) }
	tests = slices.CompactFunc(slices.Clone(tests), same)
	if len(tests) == 1 {
		return tests[0]
	}
	return doc.NewObject(doc.M("allOf", doc.NewArray(tests...)))
}

// put calls add with the tree of the top frame's object under each alternative of the formula.
func (w *walk) put(f formula, add func(obj *tree)) {
	for _, alternative := range merged(f) {
		t := (*tree)(nil)
		for level, fr := range w.frames {
			var tests []doc.Value
			for _, l := range alternative {
				if l.level == level {
					tests = append(tests, l.test)
				}
			}
			if t == nil && len(tests) > 0 {
				t = &fr.tree
			}
			if len(tests) > 0 {
				t = t.when(together(tests))
			}
			if t != nil && level < len(w.frames)-1 {
				t = t.along(fr.leg)
			}
		}
		if t != nil {
			add(t)
		}
	}
}

// merged combines alternatives that concern the same object.
func merged(f formula) formula {
	if len(f) < 2 {
		return f
	}
	var tests []doc.Value
	for _, alternative := range f {
		var own []doc.Value
		for _, l := range alternative {
			if l.level != f[0][0].level {
				return f
			}
			own = append(own, l.test)
		}
		tests = append(tests, together(own))
	}
	return formula{{{f[0][0].level, doc.NewObject(doc.M("anyOf", doc.NewArray(tests...)))}}}
}

// down returns the tree of the current value in the tree of the object around it.
func (w *walk) down(obj *tree) *tree { return obj.along(w.top().leg) }
