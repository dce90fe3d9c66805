package schema

import "bugle/engine/doc"

// prepared is what the validator needs from a node, computed when its table is compiled.
type prepared struct {
	children      []string // the names of Children
	applies, used *test
	required      []*test // of Required, in that order
	offered       []*test // of Options, in that order
	responses     []*test // of Responses, in that order
	checks        []check
	stages        Stage // at which something is required
	unique        bool  // the list's elements must be distinct
}

// check is a rule without its guards.
type check struct {
	rule    Rule
	when    []*test // all must hold
	at      []Stage // all must cover the stage
	forbids *test   // of a Forbidden
	section string  // of the innermost guard
}

func (n *Node) prepare() {
	r := prepared{applies: prepare(n.Applies), used: prepare(n.Used), children: make([]string, len(n.Children))}
	for i, child := range n.Children {
		r.children[i] = child.Name
	}
	for _, q := range n.Required {
		r.required = append(r.required, prepare(q.When))
		if q.At == 0 {
			q.At = Always
		}
		r.stages |= q.At
	}
	for _, o := range n.Options {
		r.offered = append(r.offered, prepare(o.When))
	}
	for _, f := range n.Responses {
		r.responses = append(r.responses, prepare(f.When))
	}
	for _, rule := range n.Rules {
		k := unguarded(rule)
		r.checks = append(r.checks, k)
		if _, ok := k.rule.(Unique); ok {
			r.unique = true
		}
	}
	n.prepared = r
}

func unguarded(r Rule) check {
	c := check{rule: r}
	for {
		g, guarded := c.rule.(Guard)
		if !guarded {
			break
		}
		c.rule, c.section = g.Rule, g.Ref
		if g.When != nil {
			c.when = append(c.when, prepare(g.When))
		}
		if g.At != 0 {
			c.at = append(c.at, g.At)
		}
	}
	if f, ok := c.rule.(Forbidden); ok {
		c.forbids = prepare(f.When)
	}
	return c
}

// holds reports whether the rule applies at this stage to a field of the object of sc.
func (k *check) holds(sc *scope, env *Env) bool {
	for _, at := range k.at {
		if !at.Covers(env.stage()) {
			return false
		}
	}
	for _, t := range k.when {
		if t.ask(sc, env) != True {
			return false
		}
	}
	return true
}

// place returns the index of the child with a name, or -1. Fields are mostly in table order, so it starts
// after the last one.
func (n *Node) place(name string, last int) int {
	const near = 8
	names := n.prepared.children
	for i := last + 1; i < min(last+1+near, len(names)); i++ {
		if names[i] == name {
			return i
		}
	}
	if c := n.names[name]; c != nil {
		return c.at
	}
	return -1
}

// stack is memory shared by the levels of a document.
type stack []doc.Value

// push adds n absent values and returns the index of the first.
func (s *stack) push(n int) int {
	from := len(*s)
	for range n {
		*s = append(*s, doc.Value{})
	}
	return from
}
