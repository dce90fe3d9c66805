package settings

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

const group = "Settings"

// rows is the list of a tab.
type rows interface {
	Key(tea.KeyMsg) list.Change
	Mouse(tea.MouseMsg) (hit, again bool)
	View() string
	At() int
}

// rows returns the list of the current tab.
func (s *Screen) rows() rows { return []rows{s.themes, s.keys, s.remotes, s.files}[s.tabs.Active] }

// Actions returns the actions of the current tab, and those that switch tabs.
func (s *Screen) Actions() []screen.Action {
	if s.Typing() {
		return []screen.Action{
			{Keys: []string{"enter"}, Label: "apply", Help: "apply the filter", Group: group, BarPriority: 9, WhileTyping: true, Run: s.keys.ApplyFilter},
			{Keys: []string{"esc"}, Label: "show all", Help: "show all actions", Group: group, BarPriority: 8, WhileTyping: true, Run: s.showAllKeys},
		}
	}
	own := []func() []screen.Action{s.themeActions, s.keyActions, s.remoteActions, s.fileActions}[s.tabs.Active]
	return append(own(), []screen.Action{
		{Keys: []string{"tab", "right", "l"}, Label: "next tab", Help: "theme, keys, remotes, files", Group: group, BarPriority: 5, Run: s.step(1)},
		{Keys: []string{"shift+tab", "left", "h"}, Label: "previous tab", Group: group, Run: s.step(-1)},
	}...)
}

func (s *Screen) step(by int) func() tea.Cmd {
	return func() tea.Cmd { return s.openTab((s.tabs.Active + by + len(tabNames)) % len(tabNames)) }
}

// SetSize sets the size of the screen.
func (s *Screen) SetSize(width, height int) {
	s.width, s.height = width, height
	s.layout()
}

// layout lays out the lists.
func (s *Screen) layout() {
	s.tabs.SetSize(max(s.width-2, 1), 1)
	w, h := s.inner()
	s.themes.SetSize(min(themesWidth, w), h)
	s.keys.SetSize(w, max(h-len(s.keysHead(w))-keysFootHeight, 1))
	s.remotes.SetSize(w, max(min(h-footHeight, max(s.remotes.Len(), 1)), 1))
	s.files.SetSize(w, max(min(h-footHeight, max(s.files.Len(), 1)), 1))
}

func (s *Screen) inner() (w, h int) { return max(s.width-4, 1), max(s.height-3, 1) }

// head returns the lines above the list.
func (s *Screen) head(w int) []string {
	if s.tabs.Active == tabKeys {
		return s.keysHead(w)
	}
	return nil
}

// foot returns the lines below the list, about the row under the cursor.
func (s *Screen) foot(w int) []string {
	switch s.tabs.Active {
	case tabKeys:
		return s.keysFoot(w)
	case tabRemotes:
		return s.remotesFoot(w)
	case tabFiles:
		return s.filesFoot(w)
	}
	return nil
}

// footHeight is the least height below the lists of remotes and files, and keysFootHeight that below the keys.
const (
	footHeight     = 6
	keysFootHeight = 4
)

// View draws the tabs and the current one.
func (s *Screen) View() string {
	s.layout()
	w, h := s.inner()
	head, foot := s.head(w), s.foot(w)
	panel := widget.NewPanel(s.theme, tabNames[s.tabs.Active])
	panel.Focused = true
	panel.SetSize(s.width, max(s.height-1, 1))
	var lines []string
	switch s.tabs.Active {
	case tabTheme:
		lines = s.withSample(s.themes.View(), w, h)
	case tabKeys:
		panel.Info = s.keysInfo()
		lines = slices.Concat(head, strings.Split(s.keys.View(), "\n"), foot)
	default:
		lines = foot
		if s.tabs.Active != tabRemotes || s.now.remotesError == nil {
			lines = append(strings.Split(s.rows().View(), "\n"), foot...)
		}
	}
	return widget.Fit(" "+s.tabs.View(), s.width, 1) + "\n" + panel.View(strings.Join(lines[:min(len(lines), h)], "\n"))
}

// Read says the current tab, and the others as rows to open.
func (s *Screen) Read() screen.Page {
	page := screen.Page{Place: "Settings, " + tabNames[s.tabs.Active], Cursor: s.rows().At()}
	var rows screen.Rows
	switch s.tabs.Active {
	case tabTheme:
		page.Summary, rows = "Themes matter only where colors are drawn.", s.themes.Rows(nil, nil)
	case tabKeys:
		rows = s.keys.Rows(nil, nil)
		page.Search = func(words string) tea.Cmd {
			cmd := s.keys.Search(words)
			s.listKeys()
			return cmd
		}
		for _, p := range s.now.keyProblems {
			page.Summary += phrase.Sentence(p.String()) + " "
		}
	case tabRemotes:
		rows = s.remotes.Rows(nil, nil)
		if err := s.now.remotesError; err != nil {
			page.Summary = phrase.Sentence(err.Error())
		}
	case tabFiles:
		rows = s.files.Rows(nil, nil)
	}
	var tabs screen.RowSlice
	for i, name := range tabNames {
		if i != s.tabs.Active {
			tabs = append(tabs, screen.Row{Text: name, Open: func() tea.Cmd { return s.openTab(i) }})
		}
	}
	page.Parts = []screen.Part{{Name: tabNames[s.tabs.Active], Rows: rows}, {Name: "Other settings", Rows: tabs}}
	return page
}
