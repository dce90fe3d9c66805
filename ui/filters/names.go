package filters

import (
	"slices"

	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/forms/typeahead"
)

// namesOf returns the names that a row can be filled in with, each with its data type.
func (f *form) namesOf(r row) []typeahead.Item {
	items := typeahead.Items(audience.Names(f.root, f.filter, r.input.Member(), f.cfg.Workspace))
	for i := range items {
		items[i].Info = f.dataTypeOf(items[i].Value)
	}
	return items
}

// strange is what is said of a text that is none of the row's names.
func (f *form) strange() string {
	if len(f.names) == 0 {
		return ""
	}
	return audience.UnknownEvent
}

// strangeName is what is said of the name that a row holds; empty where the workspace has it, or has
// none to compare it with.
func (f *form) strangeName(r row) string {
	if r.kind != nameRow || r.text == "" {
		return ""
	}
	names := audience.Names(f.root, f.filter, r.input.Member(), f.cfg.Workspace)
	if len(names) == 0 || slices.Contains(names, r.text) {
		return ""
	}
	return audience.UnknownEvent
}

// dataTypeOf says in a word of what type the workspace's attribute of that name is.
func (f *form) dataTypeOf(name string) string {
	word := map[string]string{"double": "number", "datetime": "date", "bool": "yes or no"}
	if f.node().Kind != audience.Attribute {
		return ""
	}
	for _, a := range f.cfg.Workspace.Attributes {
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
