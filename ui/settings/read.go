package settings

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/ui/screen"
)

// Read says the current tab, and the others as rows to open.
func (s *Screen) Read() screen.Page {
	page := screen.Page{Place: "Settings, " + tabNames[s.tabs.Active]}
	var rows screen.Rows
	switch s.tabs.Active {
	case tabTheme:
		page.Summary, page.Cursor = "Themes matter only where colors are drawn.", s.themeTab.list.At()
		rows = s.themeTab.list.Rows(nil, nil)
	case tabKeys:
		rows, page.Cursor = s.keysTab.list.Rows(nil, nil), s.keysTab.list.At()
		page.Search = func(words string) tea.Cmd {
			cmd := s.keysTab.list.Search(words)
			s.keysTab.fill()
			return cmd
		}
		for _, p := range s.keysTab.problems {
			page.Summary += phrase.Sentence(p.String()) + " "
		}
	case tabRemotes:
		rows, page.Cursor = s.remotes.list.Rows(nil, nil), s.remotes.list.At()
		if s.remotes.failed != nil {
			page.Summary = phrase.Sentence(s.remotes.failed.Error())
		}
	case tabFiles:
		rows, page.Cursor = s.files.list.Rows(nil, nil), s.files.list.At()
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
