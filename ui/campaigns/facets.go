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
	"bugle/ui/list"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// facetRow is a line of the filters: a heading, or the value of a facet.
type facetRow struct {
	item widget.Item
	key  query.Key
	text string // empty for the entry of values that are not listed
}

// newFacets returns the list of the filters for the current search, with counts.
func newFacets(t *themes.Theme) *list.List[facetRow] {
	l := list.Items(t, "filter", func(r facetRow) widget.Item { return r.item })
	l.Empty = "Filters show up with the first campaign."
	l.Same = func(a, b facetRow) bool { return a.key == b.key && a.text == b.text }
	return l
}

// facetTitles are the headings of facets.
var facetTitles = map[query.Key]string{
	query.Status: "State", query.Channel: "Channel", query.Type: "Type", query.Tag: "Tag", query.By: "Creator",
	query.Team: "Team", query.Platform: "Platform",
}

// maxFacetValues is how many tags, people and teams are listed.
const maxFacetValues = 8

// facetRows returns the rows for the facets of a result.
func facetRows(facets []index.Facet) (rows []facetRow) {
	for _, f := range facets {
		values := usefulValues(f)
		if len(values) == 0 {
			continue
		}
		rows = append(rows, facetRow{item: widget.Item{Text: facetTitles[f.Key], Heading: true}})
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
			rows = append(rows, facetRow{facetItem(f.Key, v), f.Key, v.Text})
		}
		if more > 0 {
			rows = append(rows, facetRow{widget.Item{Icon: " ", Text: fmt.Sprintf("%d more…", more)}, f.Key, ""})
		}
	}
	return rows
}

// usefulValues returns the values of a facet that distinguish campaigns.
func usefulValues(f index.Facet) []index.FacetValue {
	return slices.DeleteFunc(slices.Clone(f.Values), func(v index.FacetValue) bool { return v.Count == 0 && !v.Chosen })
}

func facetItem(key query.Key, v index.FacetValue) widget.Item {
	item := widget.Item{Icon: " ", Text: facetLabel(key, v), Info: shortCount(v.Count), InfoTone: themes.ToneMuted}
	if key == query.Status {
		item.Icon, item.IconTone = status.Icon(catalog.State(v.Wire))
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

// choose toggles the filter for the value under the cursor.
func (s *Screen) choose() tea.Cmd {
	row, ok := s.facets.Selected()
	if !ok {
		return nil
	}
	if row.text == "" { // values that are not listed are found by typing
		text := strings.TrimSpace(s.bar.text() + " " + string(row.key) + ":")
		s.bar.set(text)
		return s.startSearch()
	}
	return s.toggle(row.key, row.text)
}

// stateTabs are the states with their counts, in a line above the table if the filters do not fit beside it.
type stateTabs struct {
	widget.Tabs
	values []index.FacetValue // of the tabs after the first one, which is for all states
}

// statesOf returns the states that distinguish campaigns.
func statesOf(facets []index.Facet) []index.FacetValue {
	for _, f := range facets {
		if f.Key == query.Status {
			return usefulValues(f)
		}
	}
	return nil
}

// statesKey is drawn before the tabs: the key that shows the next state.
const statesKey = "F  "

// show shows the states of a result.
func (t *stateTabs) show(values []index.FacetValue) {
	t.values, t.Names, t.Active = values, []string{"All"}, 0
	for i, v := range values {
		t.Names = append(t.Names, facetLabel(query.Status, v)+" "+shortCount(v.Count))
		if v.Chosen {
			t.Active = i + 1
		}
	}
}

// view draws the tabs, w cells wide.
func (t *stateTabs) view(theme *themes.Theme, w int) string {
	t.SetSize(w-len(statesKey), 1)
	return theme.Key.Render(statesKey) + t.View()
}

// showState shows only the campaigns in the state of a tab, or all for the first tab.
func (s *Screen) showState(tab int) tea.Cmd {
	q := s.query().Clear(query.Status).Without(query.Is, query.IsArchived)
	if tab > 0 {
		q = q.With(query.Status, s.states.values[tab-1].Text)
	}
	return s.searchFor(q.String(), cursorHome)
}

// nextState cycles through the states, and then back to all. Before the first result there are none.
func (s *Screen) nextState() tea.Cmd {
	if len(s.states.Names) == 0 {
		return nil
	}
	return s.showState((s.states.Active + 1) % len(s.states.Names))
}

// toggle adds a value to the search, or removes it.
func (s *Screen) toggle(key query.Key, value string) tea.Cmd {
	return s.searchFor(s.query().Toggle(key, value).String(), cursorHome)
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
