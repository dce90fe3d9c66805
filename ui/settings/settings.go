// Package settings is the screen for the preferences of this program: theme, key bindings and remotes, and the
// paths of their files.
package settings

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/commands"
	"bugle/ui/keymap"
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
	screen.UndoStack
	deps          screen.Deps
	src           Sources
	theme         *themes.Theme
	tabs          widget.Tabs
	width, height int

	themeTab *themeTab
	keysTab  *keysTab
	remotes  remotesTab
	files    filesTab
}

// Kinds of tasks.
const (
	taskLoad   = "load"
	taskKeys   = "keys"
	taskRemote = "profile"
	taskEdit   = "edit"
	taskTheme  = "theme"

	taskCommands = "commands"
)

// New returns the screen.
func New(deps screen.Deps, src Sources) *Screen {
	s := &Screen{Base: screen.NewBase(), deps: deps, src: src, theme: deps.Theme, tabs: widget.NewTabs(deps.Theme, tabNames...)}
	does := func(tab int) tabHost {
		return tabHost{&s.Base, s.PushUndo, func() tea.Cmd { return s.openTab(tab) }}
	}
	s.themeTab = newThemeTab(deps.Theme, src.Themes, does(tabTheme))
	s.keysTab = newKeysTab(deps.Theme, src.Keys, does(tabKeys))
	s.remotes = newRemotesTab(deps.Theme)
	s.files = newFilesTab(deps.Theme, src, does(tabFiles))
	s.keysTab.saved = func(c keysSaved) tea.Cmd {
		return tea.Batch(s.keysTab.applyKeys(c), s.files.readAgain()) // a key may be free now, or taken
	}
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Settings" }

// loaded is the content of the files.
type loaded struct {
	keys       keymap.Map
	problems   []keymap.Problem
	themeErrs  []error // errors in custom themes
	remotes    []Remote
	remotesErr error // error of the remotes
	commands   commandsRead
}

// Init reads the files.
func (s *Screen) Init() tea.Cmd {
	src := s.src
	return screen.Go(&s.Base, taskLoad, func(context.Context) (loaded, error) {
		l := loaded{themeErrs: src.Themes.Reload()}
		l.keys, l.problems = src.Keys.Load()
		l.commands = readCommands(src.Commands, l.keys)
		if src.Remotes != nil {
			l.remotes, l.remotesErr = src.Remotes.List()
		}
		return l, nil
	}, func(l loaded, _ error) tea.Cmd {
		s.themeTab.errs = l.themeErrs
		s.themeTab.list.Set(s.src.Themes.Names())
		s.keysTab.set(l.keys, l.problems)
		s.remotes.set(l.remotes, l.remotesErr)
		return s.files.applyCommands(l.commands)
	})
}

// Resume reads them again.
func (s *Screen) Resume() tea.Cmd { return s.Init() }

// Typing reports whether the filter of the keys has the keyboard.
func (s *Screen) Typing() bool { return s.tabs.Active == tabKeys && s.keysTab.list.Filtering() }

// Close restores the saved theme if another one is being previewed.
func (s *Screen) Close() tea.Cmd {
	s.Base.Close()
	return s.themeTab.cancelPreview()
}

// Update handles the mouse, keys that move, and results of tasks.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return s.key(msg)
	case tea.MouseMsg:
		return s.mouse(msg)
	case screen.ChangedMsg:
		return s.Init()
	case screen.Result:
		return msg.Done()
	}
	return nil
}

func (s *Screen) key(msg tea.KeyMsg) tea.Cmd {
	switch s.tabs.Active {
	case tabTheme:
		s.themeTab.list.Key(msg)
		return s.themeTab.preview()
	case tabKeys:
		s.keysTab.key(msg)
	case tabRemotes:
		s.remotes.list.Key(msg)
	case tabFiles:
		s.files.list.Key(msg)
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
	msg.Y -= 2 // the tabs and the frame
	switch s.tabs.Active {
	case tabTheme:
		s.themeTab.list.Mouse(msg)
		return s.themeTab.preview()
	case tabKeys:
		w, _ := s.inner()
		msg.Y -= s.keysTab.headerHeight(w)
		s.keysTab.list.Mouse(msg)
	case tabRemotes:
		s.remotes.list.Mouse(msg)
	case tabFiles:
		s.files.list.Mouse(msg)
	}
	return nil
}

// orNotify returns what takes the result of a task, or tells the user why there is none.
func orNotify[T any](take func(T) tea.Cmd) func(T, error) tea.Cmd {
	return func(v T, err error) tea.Cmd {
		if err != nil {
			return screen.Notify(widget.LevelError, err.Error())
		}
		return take(v)
	}
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
	s.keysTab.list.ApplyFilter()
	s.tabs.Active = tab
	s.layout()
	if tab == tabTheme {
		return nil
	}
	return s.themeTab.cancelPreview()
}

// editFile opens what read returns in the user's editor.
func editFile(tasks *screen.Base, read func() (screen.OpenEditorMsg, error)) tea.Cmd {
	return screen.Go(tasks, taskEdit, func(context.Context) (screen.OpenEditorMsg, error) { return read() },
		orNotify(func(file screen.OpenEditorMsg) tea.Cmd { return screen.Send(file) }))
}
