package template

import (
	"fmt"
	"slices"
	"strings"
)

// loop is the variable of that name in a loop.
type loop struct {
	node    *For
	scope   *scope // around the loop
	items   []any
	index   int
	depth   int
	changed *List // the last arguments of changed
}

// loop writes the body of a loop, whose scope it is in, for each item of v.
func (e *evaluator) loop(n *For, v any, depth int) {
	items, inner := iterate(e, v), e.scope
	if _, pairs := n.Target.(*Operation); pairs {
		if _, ok := v.(*Dict); ok {
			try(fault("for with several names needs pairs: write .items() behind the map"))
		}
	}
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
	l := &loop{node: n, scope: inner.parent, items: items, depth: depth}
	for i, item := range items {
		e.work(0)
		l.index = i
		clear(inner.names)
		inner.set("loop", l)
		e.assign(inner, n.Target, item)
		e.nodes(n.Body)
	}
}

// left returns how many items come after the current one.
func (l *loop) left() int { return len(l.items) - l.index - 1 }

// item returns the one before the current item, or the one after it.
func (l *loop) item(by int) any {
	if i := l.index + by; i >= 0 && i < len(l.items) {
		return l.items[i]
	}
	return &missing{reason: "there is no such item"}
}

// again is loop(items) in a recursive loop.
func (l *loop) again() *Function {
	if !l.node.Recursive {
		try(fault("loop( ) needs {% for … recursive %}"))
	}
	return &Function{Kind: GlobalKind, Name: "loop", Params: []Parameter{{Name: "items", Required: true}}, call: func(e *evaluator, a []any) any {
		return e.capture(&scope{parent: l.scope}, func() { e.loop(l.node, a[0], l.depth+1) })
	}}
}

// macro returns a macro as a function. Its body sees what is around it where it stands, and caller if it uses that.
func (e *evaluator) macro(m *Macro) *Function {
	f := &Function{Kind: "macro", Name: m.Name, missing: true}
	params, around := m.Params, e.scope
	if strings.Contains(e.t.src[m.Start:m.End], "caller") {
		params = append(slices.Clone(params), Arg{Name: "caller"})
	}
	for _, p := range params {
		f.Params = append(f.Params, Parameter{Name: p.Name, Default: &missing{reason: fmt.Sprintf("%s is called without %s", m.Name, p.Name)}})
	}
	f.call = func(e *evaluator, a []any) any {
		inner := &scope{parent: around}
		return e.capture(inner, func() {
			for i, p := range params {
				inner.set(p.Name, a[i])
				if a[i] == f.Params[i].Default && p.X != nil {
					inner.set(p.Name, e.eval(p.X))
				}
			}
			e.nodes(m.Body)
		})
	}
	return f
}
