package app

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// pickTheme lists the themes. The whole program shows the highlighted one; closing the list restores the old one.
func (m *Model) pickTheme() tea.Cmd {
	names, old := m.opts.themeNames(), *m.theme
	options := make([]widget.Option, len(names))
	for i, n := range names {
		options[i] = widget.Option{Label: n}
		if n == themes.Auto {
			options[i].Label += " (follows the terminal)"
		}
		if n == old.Name {
			options[i].Label += " (in use)"
		}
	}
	m.pushOverlay(newChoice(m.theme, screen.ChooseMsg{
		Title: "Theme", Options: options, Cursor: max(slices.Index(names, old.Name), 0),
		Moved:    func(i int) tea.Cmd { return m.chooseTheme(screen.ThemeMsg{Name: names[i], Preview: true}) },
		OnCancel: func() tea.Cmd { m.useTheme(&old); return nil },
		Then:     func(a widget.Answer) tea.Cmd { return m.chooseTheme(screen.ThemeMsg{Name: names[a.Index]}) },
	}))
	return nil
}

// themeNames lists the themes to choose from.
func (o *Options) themeNames() []string {
	if o.ThemeNames != nil {
		return o.ThemeNames()
	}
	return themes.Names()
}
