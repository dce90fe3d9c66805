package settings_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"bugle/engine"
	"bugle/themes"
	"bugle/ui/app"
	"bugle/ui/keymap"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/settings"
	"bugle/ui/uitest"
	"bugle/ui/widget"
)

// fakeThemes are the themes of a folder, displayed under another path so that golden files do not change.
type fakeThemes struct {
	dir, shown string
	mu         sync.Mutex
	set        themes.Set
}

func (s *fakeThemes) Names() []string { s.mu.Lock(); defer s.mu.Unlock(); return s.set.Names() }

func (s *fakeThemes) Dir() string {
	if s.shown != "" {
		return s.shown
	}
	return s.dir
}

func (s *fakeThemes) Reload() []error {
	set, wrong := themes.Load(s.dir)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set = set
	return wrong
}

func (s *fakeThemes) get(name string) (*themes.Theme, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set.New(themes.Options{Name: name, DarkBackground: true, Profile: termenv.Ascii})
}

// fakeRemotes are the remotes of a test.
type fakeRemotes struct {
	all  []settings.Remote
	fail error
}

func (l *fakeRemotes) List() ([]settings.Remote, error) { return slices.Clone(l.all), l.fail }

func (l *fakeRemotes) Use(name string) error {
	for i := range l.all {
		l.all[i].Default = l.all[i].Name == name
	}
	return l.fail
}

// harness is the settings screen of a program with its files.
type harness struct {
	*uitest.Harness
	keys  keymap.File
	shelf *fakeThemes
	list  *fakeRemotes
	prefs *prefs.Prefs
}

func open(t *testing.T, change ...func(*harness)) *harness {
	t.Helper()
	dir := t.TempDir()
	d := &harness{
		keys:  keymap.File{Path: filepath.Join(dir, "keys.yaml")},
		shelf: &fakeThemes{dir: filepath.Join(dir, "themes")},
		prefs: prefs.NewInMemory(),
		list: &fakeRemotes{all: []settings.Remote{
			{Name: "local", Location: "~/.local/share/bugle", Current: true, Default: true},
			{Name: "prod", Location: "W1 at https://api-{dc}.example.com"},
		}},
	}
	for _, c := range change {
		c(d)
	}
	theme, err := d.shelf.get(themes.Dark)
	if err != nil {
		t.Fatal(err)
	}
	deps := uitest.Deps(struct{ engine.Service }{})
	deps.Theme, deps.Prefs = theme, d.prefs
	src := settings.Sources{Themes: d.shelf, Keys: d.keys, Remotes: d.list, Files: []settings.File{
		{Name: "Store", Path: "~/.local/share/bugle", About: "Campaigns, workspaces and the outbox."},
		{Name: "Keys", Path: "~/.config/bugle/keys.yaml", About: "Names of actions and the keys you gave them."},
	}}
	d.Harness = uitest.Program(t, app.Options{
		Deps: deps, First: screen.Route{Name: screen.Settings}, Themes: d.shelf.get, ThemeNames: d.shelf.Names,
		Factory: func(deps screen.Deps, _ screen.Route) (screen.Screen, error) { return settings.New(deps, src), nil },
	}, 80, 24)
	return d
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (d *harness) chosen(t *testing.T) string {
	t.Helper()
	name, err := app.Theme(d.prefs)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestGoldens(t *testing.T) {
	d := open(t, func(d *harness) {
		d.keys = keymap.File{Path: "keys.yaml"}
		d.shelf.shown = "~/.config/bugle/themes"
		write(t, filepath.Join(d.shelf.dir, "evening.yaml"), "base: dark\ntokens: {accent: \"#ff8800\"}\n")
		write(t, filepath.Join(d.shelf.dir, "broken.yaml"), "tokens:\n  accent: orange\n")
	})
	d.Golden("theme-80x24")
	d.Press("tab", "/")
	d.Type("app.")
	d.Press("enter")
	d.GoldenSizes("keys")
	d.Resize(80, 24)
	d.Press("enter")
	d.Golden("keys-ask-80x24")
	d.Press("esc", "tab")
	d.Golden("profiles-80x24")
	d.Press("tab")
	d.Golden("files-80x24")
}

// A theme is previewed while the cursor is on it, and saved with enter.
func TestThemePreviewAndChoice(t *testing.T) {
	d := open(t)
	d.Want("✓ dark")
	d.Press("down")
	d.Want("▌   light", "✓ dark")
	if got := d.chosen(t); got != "" {
		t.Errorf("looking at %q chose it", got)
	}
	d.Press("tab") // leave the tab
	d.Press("shift+tab", "down", "down", "enter")
	d.Want("✓ color-blind", "Theme set to color-blind")
	if got := d.chosen(t); got != themes.ColorBlind {
		t.Errorf("the theme of the next start is %q", got)
	}
	d.Press("e")
	d.Want("This theme is built in")
	d.ClickOn("high-contrast")
	d.Press("enter")
	if got := d.chosen(t); got != themes.HighContrast {
		t.Errorf("a click and enter chose %q", got)
	}
}

// A preview applies to the whole program, and ends when the tab or the screen is left.
func TestLeavingTabEndsThemePreview(t *testing.T) {
	var tried []string
	deps := uitest.Deps(nil)
	s := settings.New(deps, settings.Sources{Themes: &fakeThemes{}, Keys: keymap.File{Path: filepath.Join(t.TempDir(), "keys.yaml")}})
	note := func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		if msg, ok := cmd().(screen.ThemeMsg); ok {
			if !msg.Preview {
				t.Errorf("theme %s is kept", msg.Name)
			}
			tried = append(tried, msg.Name)
		}
	}
	s.SetSize(80, 22)
	note(s.Update(uitest.Key("down")))
	note(s.Update(uitest.Key("down")))
	note(s.Update(uitest.Key("up")))
	for _, a := range s.Actions() {
		if a.Label == "next tab" {
			note(a.Run())
		}
	}
	note(s.Close())
	if want := []string{"dark", "light", "dark", "plain"}; !slices.Equal(tried, want) {
		t.Errorf("tried are %q, want %q", tried, want)
	}
}

func TestEditCustomThemes(t *testing.T) {
	d := open(t, func(d *harness) { write(t, filepath.Join(d.shelf.dir, "broken.yaml"), "tokens:\n  accent: orange\n") })
	d.Want("theme broken.yaml: line 2, token", "orange is not a color")
	write(t, filepath.Join(d.shelf.dir, "broken.yaml"), "tokens:\n  accent: 208\n")
	d.Send(screen.ChangedMsg{})
	d.Want("broken", "own")
	d.WantNot("is not a color")
	d.Press("n")
	d.Want("Name of the new theme, based on dark")
	d.Type("light")
	d.Press("enter")
	d.Want("A theme with this name already exists.")
}

// standalone is the screen without a program: its requests are recorded and answered at once.
type standalone struct {
	t       *testing.T
	s       *settings.Screen
	answers []string // typed into input dialogs
	edits   []string // results of the editor
	edited  []string // texts sent to the editor
	asked   []screen.Question
	chosen  []screen.ThemeMsg
	keys    keymap.Map
}

func (a *standalone) do(label string) {
	a.t.Helper()
	for _, act := range a.s.Actions() {
		if act.Label == label && act.DisabledReason == "" {
			a.run(act.Run())
			return
		}
	}
	a.t.Fatalf("there is no action %q now", label)
}

func (a *standalone) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			a.run(c)
		}
	case screen.Result:
		a.run(a.s.Update(msg))
	case screen.InputMsg:
		answer := a.answers[0]
		a.answers = a.answers[1:]
		a.run(msg.Then(answer))
	case screen.OpenEditorMsg:
		a.edited = append(a.edited, msg.Text)
		left := a.edits[0]
		a.edits = a.edits[1:]
		a.run(msg.Then(left, left != msg.Text))
	case screen.AskMsg:
		a.asked = append(a.asked, msg.Question)
		a.run(msg.Question.Then(widget.Answer{Index: 0}))
	case screen.ThemeMsg:
		a.chosen = append(a.chosen, msg)
	case screen.SetKeymapMsg:
		a.keys = msg.Keys
	}
}

func newStandalone(t *testing.T) (*standalone, string) {
	t.Helper()
	dir := t.TempDir()
	s := settings.New(uitest.Deps(nil), settings.Sources{Themes: &fakeThemes{dir: dir}, Keys: keymap.File{Path: filepath.Join(dir, "keys.yaml")}})
	s.SetSize(80, 22)
	a := &standalone{t: t, s: s}
	a.run(s.Init())
	return a, dir
}

// A new theme is edited until it is valid.
func TestCreateCustomTheme(t *testing.T) {
	a, dir := newStandalone(t)
	a.answers, a.edits = []string{"noon"}, []string{"tokens:\n  text: blue\n", "base: light\ntokens:\n  text: 16\n"}
	a.do("new theme")
	if len(a.edited) != 2 || !strings.Contains(a.edited[0], "base: auto\n") || !strings.Contains(a.edited[0], "# selection-bg:") || a.edited[1] != "tokens:\n  text: blue\n" {
		t.Fatalf("edited was %q", a.edited)
	}
	if len(a.asked) != 1 || !strings.Contains(a.asked[0].Body, "theme noon.yaml: line 2, token text: blue is not a color") {
		t.Errorf("it is asked %+v", a.asked)
	}
	if want := []screen.ThemeMsg{{Name: "auto", Preview: true}, {Name: "noon", Preview: true}}; !slices.Equal(a.chosen, want) {
		t.Errorf("shown are %v", a.chosen)
	}
	a.edits = []string{"base: dark\n"}
	a.do("edit theme")
	b, err := os.ReadFile(filepath.Join(dir, "noon.yaml"))
	if err != nil || string(b) != "base: dark\n" || a.edited[2] != "base: light\ntokens:\n  text: 16\n" {
		t.Errorf("the file is %q, %v", b, err)
	}
	a.do("use")
	if last := a.chosen[len(a.chosen)-1]; last != (screen.ThemeMsg{Name: "noon"}) {
		t.Errorf("chosen is %v", last)
	}
}

// Creating and editing a theme can be undone and redone, both the file and the theme in use.
func TestUndoCustomTheme(t *testing.T) {
	a, dir := newStandalone(t)
	file := func() string {
		b, err := os.ReadFile(filepath.Join(dir, "noon.yaml"))
		if err != nil {
			return "none"
		}
		return string(b)
	}
	step := func(do func() (tea.Cmd, bool), want string) {
		t.Helper()
		cmd, ok := do()
		if a.run(cmd); !ok || file() != want {
			t.Fatalf("the file is %q, want %q", file(), want)
		}
	}
	a.answers, a.edits = []string{"noon"}, []string{"base: light\n", "base: dark\n"}
	a.do("new theme")
	a.do("edit theme")
	a.do("use")
	step(a.s.Undo, "base: dark\n") // the use of the theme
	step(a.s.Undo, "base: light\n")
	step(a.s.Undo, "none")
	if last := a.chosen[len(a.chosen)-1]; last.Name == "noon" {
		t.Error("the theme is shown although it is gone")
	}
	step(a.s.Redo, "base: light\n")
	step(a.s.Redo, "base: dark\n")
}

func TestEditKeymapFile(t *testing.T) {
	a, dir := newStandalone(t)
	a.do("next tab")
	a.edits = []string{"app.palette: ctrl+p\n"}
	a.do("edit file")
	if keys, ok := a.keys.Lookup("app.palette"); !ok || !slices.Equal(keys, []string{"ctrl+p"}) {
		t.Errorf("the program follows %q", keys)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "keys.yaml")); err != nil || string(b) != "app.palette: ctrl+p\n" {
		t.Errorf("the file is %q, %v", b, err)
	}
}

func TestChangeKeys(t *testing.T) {
	d := open(t)
	d.Press("tab", "/")
	d.Type("find an action")
	d.Want("Find an action, section", "app.palette", "ctrl+k")
	d.WantNot("Quit;")
	d.Press("enter", "enter")
	d.Want("Change key", "Now: ctrl+k.")
	d.Press("ctrl+p")
	d.Want("key ctrl+p.", "1 changed")
	d.Press("ctrl+k")
	d.WantNot("Palette")
	d.Press("ctrl+p")
	d.Want("Palette")
	d.Press("esc", "a", "f11")
	d.Want("ctrl+p  f11")
	b, err := os.ReadFile(d.keys.Path)
	if err != nil || !strings.HasSuffix(string(b), "\napp.palette: [ctrl+p, f11]\n") {
		t.Errorf("the file is %s, %v", b, err)
	}

	d.Press("enter", "q")
	d.Want("keeps its keys: q is the key of app.quit")
	d.Press("R")
	d.Want("its default keys again: ctrl+k", "0 changed")
	d.Press("R")
	d.Want("It already has its default keys.")
	d.Press("x")
	d.Want("no key now", "none")
	d.Press("ctrl+k")
	d.WantNot("enter run")
	d.Press("esc")
	d.Want("Quit;")
}

func TestKeymapProblemsAreShown(t *testing.T) {
	d := open(t, func(d *harness) { write(t, d.keys.Path, "app.palete: ctrl+p\napp.quit: ctrl+c\napp.theme: x9\n") })
	d.Press("tab")
	d.Want("✗ line 1, app.palete: there is no action of that name; did you mean", "app.palette?", "✗ and 2 more. Press e to open the file.")
}

func TestRemotes(t *testing.T) {
	d := open(t)
	d.Press("tab", "tab")
	d.Want("✓ local", "in use", "prod", "W1 at")
	d.Press("enter")
	d.Want("The next start already uses it.")
	d.Press("down", "enter")
	d.Want("The next start uses prod. This window stays", "○ prod", "next start", "● local", "this window")
	d.list.fail = errors.New("the profiles in profiles.json cannot be read")
	d.Send(screen.ChangedMsg{})
	d.Want("✗ the profiles in profiles.json cannot be read")
}

// Changes of theme, key, keymap file and remote are undone and redone, with the cursor there.
func TestUndo(t *testing.T) {
	d := open(t)
	d.Press("ctrl+z")
	d.Want("Nothing to undo")
	d.Press("down", "enter")
	d.Want("✓ light")
	d.Press("tab", "/")
	d.Type("app.redraw")
	d.Press("enter", "enter", "f12")
	d.Want("“Redraw the window” now has the key f12.")
	d.Press("/")
	for range "redraw" {
		d.Press("backspace")
	}
	d.Type("help")
	d.Press("enter", "tab", "down", "enter")
	d.Want("The next start uses prod.")

	d.Press("ctrl+z")
	d.Want("Undone: next start with prod", "▌ ✓ local")
	d.Press("shift+tab", "shift+tab", "ctrl+z")
	d.Want("Undone: keys of “Redraw the window”", "▌   Redraw the window", "ctrl+l")
	if b, _ := d.keys.Read(); strings.Contains(string(b), "f12") {
		t.Errorf("the file is %q", b)
	}
	d.Press("ctrl+z")
	d.Want("Undone: theme light", "▌ ✓ dark")
	if got := d.chosen(t); got != themes.Dark {
		t.Errorf("the next start has the theme %q", got)
	}
	d.Press("ctrl+z")
	d.Want("Nothing to undo")
	d.Press("ctrl+y")
	d.Want("Redone: theme light", "▌ ✓ light")
	d.Press("ctrl+y")
	d.Want("Redone: keys of “Redraw the window”", "▌ ● Redraw the window", "f12")
	d.Press("ctrl+y")
	d.Want("Redone: next start with prod", "▌ ○ prod")
	d.Press("ctrl+y")
	d.Want("Nothing to redo")
}

// Everything clickable works at every window size.
func TestEveryClick(t *testing.T) {
	for _, size := range uitest.Sizes {
		d := open(t)
		d.Resize(size.W, size.H)
		d.ClickOn("light")
		d.ClickOn("enter use")
		d.Want("✓ light")
		d.ClickOn("Keys │")
		d.ClickOn("Find an action, section")
		d.ClickOn("enter change key")
		d.Press("f11")
		d.Want("now has the key f11.", "● Find an action, section")
		d.ClickOn("/ name")
		d.ClickOn("Remotes")
		d.ClickOn("prod")
		d.ClickOn("enter use from next start")
		d.Want("▌ ○ prod")
		d.ClickOn("Files")
		d.ClickOn("Keys  ")
		d.ClickOn("enter copy path")
		if n := len(d.Copied); n != 1 || d.Copied[0] != "~/.config/bugle/keys.yaml" {
			t.Errorf("%d×%d: copied %v", size.W, size.H, d.Copied)
		}
		d.ClickOn("Theme")
		d.Want("high-contrast")
	}
}

// Themes that are previewed faster than they are drawn do not become the saved one.
func TestQuickPreviewSavesNothing(t *testing.T) {
	d := open(t)
	d.Hold()
	d.Press("down", "down", "up", "down")
	d.FinishHeld()
	d.Want("✓ dark")
	d.FromPalette("choose a theme")
	d.Press("down", "enter") // chosen elsewhere
	d.Want("✓ color-blind")
}
