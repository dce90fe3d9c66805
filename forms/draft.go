package forms

import (
	"fmt"

	"bugle/engine/doc"
)

// draft is the document being edited, with its earlier versions.
type draft struct {
	root   doc.Value
	base   doc.Value // the document that Edited compares with
	origin doc.Value // the initial document: its objects are not deleted with their last field
}

// reload replaces the document after it was saved or changed elsewhere. It reports whether it differs.
func (d *draft) reload(root doc.Value) bool {
	d.base = root
	if root.Same(d.root) {
		return false
	}
	d.origin, d.root = root, root
	return true
}

// write returns root with v at p; if v is absent, without the value there.
func (d *draft) write(root doc.Value, p doc.Path, v doc.Value) (doc.Value, error) {
	if v.Exists() {
		return root.Set(p, v)
	}
	return d.without(root, p), nil
}

// without returns root without the value at p, and without surrounding objects and lists that the form created
// and that are now empty. Those that existed before are kept.
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

// writeSpan writes the text of a timespan. A text that cannot be parsed is stored as the amount.
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

// writeFlag sets the chosen flag and clears the others. Without a choice, the ones that were set are removed,
// and so are objects that become empty.
func (d *draft) writeFlag(root doc.Value, r row, v doc.Value) (doc.Value, error) {
	if v.Exists() {
		return r.flags.Set(root, v.Text())
	}
	for _, p := range r.flags.On(root) {
		root = d.without(root, p)
	}
	return root, nil
}

// withText returns the document with the result of an external editor for the field at p: see [Form.SetText].
// old is what the editor was opened with.
func (d *draft) withText(p doc.Path, old doc.Value, text string, asJSON bool) (doc.Value, error) {
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
			text = text[:n-1] // editors end a file with a newline
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
