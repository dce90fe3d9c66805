package forms

import (
	"fmt"

	"bugle/engine/doc"
)

// draft is the document that a form edits, and what it was before.
type draft struct {
	root   doc.Value
	base   doc.Value // what Edits compares with
	origin doc.Value // the document as the form met it: what was there is never deleted with its last member
}

// reload takes over a document that was saved, or changed elsewhere. It reports whether it is another one.
func (d *draft) reload(root doc.Value) bool {
	d.base = root
	if root.Same(d.root) {
		return false
	}
	d.origin, d.root = root, root
	return true
}

// write returns root with v at p, or without what is there where v is absent.
func (d *draft) write(root doc.Value, p doc.Path, v doc.Value) (doc.Value, error) {
	if v.Exists() {
		return root.Set(p, v)
	}
	return d.without(root, p), nil
}

// without returns root without what is at p, and without the objects and lists around it that the
// form made and that are empty now. Those that were there before stay.
func (d *draft) without(root doc.Value, p doc.Path) doc.Value {
	out := root.Delete(p)
	for q := p.Parent(); ; q = q.Parent() {
		v := out.Lookup(q)
		if !v.Exists() || !v.Empty() || v.Kind() != doc.Object && v.Kind() != doc.Array || d.origin.Lookup(q).Exists() || len(q) > 0 && q.Last().IsIndex {
			return out
		}
		out = out.Delete(q)
		if len(q) == 0 {
			return out
		}
	}
}

// writeSpan writes the text of a time span. One that cannot be read is kept as the amount.
func (d *draft) writeSpan(root doc.Value, r row, text string, dates []string) doc.Value {
	if text == "" {
		for _, p := range r.paths {
			root = d.without(root, p)
		}
		return root
	}
	out, err := r.Node.SetSpan(root, r.Path, text, dates)
	if err == nil {
		return out
	}
	if out, err = d.write(root, r.Path, scalarValue(r.Node.Kind, text)); err != nil {
		return root
	}
	return out
}

// writeFlag turns the flag that was chosen on and the others off. Without a choice the ones that were on go, and so do
// the objects that are empty then.
func (d *draft) writeFlag(root doc.Value, r row, v doc.Value) (doc.Value, error) {
	if v.Exists() {
		return r.flags.Set(root, v.Text())
	}
	for _, p := range r.flags.On(root) {
		root = d.without(root, p)
	}
	return root, nil
}

// withText returns the document with what came back from an editor outside for the field at p: see [Form.SetText].
func (d *draft) withText(p doc.Path, text string, asJSON bool) (doc.Value, error) {
	old := d.root.Lookup(p)
	v := doc.Value{}
	switch {
	case asJSON && len(text) > 0:
		parsed, err := doc.Parse([]byte(text))
		if err != nil {
			return d.root, fmt.Errorf("invalid JSON, not applied: %w", err)
		}
		v = parsed
		if string(v.Encode()) == string(old.Encode()) {
			return d.root, nil
		}
	case !asJSON:
		if n := len(text); n > 0 && text[n-1] == '\n' && (old.Text() == "" || old.Text()[len(old.Text())-1] != '\n') {
			text = text[:n-1] // editors end a file with a line end
		}
		if text == old.Text() {
			return d.root, nil
		}
		if text != "" {
			v = doc.NewString(text)
		}
	}
	root, err := d.write(d.root, p, v)
	if err != nil {
		return d.root, fmt.Errorf("not applied: %w", err)
	}
	return root, nil
}
