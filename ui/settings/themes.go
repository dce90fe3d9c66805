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

	"bugle/engine/files"
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
			return s.writeInEditor(filepath.Join(s.src.Themes.Dir(), name+".yaml"), nil, template(base))
		},
	})
}

// template returns the file of a new theme that changes nothing.
func template(base string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Your own theme, based on another one. Colors are \"#rrggbb\", in quotes, or a number from 0 to 255.\n# Remove the # in front of the tokens you change.\nbase: %s\ntokens:\n", base)
	for _, t := range themes.TokenNames() {
		fmt.Fprintf(&b, "  # %s: \"#808080\"\n", t)
	}
	return b.String()
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
		return s.writeInEditor(path, b, string(b))
	}
	return screen.Notify(widget.LevelError, "The file of theme "+name+" was removed.")
}

// writeInEditor opens a text in the editor and saves what it returns as the file of a theme, valid or not, because it is the
// user's file. before is what the file has; nil if there is none.
func (s *Screen) writeInEditor(path string, before []byte, text string) tea.Cmd {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	what := "edit of the theme " + name
	if before == nil {
		what = "new theme " + name
	}
	return screen.Send(screen.OpenEditorMsg{Text: text, Suffix: filepath.Ext(path), Then: func(text string, _ bool) tea.Cmd {
		if before != nil && text == string(before) {
			return s.showTheme(name, path, text)
		}
		return s.make(change{
			what: what, tab: tabTheme,
			do:        func() error { return files.Save(path, []byte(text)) },
			undo:      func() error { return restore(path, before) },
			selectRow: func() { s.selectTheme(name) },
			done:      func() tea.Cmd { return s.showTheme(name, path, text) },
			undone: func() tea.Cmd {
				if before == nil && (s.shownTheme == name || s.savedTheme == name) {
					return s.useTheme(themes.Auto) // the file is gone
				}
				s.shownTheme = ""
				return s.moved()
			},
		})
	}})
}

// restore writes an earlier version of a file, or removes it if there was none.
func restore(path string, before []byte) error {
	if before != nil {
		return files.Save(path, before)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot remove the theme: %w", err)
	}
	return nil
}

// showTheme shows a theme whose file was written. If it is not valid, it says why and offers to edit the file again.
func (s *Screen) showTheme(name, path, text string) tea.Cmd {
	if s.selectTheme(name) {
		s.shownTheme = ""
		return s.preview(name)
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
			return s.writeInEditor(path, []byte(text), text)
		},
	})
}
