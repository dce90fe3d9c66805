// Package app is the root model of the terminal program: it owns the stack of screens, the overlays (dialogs,
// help, palette, notices) and the global keys.
package app

import (
	"context"
	"io"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/commands"
	"bugle/ui/keymap"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Factory creates the screen of a route. It returns an error for an unknown route.
type Factory func(screen.Deps, screen.Route) (screen.Screen, error)

// Options configure the root model.
type Options struct {
	Deps    screen.Deps
	Factory Factory
	// First is the route that the program starts with; its screen stays until the program quits.
	First screen.Route
	// Themes returns the theme with that name.
	Themes func(name string) (*themes.Theme, error)
	// ThemeNames lists the themes to choose from; nil means the built-in ones.
	ThemeNames func() []string
	// PaletteItems are destinations of the palette other than screens: sections of the workspace, settings.
	PaletteItems []screen.PaletteItem
	// Keys are the user's key bindings.
	Keys keymap.Map
	// Commands are the user's own commands.
	Commands []commands.Command
	// StartupWarnings are shown at the start: entries of the user's files that are ignored.
	StartupWarnings []string
	// Suspend reports whether the program can be suspended.
	Suspend bool
	// Editor returns the command that opens a file in the user's editor.
	Editor func(file string) ([]string, error)
	// Context ends when the program is told to end. An editor, or whatever else has the terminal, ends with it.
	Context context.Context
	// Input and Output are the terminal for the editor and other programs; nil means those of the program.
	Input  io.Reader
	Output io.Writer
	// Clipboard copies a text to the clipboard.
	Clipboard func(text string) error
	// Say takes each notice in plain mode; nil draws them.
	Say func(level widget.Level, text string)
}

// The minimum window size in which screens are drawn.
const (
	minWidth  = 40
	minHeight = 12
)

// Model is the root model.
type Model struct {
	opts     Options
	bindings bindings
	recent   []string       // names of actions run from the palette, the newest first
	overlays []shownOverlay // the last one is on top
	notices
	screenStack
	width, height  int
	keyBuffer      keyBuffer
	quitting       bool
	editing        bool    // the editor has the terminal
	ending         *EndMsg // arrived while the editor had the terminal
	confirmingQuit bool    // a screen is asking whether to quit
	link           linkStatus
	commands       userCommands
}

// New returns the root model with its first screen.
func New(o Options) (*Model, error) {
	m := &Model{opts: o, screenStack: screenStack{factory: o.Factory, theme: o.Deps.Theme}, bindings: bindings{o.Keys}, notices: notices{now: o.Deps.Now, say: o.Say}, link: linkStatus{deps: o.Deps}, commands: userCommands{list: o.Commands}}
	m.resize(80, 24)
	first, err := o.Factory(o.Deps, o.First)
	if err != nil {
		return nil, err
	}
	m.push(first, o.First)
	return m, nil
}

// Init starts the first screen and shows the startup warnings.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.top().Init()}
	for _, text := range m.opts.StartupWarnings {
		cmds = append(cmds, m.notify(widget.LevelError, text))
	}
	return tea.Batch(cmds...)
}

// Update routes a message to the component that handles it, and tells the screens if another campaign is open then.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.update(msg)
	m.dropOverlays()
	return m, tea.Batch(cmd, m.followTop())
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		return nil
	case tea.KeyMsg:
		return m.handleKeys(msg)
	case actionResultMsg:
		return m.finishAction(msg)
	case tea.MouseMsg:
		return m.handleMouse(msg)
	case screen.Result:
		return m.deliver(msg)
	case tea.ResumeMsg:
		// Data may have changed meanwhile, and the other program has turned the mouse off.
		return tea.Batch(tea.ClearScreen, tea.EnableMouseCellMotion, m.broadcast(screen.ChangedMsg{}))
	case BackgroundMsg:
		return m.background(msg)
	case RunMsg:
		return msg.Run()
	case screen.LaterMsg:
		return msg.Start()
	}
	if cmd, taken := m.request(msg); taken {
		return cmd
	}
	return m.top().Update(msg)
}

// request handles a screen's request to the root model.
func (m *Model) request(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case screen.OpenMsg:
		return m.open(msg.Route), true
	case screen.ReplaceMsg:
		return m.replace(msg.Route), true
	case screen.BackMsg:
		return m.back(), true
	case EndMsg:
		return m.endWith(msg), true
	case screen.NotifyMsg:
		return m.notifyAbout(msg.Topic, msg.Level, msg.Text), true
	case screen.AskMsg:
		m.pushOverlay(newQuestion(m.theme, msg.Question))
	case screen.ChooseMsg:
		m.pushOverlay(newChoice(m.theme, msg))
	case screen.InputMsg:
		m.pushOverlay(newInput(m.theme, msg))
	case screen.ShowMsg:
		m.showOverlay(msg.Overlay, msg.Screen)
		return msg.Start, true
	case screen.CaptureKeyMsg:
		m.pushOverlay(newCapture(m.theme, msg))
	case screen.SetKeymapMsg:
		m.bindings.keymap = msg.Keys
	case screen.SetCommandsMsg:
		m.commands.list = msg.Commands
	case screen.OpenEditorMsg:
		return m.openEditor(msg), true
	case inTerminalMsg:
		return m.opts.giveTerminal(msg), true
	case screen.CopyMsg:
		return m.opts.copy(msg), true
	case screen.HelpMsg:
		return m.help(), true
	case screen.ThemeMsg:
		return m.chooseTheme(msg), true
	case screen.SwitchWorkspaceMsg:
		return m.switchWorkspace(msg), true
	case screen.ChangedMsg:
		return m.broadcast(msg), true
	case screen.DeletedMsg:
		return m.popDeleted(msg.ID), true
	case screen.LinkMsg:
		return m.link.update(msg.Link), true
	default:
		return nil, false
	}
	return nil, true
}

func (m *Model) chooseTheme(msg screen.ThemeMsg) tea.Cmd {
	t, err := m.opts.Themes(msg.Name)
	if err != nil {
		return m.notify(widget.LevelError, err.Error())
	}
	m.useTheme(t)
	if msg.Preview {
		return nil
	}
	keep := tea.Batch(m.broadcast(msg), remember(m.opts.Deps, prefTheme, func(themeChoice) themeChoice { return themeChoice{msg.Name} }))
	if t.Name == themes.None && msg.Name != themes.None {
		return tea.Batch(keep, m.notify(widget.LevelWarning, "NO_COLOR is set, so no colors are shown. Unset it to see the theme."))
	}
	return keep
}

func (m *Model) useTheme(t *themes.Theme) {
	m.theme.Use(t)
	m.setSize(m.screenStack.width, m.screenStack.height)
}

func (o *Options) copy(msg screen.CopyMsg) tea.Cmd {
	if err := o.Clipboard(msg.Text); err != nil {
		return screen.NotifyAbout(screen.TopicCopy, widget.LevelError, "Can't copy "+msg.What+": "+err.Error())
	}
	return screen.NotifyAbout(screen.TopicCopy, widget.LevelSuccess, "Copied "+msg.What)
}
