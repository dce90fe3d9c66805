package filters

import (
	"slices"

	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/forms/typeahead"
)

// namesOf returns the suggestions for a row with their data types.
func (f *form) namesOf(r row) []typeahead.Item {
	items := typeahead.Items(audience.Names(f.root, f.filter, r.input.Member(), f.cfg.Workspace))
	for i := range items {
		items[i].Info = f.dataTypeOf(items[i].Value)
	}
	return items
}

// unknownNote returns the note for a text that is not one of the row's names.
func (f *form) unknownNote() string {
	if len(f.names) == 0 {
		return ""
	}
	return audience.UnknownEvent
}

// unknownNameNote returns the note for the name in a row; empty if the workspace has the name, or no names at
// all.
func (f *form) unknownNameNote(r row) string {
	if r.kind != nameRow || r.text == "" {
		return ""
	}
	names := audience.Names(f.root, f.filter, r.input.Member(), f.cfg.Workspace)
	if len(names) == 0 || slices.Contains(names, r.text) {
		return ""
	}
	return audience.UnknownEvent
}

// dataTypeOf returns the data type of the workspace's attribute of that name, in a word.
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
