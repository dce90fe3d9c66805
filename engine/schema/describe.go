package schema

import (
	"strings"

	"bugle/engine/doc"
)

// OptionState is an option as it stands in a document.
type OptionState struct {
	Option
	Offered bool
	Why     string // why it is not offered, as a clause
}

// FieldState is a field as it stands in a document: what a form shows of it.
type FieldState struct {
	Node     *Node
	Path     doc.Path
	Value    doc.Value
	Shown    bool      // it applies, and the document uses it
	Why      string    // why it is not shown, as a clause
	Required bool      // at the stage asked for
	Response *Response // an extra that only responses have; nil for all else
	Options  []OptionState
}

// ObjectState is an object as it stands in a document.
type ObjectState struct {
	Node   *Node
	Path   doc.Path
	Value  doc.Value
	Fields []FieldState
	// Extras are the members beyond the table, in document order: those of a Map or of an
	// Object with further members (Node is their shape), or unknown ones (Node is nil).
	Extras []FieldState
}

// Object tells how the fields of the object at p stand, be it there or not. The second result
// is false where the tables know no object there.
func (s *Schema) Object(root doc.Value, p doc.Path, env Env) (ObjectState, bool) {
	n, sc := s.descend(root, p)
	if n == nil || n.Kind != Object && n.Kind != Map {
		return ObjectState{}, false
	}
	v := root.Lookup(p)
	in := &scope{obj: v, up: sc, root: root}
	out := ObjectState{Node: n, Path: p, Value: v}
	for _, child := range n.Children {
		out.Fields = append(out.Fields, s.fieldState(child, p.Child(child.Name), v.Get(child.Name), in, &env))
	}
	for name, m := range v.Members() {
		if n.names[name] == nil {
			out.Extras = append(out.Extras, s.extraState(n, p.Child(name), m, in, &env))
		}
	}
	return out, true
}

// Field tells how the one field or element at p stands.
func (s *Schema) Field(root doc.Value, p doc.Path, env Env) (FieldState, bool) {
	n, sc := s.descend(root, p)
	if n == nil {
		return FieldState{}, false
	}
	if sc == nil {
		sc = &scope{root: root}
	}
	return s.fieldState(n, p, root.Lookup(p), sc, &env), true
}

// descend gives the node at p and the scope of the object that it is in.
func (s *Schema) descend(root doc.Value, p doc.Path) (*Node, *scope) {
	n, v := s.root, root
	sc := &scope{root: root}
	for _, step := range p {
		if n.Kind == Object || n.Kind == Map {
			sc = &scope{obj: v, up: sc, root: root}
		}
		if n = n.step(step); n == nil {
			return nil, nil
		}
		v = v.Lookup(doc.Path{step})
	}
	return n, sc
}

func (s *Schema) fieldState(n *Node, p doc.Path, v doc.Value, in *scope, env *Env) FieldState {
	f := FieldState{Node: n, Path: p, Value: v, Shown: true}
	switch {
	case n.ready.applies.ask(in, env) == False:
		f.Shown, f.Why = false, "only when "+s.Words(n.Parent, n.Applies)
	case n.ready.used.ask(in, env) != True:
		f.Shown, f.Why = false, "only when "+s.Words(n.Parent, n.Used)
	}
	for i, r := range n.Rules {
		if fb, ok := r.(Forbidden); ok && f.Shown && n.ready.checks[i].forbids.ask(in, env) == True {
			f.Shown, f.Why = false, "not when "+s.Words(n.Parent, fb.When)
		}
	}
	for i, r := range n.Required {
		if f.Shown && r.At.covers(env.stage()) && n.ready.required[i].ask(in, env) == True {
			f.Required = true
		}
	}
	for i, o := range n.Options {
		os := OptionState{Option: o, Offered: n.ready.offered[i].ask(in, env) != False}
		if !os.Offered {
			os.Why = "only when " + s.Words(n.Parent, o.When)
		}
		f.Options = append(f.Options, os)
	}
	return f
}

func (s *Schema) extraState(n *Node, p doc.Path, v doc.Value, in *scope, env *Env) FieldState {
	if r := n.response(p.Last().Name); r != nil {
		return FieldState{Path: p, Value: v, Shown: true, Response: r, Why: "only in responses, and never sent"}
	}
	if n.Element == nil {
		return FieldState{Path: p, Value: v, Shown: true, Why: "not in the specification"}
	}
	return s.fieldState(n.Element, p, v, in, env)
}

// Notes puts everything that the table says of a field into sentences: what it is for, when
// it is needed, what it takes. The last one names the section of the specification.
func (s *Schema) Notes(n *Node) []string {
	out := []string{n.Help}
	if n.Example != "" {
		out = append(out, "Example: "+n.Example)
	}
	if len(n.Options) > 0 {
		out = append(out, "One of: "+strings.Join(n.choices(), ", ")+".")
	}
	for _, r := range n.Required {
		line := "Required"
		if r.When != nil {
			line += " when " + s.Words(n.Parent, r.When)
		}
		if r.At != 0 && r.At != Always {
			line += " (" + r.At.String() + ")"
		}
		out = append(out, line+".")
	}
	if n.Applies != nil {
		out = append(out, "Only when "+s.Words(n.Parent, n.Applies)+".")
	}
	if n.Used != nil {
		out = append(out, "Used when "+s.Words(n.Parent, n.Used)+".")
	}
	for _, r := range n.Rules {
		if w := s.ruleWords(n, r); w != "" {
			out = append(out, strings.ToUpper(w[:1])+w[1:]+".")
		}
	}
	if n.Default != "" {
		out = append(out, "Default: "+n.Default+".")
	}
	return append(out, "Source: "+n.Section)
}

// choices gives each option by its title, and then as the wire spells it where that is another word.
func (n *Node) choices() []string {
	out := make([]string, len(n.Options))
	for i, o := range n.Options {
		out[i] = o.Title()
		if out[i] != o.Value {
			out[i] += " (" + o.Value + ")"
		}
	}
	return out
}

func (s *Schema) ruleWords(n *Node, r Rule) string {
	switch r := r.(type) {
	case Guard:
		w := s.ruleWords(n, r.Rule)
		if w != "" && r.When != nil {
			w += ", when " + s.Words(n.Parent, r.When)
		}
		return w
	case Range:
		return r.words()
	case Length:
		return between(r.Min, r.Max) + " characters"
	case Items:
		return count(r.Min, r.Max, "item")
	case Unique:
		return "no item twice"
	case Pattern:
		return "must be " + r.Says
	case Format:
		return "must be " + r.As.Words()
	case Excludes:
		return "not " + orList(r.Values) + ": " + r.Says
	case Keys:
		return "names must be " + r.Says
	case Extra:
		return between(0, r.Max) + " members of your own"
	case OneTrue:
		return "exactly one of " + n.both(wire, r.Fields, commaList) + " is true"
	case NotBoth:
		return n.both(wire, r.Fields, andList) + " exclude each other"
	case OneOf:
		return "needs " + n.both(wire, r.Fields, orList)
	case Forbidden:
		return "absent when " + s.Words(n.Parent, r.When)
	case Configured:
		return "one of the workspace's " + strings.ReplaceAll(r.List, "_", " ")
	case Expressions:
		return "takes expressions such as {{UserAttribute['First Name']}}"
	case Named:
		return r.Says
	}
	return ""
}
