package template

import (
	"fmt"
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
func (e *evaluator) loop(n *For, v any, around *scope, depth int) {
	items := must(iterate(e, v))
	if _, pairs := n.Target.(*Tuple); pairs {
		if _, ok := v.(*Dict); ok {
			try(fault("for with several names needs pairs: write .items() behind the map"))
		}
	}
	inner, outer := &scope{parent: around}, e.scope
	e.scope = inner
	if n.Cond != nil {
		var kept []any
		for _, item := range items {
			clear(inner.names)
			e.assign(inner, n.Target, item)
			if truth(e.eval(n.Cond)) {
				kept = append(kept, item)
			}
		}
		items = kept
	}
	clear(inner.names)
	if len(items) == 0 {
		e.nodes(n.Else)
	}
	l := &loop{node: n, scope: around, items: items, depth: depth}
	for i, item := range items {
		try(e.work(0))
		l.index = i
		clear(inner.names)
		inner.set("loop", l)
		e.assign(inner, n.Target, item)
		e.nodes(n.Body)
	}
	e.scope = outer
}

func (l *loop) kind() string { return "loop" }

// loopMembers are what a loop has under a name.
var loopMembers = map[string]func(l *loop) any{
	"index": func(l *loop) any { return l.index + 1 }, "index0": func(l *loop) any { return l.index },
	"revindex": func(l *loop) any { return len(l.items) - l.index }, "revindex0": func(l *loop) any { return len(l.items) - l.index - 1 },
	"first": func(l *loop) any { return l.index == 0 }, "last": func(l *loop) any { return l.index == len(l.items)-1 },
	"depth": func(l *loop) any { return l.depth }, "depth0": func(l *loop) any { return l.depth - 1 },
	"length":   func(l *loop) any { return len(l.items) },
	"previtem": func(l *loop) any { return l.item(l.index - 1) }, "nextitem": func(l *loop) any { return l.item(l.index + 1) },
}

func (l *loop) member(name string) (any, bool) {
	get, ok := loopMembers[name]
	if !ok {
		return nil, false
	}
	return get(l), true
}

func (l *loop) item(i int) any {
	if i < 0 || i >= len(l.items) {
		return &missing{reason: "there is no such item"}
	}
	return l.items[i]
}

// invoke is loop(items) in a recursive loop.
func (l *loop) invoke(e *evaluator, args []any, named *Dict) (any, error) {
	if !l.node.Recursive {
		return nil, fault("loop( ) needs {% for … recursive %}")
	}
	if len(args) != 1 || named != nil {
		return nil, fault("loop( ) takes one list")
	}
	return e.deeper(func() { e.loop(l.node, args[0], l.scope, l.depth+1) }), nil
}

// macro is a part of a template that is called with arguments, in the scope where it stands.
type macro struct {
	*Macro
	source string
	scope  *scope
}

func (m *macro) String() string { return m.Name }

// invoke writes the body of a macro. More arguments than it has parameters are its varargs and kwargs, if it
// says so.
func (m *macro) invoke(e *evaluator, args []any, named *Dict) (any, error) {
	inner, outer := &scope{parent: m.scope}, e.scope
	e.scope = inner
	rest := &Dict{}
	if named != nil {
		rest = named
	}
	take := func(name string) (v any, given bool) {
		i := must(rest.find(e, name))
		if i < 0 {
			return &missing{reason: fmt.Sprintf("%s is called without %s", m.Name, name)}, false
		}
		v = rest.values[i]
		try(rest.remove(e, i))
		return v, true
	}
	for i, p := range m.Params {
		v, given := take(p.Name)
		switch {
		case i < len(args) && given:
			return nil, fault(fmt.Sprintf("%s gets the argument %s twice", m.Name, p.Name))
		case i < len(args):
			v = args[i]
		case !given && p.X != nil:
			v = e.eval(p.X)
		}
		inner.set(p.Name, v)
	}
	caller, called := take("caller")
	more := TupleValue(args[min(len(m.Params), len(args)):])
	inner.set("caller", caller)
	inner.set("varargs", more)
	inner.set("kwargs", rest)
	for i, given := range []bool{called, len(more) > 0, len(rest.keys) > 0} {
		if name := [...]string{"caller", "varargs", "kwargs"}[i]; given && !strings.Contains(m.source, name) {
			return nil, fault(fmt.Sprintf("%s takes %s, and no %s", m.Name, phrase.Count(len(m.Params), "argument"), name))
		}
	}
	text := e.deeper(func() { e.nodes(m.Body) })
	e.scope = outer
	return text, nil
}

// deeper returns what a part of a template that may contain itself writes.
func (e *evaluator) deeper(write func()) any {
	if e.depth >= maxDepth {
		try(errTooNested)
	}
	e.depth++
	text := e.capture(write)
	e.depth--
	return text
}
