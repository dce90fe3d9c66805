package forms

import (
	"testing"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// What a field shows as its example can be typed into it.
func TestExamplesCanBeTyped(t *testing.T) {
	f := newForm(config(doc.NewObject()))
	for name, s := range catalog.All() {
		var visit func(n *schema.Node, p doc.Path)
		visit = func(n *schema.Node, p doc.Path) {
			if len(p) > 6 {
				return // filters contain filters
			}
			if n.Example != "" && len(n.Options) == 0 && n.Kind != schema.Object && n.Kind != schema.Map {
				r := f.fieldRow(schema.FieldState{Node: n, Path: p, Shown: true})
				root, err := doc.NewObject().Set(p, f.typedValue(doc.NewObject(), r, n.Example))
				if err != nil {
					t.Fatal(err)
				}
				if st, ok := s.Field(root, p, schema.Env{Stage: schema.Draft}); ok && !st.Shown {
					return // another field must have a certain value
				}
				for _, problem := range s.Validate(root, schema.Env{Stage: schema.Draft}) {
					if problem.Path.Equal(p) && problem.Severity == schema.Error && !problem.Missing() {
						t.Errorf("%s: %s: %q: %s", name, p, n.Example, problem.Text())
					}
				}
			}
			for _, c := range n.Children {
				visit(c, p.Child(c.Name))
			}
			if n.Element != nil && n.Kind == schema.List {
				visit(n.Element, p.Elem(0))
			}
		}
		visit(s.Root(), nil)
	}
}
