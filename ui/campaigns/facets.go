package campaigns

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	"bugle/engine/search/index"
	"bugle/engine/search/query"
	"bugle/themes"
	"bugle/ui/widget"
)

// facetsPane is the list of what the present search can be narrowed by, with counts.
type facetsPane struct {
	list    widget.List
	choices []choice // what the entries of the list choose
	facets  []index.Facet
	focused bool // when it was drawn last
	version int  // counts what was listed
	drawn   drawing
}

// drawing is the pane as it was drawn last, and for what: it changes less often than the table.
type drawing struct {
	width, height, cursor, offset, version int
	focused                                bool
	styles                                 *themes.Styles
	text                                   string
}

// view draws the pane with its frame.
func (p *facetsPane) view(t themes.Theme, width, height int) string {
	now := drawing{width, height, p.list.Cursor, p.list.Offset, p.version, p.focused, t.Styles, ""}
	last := p.drawn
	if last.text = ""; last == now {
		return p.drawn.text
	}
	panel := widget.NewPanel(t, "Filters")
	panel.Focused, panel.Footer = p.focused, "tab"
	panel.SetSize(width, height)
	p.drawn = now
	p.drawn.text = panel.View(p.list.View())
	return p.drawn.text
}

// choice is what an entry of the facets chooses: a value of a query word. With no value it is the way
// to those that are not listed.
type choice struct {
	key  query.Key
	text string
}

func newFacetsPane(t themes.Theme) facetsPane {
	p := facetsPane{list: widget.NewList(t)}
	p.list.Empty = "Filters show up with the first campaign."
	return p
}

// facetTitles head the facets.
var facetTitles = map[query.Key]string{
	query.Status: "State", query.Channel: "Channel", query.Type: "Type", query.Tag: "Tag", query.By: "Creator",
	query.Team: "Team", query.Platform: "Platform",
}

// mostValues is how many values of tags, people and teams are listed.
const mostValues = 8

// show lists the facets of a result. The cursor stays with its value.
func (p *facetsPane) show(facets []index.Facet) {
	var under choice
	if p.list.Cursor < len(p.choices) {
		under = p.choices[p.list.Cursor]
	}
	p.facets, p.choices = facets, p.choices[:0]
	p.version++
	var items []widget.Item
	add := func(c choice, item widget.Item) {
		p.choices, items = append(p.choices, c), append(items, item)
	}
	for _, f := range facets {
		values := worth(f)
		if len(values) == 0 {
			continue
		}
		add(choice{}, widget.Item{Text: facetTitles[f.Key], Heading: true})
		more := 0
		if query.Options(f.Key) == nil && len(values) > mostValues {
			shown := slices.Clone(values[:mostValues])
			for _, v := range values[mostValues:] {
				if v.Chosen {
					shown = append(shown, v)
				}
			}
			more, values = len(values)-len(shown), shown
		}
		for _, v := range values {
			add(choice{f.Key, v.Text}, facetItem(f.Key, v))
		}
		if more > 0 {
			add(choice{f.Key, ""}, widget.Item{Icon: " ", Text: fmt.Sprintf("%d more…", more)})
		}
	}
	p.list.SetItems(items)
	if at := slices.Index(p.choices, under); at >= 0 && under.key != "" {
		p.list.SelectItem(at)
	}
}

// worth returns the values of a facet that say something.
func worth(f index.Facet) []index.FacetValue {
	return slices.DeleteFunc(slices.Clone(f.Values), func(v index.FacetValue) bool { return v.Count == 0 && !v.Chosen })
}

func facetItem(key query.Key, v index.FacetValue) widget.Item {
	item := widget.Item{Icon: " ", Text: facetLabel(key, v), Info: count(v.Count), InfoTone: themes.ToneMuted}
	if key == query.Status {
		role := themes.Role(catalog.State(v.Wire).Role())
		item.Icon, item.IconTone = role.Glyph(), role.Tone()
	}
	if v.Chosen {
		item.Icon, item.IconTone, item.InfoTone = "✓", themes.ToneAccent, themes.ToneAccent
	}
	return item
}

func facetLabel(key query.Key, v index.FacetValue) string {
	label := query.Label(key, v.Wire)
	if key == query.Type {
		label = strings.TrimSuffix(label, "-triggered")
	}
	return label
}

// of returns one facet.
func (p *facetsPane) of(key query.Key) index.Facet {
	for _, f := range p.facets {
		if f.Key == key {
			return f
		}
	}
	return index.Facet{Key: key}
}

// chosen returns the choice under the cursor.
func (p *facetsPane) chosen() (choice, bool) {
	if p.list.Cursor >= len(p.choices) || p.choices[p.list.Cursor].key == "" {
		return choice{}, false
	}
	return p.choices[p.list.Cursor], true
}

// choose narrows the search to the value under the cursor, or no longer.
func (s *Screen) choose() tea.Cmd {
	c, ok := s.facets.chosen()
	if !ok {
		return nil
	}
	if c.text == "" { // those that are not listed are found by typing
		text := strings.TrimSpace(s.bar.text() + " " + string(c.key) + ":")
		s.bar.set(text)
		return s.startSearch()
	}
	return s.toggle(c.key, c.text)
}

// toggle asks for a value, or no longer.
func (l *listing) toggle(key query.Key, value string) tea.Cmd {
	return l.narrow(l.query().Toggle(key, value).String())
}

// next goes through the values of a facet that some campaign has, and then back to all.
func (l *listing) next(key query.Key) tea.Cmd {
	values := worth(l.facets.of(key))
	at := slices.IndexFunc(values, func(v index.FacetValue) bool { return v.Chosen }) + 1
	q := l.query().Clear(key)
	if key == query.Status {
		q = q.Without(query.Is, query.IsArchived)
	}
	if at < len(values) {
		q = q.With(key, values[at].Text)
	}
	return l.narrow(q.String())
}

// count returns a number in at most five cells: 950, 12.3k, 1.0M.
func count(n int) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}
