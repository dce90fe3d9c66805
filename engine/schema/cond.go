package schema

import "bugle/engine/doc"

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

func (sc *scope) lookup(path string) (v doc.Value, fromRoot bool) {
	r := parseRef(path)
	at := sc
	for range r.ups {
		if at != nil {
			at = at.up
		}
	}
	switch {
	case r.root:
		v = sc.root
	case at != nil:
		v = at.obj
	}
	for _, n := range r.names {
		v = v.Get(n)
	}
	return v, r.root
}

func (sc *scope) eval(c Cond, env *Env) Truth {
	switch c := c.(type) {
	case nil:
		return True
	case Is:
		v, root := sc.lookup(c.Path)
		if root && !v.Exists() {
			return Unknown
		}
		for _, want := range c.Values {
			if v.Text() == want && v.Kind() == doc.String {
				return True
			}
		}
		return False
	case On:
		v, root := sc.lookup(c.Path)
		if root && !v.Exists() {
			return Unknown
		}
		return truth(v.True())
	case Has:
		v, _ := sc.lookup(c.Path)
		return truth(!v.Empty())
	case Holds:
		v, root := sc.lookup(c.Path)
		if root && !v.Exists() {
			return Unknown
		}
		for _, e := range v.Elems() {
			if e.Kind() == doc.String && e.Text() == c.Value {
				return True
			}
		}
		return False
	case Flag:
		if env.Flags == nil {
			return Unknown
		}
		return truth(env.Flags[c.Name])
	case Not:
		return -sc.eval(c.C, env)
	case All:
		out := True
		for _, e := range c {
			out = min(out, sc.eval(e, env))
		}
		return out
	case AnyOf:
		out := False
		for _, e := range c {
			out = max(out, sc.eval(e, env))
		}
		return out
	}
	return Unknown
}

// paths calls f for each path that the condition reads.
func paths(c Cond, f func(path string, values []string)) {
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
		paths(c.C, f)
	case All:
		for _, e := range c {
			paths(e, f)
		}
	case AnyOf:
		for _, e := range c {
			paths(e, f)
		}
	}
}
