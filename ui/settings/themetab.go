package settings

import (
	"context"
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
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// themeTab is the tab with the themes.
type themeTab struct {
	tabHost
	theme     *themes.Theme
	themes    Themes
	list      *list.List[string]
	saved     string // the saved theme; others are only previewed
	previewed string
	errs      []error
}

func newThemeTab(t *themes.Theme, own Themes, of tabHost) *themeTab {
	l := &themeTab{tabHost: of, theme: t, themes: own, saved: t.Name, previewed: t.Name}
	l.list = list.Items(t, "theme", l.item)
	l.list.Focused, l.list.Same = true, func(a, b string) bool { return a == b }
	l.list.Set(own.Names())
	l.moveTo(t.Name)
	return l
}

// item returns the row of a theme, with a mark on the saved one.
func (l *themeTab) item(name string) widget.Item {
	item := widget.Item{Icon: " ", Text: name}
	if name == l.saved {
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

// moveTo moves the cursor to a theme and reports whether there is one of that name.
func (l *themeTab) moveTo(name string) bool {
	return l.list.Select(func(n string) bool { return n == name })
}

// selected returns the theme under the cursor.
func (l *themeTab) selected() string {
	name, _ := l.list.Selected()
	return name
}

// setCurrent adopts the current theme, wherever it was chosen.
func (l *themeTab) setCurrent() {
	if name := l.theme.Name; name != l.previewed {
		l.saved, l.previewed = name, name
		l.list.Refresh()
	}
}

// preview shows the theme under the cursor.
func (l *themeTab) preview() tea.Cmd {
	name := l.selected()
	if name == "" || name == l.previewed {
		return nil
	}
	l.previewed = name
	return screen.Send(screen.ThemeMsg{Name: name, Preview: true})
}

func (l *themeTab) cancelPreview() tea.Cmd {
	if l.previewed == l.saved {
		return nil
	}
	l.previewed = l.saved
	return screen.Send(screen.ThemeMsg{Name: l.saved, Preview: true})
}

func (l *themeTab) chooseTheme() tea.Cmd {
	name, before := l.selected(), l.saved
	if name != before {
		l.pushUndo(screen.UndoStep{
			Label: "theme " + name,
			Undo:  func() tea.Cmd { return l.useTheme(before) },
			Redo:  func() tea.Cmd { return l.useTheme(name) },
		})
	}
	return tea.Batch(l.useTheme(name), screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, "Theme set to "+name))
}

// useTheme switches to a theme and moves the cursor to it.
func (l *themeTab) useTheme(name string) tea.Cmd {
	l.open()
	l.saved, l.previewed = name, name
	l.list.Refresh()
	l.moveTo(name)
	return screen.Send(screen.ThemeMsg{Name: name})
}

var themeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 _-]{0,39}$`)

// newTheme asks for a name and opens a file with every token in the editor.
func (l *themeTab) newTheme() tea.Cmd {
	base := l.selected()
	names := l.themes.Names()
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
			if !slices.Contains(themes.Names(), base) {
				base = themes.Auto
			}
			path := filepath.Join(l.themes.Dir(), name+".yaml")
			return screen.Send(screen.OpenEditorMsg{Text: template(base), Suffix: ".yaml", Then: func(text string, _ bool) tea.Cmd { return l.writeTheme(name, path, text) }})
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

// editTheme opens the file of the selected custom theme.
func (l *themeTab) editTheme() tea.Cmd {
	name, dir := l.selected(), l.themes.Dir()
	return editFile(l.tasks, func() (screen.OpenEditorMsg, error) {
		for _, ending := range []string{".yaml", ".yml", ".json"} {
			path := filepath.Join(dir, name+ending)
			b, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return screen.OpenEditorMsg{}, fmt.Errorf("cannot read the theme: %w", err)
			}
			return screen.OpenEditorMsg{Text: string(b), Suffix: ending, Then: func(text string, _ bool) tea.Cmd { return l.writeTheme(name, path, text) }}, nil
		}
		return screen.OpenEditorMsg{}, fmt.Errorf("the file of theme %s was removed", name)
	})
}

// themeSaved reports that the file of a custom theme was written.
type themeSaved struct {
	name, path, text string
	before           *string // the file before; nil if there was none
	undo             bool    // from undo or redo
	errs             []error
}

// writeTheme saves what the editor returned, valid or not, because it is the user's file.
func (l *themeTab) writeTheme(name, path, text string) tea.Cmd {
	list := l.themes
	return screen.Write(l.tasks, taskTheme, func(context.Context) (themeSaved, error) {
		w := themeSaved{name: name, path: path, text: text}
		if b, err := os.ReadFile(path); err == nil {
			old := string(b)
			w.before = &old
		}
		err := saveThemeFile(path, &text)
		w.errs = list.Reload()
		return w, err
	}, orNotify(l.applyTheme))
}

// saveThemeFile writes the file of a theme, or removes it if text is nil.
func saveThemeFile(path string, text *string) error {
	if text == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove the theme: %w", err)
		}
		return nil
	}
	return files.Save(path, []byte(*text))
}

// restoreTheme writes an earlier or later version of a theme's file. A theme whose file is removed is no longer
// used.
func (l *themeTab) restoreTheme(w themeSaved, text *string, said string) tea.Cmd {
	var use tea.Cmd
	if text == nil && (l.previewed == w.name || l.saved == w.name) {
		use = l.useTheme(themes.Auto)
	}
	list := l.themes
	return tea.Batch(use, l.open(), screen.Write(l.tasks, taskTheme, func(context.Context) (themeSaved, error) {
		err := saveThemeFile(w.path, text)
		return themeSaved{name: w.name, path: w.path, undo: true, errs: list.Reload()}, err
	}, orNotify(l.applyTheme)), screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, said))
}

// applyTheme shows the saved theme, or its errors.
func (l *themeTab) applyTheme(w themeSaved) tea.Cmd {
	l.errs = w.errs
	l.list.Set(l.themes.Names())
	if !w.undo && (w.before == nil || *w.before != w.text) {
		what := "edit of the theme " + w.name
		if w.before == nil {
			what = "new theme " + w.name
		}
		l.pushUndo(screen.UndoStep{
			Label: what, OwnNotice: true,
			Undo: func() tea.Cmd { return l.restoreTheme(w, w.before, "Undone: "+what) },
			Redo: func() tea.Cmd { return l.restoreTheme(w, &w.text, "Redone: "+what) },
		})
	}
	switch there := l.moveTo(w.name); {
	case !there && w.undo:
		return nil
	case !there:
		return l.offerEdit(w)
	}
	l.previewed = ""
	return l.preview()
}

// offerEdit shows why the saved theme is invalid, and offers to edit its file again.
func (l *themeTab) offerEdit(w themeSaved) tea.Cmd {
	why := "Its file is not in " + filepath.Dir(w.path) + "."
	for _, err := range w.errs {
		if strings.Contains(err.Error(), filepath.Base(w.path)) {
			why = err.Error()
		}
	}
	return screen.Ask(screen.Question{
		Title: "The theme is not valid yet", Body: why,
		Buttons: []widget.Button{{Label: "Edit again", Key: "e"}, {Label: "Later", Key: "l"}},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return screen.Send(screen.OpenEditorMsg{Text: w.text, Suffix: filepath.Ext(w.path), Then: func(text string, _ bool) tea.Cmd { return l.writeTheme(w.name, w.path, text) }})
		},
	})
}

// editDisabledReason returns why the selected theme cannot be edited.
func (l *themeTab) editDisabledReason() string {
	if slices.Contains(themes.Names(), l.selected()) {
		return "This theme is built in. Press n to make your own based on it."
	}
	return ""
}
