// Package app is the root model of the terminal program: the stack of screens, what lies over
// them (questions, help, palette, notices), the keys that work everywhere, and the way out.
package app

import (
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/keymap"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Factory makes the screen of a route. It fails for a route that it does not know.
type Factory func(screen.Deps, screen.Route) (screen.Screen, error)

// Options are what the root model is made from.
type Options struct {
	Deps    screen.Deps
	Factory Factory
	// First is the route that the program starts with; it is never left but by quitting.
	First screen.Route
	// Themes makes a theme by name.
	Themes func(name string) (themes.Theme, error)
	// ThemeNames lists the themes to choose from; nil stands for those that are built in.
	ThemeNames func() []string
	// PaletteItems are what the palette leads to besides screens: sections of the workspace, settings.
	PaletteItems []screen.PaletteItem
	// Keys are the person's own keys.
	Keys keymap.Map
	// StartupWarnings are told at the start: what is not followed of the person's files.
	StartupWarnings []string
	// Suspend reports whether the program can be suspended, and the shell go on meanwhile.
	Suspend bool
	// Editor returns the command that opens a file in the person's editor.
	Editor func(file string) ([]string, error)
	// Input and Output are the terminal, for the editor; nil: what the program reads and writes.
	Input  io.Reader
	Output io.Writer
	// Clipboard puts a text on the clipboard.
	Clipboard func(text string) error
}

// The least window that screens are drawn in.
const (
	minWidth  = 40
	minHeight = 12
)

// Model is the root model.
type Model struct {
	opts     Options
	bindings bindings
	recent   []string // names of actions that the palette ran, the newest first
	overlays overlays
	notices
	screenStack
	width, height  int
	keyBuffer      keyBuffer
	quitting       bool
	confirmingQuit bool // a screen asks whether the program may end
	link           linkStatus
}

// New makes the root model with its first screen.
func New(o Options) (*Model, error) {
	m := &Model{opts: o, screenStack: screenStack{factory: o.Factory, theme: o.Deps.Theme}, bindings: bindings{o.Keys}, notices: newNotices(o.Deps), link: linkStatus{deps: o.Deps}}
	m.resize(80, 24)
	first, err := o.Factory(o.Deps, o.First)
	if err != nil {
		return nil, err
	}
	m.push(first, o.First)
	return m, nil
}

// Init starts the first screen, and tells what there is to tell.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.top().Init(), loadRecent(m.opts.Deps.Prefs), offerTour(m.opts.Deps)}
	for _, text := range m.opts.StartupWarnings {
		cmds = append(cmds, m.notify(widget.LevelError, text))
	}
	return tea.Batch(cmds...)
}

// Update hands a message to whom it concerns.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		return m, nil
	case tea.KeyMsg:
		return m, m.handleKeys(msg)
	case actionResultMsg:
		return m, m.finishAction(msg)
	case tea.MouseMsg:
		return m, m.handleMouse(msg)
	case screen.Result:
		return m, tea.Batch(m.deliver(msg), m.link.refresh())
	case tea.ResumeMsg:
		// The world went on meanwhile, and the mouse is off after another program had the terminal.
		return m, tea.Batch(tea.ClearScreen, tea.EnableMouseCellMotion, m.broadcast(screen.ChangedMsg{}))
	case recentLoadedMsg:
		m.recent = msg.recent
		return m, nil
	case foundMsg:
		msg.box.found(msg)
		return m, nil
	case prefFailedMsg:
		return m, m.notify(widget.LevelError, msg.err.Error())
	case tourOfferMsg:
		return m, m.show(widget.Toast{Level: widget.LevelInfo, Text: tourOfferText(m.activeActions())}, tourOfferTime)
	case toastTickMsg:
		return m, m.expire(time.Time(msg))
	case linkTickMsg:
		return m, m.link.tick()
	case BackgroundMsg:
		return m, m.background(msg)
	}
	if cmd, taken := m.request(msg); taken {
		return m, cmd
	}
	return m, m.top().Update(msg)
}

// request carries out what a screen asks of the root model.
func (m *Model) request(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case screen.OpenMsg:
		return m.open(msg.Route), true
	case screen.ReplaceMsg:
		return tea.Sequence(m.pop(), m.open(msg.Route)), true
	case screen.BackMsg:
		return m.back(), true
	case EndMsg:
		return m.end(), true
	case screen.QuitMsg:
		return m.quit(), true
	case screen.NotifyMsg:
		return m.notifyAbout(msg.Topic, msg.Level, msg.Text), true
	case screen.AskMsg:
		m.pushOverlay(newQuestion(m.theme, msg.Question))
	case screen.ChooseMsg:
		m.pushOverlay(newChoice(m.theme, msg))
	case screen.InputMsg:
		m.pushOverlay(newInput(m.theme, msg))
	case screen.CaptureKeyMsg:
		m.pushOverlay(newCapture(m.theme, msg))
	case screen.SetKeymapMsg:
		m.bindings.keymap = msg.Keys
	case screen.OpenEditorMsg:
		return m.opts.openEditor(msg), true
	case editorClosedMsg:
		return msg.finish(), true
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

// Idle reports whether nothing is under way: no task, no question. Tests wait for it.
func (m *Model) Idle() bool {
	return m.keyBuffer.pending == 0 && !m.busy()
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
	keep := savePref(m.opts.Deps.Prefs, prefTheme, func(themeChoice) themeChoice { return themeChoice{msg.Name} })
	if t.Name == themes.None && msg.Name != themes.None {
		return tea.Batch(keep, m.notify(widget.LevelWarning, "NO_COLOR is set, so no colors are shown. Unset it to see the theme."))
	}
	return keep
}

func (m *Model) useTheme(t themes.Theme) {
	m.opts.Deps.Theme = t
	m.toasts.SetTheme(t)
	m.setTheme(t)
}

func (o *Options) copy(msg screen.CopyMsg) tea.Cmd {
	if err := o.Clipboard(msg.Text); err != nil {
		return screen.NotifyAbout(screen.TopicCopy, widget.LevelError, "Can't copy "+msg.What+": "+err.Error())
	}
	return screen.NotifyAbout(screen.TopicCopy, widget.LevelSuccess, "Copied "+msg.What)
}
