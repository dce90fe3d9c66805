package app

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// searchOnlyCommands returns what the palette finds only by typing: sections, fields and values of the current
// campaign, and settings.
func (m *Model) searchOnlyCommands() []command {
	out := []command{}
	if subject := m.subject(); subject.Campaign.ID != "" {
		c := subject.Campaign
		f := campaignIndex{c: c, table: catalog.Campaign(c.Channel), root: c.Document(), open: m.open, campaign: subject.Label}
		out = f.sections()
	}
	for _, p := range m.opts.PaletteItems {
		out = append(out, command{
			name: "place." + p.Kind + "." + p.Text, label: p.Text, detail: p.Detail, info: p.Kind, rank: rankSetting,
			run: func() tea.Cmd { return m.open(p.Route) },
		})
	}
	for _, name := range m.opts.themeNames() {
		out = append(out, command{
			name: "theme." + name, label: name, detail: "use this theme", info: "theme", rank: rankSetting,
			run: func() tea.Cmd { return m.chooseTheme(screen.ThemeMsg{Name: name}) },
		})
	}
	return out
}

// campaignIndex collects the sections, fields and option values of a campaign from its schema.
type campaignIndex struct {
	c        engine.Campaign
	table    *schema.Schema
	root     doc.Value
	open     func(screen.Route) tea.Cmd
	campaign string // name of the campaign, if the screen does not show it
	out      []command
}

// Limits on the fields of one campaign and on the depth of its objects: schemas can be recursive.
const (
	maxIndexedFields = 4000
	maxIndexDepth    = 8
)

func (f *campaignIndex) sections() []command {
	for _, info := range catalog.Components(f.c.Channel) {
		p := doc.P(string(info.Name))
		if ok, _ := catalog.Applicable(info.Name, f.c.Channel, f.c.DeliveryType); !ok && !f.root.Lookup(p).Exists() {
			continue
		}
		f.add(rankSection, "section", p, info.Title, "")
		f.object(p)
	}
	return f.out
}

// object adds the applicable fields of the object at p; all of them if its fields are not known.
func (f *campaignIndex) object(p doc.Path) {
	st, ok := f.table.Object(f.root, p, schema.Env{Stage: schema.Publish})
	if !ok || len(p) > maxIndexDepth {
		return
	}
	members := slices.Clone(st.Fields)
	if st.Node.Either && len(st.Extras) > 0 { // it has one kind of fields or the other
		members = slices.DeleteFunc(members, func(s schema.FieldState) bool { return !s.Value.Exists() })
	}
	for _, field := range append(members, st.Extras...) {
		if field.Node == nil || len(f.out) > maxIndexedFields || !field.Shown && f.c.Body.Exists() {
			continue
		}
		trail := f.table.Trail(field.Path)
		where := strings.Join(trail[:len(trail)-1], " › ")
		name := trail[len(trail)-1]
		f.add(rankField, "field", field.Path, name, where)
		options := field.Node.Options
		if e := field.Node.Element; e != nil && field.Node.Kind == schema.List {
			options = e.Options
		}
		for _, o := range options {
			f.add(rankOption, "value", field.Path, o.Title(), strings.Join(trail, " › "))
		}
		if field.Node.Editor == "" && (field.Node.Kind == schema.Object || field.Node.Kind == schema.Map) {
			f.object(field.Path)
		}
	}
}

func (f *campaignIndex) add(r rank, kind string, p doc.Path, name, where string) {
	f.out = append(f.out, command{
		name: "place." + p.String() + "." + name, label: widget.Clean(name), detail: widget.Clean(where), campaign: widget.Clean(f.campaign), info: kind, rank: r,
		run: func() tea.Cmd { return f.open(screen.Route{Name: screen.Builder, ID: f.c.ID, Path: p}) },
	})
}
