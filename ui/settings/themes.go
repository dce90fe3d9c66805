package settings

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

func (s *Screen) themeActions() []screen.Action {
	return []screen.Action{
		s.themes.On(screen.Action{Keys: []string{"enter", " "}, Label: "use", Help: "use the theme", Group: group, BarPriority: 9}, nil, s.useTheme),
	}
}

// themeItem returns the row of a theme, with a mark on the saved one.
func (s *Screen) themeItem(name string) widget.Item {
	item := widget.Item{Icon: " ", Text: name}
	if name == s.savedTheme {
		item.Icon, item.IconTone = "✓", themes.ToneSuccess
	}
	if name == themes.Auto {
		item.Info, item.InfoTone = "as your terminal", themes.ToneMuted
	}
	if !slices.Contains(themes.Names(), name) {
		item.Info, item.InfoTone = "own", themes.ToneMuted
	}
	return item
}

// preview shows a theme without saving it.
func (s *Screen) preview(name string) tea.Cmd {
	if name == s.shownTheme {
		return nil
	}
	s.shownTheme = name
	return screen.Send(screen.ThemeMsg{Name: name, Preview: true})
}

// useTheme switches to a theme.
func (s *Screen) useTheme(name string) tea.Cmd {
	s.savedTheme, s.shownTheme = name, name
	s.themes.Refresh()
	return tea.Batch(screen.Send(screen.ThemeMsg{Name: name}), told("Theme set to "+name)())
}
