package campaigns

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/search/query"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// settings are the user's settings for the list of a workspace.
type settings struct {
	Columns []string    `json:"columns,omitempty"`
	Sort    order       `json:"sort"`
	Views   []savedView `json:"views,omitempty"`
}

const settingsName = "campaigns"

// readSettings reads the stored settings.
func (s *Screen) readSettings() tea.Cmd {
	kept, err := prefs.Read[settings](s.stored, settingsName)
	if err != nil {
		return screen.Notify(widget.LevelWarning, "Can't read your settings for this list: "+err.Error())
	}
	if !slices.ContainsFunc(columns, func(c column) bool { return c.sort == kept.Sort.Key }) {
		kept.Sort = order{}
	}
	s.settings = kept
	s.grid.setColumns(chosenColumns(kept.Columns))
	return nil
}

// updateSettings changes the settings and stores them.
func (s *Screen) updateSettings(change func(settings) settings) tea.Cmd {
	s.settings = change(s.settings)
	return screen.Remember(s.stored, settingsName, "your settings", change)
}

// askColumns asks for the columns to show.
func (s *Screen) askColumns() tea.Cmd {
	titles := func(columns []column) string {
		names := make([]string, len(columns))
		for i, c := range columns {
			names[i] = c.head.Title
		}
		return strings.Join(names, ", ")
	}
	return screen.Send(screen.InputMsg{
		Title: "Columns", Value: titles(s.grid.columns), Placeholder: titles(chosenColumns(nil)),
		Body: "The columns from left to right, separated by commas. In a narrow window, the last ones are left out first.\n\nThere are " + titles(columns) + ".",
		Validate: func(text string) string {
			_, problem := parseColumns(text)
			return problem
		},
		Then: func(text string) tea.Cmd {
			ids, _ := parseColumns(text)
			s.grid.setColumns(chosenColumns(ids))
			return s.updateSettings(func(st settings) settings { st.Columns = ids; return st })
		},
	})
}

// sortBy sorts by a column, or reverses the order if it is the current one.
func (s *Screen) sortBy(c column) tea.Cmd {
	if c.sort == "" {
		return screen.Notify(widget.LevelInfo, "Campaigns can't be sorted by “"+c.head.Title+"”.")
	}
	now := s.sorted()
	next := order{c.sort, c.descending}
	if now.Key == c.sort {
		next.Desc = !now.Desc
	}
	return s.setSort(next)
}

// setSort sets the order and removes a sort term from the search, which would override it.
func (s *Screen) setSort(o order) tea.Cmd {
	if q := s.query(); hasSort(q) {
		s.bar.set(q.Clear(query.Sort).String())
	}
	kept := s.updateSettings(func(st settings) settings { st.Sort = o; return st })
	return tea.Batch(kept, s.searchBarText(cursorKeepRow))
}

func hasSort(q query.Query) bool {
	c, _ := q.Order()
	return c != ""
}
