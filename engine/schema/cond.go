package schema

import (
	"slices"

	"bugle/engine/doc"
)

// Cond is a condition on the document around a field. The set is sealed: [Is], [On], [Has],
// [Holds], [Flag], [Not], [All] and [AnyOf].
//
// Paths are dotted. "template_type" is a member of the object that the field is in,
// "../template_type" one of the object around that (arrays are no level), and
// "/campaign_delivery_type" one of the root.
type Cond interface{ cond() }

type (
	// Is holds where the string at Path is one of Values.
	Is struct {
		Path   string
		Values []string
	}
	// On holds where the boolean at Path is true.
	On struct{ Path string }
	// Has holds where there is something, not just an empty value, at Path.
	Has struct{ Path string }
	// Holds holds where the array at Path contains the string Value.
	Holds struct{ Path, Value string }
	// Flag holds where the workspace has the feature of that name switched on.
	Flag struct{ Name string }
	// Not turns a condition round.
	Not struct{ C Cond }
	// All holds where each of its conditions does.
	All []Cond
	// AnyOf holds where at least one of its conditions does.
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

// When is the usual condition: the member at path is one of values.
func When(path string, values ...string) Cond { return Is{Path: path, Values: values} }

// Unless is the opposite of [When].
func Unless(path string, values ...string) Cond { return Not{Is{Path: path, Values: values}} }

// Truth is the outcome of a condition. It is Unknown where what it asks for is not to be
// seen from here: a member of the root that the request does not carry, a flag of a workspace
// when none is at hand. Nothing is refused, demanded or called unused on an Unknown.
type Truth int8

// The outcomes.
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

// scope is where a condition is asked: an object and the ones around it.
type scope struct {
	obj  doc.Value
	up   *scope
	root doc.Value
}

// ref is a condition's path, taken apart.
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

// test is a condition made ready for being asked often: its path is taken apart. A nil test holds.
type test struct {
	cond Cond
	ref  ref
	of   []*test // what a Not, All or AnyOf is made of
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

// Eval returns how a condition comes out in root, asked at an object that lies in others: objects are their paths,
// the outermost first.
func Eval(c Cond, root doc.Value, objects []doc.Path, env *Env) Truth {
	sc := &scope{root: root}
	for _, o := range objects {
		sc = &scope{obj: root.Lookup(o), up: sc, root: root}
	}
	return sc.eval(c, env)
}

// SplitPath takes the path of a condition apart: whether it begins at the root, how many objects it goes up, and
// the names that it goes down by.
func SplitPath(path string) (root bool, up int, names []string) {
	r := parseRef(path)
	return r.root, r.ups, r.names
}

// eval asks a condition that is asked once.
func (sc *scope) eval(c Cond, env *Env) Truth { return prepare(c).ask(sc, env) }

// lookup returns the value at a path, and whether it is one of the root that is not to be seen.
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

// ask tells how the condition turns out for a field of the object of sc.
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

// paths calls f for each path that the condition reads.
// Paths calls f with each path that a condition reads, and the values that it compares it with.
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
