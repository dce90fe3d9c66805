package schema

import (
	"cmp"
	"strconv"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/phrase"
)

// OptionState is the state of an option in a document.
type OptionState struct {
	Option
	Offered bool
	Why     string // why it is not offered, as a clause
}

// FieldState is the state of a field in a document, for a form.
type FieldState struct {
	Node     *Node
	Path     doc.Path
	Value    doc.Value
	Shown    bool      // it applies and is used
	Why      string    // why it is not shown, as a clause
	Required bool      // at the requested stage
	Response *Response // a response-only field; nil for others
	Options  []OptionState
}

// ObjectState is the state of an object in a document.
type ObjectState struct {
	Node   *Node
	Path   doc.Path
	Value  doc.Value
	Fields []FieldState
	// Extras are the members that are not in the table, in document order: those of a Map or of an Object
	// with further members, or unknown ones (Node is nil).
	Extras []FieldState
}

// Object returns the states of the fields of the object at p, which may be absent. It returns false if the
// tables have no object there.
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

// Field returns the state of the field or element at p.
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

// descend returns the node at p and the scope of the object that contains it.
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
	case n.prepared.applies.ask(in, env) == False:
		f.Shown, f.Why = false, s.only(n.Parent, n.Applies)
	case n.prepared.used.ask(in, env) != True:
		f.Shown, f.Why = false, s.only(n.Parent, n.Used)
	}
	for i, r := range n.Rules {
		if fb, ok := r.(Forbidden); ok && f.Shown && n.prepared.checks[i].forbids.ask(in, env) == True {
			f.Shown, f.Why = false, "not allowed "+s.when(n.Parent, fb.When)
		}
	}
	for i, r := range n.Required {
		if f.Shown && r.At.Covers(env.stage()) && n.prepared.required[i].ask(in, env) == True {
			f.Required = true
		}
	}
	for i, o := range n.Options {
		os := OptionState{Option: o, Offered: n.prepared.offered[i].ask(in, env) != False}
		if !os.Offered {
			os.Why = s.only(n.Parent, o.When)
		}
		f.Options = append(f.Options, os)
	}
	return f
}

func (s *Schema) extraState(n *Node, p doc.Path, v doc.Value, in *scope, env *Env) FieldState {
	if r := n.response(p.Last().Name); r != nil {
		return FieldState{Path: p, Value: v, Shown: true, Response: r, Why: "read-only; only responses have it"}
	}
	if n.Element == nil {
		return FieldState{Path: p, Value: v, Shown: true, Why: "unknown field; kept unchanged"}
	}
	return s.fieldState(n.Element, p, v, in, env)
}

// Notes describes a field for users who fill it in: its purpose, its choices, when it is required, and its
// values, one sentence each.
func (s *Schema) Notes(n *Node) []string { return s.notes(people, n, nil) }

// NotesOf describes a field of a document like [Schema.Notes], without the choices that are not offered
// there.
func (s *Schema) NotesOf(f FieldState) []string {
	return s.notes(people, f.Node, func(i int) bool { return f.Options[i].Offered })
}

// Reference describes a field for developers like [Schema.Notes], but with wire names. The last sentence
// cites the section of the specification.
func (s *Schema) Reference(n *Node) []string {
	return append(s.notes(wire, n, nil), "Source: "+n.Section)
}

// notes describes a field with the options that keep selects (nil: all).
func (s *Schema) notes(say audience, n *Node, keep func(i int) bool) []string {
	out := []string{n.Help}
	if n.Example != "" {
		out = append(out, "Example: "+say.example(n, n.Example))
	}
	if n.Unit != "" {
		out = append(out, "In "+n.Unit+".")
	}
	out = append(out, n.choices(say, keep)...)
	for _, r := range n.Required {
		if line := s.requiredWords(say, n, r); line != "" {
			out = append(out, line)
		}
	}
	if n.Applies != nil {
		out = append(out, phrase.Sentence(s.only(n.Parent, n.Applies)))
	}
	if n.Used != nil {
		out = append(out, "Used "+s.when(n.Parent, n.Used)+".")
	}
	for _, r := range n.Rules {
		if w := s.ruleWords(say, n, r); w != "" {
			out = append(out, phrase.Sentence(w))
		}
	}
	if n.Default != "" {
		out = append(out, "Default: "+say.literal(n, n.Default)+".")
	}
	return out
}

// requiredWords says when a field is required, or "" if that only concerns API requests.
func (s *Schema) requiredWords(say audience, n *Node, r Required) string {
	line := "Required"
	if say == people && r.At != 0 && r.At != Always {
		if !r.At.Covers(Publish) {
			return ""
		}
		line += " to publish"
	}
	if r.When != nil {
		line += " " + s.when(n.Parent, r.When)
	}
	if say == wire && r.At != 0 && r.At != Always {
		line += " (" + r.At.String() + ")"
	}
	return line + "."
}

// literal formats a JSON literal that n accepts.
func (v audience) literal(n *Node, literal string) string {
	if v == wire {
		return literal
	}
	switch literal {
	case "true":
		return "on"
	case "false":
		return "off"
	}
	return n.optionWord(people, strings.Trim(literal, `"`))
}

// choices describes the options that keep selects (nil: all): in separate sentences if they have help and the
// audience is the user; otherwise in one sentence. For developers each has its title followed by its wire
// value if that differs.
func (n *Node) choices(say audience, keep func(i int) bool) []string {
	var out, titles []string
	for i, o := range n.Options {
		if keep != nil && !keep(i) {
			continue
		}
		title := o.Title()
		if say == wire && title != o.Value {
			title += " (" + o.Value + ")"
		}
		if say == people && o.Help != "" {
			out = append(out, o.Title()+": "+o.Help+".")
			continue
		}
		titles = append(titles, title)
	}
	switch {
	case len(titles) == 0:
		return out // or there are no options
	case len(out) == 0:
		return []string{"One of: " + strings.Join(titles, ", ") + "."}
	}
	return append(out, "Also: "+strings.Join(titles, ", ")+".")
}

func (s *Schema) ruleWords(say audience, n *Node, r Rule) string {
	switch r := r.(type) {
	case Guard:
		w := s.ruleWords(say, n, r.Rule)
		if w != "" && r.When != nil {
			w += ", " + s.when(n.Parent, r.When)
		}
		return w
	case Range:
		return r.words()
	case Length:
		return between(r.Min, r.Max) + " characters"
	case Items:
		if say == people {
			return between(r.Min, r.Max) + " " + counted(strconv.Itoa(cmp.Or(r.Max, r.Min)), strings.ToLower(n.Label()))
		}
		return count(r.Min, r.Max, "item")
	case Unique:
		if say == people {
			return "each only once"
		}
		return "no duplicates"
	case Pattern:
		return "must be " + r.Text
	case Format:
		return "must be " + r.As.Requirement()
	case Excludes:
		return "not " + orList(r.Values) + ": " + r.Text
	case Keys:
		return "names must be " + r.Text
	case Extra:
		return between(0, r.Max) + " fields of your own"
	case OneTrue:
		return "exactly one of " + n.both(say, r.Fields, commaList) + " is on"
	case NotBoth:
		return "use " + n.both(say, r.Fields, orList) + ", not both"
	case OneOf:
		return "needs " + n.both(say, r.Fields, orList)
	case Forbidden:
		return "not allowed " + s.when(n.Parent, r.When)
	case Configured:
		return "one of the workspace's " + strings.ReplaceAll(r.List, "_", " ")
	case Expressions:
		return "can include personalization, such as {{UserAttribute['First Name']}}"
	case Named:
		if say == people {
			return n.forPeople(r.Text)
		}
		return r.Text
	}
	return ""
}
