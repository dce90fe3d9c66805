package campaigns

import (
	"context"

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
	Past    []string    `json:"searches,omitempty"`
	Folder  string      `json:"folder,omitempty"` // of the last export
}

const settingsName = "campaigns"

func (s *Screen) loadSettings() tea.Cmd {
	stored := s.stored
	return screen.Go(&s.Base, taskReadSettings, func(context.Context) (settings, error) {
		return prefs.Read[settings](stored, settingsName)
	}, s.applySettings)
}

// changeSettings changes the settings for this run of the program.
func (s *Screen) changeSettings(change func(settings) settings) {
	s.settings = change(s.settings)
	if !s.read {
		s.early = append(s.early, change)
	}
}

// updateSettings changes the settings and stores them.
func (s *Screen) updateSettings(change func(settings) settings) tea.Cmd {
	s.changeSettings(change)
	return screen.Remember(s.stored, settingsName, "your settings", change)
}

// applySettings applies the stored settings, and the changes that the user has made since the start on top of them.
func (s *Screen) applySettings(kept settings, err error) tea.Cmd {
	if err != nil {
		return screen.Notify(widget.LevelWarning, "Can't read your settings for this list: "+err.Error())
	}
	if _, ok := columnOf(kept.Sort.Key); !ok {
		kept.Sort = order{}
	}
	for _, change := range s.early {
		kept = change(kept)
	}
	s.settings, s.read, s.early = kept, true, nil
	s.bar.recent = kept.Past
	s.grid.setColumns(chosenColumns(kept.Columns))
	return s.searchBarText(cursorKeepRow)
}

// sortBy sorts by a column, or reverses the order if it is the current one.
func (s *Screen) sortBy(c column) tea.Cmd {
	if c.sort == "" {
		return screen.Notify(widget.LevelInfo, c.noSortReason)
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
