// Package settings is the screen for the preferences of this program: theme, key bindings and remotes, and the
// paths of their files.
package settings

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/files"
	"bugle/themes"
	"bugle/ui/commands"
	"bugle/ui/keymap"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Themes is the set of themes to choose from.
type Themes interface {
	Names() []string
	// Reload reads the user's custom themes again and returns the errors in their files.
	Reload() []error
	// Dir is the folder of custom themes.
	Dir() string
}

// Remote is a remote service, or the local store.
type Remote struct {
	Name     string
	Location string // its address and workspace, for display
	Current  bool   // this window uses it
	Default  bool   // the next start without a flag uses it
}

// Remotes lists the local store and the remotes.
type Remotes interface {
	List() ([]Remote, error)
	// Use makes a remote the default for the next start.
	Use(name string) error
}

// File is a file or folder of the program.
type File struct{ Name, Path, About string }

// Sources has what the screen shows and changes.
type Sources struct {
	Themes  Themes
	Keys    keymap.File
	Remotes Remotes
	// Commands are the user's own commands. Their path is also one of Files.
	Commands commands.File
	Files    []File
}

// The tabs.
const (
	tabTheme = iota
	tabKeys
	tabRemotes
	tabFiles
)

var tabNames = []string{"Theme", "Keys", "Remotes", "Files"}

// Screen shows the settings, a tab for each kind.
type Screen struct {
	screen.Base
	src           Sources
	theme         *themes.Theme
	tabs          widget.Tabs
	width, height int

	now     loaded
	themes  *list.List[string]
	keys    *list.List[keyRow]
	remotes *list.List[Remote]
	files   *list.List[File]

	savedTheme string // others are only previewed
	shownTheme string
}

// Kinds of tasks.
const (
	taskLoad   = "load"
	taskChange = "change"
)

// New returns the screen.
func New(deps screen.Deps, src Sources) *Screen {
	t := deps.Theme
	s := &Screen{Base: screen.NewBase(), src: src, theme: t, tabs: widget.NewTabs(t, tabNames...), savedTheme: t.Name, shownTheme: t.Name}
	s.themes = list.Items(t, "theme", s.themeItem)
	s.keys = list.Items(t, "action", s.keyItem)
	s.keys.Filter("name, key or description", nil)
	s.keys.Empty = "No action matches. Press esc to clear the filter."
	s.remotes = list.Items(t, "remote", remoteItem)
	s.files = list.Items(t, "file", fileItem)
	s.files.Empty = "There are no files."
	s.themes.Focused, s.keys.Focused, s.remotes.Focused, s.files.Focused = true, true, true, true
	s.themes.Same = func(a, b string) bool { return a == b }
	s.themes.Set(src.Themes.Names())
	s.themes.Select(func(name string) bool { return name == t.Name })
	s.listKeys()
	s.files.Set(src.Files)
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Settings" }

// loaded is the content of the files, and what is wrong with it.
type loaded struct {
	keys            keymap.Map
	keyProblems     []keymap.Problem
	themeErrors     []error
	remotes         []Remote
	remotesError    error
	commands        []commands.Command
	commandProblems []keymap.Problem
}

func (src Sources) load() loaded {
	l := loaded{themeErrors: src.Themes.Reload()}
	l.keys, l.keyProblems = src.Keys.Load()
	l.commands, l.commandProblems = src.Commands.Load(l.keys)
	if src.Remotes != nil {
		l.remotes, l.remotesError = src.Remotes.List()
	}
	return l
}

// Init reads the files.
func (s *Screen) Init() tea.Cmd {
	return screen.Go(&s.Base, taskLoad, func(context.Context) (loaded, error) { return s.src.load(), nil },
		func(l loaded, _ error) tea.Cmd { return s.show(l) })
}

// Resume reads them again.
func (s *Screen) Resume() tea.Cmd { return s.Init() }

// show shows what was read, and has the program use it.
func (s *Screen) show(l loaded) tea.Cmd {
	s.now = l
	s.themes.Set(s.src.Themes.Names())
	s.listKeys()
	s.remotes.Set(l.remotes)
	cmd := screen.Send(screen.SetKeymapMsg{Keys: l.keys})
	if s.src.Commands.Path != "" {
		cmd = tea.Batch(cmd, screen.Send(screen.SetCommandsMsg{Commands: l.commands}))
	}
	return cmd
}

// change changes a file, reads the files again, and then says so with done.
func (s *Screen) change(do func() error, done func() tea.Cmd) tea.Cmd {
	return screen.Write(&s.Base, taskChange, func(context.Context) (loaded, error) {
		if err := do(); err != nil {
			return loaded{}, err
		}
		return s.src.load(), nil
	}, func(l loaded, err error) tea.Cmd {
		if err != nil {
			return screen.Notify(widget.LevelError, err.Error())
		}
		return tea.Batch(s.show(l), done())
	})
}

// told returns what shows a notice about a change.
func told(text string) func() tea.Cmd {
	return func() tea.Cmd { return screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, text) }
}

// editFile opens a file of the program in the user's editor. What comes back is saved, valid or not, because it is the user's
// file; problems returns what is ignored of it.
func (s *Screen) editFile(path, what string, read func() ([]byte, error), problems func() []keymap.Problem) tea.Cmd {
	b, err := read()
	if err != nil {
		return screen.Notify(widget.LevelError, err.Error())
	}
	return screen.Send(screen.OpenEditorMsg{Text: string(b), Suffix: filepath.Ext(path), Then: func(text string, changed bool) tea.Cmd {
		if _, err := os.Stat(path); err == nil && !changed {
			return nil
		}
		return s.change(func() error { return files.Save(path, []byte(text)) }, func() tea.Cmd {
			if p := problems(); len(p) > 0 {
				return screen.NotifyAbout(screen.TopicEdit, widget.LevelError, fmt.Sprintf("Some of %s was ignored: %s", what, p[0]))
			}
			return told("Loaded " + what + ".")()
		})
	}})
}

// Typing reports whether the filter of the keys has the keyboard.
func (s *Screen) Typing() bool { return s.tabs.Active == tabKeys && s.keys.Filtering() }

// Close restores the saved theme if another one is being previewed.
func (s *Screen) Close() tea.Cmd {
	s.Base.Close()
	return s.preview(s.savedTheme)
}

// Update handles the mouse, keys that move, and results of tasks.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if s.rows().Key(msg) == list.Filtered {
			s.listKeys()
			s.keys.SelectIndex(0)
		}
		return s.moved()
	case tea.MouseMsg:
		return s.mouse(msg)
	case screen.ChangedMsg:
		return s.Init()
	case screen.ThemeMsg: // chosen here or elsewhere
		s.savedTheme, s.shownTheme = msg.Name, msg.Name
		s.themes.Refresh()
	case screen.Result:
		return msg.Done()
	}
	return nil
}

// moved shows the theme under the cursor.
func (s *Screen) moved() tea.Cmd {
	if name, ok := s.themes.Selected(); ok && s.tabs.Active == tabTheme {
		return s.preview(name)
	}
	return nil
}

func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	if msg.Y == 0 && widget.Pressed(msg) {
		if at, ok := s.tabs.At(msg.X - 1); ok {
			return s.openTab(at)
		}
		return nil
	}
	w, _ := s.inner()
	msg.Y -= 2 + len(s.head(w)) // the tabs and the frame
	s.rows().Mouse(msg)
	return s.moved()
}

// PaletteItems lists the tabs for the palette.
func PaletteItems() []screen.PaletteItem {
	out := make([]screen.PaletteItem, len(tabNames))
	for i, name := range tabNames {
		out[i] = screen.PaletteItem{Text: name, Detail: "settings", Kind: "setting", Route: screen.Route{Name: screen.Settings, Query: name}}
	}
	return out
}

// Route returns the route of the screen.
func (s *Screen) Route() screen.Route { return screen.Route{Name: screen.Settings} }

// GoTo opens the tab in a route's query.
func (s *Screen) GoTo(r screen.Route) tea.Cmd {
	if i := slices.Index(tabNames, r.Query); i >= 0 {
		return s.openTab(i)
	}
	return nil
}

// openTab opens a tab and ends the preview of a theme.
func (s *Screen) openTab(tab int) tea.Cmd {
	s.keys.ApplyFilter()
	s.tabs.Active = tab
	if tab == tabTheme {
		return nil
	}
	return s.preview(s.savedTheme)
}
