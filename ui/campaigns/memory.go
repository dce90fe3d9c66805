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

// settings are what a person chose for the list of a workspace.
type settings struct {
	Columns []string    `json:"columns,omitempty"`
	Sort    order       `json:"sort"`
	Views   []savedView `json:"views,omitempty"`
	Past    []string    `json:"searches,omitempty"`
	Folder  string      `json:"folder,omitempty"` // of the last export
}

// memory keeps settings on this machine.
type memory struct {
	prefs *prefs.Prefs
	mu    *sync.Mutex // changes are made one after the other
}

const memoryName = "campaigns"

func newMemory(deps screen.Deps) memory {
	return memory{deps.Prefs.Within(deps.Workspace), &sync.Mutex{}}
}

func (m memory) read() (settings, error) { return prefs.Read[settings](m.prefs, memoryName) }

func (m memory) change(change func(settings) settings) (settings, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return prefs.Update(m.prefs, memoryName, change)
}

// shelf is what a person chose for the list, and the views that there are.
type shelf struct {
	settings settings
	memory   memory
	tasks    tasker
	author   string
}

// recalled is what was kept when the screen was opened.
type recalled struct{ settings }

func (sh *shelf) recall() tea.Cmd {
	m := sh.memory
	return sh.tasks.Run(recalling, func(context.Context) (any, error) {
		kept, err := m.read()
		return recalled{kept}, err
	})
}

// keep changes the settings, here at once, and on the disk beside the keyboard.
func (sh *shelf) keep(change func(settings) settings) tea.Cmd {
	sh.settings = change(sh.settings)
	m := sh.memory
	return sh.tasks.Run(keeping, func(context.Context) (any, error) {
		_, err := m.change(change)
		return nil, err
	})
}

// remembered takes the settings that were kept.
func (l *listing) remembered(kept settings, err error) tea.Cmd {
	if err != nil {
		return screen.Notify(widget.LevelWarning, "Can't read your settings for this list: "+err.Error())
	}
	if _, ok := columnOf(kept.Sort.Key); !ok {
		kept.Sort = order{}
	}
	kept.Past = append(l.settings.Past, kept.Past...)
	l.settings = kept
	l.bar.past = kept.Past
	l.grid.arrange(chosenColumns(kept.Columns))
	return l.look(followRow)
}

// sortBy sorts by a column. The same one again turns the order round.
func (l *listing) sortBy(c column) tea.Cmd {
	if c.sort == "" {
		return screen.Notify(widget.LevelInfo, c.why)
	}
	now := l.sorted()
	next := order{c.sort, c.down}
	if now.Key == c.sort {
		next.Desc = !now.Desc
	}
	return l.setSort(next)
}

// setSort sorts as o says. A sort word in the search would overrule it, and goes.
func (l *listing) setSort(o order) tea.Cmd {
	l.settled()
	before := l.shape()
	if q := l.query(); hasSort(q) {
		l.bar.set(q.Clear(query.Sort).String())
	}
	kept := l.keep(func(st settings) settings { st.Sort = o; return st })
	l.reshaped(before)
	return tea.Batch(kept, l.look(followRow))
}

func hasSort(q query.Query) bool {
	c, _ := q.Order()
	return c != ""
}
