package forms

import (
	"strings"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// decided returns the value that the text of a field decides for another one; empty where it decides
// none.
func (f *Form) decided(n *schema.Node, text string) string {
	if text == "" || f.cfg.Suggest == nil {
		return ""
	}
	found := ""
	for _, entry := range f.cfg.Suggest(n.Decides.List) {
		other, ok := strings.CutSuffix(entry, " "+text)
		switch {
		case !ok:
		case found != "" && found != other:
			return "" // one of several
		default:
			found = other
		}
	}
	return found
}

// decide writes what the text of a row decides into the other field.
func (f *Form) decide(root doc.Value, r row) doc.Value {
	if r.Node == nil || r.Node.Decides == nil {
		return root
	}
	other := f.decided(r.Node, root.Lookup(r.Path).Text())
	if other == "" {
		return root
	}
	out, err := root.Set(r.Path.Parent().Child(r.Node.Decides.Field), doc.NewString(other))
	if err != nil {
		return root
	}
	return out
}

// isDecided reports whether a field need not be asked for: another one decides it, or will.
func (f *Form) isDecided(st schema.ObjectState, s schema.FieldState) bool {
	for _, by := range st.Fields {
		if by.Node.Decides == nil || by.Node.Decides.Field != s.Node.Name {
			continue
		}
		if by.Value.Empty() && s.Value.Empty() {
			return f.cfg.Suggest != nil && len(f.cfg.Suggest(by.Node.Decides.List)) > 0
		}
		return s.Value.Text() != "" && s.Value.Text() == f.decided(by.Node, by.Value.Text())
	}
	return false
}
