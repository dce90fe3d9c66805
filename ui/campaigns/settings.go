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

// listPrefs has the user's settings for the list, and the saved views.
type listPrefs struct {
	settings settings
	stored   *prefs.Prefs
	read     bool                      // they have been read
	early    []func(settings) settings // the changes before that
	author   string
}

func (l *listing) loadSettings() tea.Cmd {
	stored := l.stored
	return screen.Go(l.tasks, taskReadSettings, func(context.Context) (settings, error) {
		return prefs.Read[settings](stored, settingsName)
	}, l.applySettings)
}

// change changes the settings for this run of the program.
func (sh *listPrefs) change(change func(settings) settings) {
	sh.settings = change(sh.settings)
	if !sh.read {
		sh.early = append(sh.early, change)
	}
}

// update changes the settings and stores them.
func (sh *listPrefs) update(change func(settings) settings) tea.Cmd {
	sh.change(change)
	return screen.Remember(sh.stored, settingsName, "your settings", change)
}

// applySettings applies the stored settings, and the changes that the user has made since the start on top of them.
func (l *listing) applySettings(kept settings, err error) tea.Cmd {
	if err != nil {
		return screen.Notify(widget.LevelWarning, "Can't read your settings for this list: "+err.Error())
	}
	if _, ok := columnOf(kept.Sort.Key); !ok {
		kept.Sort = order{}
	}
	for _, change := range l.early {
		kept = change(kept)
	}
	l.settings, l.read, l.early = kept, true, nil
	l.bar.recent = kept.Past
	l.grid.setColumns(chosenColumns(kept.Columns))
	return l.searchBarText(cursorKeepRow)
}

// sortBy sorts by a column, or reverses the order if it is the current one.
func (l *listing) sortBy(c column) tea.Cmd {
	if c.sort == "" {
		return screen.Notify(widget.LevelInfo, c.noSortReason)
	}
	now := l.sorted()
	next := order{c.sort, c.descending}
	if now.Key == c.sort {
		next.Desc = !now.Desc
	}
	return l.setSort(next)
}

// setSort sets the order and removes a sort term from the search, which would override it.
func (l *listing) setSort(o order) tea.Cmd {
	if q := l.query(); hasSort(q) {
		l.bar.set(q.Clear(query.Sort).String())
	}
	kept := l.update(func(st settings) settings { st.Sort = o; return st })
	return tea.Batch(kept, l.searchBarText(cursorKeepRow))
}

func hasSort(q query.Query) bool {
	c, _ := q.Order()
	return c != ""
}
