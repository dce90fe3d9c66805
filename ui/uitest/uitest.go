// Package uitest drives a screen in tests with keys and clicks and reads the text it draws. The screen runs on
// the root model, so that its actions are dispatched and its dialogs open as in the program; commands run until
// none is left.
package uitest

import (
	"errors"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/edit"
	"bugle/themes"
	"bugle/ui/app"
	"bugle/ui/keymap"
	"bugle/ui/screen"
)

// Now is the time in tests: a Saturday morning.
var Now = time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)

// Deps returns the dependencies of a screen under test: the plain theme, a clock stopped at [Now], and the
// author ann@example.com. Screens with the same dependencies share what can be undone.
func Deps(s engine.Service) screen.Deps {
	return screen.Deps{
		Service: s, Theme: themes.Plain(), Now: func() time.Time { return Now }, Location: time.UTC,
		Author: "ann@example.com", Workspace: "DEMO", DataDir: "data", History: &edit.History{},
	}
}

// Harness is a window with one screen.
type Harness struct {
	t             testing.TB
	model         *app.Model
	screen        screen.Screen
	width, height int
	holding       bool // commands are held back
	heldCmds      []tea.Cmd
	running       chan tea.Msg // the messages of those that Until has started

	// Opened are the routes that the screen opened, the newest last.
	Opened []screen.Route
	// Copied are the texts copied to the clipboard.
	Copied []string
	// Quit reports whether the program has ended.
	Quit bool
}

const first = "under test"

// New opens the screen in a window of w×h cells, including header and status bar, and runs its first commands.
// A route that the screen opens is recorded and shown as an empty screen.
func New(t testing.TB, s screen.Screen, w, h int) *Harness {
	t.Helper()
	hs := &Harness{t: t, screen: s}
	hs.open(app.Options{Deps: Deps(nil), First: screen.Route{Name: first}, Factory: hs.factory}, w, h)
	return hs
}

// Program starts the program with its own screens, deps and theme. Themes, Editor and Clipboard default to
// those of [New].
func Program(t testing.TB, o app.Options, w, h int) *Harness {
	t.Helper()
	hs := &Harness{t: t}
	hs.open(o, w, h)
	return hs
}

func (h *Harness) open(o app.Options, width, height int) {
	h.t.Helper()
	if o.Themes == nil {
		o.Themes = func(string) (*themes.Theme, error) { return themes.Plain(), nil }
	}
	if o.Editor == nil {
		o.Editor = func(string) ([]string, error) { return nil, errors.New("there is no editor in this test") }
	}
	if o.Clipboard == nil {
		o.Clipboard = func(text string) error { h.Copied = append(h.Copied, text); return nil }
	}
	o.Context = h.t.Context()
	model, err := app.New(o)
	if err != nil {
		h.t.Fatal(err)
	}
	h.model, h.running = model, make(chan tea.Msg, 100)
	h.t.Cleanup(func() { // close the screens as the program does when it ends
		if !h.Quit {
			h.holding = false
			h.Send(app.EndMsg{Saved: make(chan struct{})})
		}
	})
	h.Resize(width, height)
	h.run(model.Init())
}

// View returns the window with colors.
func (h *Harness) View() string { return h.model.View() }

func (h *Harness) factory(_ screen.Deps, r screen.Route) (screen.Screen, error) {
	if r.Name == first {
		return h.screen, nil
	}
	h.Opened = append(h.Opened, r)
	return &blank{Base: screen.NewBase(), title: r.Name}, nil
}

// Resize changes the size of the window.
func (h *Harness) Resize(width, height int) {
	h.width, h.height = width, height
	h.Send(tea.WindowSizeMsg{Width: width, Height: height})
}

// Press presses keys, spelled as in tea.KeyMsg: "n", "enter", "shift+tab".
func (h *Harness) Press(keys ...string) {
	h.t.Helper()
	for _, k := range keys {
		h.Send(Key(k))
	}
}

// Type types a text, character by character.
func (h *Harness) Type(text string) {
	for _, r := range text {
		h.Send(Key(string(r)))
	}
}

// Script follows parts in order: "?text" expects that the window shows the text, "!text" that it does not, ">text" types it,
// "@text" clicks on it, and all else are keys with blanks between them. It returns how many keys were pressed.
func (h *Harness) Script(parts ...string) (keys int) {
	h.t.Helper()
	for _, part := range parts {
		switch part[0] {
		case '?':
			h.Want(part[1:])
		case '!':
			h.WantNot(part[1:])
		case '>':
			h.Type(part[1:])
		case '@':
			h.ClickOn(part[1:])
		default:
			for _, key := range strings.Fields(part) {
				if key == "space" {
					key = " "
				}
				h.Press(key)
				keys++
			}
		}
	}
	return keys
}

// FromPalette runs the action that the palette finds first.
func (h *Harness) FromPalette(words string) {
	h.Press("ctrl+k")
	h.Type(words)
	h.Press("enter")
}

// Click clicks a cell of the window, counted from 0.
func (h *Harness) Click(x, y int) {
	h.Send(tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
}

// ClickOn clicks the first place where the window shows text.
func (h *Harness) ClickOn(text string) {
	h.t.Helper()
	for y, line := range strings.Split(h.Text(), "\n") {
		if at := strings.Index(line, text); at >= 0 {
			h.Click(len([]rune(line[:at])), y)
			return
		}
	}
	h.t.Fatalf("the window does not show %q:\n%s", text, h.Text())
}

// Wheel turns the mouse wheel over a cell of the window.
func (h *Harness) Wheel(x, y int, down bool) {
	b := tea.MouseButtonWheelUp
	if down {
		b = tea.MouseButtonWheelDown
	}
	h.Send(tea.MouseMsg{X: x, Y: y, Button: b, Action: tea.MouseActionPress})
}

// Send delivers messages and runs the resulting commands.
func (h *Harness) Send(msgs ...tea.Msg) {
	for _, msg := range msgs {
		h.deliver(msg)
	}
}

// LastRoute returns the route that was opened last; the zero route if there is none.
func (h *Harness) LastRoute() screen.Route {
	if len(h.Opened) == 0 {
		return screen.Route{}
	}
	return h.Opened[len(h.Opened)-1]
}

// Text returns the window as plain text without trailing blanks.
func (h *Harness) Text() string {
	lines := strings.Split(h.model.View(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

// Want fails the test unless the window shows every text.
func (h *Harness) Want(texts ...string) {
	h.t.Helper()
	for _, text := range texts {
		if !strings.Contains(h.Text(), text) {
			h.t.Errorf("the window does not show %q:\n%s", text, h.Text())
		}
	}
}

// WantNot fails the test if the window shows one of the texts.
func (h *Harness) WantNot(texts ...string) {
	h.t.Helper()
	for _, text := range texts {
		if strings.Contains(h.Text(), text) {
			h.t.Errorf("the window shows %q:\n%s", text, h.Text())
		}
	}
}

// DisabledReason returns why the action of that key or label is disabled, and fails the test if the screen has no such
// action.
func (h *Harness) DisabledReason(key string) string {
	h.t.Helper()
	for _, a := range slices.Concat(h.model.Actions(), h.screen.Actions()) {
		if a.HasKey(key) || a.Label == key {
			return a.DisabledReason
		}
	}
	h.t.Errorf("no action has the key %q", key)
	return ""
}

// commandTime is how long a command may run before the test fails.
const commandTime = 20 * time.Second

// run runs a command and the commands that follow from it. Commands run concurrently, as in the program, and their results
// are delivered in the order in which they began, partial results first. Timers are skipped.
func (h *Harness) run(cmd tea.Cmd) {
	h.t.Helper()
	if h.holding && cmd != nil {
		h.heldCmds = append(h.heldCmds, cmd)
		return
	}
	var waiting []chan tea.Msg
	start := func(cmd tea.Cmd) {
		if cmd == nil || timers.MatchString(nameOf(cmd)) {
			return
		}
		done := make(chan tea.Msg, 1)
		go func() { done <- cmd() }()
		if partial.MatchString(nameOf(cmd)) {
			waiting = append([]chan tea.Msg{done}, waiting...)
		} else {
			waiting = append(waiting, done)
		}
	}
	start(cmd)
	limit := time.NewTimer(commandTime)
	defer limit.Stop()
	for len(waiting) > 0 {
		select {
		case msg := <-waiting[0]:
			waiting = waiting[1:]
			if batch, ok := msg.(tea.BatchMsg); ok {
				for _, c := range batch {
					start(c)
				}
				continue
			}
			h.deliver(msg)
		case <-limit.C:
			h.t.Fatalf("a command is still running after %s:\n%s", commandTime, h.Text())
		}
	}
}

func (h *Harness) deliver(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
		return
	case tea.BatchMsg:
		if h.holding {
			h.heldCmds = append(h.heldCmds, msg...)
			return
		}
		h.run(func() tea.Msg { return msg })
		return
	case tea.QuitMsg:
		h.Quit = true
		return
	}
	if cmds := sequence(msg); cmds != nil {
		for _, c := range cmds {
			h.run(c)
		}
		return
	}
	_, cmd := h.model.Update(msg)
	h.run(cmd)
}

// sequence returns the commands of tea.Sequence, whose message type is not exported.
func sequence(msg tea.Msg) []tea.Cmd {
	v := reflect.ValueOf(msg)
	if v.Kind() != reflect.Slice || v.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
		return nil
	}
	cmds := make([]tea.Cmd, v.Len())
	for i := range cmds {
		cmds[i], _ = v.Index(i).Interface().(tea.Cmd)
	}
	return cmds
}

// timers are the commands of tea.Tick and tea.Every, and partial those that wait for the next part of a stream.
var (
	timers  = regexp.MustCompile(`\.(Tick|Every)\.func\d+$`)
	partial = regexp.MustCompile(`screen\.Stream\[\.\.\.\]\.func1$`)
)

func nameOf(cmd tea.Cmd) string { return runtime.FuncForPC(reflect.ValueOf(cmd).Pointer()).Name() }

// Key returns the message for a key name as tea.KeyMsg spells it; any other text is typed at once.
func Key(name string) tea.KeyMsg {
	if k, ok := keymap.KeyMsg(name); ok {
		return k
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

func goldenFile(name string) string { return filepath.Join("testdata", name+".golden") }
