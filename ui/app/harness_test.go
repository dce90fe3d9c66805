package app

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"bugle/themes"
	"bugle/ui/keymap"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// page is a screen whose behavior a test can set.
type page struct {
	screen.Base
	title         string
	workspace     string
	harness       *harness
	actions       []screen.Action
	typing        bool
	leaveQuestion *screen.Question
	theme         *themes.Theme
	w, h          int
	received      []string // keys and messages that reached it
	resumed       int
	visited       []screen.Route
	saving        tea.Cmd // returned by Close
	accepted      []string
	undone        []string // undo steps, the newest last
	redone        []string
}

func (p *page) Title() string                   { return p.title }
func (p *page) Init() tea.Cmd                   { return p.harness.record("init " + p.title) }
func (p *page) View() string                    { return widget.Fit("("+p.title+" body)", p.w, p.h) }
func (p *page) SetSize(w, h int)                { p.w, p.h = w, h }
func (p *page) Actions() []screen.Action        { return p.actions }
func (p *page) Typing() bool                    { return p.typing }
func (p *page) Resume() tea.Cmd                 { p.resumed++; return nil }
func (p *page) LeaveQuestion() *screen.Question { return p.leaveQuestion }
func (p *page) Route() screen.Route             { return screen.Route{Name: p.title} }
func (p *page) GoTo(r screen.Route) tea.Cmd {
	p.visited = append(p.visited, r)
	return nil
}

func (p *page) Undo() (tea.Cmd, bool) { return step(&p.undone, &p.redone, "Undone: ") }
func (p *page) Redo() (tea.Cmd, bool) { return step(&p.redone, &p.undone, "Redone: ") }

func step(from, to *[]string, done string) (tea.Cmd, bool) {
	n := len(*from)
	if n == 0 {
		return nil, false
	}
	what := (*from)[n-1]
	*from, *to = (*from)[:n-1], append(*to, what)
	return screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, done+what), true
}
func (p *page) Close() tea.Cmd {
	p.Base.Close()
	return tea.Sequence(p.saving, p.harness.record("closed "+p.title))
}

func (p *page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		p.received = append(p.received, msg.String())
	case screen.Result:
		return msg.Done()
	default:
		p.received = append(p.received, fmt.Sprintf("%T", msg))
	}
	return nil
}

// action returns an action that records its label.
func (p *page) action(label string, keys ...string) screen.Action {
	return screen.Action{Keys: keys, Label: label, Group: "Page", BarPriority: 5, Run: func() tea.Cmd {
		p.harness.log = append(p.harness.log, label)
		return nil
	}}
}

// harness runs a root model as the program does: it runs commands and delivers their messages.
type harness struct {
	t      *testing.T
	model  *Model
	pages  map[string]*page
	log    []string
	copied string
	quit   bool
	now    time.Time
	msgs   []tea.Msg // delivered messages
	editor func(string) ([]string, error)
}

func newHarness(t *testing.T, change ...func(*Options)) *harness {
	t.Helper()
	d := &harness{t: t, pages: map[string]*page{}, now: time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)}
	d.editor = func(string) ([]string, error) { return nil, errors.New("There is no editor: set EDITOR.") }
	o := Options{
		Deps: screen.Deps{Theme: themes.Plain(), Now: func() time.Time { return d.now }, Workspace: "DEMO"},
		Factory: func(deps screen.Deps, r screen.Route) (screen.Screen, error) {
			if r.Name == "broken" {
				return nil, errors.New("there is no screen broken")
			}
			p := &page{Base: screen.NewBase(), title: r.Name, theme: deps.Theme, workspace: deps.Workspace, harness: d}
			d.pages[r.Name] = p
			return p, nil
		},
		First: screen.Route{Name: "home"}, Context: t.Context(),
		Themes: func(name string) (*themes.Theme, error) {
			return themes.New(themes.Options{Name: name, DarkBackground: true, Profile: termenv.TrueColor})
		},
		Editor: func(file string) ([]string, error) { return d.editor(file) },
		Clipboard: func(text string) error {
			if text == "refused" {
				return errors.New("no clipboard")
			}
			d.copied = text
			return nil
		},
	}
	for _, c := range change {
		c(&o)
	}
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	d.model = m
	d.run(m.Init())
	return d
}

func (d *harness) record(what string) tea.Cmd {
	return func() tea.Msg { d.log = append(d.log, what); return nil }
}

// open pushes a page.
func (d *harness) open(name string) *page {
	d.send(screen.OpenMsg{Route: screen.Route{Name: name}})
	return d.pages[name]
}

func (d *harness) send(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
		return
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
		return
	case tea.SuspendMsg:
		d.log = append(d.log, "suspended")
		return
	case tea.QuitMsg:
		d.quit = true
		d.log = append(d.log, "quit")
		return
	}
	if v := reflect.ValueOf(msg); v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
		for i := range v.Len() { // tea.Sequence
			d.run(v.Index(i).Interface().(tea.Cmd))
		}
		return
	}
	d.msgs = append(d.msgs, msg)
	_, cmd := d.model.Update(msg)
	d.run(cmd)
}

var timer = regexp.MustCompile(`\.Tick\.func\d+$`)

// run runs a command. Timers are skipped: tests set the clock.
func (d *harness) run(cmd tea.Cmd) {
	if cmd == nil || timer.MatchString(runtime.FuncForPC(reflect.ValueOf(cmd).Pointer()).Name()) {
		return
	}
	d.send(cmd())
}

func (d *harness) press(keys ...string) {
	for _, k := range keys {
		msg, ok := keymap.KeyMsg(k)
		if !ok {
			msg = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
		}
		d.send(msg)
	}
}

func (d *harness) typed(text string) {
	for _, r := range text {
		d.press(string(r))
	}
}

func (d *harness) want(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if !strings.Contains(d.model.View(), text) {
			d.t.Errorf("the window does not show %q:\n%s", text, d.model.View())
		}
	}
}

func (d *harness) wantNot(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if strings.Contains(d.model.View(), text) {
			d.t.Errorf("the window shows %q:\n%s", text, d.model.View())
		}
	}
}

// wantLog compares the log since the last call.
func (d *harness) wantLog(want ...string) {
	d.t.Helper()
	if !slices.Equal(d.log, want) {
		d.t.Errorf("what happened is %q, want %q", d.log, want)
	}
	d.log = nil
}
