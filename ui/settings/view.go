package settings

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

const group = "Settings"

// Actions returns the actions of the current tab, and those that switch tabs.
func (s *Screen) Actions() []screen.Action {
	if s.Typing() {
		return []screen.Action{
			{Keys: []string{"enter"}, Label: "apply", Help: "apply the filter", Group: group, BarPriority: 9, WhileTyping: true, Run: s.keysTab.list.ApplyFilter},
			{Keys: []string{"esc"}, Label: "show all", Help: "show all actions", Group: group, BarPriority: 8, WhileTyping: true, Run: s.keysTab.showAll},
		}
	}
	return append(s.tabActions(), []screen.Action{
		{Keys: []string{"tab", "right", "l"}, Label: "next tab", Help: "theme, keys, remotes, files", Group: group, BarPriority: 5, Run: s.step(1)},
		{Keys: []string{"shift+tab", "left", "h"}, Label: "previous tab", Group: group, Run: s.step(-1)},
	}...)
}

func (s *Screen) tabActions() []screen.Action {
	switch s.tabs.Active {
	case tabTheme:
		return []screen.Action{
			{Keys: []string{"enter", " "}, Label: "use", Help: "use the theme", Group: group, BarPriority: 9, Run: s.themeTab.chooseTheme},
			{Keys: []string{"n"}, Label: "new theme", Help: "create your own theme from this one, in your editor", Group: group, BarPriority: 7, Run: s.themeTab.newTheme},
			{Keys: []string{"e"}, Label: "edit theme", Help: "edit the file of your theme", Group: group, BarPriority: 6, DisabledReason: s.themeTab.editDisabledReason(), Run: s.themeTab.editTheme},
		}
	case tabKeys:
		return s.keysTab.actions()
	case tabRemotes:
		return []screen.Action{s.remotes.list.On(screen.Action{Keys: []string{"enter", " "}, Label: "use from next start", Group: group, BarPriority: 9}, useDisabledReason, s.useRemote)}
	case tabFiles:
		return s.files.actions()
	}
	return nil
}

func (s *Screen) step(by int) func() tea.Cmd {
	return func() tea.Cmd { return s.openTab((s.tabs.Active + by + len(tabNames)) % len(tabNames)) }
}

// SetSize sets the size of the screen.
func (s *Screen) SetSize(width, height int) {
	s.width, s.height = width, height
	s.themeTab.setCurrent()
	s.layout()
}

// themesWidth is the width of the list of themes; the sample gets the rest.
const themesWidth = 26

// footerHeight is the height of the description below a list.
const footerHeight = 4

func (s *Screen) inner() (w, h int) { return max(s.width-4, 1), max(s.height-3, 1) }

func (s *Screen) layout() {
	s.tabs.SetSize(max(s.width-2, 1), 1)
	w, h := s.inner()
	s.themeTab.list.SetSize(min(themesWidth, w), h)
	s.keysTab.setSize(w, h)
	s.remotes.list.SetSize(w, max(min(h-6, max(s.remotes.list.Len(), 1)), 1))
	s.files.list.SetSize(w, max(min(h-footerHeight, max(len(s.src.Files), 1)), 1))
}

// View draws the tabs and the current one.
func (s *Screen) View() string {
	if s.width == 0 || s.height == 0 {
		return ""
	}
	s.layout()
	panel := widget.NewPanel(s.theme, tabNames[s.tabs.Active])
	panel.Focused = true
	panel.SetSize(s.width, max(s.height-1, 0))
	var body string
	switch s.tabs.Active {
	case tabTheme:
		body = s.themeTab.view(s.inner())
	case tabKeys:
		panel.Info = fmt.Sprintf("%d changed", len(s.keysTab.keymap.Names()))
		body = s.keysTab.view(s.inner())
	case tabRemotes:
		body = s.remotesView()
	case tabFiles:
		body = s.files.view(s.inner())
	}
	return widget.Fit(" "+s.tabs.View(), s.width, 1) + "\n" + panel.View(body)
}

func (s *Screen) remotesView() string {
	w, h := s.inner()
	var lines []string
	if s.remotes.failed != nil {
		lines = append(lines, widget.WrapStyled(s.theme.Danger, "✗ "+s.remotes.failed.Error(), w)...)
	} else {
		lines = strings.Split(s.remotes.list.View(), "\n")
	}
	lines = append(lines, "")
	text := "The selected remote is used from the next start. bugle --remote NAME uses one right away, and --remote local the store on this machine."
	if s.remotes.list.Len() < 2 {
		text = "There are no remotes yet. Run bugle remote add to connect to a service; bugle remote add --help shows how."
	}
	lines = append(lines, widget.WrapStyled(s.theme.Muted, text, w)...)
	return strings.Join(lines[:min(len(lines), h)], "\n")
}
