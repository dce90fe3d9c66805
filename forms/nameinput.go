package forms

import (
	"fmt"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// nameInput asks for the name of a new field, or for the new name of the field at rename, in place of a row's
// value.
type nameInput struct {
	rename doc.Path
	in     *textInput
}

// newNameInput returns false if the name cannot be edited in one line.
func newNameInput(l widgetStyle, rename doc.Path, name string) (*nameInput, bool) {
	in, ok := newTextInput(l, name, "name", nil, doc.NewString)
	return &nameInput{rename: rename, in: in}, ok
}

// name returns the typed name.
func (n *nameInput) name() string { return decodeHidden(n.in.text) }

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
