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

// facetsPane lists the filters for the current search with counts.
type facetsPane struct {
	list    widget.List
	choices []facetChoice // the value of each entry
	facets  []index.Facet
	version int // incremented when the list changes
	cache   facetsCache
}

// facetsCache is the last drawn view with its inputs, because the pane changes less often than the table.
type facetsCache struct {
	width, height, cursor, offset, version int
	focused                                bool
	styles                                 *themes.Styles
	text                                   string
}

// view draws the filters in a list of that width.
func (p *facetsPane) view(t *themes.Theme, width int) string {
	now := facetsCache{width, p.list.Height, p.list.Cursor, p.list.Offset, p.version, p.list.Focused, t.Styles, ""}
	last := p.cache
	if last.text = ""; last == now {
		return p.cache.text
	}
	p.cache = now
	p.cache.text = p.list.View()
	return p.cache.text
}

// facetChoice is the value of a facet. Without a text it is the entry for values that are not listed.
type facetChoice struct {
	key  query.Key
	text string
}

func newFacetsPane(t *themes.Theme) facetsPane {
	p := facetsPane{list: widget.NewList(t)}
	p.list.Empty = "Filters show up with the first campaign."
	return p
}

// facetTitles are the headings of facets.
var facetTitles = map[query.Key]string{
	query.Status: "State", query.Channel: "Channel", query.Type: "Type", query.Tag: "Tag", query.By: "Creator",
	query.Team: "Team", query.Platform: "Platform",
}

// maxFacetValues is how many tags, people and teams are listed.
const maxFacetValues = 8

// show lists the facets of a result. The cursor stays on its value.
func (p *facetsPane) show(facets []index.Facet) {
	var under facetChoice
	if p.list.Cursor < len(p.choices) {
		under = p.choices[p.list.Cursor]
	}
	p.facets, p.choices = facets, p.choices[:0]
	p.version++
	var items []widget.Item
	add := func(c facetChoice, item widget.Item) {
		p.choices, items = append(p.choices, c), append(items, item)
	}
	for _, f := range facets {
		values := usefulValues(f)
		if len(values) == 0 {
			continue
		}
		add(facetChoice{}, widget.Item{Text: facetTitles[f.Key], Heading: true})
		more := 0
		if query.Options(f.Key) == nil && len(values) > maxFacetValues {
			shown := slices.Clone(values[:maxFacetValues])
			for _, v := range values[maxFacetValues:] {
				if v.Chosen {
					shown = append(shown, v)
				}
			}
			more, values = len(values)-len(shown), shown
		}
		for _, v := range values {
			add(facetChoice{f.Key, v.Text}, facetItem(f.Key, v))
		}
		if more > 0 {
			add(facetChoice{f.Key, ""}, widget.Item{Icon: " ", Text: fmt.Sprintf("%d more…", more)})
		}
	}
	p.list.SetItems(items)
	if at := slices.Index(p.choices, under); at >= 0 && under.key != "" {
		p.list.SelectItem(at)
	}
}

// usefulValues returns the values of a facet that distinguish campaigns.
func usefulValues(f index.Facet) []index.FacetValue {
	return slices.DeleteFunc(slices.Clone(f.Values), func(v index.FacetValue) bool { return v.Count == 0 && !v.Chosen })
}

func facetItem(key query.Key, v index.FacetValue) widget.Item {
	item := widget.Item{Icon: " ", Text: facetLabel(key, v), Info: shortCount(v.Count), InfoTone: themes.ToneMuted}
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

// facet returns the facet of a key.
func (p *facetsPane) facet(key query.Key) index.Facet {
	for _, f := range p.facets {
		if f.Key == key {
			return f
		}
	}
	return index.Facet{Key: key}
}

// chosen returns the value under the cursor.
func (p *facetsPane) chosen() (facetChoice, bool) {
	if p.list.Cursor >= len(p.choices) || p.choices[p.list.Cursor].key == "" {
		return facetChoice{}, false
	}
	return p.choices[p.list.Cursor], true
}

// choose toggles the filter for the value under the cursor.
func (s *Screen) choose() tea.Cmd {
	c, ok := s.facets.chosen()
	if !ok {
		return nil
	}
	if c.text == "" { // values that are not listed are found by typing
		text := strings.TrimSpace(s.bar.text() + " " + string(c.key) + ":")
		s.bar.set(text)
		return s.startSearch()
	}
	return s.toggle(c.key, c.text)
}

// toggle adds a value to the search, or removes it.
func (l *listing) toggle(key query.Key, value string) tea.Cmd {
	return l.searchFor(l.query().Toggle(key, value).String(), cursorHome)
}

// nextFacetValue cycles through the values of a facet, and then back to all.
func (l *listing) nextFacetValue(key query.Key) tea.Cmd {
	values := usefulValues(l.facets.facet(key))
	at := slices.IndexFunc(values, func(v index.FacetValue) bool { return v.Chosen }) + 1
	q := l.query().Clear(key)
	if key == query.Status {
		q = q.Without(query.Is, query.IsArchived)
	}
	if at < len(values) {
		q = q.With(key, values[at].Text)
	}
	return l.searchFor(q.String(), cursorHome)
}

// shortCount formats a number in at most five cells: 950, 12.3k, 1.0M.
func shortCount(n int) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}
