package filters

import (
	"slices"

	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/forms/typeahead"
)

// names returns the names that a row can be filled in with, each with its data type.
func (t *Tree) names(r row) []typeahead.Item {
	items := typeahead.Items(audience.Names(t.root, t.open.filter, r.input.Member(), t.cfg.Workspace))
	for i := range items {
		items[i].Info = t.dataTypeOf(items[i].Value)
	}
	return items
}

// strange is what is said of a text that is none of the row's names.
func (f *form) strange() string {
	if len(f.names) == 0 {
		return ""
	}
	return audience.NotKnown
}

// strangeName is what is said of the name that a row holds; empty where the workspace has it, or has
// none to compare it with.
func (t *Tree) strangeName(r row) string {
	if r.kind != nameRow || r.text == "" {
		return ""
	}
	names := audience.Names(t.root, t.open.filter, r.input.Member(), t.cfg.Workspace)
	if len(names) == 0 || slices.Contains(names, r.text) {
		return ""
	}
	return audience.NotKnown
}

// dataTypeOf says in a word of what type the workspace's attribute of that name is.
func (t *Tree) dataTypeOf(name string) string {
	word := map[string]string{"double": "number", "datetime": "date", "bool": "yes or no"}
	if t.node().Kind != audience.Attribute {
		return ""
	}
	for _, a := range t.cfg.Workspace.Attributes {
		if a.Name == name {
			if w, ok := word[a.DataType]; ok {
				return w
			}
			if len(catalog.Operators(a.DataType)) > 0 {
				return "text"
			}
		}
	}
	return ""
}
