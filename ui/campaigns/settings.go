package campaigns

import (
	"context"
	"sync"

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

// settingsStore stores settings on this machine.
type settingsStore struct {
	prefs *prefs.Prefs
	mu    *sync.Mutex // serializes changes
}

const settingsName = "campaigns"

func newSettingsStore(deps screen.Deps) settingsStore {
	return settingsStore{deps.Prefs.Within(deps.Workspace), &sync.Mutex{}}
}

func (m settingsStore) read() (settings, error) { return prefs.Read[settings](m.prefs, settingsName) }

func (m settingsStore) change(change func(settings) settings) (settings, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return prefs.Update(m.prefs, settingsName, change)
}

// listPrefs has the user's settings for the list, and the saved views.
type listPrefs struct {
	settings settings
	store    settingsStore
	tasks    taskRunner
	author   string
}

// settingsLoaded has the stored settings.
type settingsLoaded struct{ settings }

func (sh *listPrefs) loadSettings() tea.Cmd {
	m := sh.store
	return sh.tasks.Run(taskReadSettings, func(context.Context) (any, error) {
		kept, err := m.read()
		return settingsLoaded{kept}, err
	})
}

// update changes the settings at once and stores them in the background.
func (sh *listPrefs) update(change func(settings) settings) tea.Cmd {
	sh.settings = change(sh.settings)
	m := sh.store
	return sh.tasks.Run(taskSaveSettings, func(context.Context) (any, error) {
		_, err := m.change(change)
		return nil, err
	})
}

// applySettings applies the stored settings.
func (l *listing) applySettings(kept settings, err error) tea.Cmd {
	if err != nil {
		return screen.Notify(widget.LevelWarning, "Can't read your settings for this list: "+err.Error())
	}
	if _, ok := columnOf(kept.Sort.Key); !ok {
		kept.Sort = order{}
	}
	kept.Past = append(l.settings.Past, kept.Past...)
	l.settings = kept
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
