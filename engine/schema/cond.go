package schema

import (
	"slices"

	"bugle/engine/doc"
)

// Cond is a condition on the document around a field. The set of conditions is closed: [Is], [On], [Has],
// [Holds], [Flag], [Not], [All] and [AnyOf].
//
// Paths are dotted. "template_type" is a field of the object that contains the field, "../template_type" one
// of the object around that (arrays are not a level), and "/campaign_delivery_type" one of the root.
type Cond interface{ cond() }

type (
	// Is holds if the string at Path is one of Values.
	Is struct {
		Path   string
		Values []string
	}
	// On holds if the boolean at Path is true.
	On struct{ Path string }
	// Has holds if the value at Path is not empty.
	Has struct{ Path string }
	// Holds holds if the array at Path contains the string Value.
	Holds struct{ Path, Value string }
	// Flag holds if the workspace has a feature flag set.
	Flag struct{ Name string }
	// Not negates a condition.
	Not struct{ C Cond }
	// All holds if each of its conditions does.
	All []Cond
	// AnyOf holds if at least one of its conditions does.
	AnyOf []Cond
)

func (Is) cond()    {}
func (On) cond()    {}
func (Has) cond()   {}
func (Holds) cond() {}
func (Flag) cond()  {}
func (Not) cond()   {}
func (All) cond()   {}
func (AnyOf) cond() {}

// When returns the usual condition: the field at path has one of values.
func When(path string, values ...string) Cond { return Is{Path: path, Values: values} }

// Unless is the negation of [When].
func Unless(path string, values ...string) Cond { return Not{Is{Path: path, Values: values}} }

// Truth is the result of a condition. It is Unknown if the condition depends on something that is not
// available: a field of the root that the request does not contain, or a feature flag without a workspace. An
// Unknown condition never causes a problem.
type Truth int8

// The results.
const (
	False   Truth = -1
	Unknown Truth = 0
	True    Truth = 1
)

func truth(b bool) Truth {
	if b {
		return True
	}
	return False
}

// scope is the context of a condition: an object and the objects around it.
type scope struct {
	obj  doc.Value
	up   *scope
	root doc.Value
}

// ref is a condition's parsed path.
type ref struct {
	root  bool
	ups   int
	names []string
}

func parseRef(s string) ref {
	var r ref
	if len(s) > 0 && s[0] == '/' {
		r.root, s = true, s[1:]
	}
	for len(s) >= 3 && s[:3] == "../" {
		r.ups, s = r.ups+1, s[3:]
	}
	for start, i := 0, 0; i <= len(s); i++ {
		if i == len(s) || s[i] == '.' {
			r.names, start = append(r.names, s[start:i]), i+1
		}
	}
	return r
}

// test is a condition prepared for repeated evaluation, with its path parsed. A nil test holds.
type test struct {
	cond Cond
	ref  ref
	of   []*test // operands of a Not, All or AnyOf
}

func prepare(c Cond) *test {
	t := &test{cond: c}
	switch c := c.(type) {
	case nil:
		return nil
	case Is:
		t.ref = parseRef(c.Path)
	case On:
		t.ref = parseRef(c.Path)
	case Has:
		t.ref = parseRef(c.Path)
	case Holds:
		t.ref = parseRef(c.Path)
	case Not:
		t.of = []*test{prepare(c.C)}
	case All:
		t.of = prepareAll(c)
	case AnyOf:
		t.of = prepareAll(c)
	}
	return t
}

func prepareAll(cs []Cond) []*test {
	out := make([]*test, len(cs))
	for i, c := range cs {
		out[i] = prepare(c)
	}
	return out
}

// Eval evaluates a condition in root for an object. objects are the paths of the object and those around it,
// outermost first.
func Eval(c Cond, root doc.Value, objects []doc.Path, env *Env) Truth {
	sc := &scope{root: root}
	for _, o := range objects {
		sc = &scope{obj: root.Lookup(o), up: sc, root: root}
	}
	return sc.eval(c, env)
}

// SplitPath splits the path of a condition: whether it starts at the root, how many objects it goes up, and
// the names that it goes down.
func SplitPath(path string) (root bool, up int, names []string) {
	r := parseRef(path)
	return r.root, r.ups, r.names
}

// eval evaluates a condition that is not prepared.
func (sc *scope) eval(c Cond, env *Env) Truth { return prepare(c).ask(sc, env) }

// lookup returns the value at a path. unseen reports that the root does not contain it in this request.
func (sc *scope) lookup(r *ref) (v doc.Value, unseen bool) {
	switch {
	case r.root:
		v = sc.root
	default:
		at := sc
		for i := 0; i < r.ups && at != nil; i++ {
			at = at.up
		}
		if at != nil {
			v = at.obj
		}
	}
	for _, n := range r.names {
		v = v.Get(n)
	}
	return v, r.root && !v.Exists()
}

// ask evaluates the condition for a field of the object of sc.
func (t *test) ask(sc *scope, env *Env) Truth {
	if t == nil {
		return True
	}
	switch c := t.cond.(type) {
	case Is:
		v, unseen := sc.lookup(&t.ref)
		if unseen {
			return Unknown
		}
		return truth(v.Kind() == doc.String && slices.Contains(c.Values, v.Text()))
	case On:
		v, unseen := sc.lookup(&t.ref)
		if unseen {
			return Unknown
		}
		return truth(v.True())
	case Has:
		v, _ := sc.lookup(&t.ref)
		return truth(!v.Empty())
	case Holds:
		v, unseen := sc.lookup(&t.ref)
		if unseen {
			return Unknown
		}
		return truth(holds(v, c.Value))
	case Flag:
		if env.Flags == nil {
			return Unknown
		}
		return truth(env.Flags[c.Name])
	case Not:
		return -t.of[0].ask(sc, env)
	case All:
		out := True
		for _, e := range t.of {
			out = min(out, e.ask(sc, env))
		}
		return out
	case AnyOf:
		out := False
		for _, e := range t.of {
			out = max(out, e.ask(sc, env))
		}
		return out
	}
	return Unknown
}

func holds(list doc.Value, text string) bool {
	for _, e := range list.Elems() {
		if e.Kind() == doc.String && e.Text() == text {
			return true
		}
	}
	return false
}

// Paths calls f with each path that a condition reads, and the values that it is compared with.
func Paths(c Cond, f func(path string, values []string)) {
	switch c := c.(type) {
	case Is:
		f(c.Path, c.Values)
	case On:
		f(c.Path, nil)
	case Has:
		f(c.Path, nil)
	case Holds:
		f(c.Path, []string{c.Value})
	case Not:
		Paths(c.C, f)
	case All:
		for _, e := range c {
			Paths(e, f)
		}
	case AnyOf:
		for _, e := range c {
			Paths(e, f)
		}
	}
}
