package schema

import (
	"errors"
	"fmt"
	"strings"

	"bugle/engine/doc"
)

// Schema is a compiled table. It is immutable and safe for concurrent use.
type Schema struct {
	root  *Node
	nodes []*Node // every node once, in table order
}

// Node is a field at its place in a [Schema].
type Node struct {
	*Field
	RuleID   string // prefix of its rules' ids, such as "push.android.timer"
	Section  string // its section of the specification
	Parent   *Node  // the containing object; nil for the root
	Children []*Node
	Element  *Node // of a List, a Map, or an Object's further members

	names    map[string]*Node
	at       int // its index among the parent's children
	prepared prepared
}

// Compile checks and compiles a table. It reports all errors of the table at once, such as an unresolved path
// in a condition, a comparison with a value that is not an option, or a missing help text.
func Compile(root Field) (*Schema, error) {
	c := compiler{schema: &Schema{}}
	c.schema.root = c.node(&root, nil, root.ID)
	for _, n := range c.likes {
		c.likeAncestor(n)
	}
	for _, n := range c.schema.nodes {
		n.prepare()
		c.lint(n)
	}
	return c.schema, errors.Join(c.faults...)
}

// MustCompile is [Compile] for tables that are part of the program, and panics on errors.
func MustCompile(root Field) *Schema {
	s, err := Compile(root)
	if err != nil {
		panic(err)
	}
	return s
}

type compiler struct {
	schema *Schema
	likes  []*Node // nodes whose Like tables are filled in at the end
	faults []error
}

func (c *compiler) fault(n *Node, format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf("table %s: %s", n.RuleID, fmt.Sprintf(format, args...)))
}

func (c *compiler) node(f *Field, parent *Node, id string) *Node {
	n := &Node{Field: f, RuleID: id, Parent: parent, Section: f.Ref}
	if f.ID != "" {
		n.RuleID = f.ID
	}
	if n.Section == "" && parent != nil {
		n.Section = parent.Section
	}
	c.schema.nodes = append(c.schema.nodes, n)
	if f.Like != "" {
		c.likes = append(c.likes, n)
		return n
	}
	// An element's own parent is the object around its list: arrays are no level of a condition.
	inside := n
	if f.Kind == List {
		inside = parent
	}
	n.names = make(map[string]*Node, len(f.Fields))
	for i := range f.Fields {
		m := &f.Fields[i]
		child := c.node(m, n, join(n.RuleID, m.Name))
		if n.names[m.Name] != nil {
			c.fault(child, "named twice")
		}
		n.names[m.Name] = child
		child.at = i
		n.Children = append(n.Children, child)
	}
	for _, child := range n.Children {
		if child.Span == nil {
			continue
		}
		for _, part := range []string{child.Span.Unit, child.Span.Side} {
			if part != "" && (n.names[part] == nil || len(n.names[part].Options) == 0) {
				c.fault(child, "Span names %q, which is no choice beside it", part)
			}
		}
	}
	if f.Elem != nil {
		suffix := "[]"
		if f.Kind != List {
			suffix = ".*"
		}
		n.Element = c.node(f.Elem, inside, n.RuleID+suffix)
		if n.Element.Section == "" {
			n.Element.Section = n.Section
		}
	}
	return n
}

func (c *compiler) likeAncestor(n *Node) {
	for a := n.Parent; a != nil; a = a.Parent {
		if a.RuleID == n.Like {
			n.Children, n.Element, n.names = a.Children, a.Element, a.names
			n.RuleID = a.RuleID
			like := *a.Field
			like.Name, like.Title, like.Help, like.Kind = n.Name, n.Title, n.Help, Object
			like.Required, like.Applies, like.Used, like.Like = n.Required, n.Applies, n.Used, n.Like
			n.Field = &like
			return
		}
	}
	c.fault(n, "Like names %q, which is no table around it", n.Like)
}

func join(id, name string) string {
	if id == "" {
		return name
	}
	return id + "." + name
}

// Root returns the node of the whole document.
func (s *Schema) Root() *Node { return s.root }

// Nodes returns every node once, in table order.
func (s *Schema) Nodes() []*Node { return s.nodes }

// At returns the node for the path p, or nil if no table describes it.
func (s *Schema) At(p doc.Path) *Node {
	n := s.root
	for _, step := range p {
		if n = n.step(step); n == nil {
			return nil
		}
	}
	return n
}

func (n *Node) step(s doc.Step) *Node {
	if s.IsIndex {
		if n.Kind != List {
			return nil
		}
		return n.Element
	}
	return n.Child(s.Name)
}

// Child returns the node of the field with a name, the node of an Object's further members if its table does
// not have the name, or nil.
func (n *Node) Child(name string) *Node {
	if c := n.names[name]; c != nil {
		return c
	}
	if n.Kind == Object || n.Kind == Map {
		return n.Element
	}
	return nil
}

// resolve returns the node for a condition's path, relative to obj.
func (s *Schema) resolve(obj *Node, path string) *Node {
	r := parseRef(path)
	at := obj
	if r.root {
		at = s.root
	}
	for range r.ups {
		if at != nil {
			at = at.Parent
		}
	}
	for _, name := range r.names {
		if at == nil {
			return nil
		}
		at = at.Child(name)
	}
	return at
}

// conds calls f with all conditions of a field.
func (n *Node) conds(f func(Cond)) {
	f(n.Applies)
	f(n.Used)
	for _, r := range n.Required {
		f(r.When)
	}
	for _, o := range n.Options {
		f(o.When)
	}
	for _, r := range n.Rules {
		switch r := r.(type) {
		case Guard:
			f(r.When)
			if g, ok := r.Rule.(Forbidden); ok {
				f(g.When)
			}
		case Forbidden:
			f(r.When)
		}
	}
}

func (c *compiler) lint(n *Node) {
	if n.Help == "" && n.Parent != nil && n.Name != "" {
		c.fault(n, "has no help")
	}
	if n.Section == "" {
		c.fault(n, "cites no section of the specification")
	}
	if (n.Kind == List || n.Kind == Map) && n.Element == nil {
		c.fault(n, "has no element")
	}
	if len(n.Fields) > 0 && n.Kind != Object {
		c.fault(n, "has members but is no object")
	}
	n.conds(func(cond Cond) {
		Paths(cond, func(path string, values []string) { c.lintPath(n, path, values) })
	})
	for _, r := range n.Rules {
		c.lintRule(n, r)
	}
	for i := range n.Responses {
		c.lintResponse(n, &n.Responses[i])
	}
	for theirs, ours := range n.ResponseValues {
		if n.hasOption(theirs) || !n.hasOption(ours) {
			c.fault(n, "the response value %q must be no option, and %q must be one", theirs, ours)
		}
	}
}

func (c *compiler) lintResponse(n *Node, r *Response) {
	if n.names[r.Name] != nil {
		c.fault(n, "the response field %q is a field of requests too", r.Name)
	}
	if r.Help == "" {
		c.fault(n, "the response field %q has no help", r.Name)
	}
	if r.As != "" && n.names[r.As] == nil {
		c.fault(n, "the response field %q names %q, which is no member", r.Name, r.As)
	}
}

func (c *compiler) lintPath(n *Node, path string, values []string) {
	to := c.schema.resolve(n.Parent, path)
	if to == nil {
		c.fault(n, "a condition reads %q, which leads nowhere", path)
		return
	}
	if to.Kind == List && to.Element != nil {
		to = to.Element
	}
	for _, v := range values {
		if len(to.Options) > 0 && !to.hasOption(v) {
			c.fault(n, "a condition compares %s with %q, which is no option of it", path, v)
		}
	}
}

func (c *compiler) lintRule(n *Node, r Rule) {
	var names []string
	switch r := r.(type) {
	case Guard:
		c.lintRule(n, r.Rule)
	case OneTrue:
		names = r.Fields
	case NotBoth:
		names = r.Fields
	case OneOf:
		names = r.Fields
	case Pattern:
		if r.Text == "" {
			c.fault(n, "a pattern says nothing for people")
		}
	case Named:
		if r.ID == "" || r.Text == "" || r.Check == nil {
			c.fault(n, "a named rule needs an id, a sentence and a function")
		}
	}
	for _, name := range names {
		if n.names[name] == nil {
			c.fault(n, "rule %s names %q, which is no member", r.Key(), name)
		}
	}
}

func (n *Node) hasOption(v string) bool {
	for _, o := range n.Options {
		if o.Value == v {
			return true
		}
	}
	return false
}

// RuleIDs returns the ids of the node's rules in the order of checking.
func (n *Node) RuleIDs() []string {
	var ids []string
	add := func(key string) { ids = append(ids, n.RuleID+"#"+key) }
	if n.Applies != nil {
		add("applies")
	}
	if n.Used != nil {
		add("unused")
	}
	for i := range n.Required {
		add(RequiredKey(i))
	}
	if n.Kind != Any {
		add("type")
	}
	if len(n.Options) > 0 {
		add("enum")
	}
	if n.Kind == Object && n.Element == nil && n.Like == "" {
		if n.Open {
			add("extra_member")
		} else {
			add("unknown")
		}
	}
	for _, r := range n.Rules {
		add(r.Key())
	}
	return ids
}

// RequiredKey returns the key for problems of the i-th entry of [Field].Required; see [Rule].
func RequiredKey(i int) string {
	if i == 0 {
		return "required"
	}
	return fmt.Sprintf("required.%d", i+1)
}

// Path returns the path of the node in the tables, such as "delivery_controls.bypass_dnd".
func (n *Node) Path() string {
	var parts []string
	for at := n; at != nil; at = at.Parent {
		if at.Name != "" {
			parts = append([]string{at.Name}, parts...)
		}
	}
	return strings.Join(parts, ".")
}
