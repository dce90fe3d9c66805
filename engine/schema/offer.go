package schema

import (
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/phrase"
)

// Suggestions in messages are checked first, so that no message suggests a value that would be refused.

// takes reports whether v would be accepted as the field n of the object of in.
func (c *checker) takes(n *Node, v doc.Value, in *scope) bool {
	try := checkers.Get().(*checker)
	try.env, try.schema, try.root, try.probe = c.env, c.schema, c.root, true
	try.value(n, v, in)
	taken := !try.full
	try.reset()
	checkers.Put(try)
	return taken
}

// list is a list and the node of its elements.
type list struct {
	of    *Node
	value doc.Value
}

// offered returns which options would be accepted for n.
func (c *checker) offered(n *Node, in *scope) func(i int) bool {
	return func(i int) bool {
		o := &n.Options[i]
		return c.takes(n, o.Literal(n.Kind), in) && !(c.listed.of == n && holds(c.listed.value, o.Value))
	}
}

// example returns the example of n, with another time if that has passed, or "" if it would be refused.
func (c *checker) example(n *Node, in *scope) string {
	switch n.Kind {
	case List:
		return n.Example // some entries; what is around them does not matter to their rules
	case Object, Map:
		return ""
	}
	v := n.example()
	if v.Exists() && c.takes(n, v, in) {
		return n.Example
	}
	if n.Kind == Time && !c.env.Now.IsZero() {
		if soon := c.env.Now.UTC().AddDate(0, 0, 1).Format("2006-01-02T15:00:00Z"); c.takes(n, doc.NewString(soon), in) {
			return soon
		}
	}
	return ""
}

// wantedTime describes a time for the message.
func (c *checker) wantedTime(n *Node, in *scope) string {
	words, _, _ := strings.Cut(DateTime.Requirement(), ", such as ")
	if example := c.example(n, in); example != "" {
		return words + ", such as " + example
	}
	return words
}

// configured returns the names in the workspace's list for n that would be accepted.
func (c *checker) configured(n *Node, in *scope) []string {
	for i := range n.prepared.checks {
		k := &n.prepared.checks[i]
		if r, ok := k.rule.(Configured); ok && k.holds(in, c.env) {
			names, _ := c.env.list(r.List)
			return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !c.takes(n, doc.NewString(name), in) })
		}
	}
	return nil
}

// allowed reports whether n may be in the object of in at all.
func (c *checker) allowed(n *Node, in *scope) bool {
	if n.prepared.applies.ask(in, c.env) == False {
		return false
	}
	return !slices.ContainsFunc(n.prepared.checks, func(k check) bool {
		return k.forbids != nil && k.holds(in, c.env) && k.forbids.ask(in, c.env) == True
	})
}

// unknown returns the message for an unknown field.
func (c *checker) unknown(say audience, n *Node, name string, v doc.Value, inside *scope) string {
	var free, known []string
	for _, child := range n.Children {
		if c.allowed(child, inside) {
			known = append(known, say.member(child))
			if !v.Get(child.Name).Exists() {
				free = append(free, child.Name)
			}
		}
	}
	msg := "unknown field"
	if near := phrase.Nearest(name, free); near != "" {
		return msg + "; did you mean " + say.member(n.names[near]) + "?"
	}
	if len(known) > 0 && len(known) <= 12 {
		slices.Sort(known)
		msg += "; the fields here are " + strings.Join(known, ", ")
	}
	return msg
}
