package workspace

import (
	"bugle/engine/doc"
	"bugle/engine/workspace/settings"
	"bugle/ui/screen"
)

// PaletteItems lists the sections, and the fields of those that are a single record, for the palette.
func PaletteItems() []screen.PaletteItem {
	var out []screen.PaletteItem
	for _, sec := range settings.Sections() {
		out = append(out, screen.PaletteItem{Text: sec.Title, Detail: "workspace", Kind: "section", Route: screen.Route{Name: screen.Workspace, Query: sec.ID}})
		if !sec.Single {
			continue
		}
		for _, n := range sec.Schema().Root().Children {
			out = append(out, screen.PaletteItem{
				Text: n.Label(), Detail: "workspace › " + sec.Title, Kind: "field", Route: recordRoute(sec, sec.Singular, doc.Value{}, doc.P(n.Name)...),
			})
		}
	}
	return out
}
