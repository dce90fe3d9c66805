package forms

import (
	"fmt"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/themes"
)

// nameInput asks for the name of a new field, or for the new name of the field at rename, in place of a row's
// value.
type nameInput struct {
	rename doc.Path
	in     *textEditor
}

// newNameInput returns false if the name cannot be edited in one line.
func newNameInput(t *themes.Theme, rename doc.Path, name string) (*nameInput, bool) {
	in := newTextEditor(t, false, name, "name", nil)
	return &nameInput{rename: rename, in: in}, in != nil
}

// name returns the typed name.
func (n *nameInput) name() string { return n.in.Text() }

// write returns root with the field under its name at p, in a map or object of the node.
func (n *nameInput) write(root doc.Value, p doc.Path, of *schema.Node) (doc.Value, error) {
	switch name := p.Last().Name; {
	case n.rename != nil:
		return root.Rename(n.rename, name)
	case root.Lookup(p).Exists():
		return root, fmt.Errorf("a field named %q already exists", name)
	default:
		return root.Set(p, zero(of.Child(name)))
	}
}
