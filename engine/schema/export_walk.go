package schema

import (
	"strings"

	"bugle/engine/doc"
)

// walk builds the schema of one table at one stage.
type walk struct {
	x      *Exporter
	s      *Schema
	stage  Stage
	frames []*frame // the objects around the current value, outermost first
	// atRoot is set for the rules of the root itself, which has no object around it.
	atRoot bool
	liked  map[*Node]bool // recursive tables
	loop   int            // index of the outermost recursive frame; -1 for none
}

// frame is an object on the path to the value, with what conditions relative to it add.
type frame struct {
	node *Node
	leg  []step // from this object to the next one, or to the value
	tree tree
}

func (w *walk) top() *frame { return w.frames[len(w.frames)-1] }

// value returns the schema of the value at n.
func (w *walk) value(n *Node) doc.Value {
	if n.Like != "" {
		return with(w.x.toSelf(n.likeTable()), text("title", n.Field.Title), text("description", n.Help))
	}
	outermost := w.liked[n] && w.loop < 0
	if outermost {
		w.loop = len(w.frames)
	}
	body := w.body(n)
	if outermost {
		w.loop = -1
	}
	if !w.liked[n] && (n == w.s.root || n.ID == "" || n.Kind != Object) {
		return body
	}
	name := w.x.define(n.RuleID, body)
	if w.liked[n] {
		w.x.defs[name] = w.x.named(w.x.defs[name], n.RuleID, name)
	}
	return w.x.ref(name)
}

func (w *walk) body(n *Node) doc.Value {
	b := &bag{}
	b.add(doc.NewObject(text("title", n.Field.Title), text("description", n.Help)))
	b.add(w.kind(n))
	switch n.Kind {
	case Object, Map:
		w.object(n, b)
	case List:
		f := w.frameOr(n)
		f.leg = append(f.leg, step{kind: items})
		b.add(doc.NewObject(doc.M("items", w.value(n.Element))))
		f.leg = f.leg[:len(f.leg)-1]
	}
	if n != w.s.root {
		w.rules(n, b)
	}
	b.add(w.extras(n))
	return b.value()
}

// frameOr returns the frame that contains n, or an unused one for a root that is not an object.
func (w *walk) frameOr(n *Node) *frame {
	if len(w.frames) == 0 {
		return &frame{node: n}
	}
	return w.top()
}

func (w *walk) object(n *Node, b *bag) {
	f := &frame{node: n}
	w.frames = append(w.frames, f)
	if n == w.s.root {
		w.atRoot = true
		w.rules(n, b)
		w.atRoot = false
	}
	var props []doc.Member
	var required []string
	for _, child := range n.Children {
		f.leg = []step{{kind: member, name: child.Name}}
		v := w.value(child)
		must, beside := w.member(child)
		if must {
			required = append(required, child.Name)
			beside = append(beside, filled(child)...)
		}
		props = append(props, doc.M(child.Name, with(v, beside...)))
	}
	further := doc.NewBool(n.Open)
	if n.Element != nil {
		f.leg = []step{{kind: extra, node: n}}
		further = w.value(n.Element)
	}
	f.leg = nil
	w.frames = w.frames[:len(w.frames)-1]

	ms := []doc.Member{}
	if len(props) > 0 {
		ms = append(ms, doc.M("properties", doc.NewObject(props...)))
	}
	if len(required) > 0 {
		ms = append(ms, doc.M("required", doc.NewStrings(required...)))
	}
	if n.Either {
		b.add(either(n, ms, further))
	} else {
		b.add(doc.NewObject(append(ms, doc.M("additionalProperties", further))...))
	}
	f.tree.render(b)
}

// either returns the schema for an Either object: its own fields or further members, but not both.
func either(n *Node, known []doc.Member, further doc.Value) doc.Value {
	names := make([]string, len(n.Children))
	for i, c := range n.Children {
		names[i] = c.Name
	}
	return doc.NewObject(doc.M("anyOf", doc.NewArray(
		doc.NewObject(append(known, doc.M("additionalProperties", doc.NewBool(false)))...),
		doc.NewObject(doc.M("propertyNames", not(oneOf(names))), doc.M("additionalProperties", further)),
	)))
}

// member adds when the field n of the top frame's object may and must be present. It reports whether it is
// always required, and returns annotations next to its schema.
func (w *walk) member(n *Node) (always bool, beside []doc.Member) {
	var notes notes
	if n.Applies != nil {
		f, exact := w.formula(n.Applies, False)
		w.put(f, func(obj *tree) { w.down(obj).never = true })
		words := "only when " + w.s.Words(n.Parent, n.Applies)
		if !exact {
			notes.add(w.x, n.RuleID+"#applies", words)
		}
		beside = append(beside, text("x-applies", words))
	}
	if n.Used != nil {
		beside = append(beside, text("x-used-when", w.s.Words(n.Parent, n.Used)))
	}
	for i, r := range n.Required {
		if !r.At.Covers(w.stage) {
			continue
		}
		f, exact := w.formula(All{n.Applies, n.Used, r.When}, True)
		switch {
		case f.always():
			always = true
		default:
			w.put(f, func(obj *tree) {
				obj.require(n.Name)
				if fill := filled(n); len(fill) > 0 {
					w.down(obj).leaf(doc.NewObject(fill...))
				}
			})
		}
		if !exact {
			notes.add(w.x, n.RuleID+"#"+RequiredKey(i), "required when "+w.s.Words(n.Parent, r.When))
		}
	}
	return always, append(beside, notes.member())
}

// filled returns the keywords for a non-empty value.
func filled(n *Node) []doc.Member {
	var ms []doc.Member
	one := doc.NewInt(1)
	if n.Kind == String || n.Kind == Time || n.Kind == Any {
		ms = append(ms, doc.M("minLength", one))
	}
	if n.Kind == List || n.Kind == Any {
		ms = append(ms, doc.M("minItems", one))
	}
	if n.Kind == Object || n.Kind == Map || n.Kind == Any {
		ms = append(ms, doc.M("minProperties", one))
	}
	return ms
}

// rules adds the rules of n: unconditional ones to b, conditional ones to the objects around it, and those
// that a schema cannot express as text.
func (w *walk) rules(n *Node, b *bag) {
	var notes notes
	for _, r := range n.Rules {
		core, when, covered := unwrap(r, w.stage)
		if !covered || dropped(n, core, when) {
			continue
		}
		v, exact := w.leaf(n, core)
		if v.Exists() {
			f, certain := w.formula(when, True)
			exact = exact && certain
			if f.always() {
				b.add(v)
			} else {
				w.put(f, func(obj *tree) { w.down(obj).leaf(v) })
			}
		}
		if !exact {
			notes.add(w.x, n.RuleID+"#"+core.Key(), w.s.ruleWords(wire, n, r))
		}
	}
	b.add(doc.NewObject(notes.member()))
}

// unwrap removes the guards from a rule. For a [Forbidden] it returns its condition too.
func unwrap(r Rule, at Stage) (core Rule, when Cond, covered bool) {
	var conds All
	covered = true
	for {
		g, ok := r.(Guard)
		if !ok {
			break
		}
		covered = covered && g.At.Covers(at)
		if g.When != nil {
			conds = append(conds, g.When)
		}
		r = g.Rule
	}
	if f, ok := r.(Forbidden); ok && f.When != nil {
		conds = append(conds, f.When)
	}
	if len(conds) > 0 {
		when = conds
	}
	return r, when, covered
}

// dropped reports whether the rule only removes options, which the enumeration shows.
func dropped(n *Node, r Rule, when Cond) bool {
	_, ok := r.(Excludes)
	return ok && when == nil && len(n.Options) > 0 && n.Kind == String
}

// notes are rules as text, for the x-rules keyword.
type notes []doc.Value

func (ns *notes) add(x *Exporter, rule, says string) {
	*ns = append(*ns, doc.NewObject(doc.M("rule", doc.NewString(rule)), doc.M("says", doc.NewString(says))))
	x.leave(Unexpressed{Rule: rule, Text: says})
}

func (ns notes) member() doc.Member {
	if len(ns) == 0 {
		return doc.Member{}
	}
	return doc.M("x-rules", doc.NewArray(ns...))
}

// text returns a keyword with a string, or nothing for "".
func text(name, s string) doc.Member {
	if s == "" {
		return doc.Member{}
	}
	return doc.M(name, doc.NewString(s))
}

// with returns the schema v with further keywords. Existing keywords stay, but texts are concatenated.
func with(v doc.Value, ms ...doc.Member) doc.Value {
	for _, m := range ms {
		old := v.Get(m.Name)
		switch {
		case !m.Value.Exists():
			continue
		case !old.Exists():
			v, _ = v.Set(doc.P(m.Name), m.Value)
		case strings.HasPrefix(m.Name, "x-") && old.Kind() == doc.Array:
			both := old
			for _, e := range m.Value.Elems() {
				both, _ = both.Set(doc.Path{doc.Index(both.Len())}, e)
			}
			v, _ = v.Set(doc.P(m.Name), both)
		}
	}
	return v
}
