package forms

import (
	"fmt"

	"bugle/engine/doc"
)

// write returns a document with the value of a row: the one that was typed or chosen, or none.
func (f *Form) write(root doc.Value, r row, v doc.Value) (doc.Value, error) {
	if r.Write != nil {
		return r.Write(root, v)
	}
	after, err := f.set(root, r.Path, v)
	if err != nil {
		return after, err
	}
	if after = f.writeDerived(after, r); f.cfg.Follow != nil {
		after = f.cfg.Follow(root, after)
	}
	return after, nil
}

// set returns root with v at p; if v is absent, without the value there.
func (f *Form) set(root doc.Value, p doc.Path, v doc.Value) (doc.Value, error) {
	if v.Exists() {
		return root.Set(p, v)
	}
	return f.without(root, p), nil
}

// without returns root without the values at some paths, and without surrounding objects and lists that the form created
// and that are now empty. Those that existed before are kept.
func (f *Form) without(root doc.Value, paths ...doc.Path) doc.Value {
	for _, p := range paths {
		root = root.Delete(p)
		for len(p) > 0 && !p.Last().IsIndex {
			p = p.Parent()
			v := root.Lookup(p)
			if !v.Exists() || !v.Empty() || v.Kind() != doc.Object && v.Kind() != doc.Array || f.origin.Lookup(p).Exists() {
				break
			}
			root = root.Delete(p)
		}
	}
	return root
}

// addNamed returns root with a new field of the form's object.
func (f *Form) addNamed(root doc.Value, name string) (doc.Value, error) {
	p := f.cfg.Path.Child(name)
	if root.Lookup(p).Exists() {
		return root, fmt.Errorf("a field named %q already exists", name)
	}
	return root.Set(p, zero(f.node.Child(name)))
}
