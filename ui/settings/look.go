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
	"github.com/natefinch/atomic"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// look is the tab of the themes.
type look struct {
	does
	theme  themes.Theme
	own    Themes
	list   widget.List
	names  []string
	kept   string // the theme that was chosen; the others are only looked at
	trying string
	wrong  []error
}

func newLook(t themes.Theme, own Themes, of does) *look {
	names := own.Names()
	l := &look{does: of, theme: t, own: own, list: widget.NewList(t), kept: t.Name, trying: t.Name}
	l.list.Focused = true
	l.set(names)
	l.list.SelectItem(max(slices.Index(names, t.Name), 0))
	return l
}

// set lists the themes, and marks the one that is in use.
func (l *look) set(names []string) {
	under := l.under()
	l.names = names
	items := make([]widget.Item, len(names))
	own := len(themes.Names())
	for i, n := range names {
		items[i] = widget.Item{Icon: " ", Text: n}
		if n == l.kept {
			items[i].Icon, items[i].IconTone = "✓", themes.ToneSuccess
		}
		if n == themes.Auto {
			items[i].Info, items[i].InfoTone = "as your terminal", themes.ToneMuted
		}
		if i >= own {
			items[i].Info, items[i].InfoTone = "own", themes.ToneMuted
		}
	}
	l.list.SetItems(items)
	if at := slices.Index(names, under); at >= 0 {
		l.list.SelectItem(at)
	}
}

// under is the theme under the cursor.
func (l *look) under() string {
	if at := l.list.Cursor; at < len(l.names) {
		return l.names[at]
	}
	return ""
}

// themed takes note of a theme that is drawn with, wherever it was chosen.
func (l *look) themed(t themes.Theme) {
	l.theme = t
	l.list.SetTheme(t)
	if t.Name != l.trying {
		l.kept, l.trying = t.Name, t.Name
		l.set(l.names)
	}
}

// try shows the theme under the cursor.
func (l *look) try() tea.Cmd {
	name := l.under()
	if name == "" || name == l.trying {
		return nil
	}
	l.trying = name
	return screen.Send(screen.ThemeMsg{Name: name, Preview: true})
}

func (l *look) backToKept() tea.Cmd {
	if l.trying == l.kept {
		return nil
	}
	l.trying = l.kept
	return screen.Send(screen.ThemeMsg{Name: l.kept, Preview: true})
}

func (l *look) chooseTheme() tea.Cmd {
	name, before := l.under(), l.kept
	if name != before {
		l.did(screen.UndoStep{
			Label: "theme " + name,
			Undo:  func() tea.Cmd { return l.useTheme(before) },
			Redo:  func() tea.Cmd { return l.useTheme(name) },
		})
	}
	return tea.Batch(l.useTheme(name), screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, "Theme set to "+name))
}

// useTheme uses a theme, with the cursor on it.
func (l *look) useTheme(name string) tea.Cmd {
	l.open()
	l.kept, l.trying = name, name
	l.set(l.names)
	l.list.SelectItem(max(slices.Index(l.names, name), 0))
	return screen.Send(screen.ThemeMsg{Name: name})
}

var themeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 _-]{0,39}$`)

// newTheme asks for a name and opens a file with every token in the editor.
func (l *look) newTheme() tea.Cmd {
	base := l.under()
	names := l.own.Names()
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
			path := filepath.Join(l.own.Dir(), name+".yaml")
			return screen.Send(screen.OpenEditorMsg{Text: template(base), Suffix: ".yaml", Then: func(text string, _ bool) tea.Cmd { return l.writeTheme(name, path, text) }})
		},
	})
}

// template is the file of a theme that changes nothing yet.
func template(base string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Your own theme, based on another one. Colors are \"#rrggbb\", in quotes, or a number from 0 to 255.\n# Remove the # in front of the tokens you change.\nbase: %s\ntokens:\n", base)
	for _, t := range themes.TokenNames() {
		fmt.Fprintf(&b, "  # %s: \"#808080\"\n", t)
	}
	return b.String()
}

// editTheme opens the file of the own theme under the cursor.
func (l *look) editTheme() tea.Cmd {
	name, dir := l.under(), l.own.Dir()
	return l.run(taskEdit, func(context.Context) (any, error) {
		for _, ending := range []string{".yaml", ".yml", ".json"} {
			path := filepath.Join(dir, name+ending)
			b, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("cannot read the theme: %w", err)
			}
			return opened{string(b), ending, func(text string, _ bool) tea.Cmd { return l.writeTheme(name, path, text) }}, nil
		}
		return nil, fmt.Errorf("the file of theme %s was removed", name)
	})
}

// themeWritten is an own theme whose file was written.
type themeWritten struct {
	name, path, text string
	before           *string // the file as it was; nil where there was none
	known            bool    // it was undone or redone
	wrong            []error
}

// writeTheme keeps what the editor left, right or wrong: it is the person's file.
func (l *look) writeTheme(name, path, text string) tea.Cmd {
	list := l.own
	return l.run(taskTheme, func(context.Context) (any, error) {
		w := themeWritten{name: name, path: path, text: text}
		if b, err := os.ReadFile(path); err == nil {
			old := string(b)
			w.before = &old
		}
		err := putTheme(path, &text)
		w.wrong = list.Reload()
		return w, err
	})
}

// putTheme writes the file of a theme; without a text it removes it.
func putTheme(path string, text *string) error {
	if text == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove the theme: %w", err)
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("cannot write the theme: %w", err)
	}
	if err := atomic.WriteFile(path, strings.NewReader(*text)); err != nil {
		return fmt.Errorf("cannot write the theme: %w", err)
	}
	return nil
}

// themeBack writes the file of a theme as it was before or after an edit. A theme whose file goes away is not
// used any more.
func (l *look) themeBack(w themeWritten, text *string, said string) tea.Cmd {
	var use tea.Cmd
	if text == nil && (l.trying == w.name || l.kept == w.name) {
		use = l.useTheme(themes.Auto)
	}
	list := l.own
	return tea.Batch(use, l.open(), l.run(taskTheme, func(context.Context) (any, error) {
		err := putTheme(w.path, text)
		return themeWritten{name: w.name, path: w.path, known: true, wrong: list.Reload()}, err
	}), screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, said))
}

// themeIs shows the theme that was written, or what is wrong with it.
func (l *look) themeIs(w themeWritten) tea.Cmd {
	l.wrong = w.wrong
	l.set(l.own.Names())
	at := slices.Index(l.names, w.name)
	if !w.known && (w.before == nil || *w.before != w.text) {
		what := "edit of the theme " + w.name
		if w.before == nil {
			what = "new theme " + w.name
		}
		l.did(screen.UndoStep{
			Label: what, OwnNotice: true,
			Undo: func() tea.Cmd { return l.themeBack(w, w.before, "Undone: "+what) },
			Redo: func() tea.Cmd { return l.themeBack(w, &w.text, "Redone: "+what) },
		})
	}
	switch {
	case at < 0 && w.known:
		return nil
	case at < 0:
		return l.askAgain(w)
	}
	l.list.SelectItem(at)
	l.trying = ""
	return l.try()
}

// askAgain says why the theme that was written cannot be used, and offers to go on with its file.
func (l *look) askAgain(w themeWritten) tea.Cmd {
	why := "Its file is not in " + filepath.Dir(w.path) + "."
	for _, err := range w.wrong {
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

// whyNoEdit says why the theme under the cursor has no file.
func (l *look) whyNoEdit() string {
	if l.list.Cursor < len(themes.Names()) {
		return "This theme is built in. Press n to make your own based on it."
	}
	return ""
}
