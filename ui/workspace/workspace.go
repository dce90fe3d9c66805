// Package workspace is the screen for the data of a workspace, such as settings, users, providers, content
// blocks and API keys, with the forms of records.
package workspace

import (
	"bugle/engine/doc"
	"bugle/engine/workspace/settings"
	"bugle/ui/filters"
	"bugle/ui/screen"
)

// New returns the screen of the route. A route without a path is the list, at the section in its query; a path that begins
// with a section is a record of it, named by the query, at the rest of the path.
func New(deps screen.Deps, r screen.Route) screen.Screen {
	if len(r.Path) > 0 {
		if r.Path[0].Name == filters.AudiencePath {
			return filters.NewAudience(deps, r)
		}
		if sec, ok := settings.Find(r.Path[0].Name); ok {
			return newRecord(deps, sec, r)
		}
	}
	return newList(deps, r.Query)
}

// recordRoute returns the route of a record, and of a place in it. An empty name creates a new record from
// start.
func recordRoute(s *settings.Section, name string, start doc.Value, at ...doc.Step) screen.Route {
	return screen.Route{Name: screen.Workspace, Path: doc.P(s.ID).Join(at...), Query: name, Doc: start}
}

// recordName describes a record: the team Growth.
func recordName(sec *settings.Section, name string) string {
	switch {
	case sec.Single:
		return "the " + sec.Singular
	case name == "":
		return "the new " + sec.Singular
	}
	return "the " + sec.Singular + " " + name
}

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
