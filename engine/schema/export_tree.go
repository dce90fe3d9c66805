package schema

import (
	"slices"

	"bugle/engine/doc"
)

// step leads from a value to a part of it.
type step struct {
	kind stepKind
	name string // of a member
	node *Node  // the object whose table has the names that are not extra
}

type stepKind uint8

const (
	member stepKind = iota
	items           // every element
	extra           // every member that is not in the table
)

// tree is what conditions add to a value and its parts.
type tree struct {
	leaves   []doc.Value
	never    bool // the value must be absent
	required []string
	names    []string // of the members in props, in insertion order
	props    map[string]*tree
	items    *tree
	extra    *tree
	known    []string // the members that extra does not apply to
	branches []branch
}

type branch struct {
	when doc.Value
	key  string
	then *tree
}

func (t *tree) leaf(v doc.Value) {
	if v.Kind() == doc.Bool {
		t.never = true
		return
	}
	t.leaves = append(t.leaves, v)
}

func (t *tree) require(name string) {
	if !slices.Contains(t.required, name) {
		t.required = append(t.required, name)
	}
}

// when returns the tree of what is added if the value matches test.
func (t *tree) when(test doc.Value) *tree {
	key := string(test.Encode())
	for _, g := range t.branches {
		if g.key == key {
			return g.then
		}
	}
	g := branch{when: test, key: key, then: &tree{}}
	t.branches = append(t.branches, g)
	return g.then
}

func (t *tree) along(leg []step) *tree {
	for _, s := range leg {
		t = t.to(s)
	}
	return t
}

func (t *tree) to(s step) *tree {
	switch s.kind {
	case items:
		if t.items == nil {
			t.items = &tree{}
		}
		return t.items
	case extra:
		if t.extra == nil {
			t.extra = &tree{}
			for _, c := range s.node.Children {
				t.known = append(t.known, c.Name)
			}
		}
		return t.extra
	}
	if t.props[s.name] == nil {
		if t.props == nil {
			t.props = map[string]*tree{}
		}
		t.props[s.name] = &tree{}
		t.names = append(t.names, s.name)
	}
	return t.props[s.name]
}

func (t *tree) value() doc.Value {
	if t.never {
		return doc.NewBool(false)
	}
	b := &bag{}
	t.render(b)
	return b.value()
}

func (t *tree) render(b *bag) {
	for _, v := range t.leaves {
		b.add(v)
	}
	var ms, props []doc.Member
	for _, name := range t.names {
		props = append(props, doc.M(name, t.props[name].value()))
	}
	for _, name := range t.known {
		if t.props[name] == nil {
			props = append(props, doc.M(name, doc.NewBool(true)))
		}
	}
	if len(props) > 0 {
		ms = append(ms, doc.M("properties", doc.NewObject(props...)))
	}
	if len(t.required) > 0 {
		ms = append(ms, doc.M("required", doc.NewStrings(t.required...)))
	}
	if t.extra != nil {
		ms = append(ms, doc.M("additionalProperties", t.extra.value()))
	}
	if t.items != nil {
		ms = append(ms, doc.M("items", t.items.value()))
	}
	b.add(doc.NewObject(ms...))
	for _, g := range t.branches {
		b.all = append(b.all, doc.NewObject(doc.M("if", g.when), doc.M("then", g.then.value())))
	}
}

// bag collects the keywords of one schema. A keyword that is already set is added through allOf.
type bag struct {
	members []doc.Member
	all     []doc.Value
}

func (b *bag) add(v doc.Value) {
	if b.has("properties") != b.has("additionalProperties") && v.Get("properties").Exists() != v.Get("additionalProperties").Exists() {
		b.all = append(b.all, v) // together they would say something else
		return
	}
	for name, m := range v.Members() {
		if slices.ContainsFunc(b.members, func(o doc.Member) bool { return o.Name == name && !doc.Equal(o.Value, m) }) {
			b.all = append(b.all, v)
			return
		}
	}
	for name, m := range v.Members() {
		b.members = append(b.members, doc.M(name, m))
	}
}

func (b *bag) has(name string) bool {
	return slices.ContainsFunc(b.members, func(m doc.Member) bool { return m.Name == name })
}

func (b *bag) value() doc.Value {
	if len(b.all) == 1 { // a lone addition needs no list where its keywords are free
		one := bag{members: slices.Clone(b.members)}
		if one.add(b.all[0]); len(one.all) == 0 {
			return doc.NewObject(one.members...)
		}
	}
	all := doc.Member{}
	if len(b.all) > 0 {
		all = doc.M("allOf", doc.NewArray(b.all...))
	}
	return doc.NewObject(append(slices.Clone(b.members), all)...)
}
