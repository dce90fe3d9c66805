package resolve

import (
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/mjml"
	"bugle/engine/message/utm"
	"bugle/engine/schema"
)

// Texts are the texts of a part of a document that take personalization, as the tables say.
type Texts struct {
	Table *schema.Schema
	Root  doc.Value
	Env   schema.Env
	// Fill returns what a text becomes. The node is nil where no table knows the text. An error ends the walk.
	Fill func(at doc.Path, n *schema.Node, text string) (string, error)
	// Unused fields, those that this template or variant does not use, are left out where DropUnused is set, and
	// stay as they are otherwise.
	DropUnused bool
	// All fills texts that no table knows: the content of channels without tables.
	All bool
}

// At returns the value at p with its texts filled, and without the MJML that HTML was compiled from. What does not change
// is returned as it came.
func (t *Texts) At(p doc.Path) (doc.Value, error) {
	return t.value(p, t.Table.At(p), t.Root.Lookup(p))
}

func (t *Texts) value(p doc.Path, n *schema.Node, v doc.Value) (doc.Value, error) {
	switch v.Kind() {
	case doc.String:
		if n == nil && !t.All || n != nil && !n.Template {
			return v, nil
		}
		without := func(text string) string { return text }
		if mjml.InField(n) {
			without = mjml.Without // nobody gets the source, also if a service fills the text as the campaign has it
		}
		text, err := t.Fill(p, n, without(v.Text()))
		text = without(text)
		if err != nil || text == v.Text() {
			return v, err
		}
		return doc.NewString(text), nil
	case doc.Array:
		return t.array(p, n, v)
	case doc.Object:
		return t.object(p, n, v)
	}
	return v, nil
}

func (t *Texts) array(p doc.Path, n *schema.Node, v doc.Value) (doc.Value, error) {
	var elem *schema.Node
	if n != nil {
		elem = n.Element
	}
	out, same := make([]doc.Value, 0, v.Len()), true
	for i, e := range v.Elems() {
		filled, err := t.value(p.Elem(i), elem, e)
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

func (t *Texts) object(p doc.Path, n *schema.Node, v doc.Value) (doc.Value, error) {
	unused := t.unused(p, n)
	out, same := make([]doc.Member, 0, v.Len()), true
	for name, m := range v.Members() {
		if unused[name] {
			if t.DropUnused {
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
		filled, err := t.value(p.Child(name), child, m)
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

// unused names the members of the object at p that count for nothing where it stands.
func (t *Texts) unused(p doc.Path, n *schema.Node) map[string]bool {
	if n == nil || n.Kind == schema.Map {
		return nil // the values of a map all count
	}
	state, ok := t.Table.Object(t.Root, p, t.Env)
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

// Message returns the content of a key as it goes out: its texts filled, the campaign's UTM parameters added to its
// links, and without what its template does not use. It also returns the parameters. An error of fill ends it.
func Message(ch engine.Channel, document doc.Value, env schema.Env, key engine.TestKey, fill func(at doc.Path, text string) (string, error)) (doc.Value, []utm.Param, error) {
	t := Texts{Table: catalog.Campaign(ch), Root: document, Env: env, DropUnused: true}
	t.Fill = func(at doc.Path, _ *schema.Node, text string) (string, error) { return fill(at, text) }
	filled, err := t.At(doc.P(string(catalog.UTMParams)))
	if err != nil {
		return doc.Value{}, nil, err
	}
	params := utm.Params(filled)
	t.Fill = func(at doc.Path, n *schema.Node, text string) (string, error) {
		text, err := fill(at, text)
		return utm.Apply(n, text, params), err
	}
	out, err := t.At(key.Content)
	return out, params, err
}

// Text is a text in which a message fills expressions, and its place in the document.
type Text struct {
	Path   doc.Path
	Source string
}

// TextsOf returns the texts that sending the key fills: those of the message that take personalization and that its
// template uses, and those of the campaign's UTM parameters, which end up in its links.
func TextsOf(ch engine.Channel, document doc.Value, env schema.Env, key engine.TestKey) []Text {
	var own, params []Text
	_, _, _ = Message(ch, document, env, key, func(at doc.Path, text string) (string, error) { // which never fails
		if t := (Text{at, text}); at.HasPrefix(key.Content) {
			own = append(own, t)
		} else {
			params = append(params, t)
		}
		return text, nil
	})
	return append(own, params...)
}
