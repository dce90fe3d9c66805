package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

func (s *Screen) themeActions() []screen.Action {
	return []screen.Action{
		{Keys: []string{"enter", " "}, Label: "use", Help: "use the theme", Group: group, BarPriority: 9, Run: s.chooseTheme},
		{Keys: []string{"n"}, Label: "new theme", Help: "create your own theme from this one, in your editor", Group: group, BarPriority: 7, Run: s.newTheme},
		s.themes.On(screen.Action{Keys: []string{"e"}, Label: "edit theme", Help: "edit the file of your theme", Group: group, BarPriority: 6}, builtIn, s.editTheme),
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
	if builtIn(name) == "" {
		item.Info, item.InfoTone = "own", themes.ToneMuted
	}
	return item
}

// builtIn returns why a theme cannot be edited.
func builtIn(name string) string {
	if slices.Contains(themes.Names(), name) {
		return "This theme is built in. Press n to make your own based on it."
	}
	return ""
}

// selectTheme moves the cursor to a theme and reports whether there is one of that name.
func (s *Screen) selectTheme(name string) bool {
	return s.themes.Select(func(n string) bool { return n == name })
}

// preview shows a theme without saving it.
func (s *Screen) preview(name string) tea.Cmd {
	if name == s.shownTheme {
		return nil
	}
	s.shownTheme = name
	return screen.Send(screen.ThemeMsg{Name: name, Preview: true})
}

func (s *Screen) chooseTheme() tea.Cmd {
	name, _ := s.themes.Selected()
	if before := s.savedTheme; name != before {
		s.PushUndo(screen.UndoStep{
			Label: "theme " + name,
			Undo:  func() tea.Cmd { return s.useTheme(before) },
			Redo:  func() tea.Cmd { return s.useTheme(name) },
		})
	}
	return tea.Batch(s.useTheme(name), screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, "Theme set to "+name))
}

// useTheme switches to a theme and moves the cursor to it.
func (s *Screen) useTheme(name string) tea.Cmd {
	s.savedTheme, s.shownTheme = name, name
	s.openTab(tabTheme)
	s.themes.Refresh()
	s.selectTheme(name)
	return screen.Send(screen.ThemeMsg{Name: name})
}

var themeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 _-]{0,39}$`)

// newTheme asks for a name and opens a file with every token in the editor.
func (s *Screen) newTheme() tea.Cmd {
	base, _ := s.themes.Selected()
	names := s.src.Themes.Names()
	return screen.Send(screen.InputMsg{
		Title: "Name of the new theme, based on " + base, Placeholder: "evening",
		Validate: func(name string) string {
			switch {
			case !themeName.MatchString(name):
				return "Use letters, digits, spaces, dashes and underscores."
			case slices.Contains(names, name):
				return "A theme with this name already exists."
			}
			return ""
		},
		Then: func(name string) tea.Cmd {
			if builtIn(base) == "" {
				base = themes.Auto
			}
			return s.editThemeFile(name, filepath.Join(s.src.Themes.Dir(), name+".yaml"), template(base))
		},
	})
}

// template returns the file of a new theme that changes nothing.
func template(base string) []byte {
	b := []byte("# Your own theme, based on another one. Colors are \"#rrggbb\", in quotes, or a number from 0 to 255.\n# Remove the # in front of the tokens you change.\n")
	b = fmt.Appendf(b, "base: %s\ntokens:\n", base)
	for _, t := range themes.TokenNames() {
		b = fmt.Appendf(b, "  # %s: \"#808080\"\n", t)
	}
	return b
}

// editTheme opens the file of a custom theme.
func (s *Screen) editTheme(name string) tea.Cmd {
	for _, ending := range []string{".yaml", ".yml", ".json"} {
		path := filepath.Join(s.src.Themes.Dir(), name+ending)
		b, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return screen.Notify(widget.LevelError, "Can't read the theme: "+err.Error())
		}
		return s.editThemeFile(name, path, b)
	}
	return screen.Notify(widget.LevelError, "The file of theme "+name+" was removed.")
}

// editThemeFile opens the file of a theme in the editor. What comes back is saved, valid or not, because it is the user's file.
func (s *Screen) editThemeFile(name, path string, text []byte) tea.Cmd {
	return s.edit(change{
		what: "edit of the theme " + name, tab: tabTheme, path: path,
		selectRow: func() { s.selectTheme(name) },
		done:      func() tea.Cmd { return s.checkTheme(name, path) },
	}, text)
}

// checkTheme says why a theme is not valid, if it is not, and offers to edit its file again.
func (s *Screen) checkTheme(name, path string) tea.Cmd {
	if s.selectTheme(name) {
		return nil
	}
	why := "Its file is not in " + filepath.Dir(path) + "."
	for _, err := range s.now.themeErrors {
		if strings.Contains(err.Error(), filepath.Base(path)) {
			why = err.Error()
		}
	}
	return screen.Ask(screen.Question{
		Title: "The theme is not valid yet", Body: why,
		Buttons: []widget.Option{{Label: "Edit again", Key: "e"}, {Label: "Later", Key: "l"}},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return s.editTheme(name)
		},
	})
}
