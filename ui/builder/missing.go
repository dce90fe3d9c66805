package builder

import (
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/schema"
)

// firstMissing returns the first field that would be required in the object at p, if p is an object that does
// not exist yet.
func firstMissing(e *edit.Session, p doc.Path) doc.Path {
	root := e.Root()
	for {
		n := e.Schema().At(p)
		if n == nil || n.Kind != schema.Object || !root.Lookup(p).Empty() {
			return p
		}
		with, err := root.Set(p, doc.NewObject())
		if err != nil {
			return p
		}
		inner, found := missingIn(e, with, p)
		if !found {
			return p
		}
		root, p = with, inner
	}
}

// missingIn returns the first required place in the empty object at p of root.
func missingIn(e *edit.Session, root doc.Value, p doc.Path) (doc.Path, bool) {
	st, _ := e.Schema().Object(root, p, e.Env())
	for _, f := range st.Fields {
		if f.Shown && f.Required {
			return f.Path, true
		}
	}
	for _, q := range schema.Errors(e.Schema().Validate(root, e.Env())) {
		if len(q.Path) > len(p) && q.Path.HasPrefix(p) {
			return q.Path, true
		}
	}
	for _, f := range st.Fields {
		if f.Shown && f.Node.Flat { // its fields are on the same form
			return f.Path, true
		}
	}
	return nil, false
}
