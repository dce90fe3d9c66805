package grid

import (
	"slices"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Source is a message or platform content that can be copied.
type Source struct {
	Name string // display name
	Path doc.Path
}

// Sources returns the path of the message or platform content that contains p, and what can be copied to it,
// nearest first: the other platforms of the same push, then the same content of other variations and locales.
// It skips empty ones, and returns false if p is in no message.
func (g Grid) Sources(p doc.Path) (to doc.Path, from []Source, ok bool) {
	c, ok := g.CellAt(p)
	if !ok || !p.HasPrefix(c.Path) {
		return nil, nil, false
	}
	to = c.Message
	platforms := g.Platforms(c)
	if i := slices.IndexFunc(platforms, func(o Platform) bool { return p.HasPrefix(o.Path) }); i >= 0 {
		to = platforms[i].Path
		for j, o := range platforms {
			if j != i && o.HasContent {
				from = append(from, Source{o.Name, o.Path})
			}
		}
	}
	var near, far []Source
	for _, l := range g.Locales {
		for _, v := range g.Variations {
			other := g.Cell(l.Name, v.Name)
			s := Source{g.Name(other), other.Message.Join(to[len(c.Message):]...)}
			switch {
			case other.Is(c) || g.root.Lookup(s.Path).Empty():
			case l.Name == c.Locale || v.Name == c.Variation:
				near = append(near, s)
			default:
				far = append(far, s)
			}
		}
	}
	return to, slices.Concat(from, near, far), true
}

// CopyMatching copies the fields of the object at from that the table of the object at to has as well, and
// returns the copied fields. Fields match if their [schema.Field] has the same name or Twin. Values that the
// target's table refuses are not copied.
func CopyMatching(s *schema.Schema, env schema.Env, root doc.Value, from, to doc.Path) (doc.Value, []doc.Path) {
	source := root
	if s.At(from).RuleID == s.At(to).RuleID {
		if keyed, err := ToKeyed(root); err == nil && !slices.Contains(messages, to[len(messagesPath)].Name) {
			root = keyed // one message for all becomes that of the default locale
		}
		out, err := root.Set(to, source.Lookup(from))
		if err != nil || len(doc.Diff(source, out)) == 0 {
			return source, nil
		}
		return out, []doc.Path{to}
	}
	f := copier{schema: s, env: env, source: source, root: root}
	f.object(from, to)
	refused := map[string]bool{}
	for _, p := range s.Validate(f.root, env) {
		if p.Severity == schema.Error && p.Path.HasPrefix(to) {
			refused[p.Path.String()] = true
		}
	}
	out := root
	var copied []doc.Path
	for _, p := range f.copied {
		if refused[p.String()] {
			continue
		}
		if next, err := out.Set(p, f.root.Lookup(p)); err == nil {
			out, copied = next, append(copied, p)
		}
	}
	return out, copied
}

// copier copies from one table to another.
type copier struct {
	schema *schema.Schema
	env    schema.Env
	source doc.Value
	root   doc.Value
	copied []doc.Path
}

// fieldTwin returns a name for what a field holds on any platform.
func fieldTwin(n *schema.Node) string {
	if n.Twin != "" {
		return n.Twin
	}
	return n.Name
}

// object copies the fields of an object in the order of its table, because the first ones decide whether
// others apply.
func (f *copier) object(from, to doc.Path) {
	source, ok := f.schema.Object(f.source, from, f.env)
	node := f.schema.At(to)
	if !ok || node == nil {
		return
	}
	for _, n := range node.Children {
		st, ok := f.schema.Field(f.root, to.Child(n.Name), f.env)
		i := slices.IndexFunc(source.Fields, func(s schema.FieldState) bool {
			return fieldTwin(s.Node) == fieldTwin(n) && s.Node.Kind == n.Kind && s.Shown && !s.Value.Empty()
		})
		if !ok || !st.Shown || i < 0 {
			continue
		}
		if has := source.Fields[i]; n.Kind == schema.Object {
			f.object(has.Path, st.Path)
		} else if v, ok := fit(has.Node, n, has.Value); ok && len(doc.Diff(st.Value, v)) > 0 {
			f.set(st.Path, v)
		}
	}
}

func (f *copier) set(p doc.Path, v doc.Value) {
	if out, err := f.root.Set(p, v); err == nil {
		f.root, f.copied = out, append(f.copied, p)
	}
}

// fit returns the part of a value that another table's field accepts.
func fit(from, to *schema.Node, v doc.Value) (doc.Value, bool) {
	switch {
	case to.Kind == schema.List && to.Element.Kind == schema.Object:
		var list []doc.Value
		for _, e := range v.Elems() {
			if one, ok := fit(from.Element, to.Element, e); ok {
				list = append(list, one)
			}
		}
		return doc.NewArray(list...), len(list) > 0
	case to.Kind == schema.Object:
		var members []doc.Member
		for _, n := range to.Children {
			i := slices.IndexFunc(from.Children, func(s *schema.Node) bool { return fieldTwin(s) == fieldTwin(n) && s.Kind == n.Kind })
			if i < 0 || v.Get(from.Children[i].Name).Empty() {
				continue
			}
			if one, ok := fit(from.Children[i], n, v.Get(from.Children[i].Name)); ok {
				members = append(members, doc.M(n.Name, one))
			}
		}
		return doc.NewObject(members...), len(members) > 0
	case len(to.Options) > 0:
		return v, slices.ContainsFunc(to.Options, func(o schema.Option) bool { return o.Value == v.Text() })
	}
	return v, true
}
