package schema

import "bugle/engine/doc"

// prepared is what the validator asks of a node, prepared when its table is compiled.
type prepared struct {
	children      []string // the names of Children
	applies, used *test
	required      []*test // of Required, in that order
	offered       []*test // of Options, in that order
	responses     []*test // of Responses, in that order
	checks        []check
	stages        Stage // at which something is required
	unique        bool  // the entries of a list are distinct
}

// check is a rule without the guards around it.
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

// holds reports whether the rule counts at this stage, for a field of the object of sc.
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

// place returns the index of the child of that name, -1 where there is none. Members mostly stand
// in the order of the table, so those behind the last one are tried first.
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

// stack is room that one level of a document after the other uses.
type stack []doc.Value

// push adds n absent values and gives where they start.
func (s *stack) push(n int) int {
	from := len(*s)
	for range n {
		*s = append(*s, doc.Value{})
	}
	return from
}
