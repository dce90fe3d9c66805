package app_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"bugle/themes"
	"bugle/ui/app"
	"bugle/ui/keymap"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/widget"
)

// page is a screen whose behavior a test sets.
type page struct {
	screen.Base
	world    *world
	title    string
	deps     screen.Deps
	actions  []screen.Action
	typing   bool
	guard    *screen.Question
	badge    string
	field    *screen.Field
	on       func(key string) // called for a key that is no action
	received []string         // keys and messages that reached it
	w, h     int
}

func (p *page) Title() string                   { return p.title }
func (p *page) Init() tea.Cmd                   { return p.world.record("init " + p.title) }
func (p *page) View() string                    { return widget.Fit("("+p.title+" body)", p.w, p.h) }
func (p *page) SetSize(w, h int)                { p.w, p.h = w, h }
func (p *page) Actions() []screen.Action        { return p.actions }
func (p *page) Typing() bool                    { return p.typing }
func (p *page) Resume() tea.Cmd                 { return p.world.record("resumed " + p.title) }
func (p *page) LeaveQuestion() *screen.Question { return p.guard }
func (p *page) Route() screen.Route             { return screen.Route{Name: p.title} }
func (p *page) GoTo(screen.Route) tea.Cmd       { return p.world.record("went to " + p.title) }
func (p *page) Badge() (string, themes.Tone)    { return p.badge, themes.ToneWarning }

func (p *page) FocusedField() (screen.Field, bool) {
	if p.field == nil {
		return screen.Field{}, false
	}
	return *p.field, true
}

func (p *page) Close() tea.Cmd {
	p.Base.Close()
	return p.world.record("closed " + p.title)
}

func (p *page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		p.received = append(p.received, msg.String())
		if p.on != nil {
			p.on(msg.String())
		}
	case screen.Result:
		return msg.Done()
	default:
		p.received = append(p.received, fmt.Sprintf("%T", msg))
	}
	return nil
}

// add adds an action that records its label.
func (p *page) add(label string, keys ...string) *screen.Action {
	p.actions = append(p.actions, screen.Action{Keys: keys, Label: label, Group: "Page", BarPriority: 5, Run: func() tea.Cmd {
		p.world.log = append(p.world.log, label)
		return nil
	}})
	return &p.actions[len(p.actions)-1]
}

// world is the program with pages as its screens.
type world struct {
	*uitest.Harness
	t     *testing.T
	deps  screen.Deps
	home  *page            // the first one
	pages map[string]*page // the newest of each name
	log   []string
	now   time.Time
}

// options returns the options of the program, and the world of its pages.
func options(t *testing.T) (*world, app.Options) {
	d := &world{t: t, pages: map[string]*page{}, now: uitest.Now, deps: uitest.Deps(nil)}
	d.deps.Now = func() time.Time { return d.now }
	return d, app.Options{
		Deps: d.deps, First: screen.Route{Name: "home"},
		Factory: func(deps screen.Deps, r screen.Route) (screen.Screen, error) {
			if r.Name == "broken" {
				return nil, errors.New("there is no screen broken")
			}
			p := &page{Base: screen.NewBase(), world: d, title: r.Name, deps: deps}
			d.pages[r.Name] = p
			return p, nil
		},
		Themes: func(name string) (*themes.Theme, error) {
			return themes.New(themes.Options{Name: name, DarkBackground: true, Profile: termenv.Ascii})
		},
	}
}

func newWorld(t *testing.T, change ...func(*app.Options)) *world {
	t.Helper()
	d, o := options(t)
	for _, c := range change {
		c(&o)
	}
	d.Harness = uitest.Program(t, o, 80, 24)
	d.home, d.log = d.pages[o.First.Name], nil
	return d
}

func (d *world) record(what string) tea.Cmd {
	return func() tea.Msg { d.log = append(d.log, what); return nil }
}

// open opens a page, without a trace in the log.
func (d *world) open(name, id string) *page {
	d.Send(screen.OpenMsg{Route: screen.Route{Name: name, ID: id}})
	d.log = nil
	return d.pages[name]
}

func (d *world) notify(level widget.Level, text string) {
	d.Send(screen.NotifyMsg{Level: level, Text: text})
}

// line returns a line of the window; -1 is the last one, the status bar.
func (d *world) line(i int) string {
	lines := strings.Split(d.Text(), "\n")
	return lines[(i+len(lines))%len(lines)]
}

// wantLog compares what happened since the last call.
func (d *world) wantLog(want ...string) {
	d.t.Helper()
	if !slices.Equal(d.log, want) {
		d.t.Errorf("what happened is %q, want %q", d.log, want)
	}
	d.log = nil
}

// wantReceived compares what reached a page since the last call.
func (d *world) wantReceived(p *page, want ...string) {
	d.t.Helper()
	if !slices.Equal(p.received, want) {
		d.t.Errorf("%s received %q, want %q", p.title, p.received, want)
	}
	p.received = nil
}

// runes returns letters that are read at once.
func runes(text string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text)} }

func TestKeyDispatchOrder(t *testing.T) {
	d := newWorld(t)
	d.home.add("alpha", "a")
	d.home.add("own esc", "esc")
	d.home.add("info", "i").HelpOnly = true
	d.home.add("publish", "p").DisabledReason = "It is published already."
	d.Press("a", "esc", "i", "z")
	d.wantLog("alpha", "own esc")
	d.wantReceived(d.home, "i", "z")

	d.Press("p")
	d.Want("! It is published already.") // until the next key
	d.Press("?")
	d.Script("!! It is published already.", "?Keys — home", "?– It is published already.", "a")
	d.wantLog() // the overlay has the keyboard
	d.Script("esc", "!Keys — home")

	d.home.typing = true
	d.Press("a", "q", "?")
	d.wantReceived(d.home, "a", "q", "?")
	d.Script("?f1 help", "f1", "?Keys — home", "esc")

	d.home.typing = false
	d.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("a"), Paste: true})
	d.wantLog()
	d.wantReceived(d.home, "[a]")
}

// Letters that were read late arrive as one message: each is a key, until one opens a text field. There they are text, even if
// they are the name of a key.
func TestRunesInOneMessage(t *testing.T) {
	d := newWorld(t)
	d.home.add("alpha", "a")
	d.home.add("filter", "/").Run = func() tea.Cmd { d.home.typing = true; return nil }
	d.Send(runes("az/araq"))
	d.wantLog("alpha")
	d.wantReceived(d.home, "z", "araq")
	for _, word := range []string{"end", "up", "home", "space"} {
		d.home.add("the key", word).WhileTyping = true
		d.Send(runes(word))
		if got := strings.Join(d.home.received, ""); got != word || len(d.log) > 0 {
			t.Errorf("of %q the screen received %q, and %q happened", word, d.home.received, d.log)
		}
		d.home.received = nil
	}
}

// Keys that were read together with the key that opens something belong to what it opens, unless that is slow.
func TestTypeAhead(t *testing.T) {
	d := newWorld(t)
	d.home.add("alpha", "y")
	d.home.add("delete", "x").Run = func() tea.Cmd {
		return screen.Ask(screen.Question{Title: "Really?", Then: func(widget.Answer) tea.Cmd { return d.record("answered") }})
	}
	released := make(chan struct{})
	d.home.add("work", "s").Run = func() tea.Cmd {
		return func() tea.Msg { <-released; return screen.NotifyMsg{Text: "Worked."} }
	}
	d.home.on = func(key string) {
		if key == "z" {
			close(released)
		}
	}
	d.Send(runes("xy"))
	d.wantLog("answered")
	d.Send(runes("sz"))
	d.Want("Worked.")
}

// The same keymap drives dispatch, status bar, help and palette.
func TestCustomKeysApplyEverywhere(t *testing.T) {
	keys, problems := keymap.Parse([]byte("activity.delete-all: [ctrl+a, X]\nactivity.copy: []\napp.quit: Q\napp.palette: ctrl+p\n"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	d := newWorld(t, func(o *app.Options) { o.First.Name, o.Keys = "activity", keys })
	d.home.add("delete all", "x")
	d.home.add("copy", "y")
	d.Script("?ctrl+a delete all", "ctrl+a X")
	d.wantLog("delete all", "delete all")
	d.Press("x", "Y", "q")
	d.wantLog()
	d.wantReceived(d.home, "x", "Y", "q")
	d.Press("?")
	d.Script("?ctrl+a", "?Q  ", "!Y  ", "esc ctrl+p", "?Palette", "?copy", "?ctrl+a", "ctrl+p", "!Palette")

	d.home.actions[0].WhileTyping, d.home.typing = true, true
	d.Press("X", "Q")
	d.wantReceived(d.home, "X", "Q")
	d.Press("ctrl+a")
	d.wantLog("delete all")
	d.Send(screen.SetKeymapMsg{})
	d.home.typing = false
	d.Press("x")
	d.wantLog("delete all")
}

// ctrl+z undoes on every screen, also in a text field. Suspending is only in the palette, found by the beginning of that word.
func TestUndoAndSuspend(t *testing.T) {
	d := newWorld(t, func(o *app.Options) { o.Suspend = true })
	for _, typing := range []bool{false, true} {
		d.home.typing = typing
		d.Script("ctrl+z", "?Nothing to undo", "ctrl+y", "?Nothing to redo")
		d.WantNot("Nothing to undo") // the same notice
	}
	do := func(what string) func() tea.Cmd { return func() tea.Cmd { return d.record(what) } }
	for _, label := range []string{"Title", "Sender"} {
		d.home.PushUndo(screen.UndoStep{Label: label, Undo: do("un" + label), Redo: do("re" + label)})
	}
	d.Script("ctrl+z ctrl+z", "?Undone: Title", "ctrl+y", "?Redone: Title")
	d.wantLog("unSender", "unTitle", "reTitle")

	for _, text := range []string{"pend", "the shell", "spd"} {
		d.Press("ctrl+k")
		d.Type(text)
		d.Script("!return to the shell", "esc")
	}
	d.FromPalette("susp")
	d.Send(tea.ResumeMsg{})
	if got := d.home.received; len(got) < 2 || got[0] != "tea.SuspendMsg" || got[1] != "screen.ChangedMsg" { // changed meanwhile
		t.Errorf("the screen received %q", got)
	}
}

func TestTooSmallWindowIgnoresKeys(t *testing.T) {
	d := newWorld(t)
	d.home.add("alpha", "a")
	d.Resize(20, 5)
	d.Script("?40×12", "a q z")
	d.Click(3, 3)
	d.wantLog()
	d.wantReceived(d.home)
	d.Resize(60, 20)
	d.Want("(home body)")
	d.Send(tea.WindowSizeMsg{}) // some terminals start like this
	if d.home.w != 80 || d.home.h != 22 {
		t.Errorf("the screen has %d×%d cells", d.home.w, d.home.h)
	}
	d.Resize(20, 5)
	d.Press("ctrl+c")
	d.wantLog("closed home")
}

// A notice disappears by itself; an error stays until the user, having had the time to read it, presses a key.
func TestNotices(t *testing.T) {
	d := newWorld(t, func(o *app.Options) { o.StartupWarnings = []string{"keys.yaml, line 3: no such action"} })
	d.Want("✗ keys.yaml, line 3")
	d.notify(widget.LevelSuccess, "Saved.")
	d.Script("z", "?Saved.", "?✗ keys.yaml")
	d.now = d.now.Add(time.Hour)
	d.Script("!Saved.", "?✗ keys.yaml", "z", "!keys.yaml")

	d.Resize(60, 20)
	d.Send(screen.AskMsg{Question: screen.Question{Title: "Sure?", Body: strings.Repeat("It is a long question. ", 24)}})
	d.notify(widget.LevelError, "The disk is full.")
	d.Want("Sure?", "Yes", "No", "The disk is full.")
}

func TestCopyAndChanged(t *testing.T) {
	var refuse error
	d := newWorld(t, func(o *app.Options) { o.Clipboard = func(string) error { return refuse } })
	top := d.open("top", "")
	d.Send(screen.CopyMsg{Text: "abc", What: "the id"})
	d.Want("Copied the id")
	refuse = errors.New("no clipboard")
	d.Send(screen.CopyMsg{Text: "abc", What: "the id"}, screen.ChangedMsg{ID: "1"})
	d.Want("Can't copy the id: no clipboard")
	d.wantReceived(d.home, "screen.ChangedMsg")
	d.wantReceived(top, "screen.ChangedMsg")
}

// The picker shows the whole program in the highlighted theme. Only the chosen one is kept for the next start.
func TestThemePicker(t *testing.T) {
	kept := prefs.NewInMemory()
	d := newWorld(t, func(o *app.Options) { o.Deps.Prefs = kept })
	want := func(shown, stored string) {
		t.Helper()
		if name, err := app.Theme(kept); d.home.deps.Theme.Name != shown || name != stored || err != nil {
			t.Errorf("the theme is %s and that of the next start %q (%v), want %s and %q", d.home.deps.Theme.Name, name, err, shown, stored)
		}
	}
	d.Send(screen.ThemeMsg{Name: "dark"})
	d.FromPalette("choose a theme")
	d.Script("?dark (in use)", "?enter choose", "down")
	want("light", "dark")
	d.Press("esc")
	want("dark", "dark")
	d.FromPalette("choose a theme")
	d.Press("down", "down", "enter")
	want("high-contrast", "high-contrast")
	d.Send(screen.ThemeMsg{Name: "mauve"})
	d.Want(`there is no theme "mauve"`)
	want("high-contrast", "high-contrast")
}

// A terminal reports its background after the program has been drawn. The report also holds for the next start.
func TestBackground(t *testing.T) {
	dark, kept := true, prefs.NewInMemory()
	d := newWorld(t, func(o *app.Options) {
		o.Deps.Prefs = kept
		o.Themes = func(name string) (*themes.Theme, error) {
			return themes.New(themes.Options{Name: name, DarkBackground: dark})
		}
	})
	d.Send(screen.ThemeMsg{Name: themes.Auto})
	for _, dark = range []bool{true, false, true} {
		d.Send(app.BackgroundMsg{Dark: dark})
		if shown := d.home.deps.Theme.DarkBackground; shown != dark || app.Dark(kept) != dark {
			t.Errorf("dark %t: drawn for dark %t; for the next start %t", dark, shown, app.Dark(kept))
		}
	}
}
