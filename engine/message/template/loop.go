package template

import (
	"fmt"
	"slices"
	"strings"

	"bugle/engine/phrase"
)

// loop is the variable of that name in a loop.
type loop struct {
	node    *For
	scope   *scope // around the loop
	items   []any
	index   int
	depth   int
	changed []any // the last arguments of changed
}

// loop writes the body of a loop for each item of v.
func (e *evaluator) loop(n *For, v any, around *scope, depth int) error {
	all, err := iterate(e, v)
	if err != nil {
		return err
	}
	if _, pairs := n.Target.(*Tuple); pairs {
		if _, ok := v.(*Dict); ok {
			return fault("for with several names needs pairs: write .items() behind the map")
		}
	}
	inner := &scope{parent: around}
	outer := e.scope
	e.scope = inner
	defer func() { e.scope = outer }()
	if n.Cond != nil {
		var kept []any
		for _, item := range all {
			clear(inner.names)
			if err := e.assign(inner, n.Target, item); err != nil {
				return err
			}
			yes, err := e.eval(n.Cond)
			if err != nil {
				return err
			}
			if truth(yes) {
				kept = append(kept, item)
			}
		}
		all = kept
	}
	if len(all) == 0 {
		clear(inner.names)
		return e.nodes(n.Else)
	}
	l := &loop{node: n, scope: around, items: all, depth: depth}
	for i, item := range all {
		if err := e.work(0); err != nil {
			return err
		}
		l.index = i
		clear(inner.names)
		inner.set("loop", l)
		if err := e.assign(inner, n.Target, item); err != nil {
			return err
		}
		if err := e.nodes(n.Body); err != nil {
			return err
		}
	}
	return nil
}

func (l *loop) kind() string { return "loop" }

// member returns loop.name.
func (l *loop) member(name string) (any, bool) {
	v := l.attribute(name)
	return v, v != nil
}

func (l *loop) attribute(name string) any {
	item := func(i int) any {
		if i < 0 || i >= len(l.items) {
			return &missing{reason: "there is no such item"}
		}
		return l.items[i]
	}
	switch name {
	case "index":
		return l.index + 1
	case "index0":
		return l.index
	case "revindex":
		return len(l.items) - l.index
	case "revindex0":
		return len(l.items) - l.index - 1
	case "first":
		return l.index == 0
	case "last":
		return l.index == len(l.items)-1
	case "length":
		return len(l.items)
	case "previtem":
		return item(l.index - 1)
	case "nextitem":
		return item(l.index + 1)
	case "depth":
		return l.depth
	case "depth0":
		return l.depth - 1
	}
	return nil
}

// invoke is loop(items) in a recursive loop.
func (l *loop) invoke(e *evaluator, args []any, named *Dict) (any, error) {
	if !l.node.Recursive {
		return nil, fault("loop( ) needs {% for … recursive %}")
	}
	if len(args) != 1 || named != nil {
		return nil, fault("loop( ) takes one list")
	}
	return e.deeper(func() error { return e.loop(l.node, args[0], l.scope, l.depth+1) })
}

// macro is a part of a template that is called with arguments, in the scope where it stands.
type macro struct {
	name   string
	params []Param
	body   []Node
	source string
	scope  *scope
}

// invoke writes the body of a macro. More arguments than it has parameters are its varargs and kwargs, if it
// says so.
func (m *macro) invoke(e *evaluator, args []any, named *Dict) (any, error) {
	inner := &scope{parent: m.scope}
	outer := e.scope
	e.scope = inner
	defer func() { e.scope = outer }()
	rest := &Dict{}
	if named != nil {
		rest = named
	}
	take := func(name string) (v any, given bool, err error) {
		i, err := rest.find(e, name)
		if i < 0 || err != nil {
			return nil, false, err
		}
		v = rest.values[i]
		return v, true, rest.remove(e, i)
	}
	for i, p := range m.params {
		v, given, err := take(p.Name)
		switch {
		case err != nil:
			return nil, err
		case i < len(args) && given:
			return nil, fault(fmt.Sprintf("%s gets the argument %s twice", m.name, p.Name))
		case i < len(args):
			v = args[i]
		case given:
		case p.Default != nil:
			if v, err = e.eval(p.Default); err != nil {
				return nil, err
			}
		default:
			v = &missing{reason: fmt.Sprintf("%s is called without %s", m.name, p.Name)}
		}
		inner.set(p.Name, v)
	}
	caller, called, err := take("caller")
	if err != nil {
		return nil, err
	}
	if !called {
		caller = &missing{reason: m.name + " is called without {% call %}"}
	}
	more := args[min(len(m.params), len(args)):]
	for _, also := range []struct {
		name  string
		given bool
		v     any
	}{{"caller", called, caller}, {"varargs", len(more) > 0, TupleValue(more)}, {"kwargs", len(rest.keys) > 0, rest}} {
		switch {
		case strings.Contains(m.source, also.name):
			inner.set(also.name, also.v)
		case also.given:
			return nil, fault(fmt.Sprintf("%s takes %s, and no %s", m.name, phrase.Count(len(m.params), "argument"), also.name))
		}
	}
	return e.deeper(func() error { return e.nodes(m.body) })
}

// callBlock is {% call m(…) %}: its body is the macro caller of m.
func (e *evaluator) callBlock(n *CallBlock) error {
	call := *n.Call
	caller := &macro{name: "caller", params: n.Params, body: n.Body, source: e.t.src[n.Start:n.End], scope: e.scope}
	call.Args = append(slices.Clone(call.Args), Arg{Name: "caller", X: &Literal{Span: call.Span, Value: caller}})
	return e.output(&call)
}

// deeper returns what a part of a template that may contain itself writes: safe text where values are escaped.
func (e *evaluator) deeper(write func() error) (any, error) {
	if e.depth >= maxDepth {
		return nil, errTooNested
	}
	e.depth++
	defer func() { e.depth-- }()
	return e.capture(write)
}
