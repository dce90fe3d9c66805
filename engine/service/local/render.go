package local

import (
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// filler fills the personalizable texts of a part of a document, according to the tables.
type filler struct {
	schema *schema.Schema
	root   doc.Value
	env    schema.Env
	// fill returns the filled text. An error ends the walk.
	fill func(p doc.Path, text string) (string, error)
	// done converts a filled text for sending; nil: unchanged.
	done func(n *schema.Node, text string) string
	// dropUnused removes fields that the template or variant does not use, for a send. A preview keeps them.
	dropUnused bool
	// allTexts fills texts that no table describes: the content of channels without tables.
	allTexts bool
}

// at returns the value at p with its texts filled.
func (f *filler) at(p doc.Path) (doc.Value, error) {
	return f.value(p, f.schema.At(p), f.root.Lookup(p))
}

func (f *filler) value(p doc.Path, n *schema.Node, v doc.Value) (doc.Value, error) {
	switch v.Kind() {
	case doc.String:
		if n == nil && !f.allTexts || n != nil && !n.Template {
			return v, nil
		}
		text, err := f.fill(p, v.Text())
		if err == nil && f.done != nil {
			text = f.done(n, text)
		}
		if err != nil || text == v.Text() {
			return v, err
		}
		return doc.NewString(text), nil
	case doc.Array:
		return f.array(p, n, v)
	case doc.Object:
		return f.object(p, n, v)
	}
	return v, nil
}

func (f *filler) array(p doc.Path, n *schema.Node, v doc.Value) (doc.Value, error) {
	var elem *schema.Node
	if n != nil {
		elem = n.Element
	}
	out, same := make([]doc.Value, 0, v.Len()), true
	for i, e := range v.Elems() {
		filled, err := f.value(p.Elem(i), elem, e)
		if err != nil {
			return v, err
		}
		out, same = append(out, filled), same && filled == e
	}
	if same {
		return v, nil
	}
	return doc.NewArray(out...), nil
}

func (f *filler) object(p doc.Path, n *schema.Node, v doc.Value) (doc.Value, error) {
	unused := f.unused(p, n)
	out, same := make([]doc.Member, 0, v.Len()), true
	for name, m := range v.Members() {
		if unused[name] {
			if f.dropUnused {
				same = false
			} else {
				out = append(out, doc.M(name, m))
			}
			continue
		}
		var child *schema.Node
		if n != nil {
			child = n.Child(name)
		}
		filled, err := f.value(p.Child(name), child, m)
		if err != nil {
			return v, err
		}
		out, same = append(out, doc.M(name, filled)), same && filled == m
	}
	if same {
		return v, nil // as it came, and not built anew: that takes long with many members
	}
	return doc.NewObject(out...), nil
}

// unused returns the unused fields of the object at p.
func (f *filler) unused(p doc.Path, n *schema.Node) map[string]bool {
	if n == nil || n.Kind == schema.Map {
		return nil // the values of a map all count
	}
	state, ok := f.schema.Object(f.root, p, f.env)
	if !ok {
		return nil
	}
	var out map[string]bool
	for _, field := range state.Fields {
		if field.Value.Exists() && !field.Shown {
			if out == nil {
				out = map[string]bool{}
			}
			out[field.Node.Name] = true
		}
	}
	return out
}
