package settings_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/muesli/termenv"

	"bugle/engine"
	"bugle/themes"
	"bugle/ui/app"
	"bugle/ui/keymap"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/settings"
	"bugle/ui/uitest"
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

	theme  *themes.Theme
	screen *settings.Screen
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
	d.theme = theme
	deps := uitest.Deps(struct{ engine.Service }{})
	deps.Theme, deps.Prefs = theme, d.prefs
	src := settings.Sources{Themes: d.shelf, Keys: d.keys, Remotes: d.list, Files: []settings.File{
		{Name: "Store", Path: "~/.local/share/bugle", About: "Campaigns, workspaces and the outbox."},
		{Name: "Keys", Path: "~/.config/bugle/keys.yaml", About: "Names of actions and the keys you gave them."},
	}}
	d.Harness = uitest.Program(t, app.Options{
		Deps: deps, First: screen.Route{Name: screen.Settings}, Themes: d.shelf.get, ThemeNames: d.shelf.Names,
		Factory: func(deps screen.Deps, _ screen.Route) (screen.Screen, error) {
			d.screen = settings.New(deps, src)
			return d.screen, nil
		},
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
	d.Script("tab /", ">app.", "enter")
	d.GoldenSizes("keys")
	d.Resize(80, 24)
	d.Press("enter")
	d.Golden("keys-ask-80x24")
	d.Press("esc", "tab")
	d.Golden("profiles-80x24")
	d.Press("tab")
	d.Golden("files-80x24")
}

// A theme is previewed in the whole program while the cursor is on it, and saved with enter. Leaving the tab or the screen
// ends the preview.
func TestThemePreviewAndChoice(t *testing.T) {
	d := open(t)
	want := func(shown, saved string) {
		t.Helper()
		if got := d.chosen(t); d.theme.Name != shown || got != saved {
			t.Errorf("the theme is %s, and %q from the next start; want %s and %q", d.theme.Name, got, shown, saved)
		}
	}
	d.Script("?✓ dark", "down", "?▌   light", "?✓ dark")
	want(themes.Light, "")
	d.Press("tab")
	want(themes.Dark, "")
	d.Press("shift+tab", "down")
	want(themes.HighContrast, "")
	d.Script("down enter", "?✓ color-blind", "?Theme set to color-blind")
	want(themes.ColorBlind, themes.ColorBlind)
	d.Press("down")
	d.Send(d.screen.Close()())
	want(themes.ColorBlind, themes.ColorBlind)
}

func TestProblemsOfCustomThemes(t *testing.T) {
	d := open(t, func(d *harness) { write(t, filepath.Join(d.shelf.dir, "broken.yaml"), "tokens:\n  accent: orange\n") })
	d.Want("theme broken.yaml: line 2, token", "orange is not a color")
	write(t, filepath.Join(d.shelf.dir, "broken.yaml"), "tokens:\n  accent: 208\n")
	d.Send(screen.ChangedMsg{})
	d.Script("?broken", "?own", "!is not a color")
}

// The file of the keys is edited in the user's editor, and what is wrong with it is said.
func TestEditKeymapFile(t *testing.T) {
	d := open(t)
	d.Press("tab")
	edit := func(text string) {
		for _, a := range d.screen.Actions() {
			if a.Label == "edit file" {
				d.Send(a.Run()().(screen.OpenEditorMsg).Then(text, true)())
			}
		}
	}
	edit("app.palette: ctrl+p\n")
	d.Want("Loaded the key file.", "1 changed")
	if b, err := d.keys.Read(); err != nil || string(b) != "app.palette: ctrl+p\n" {
		t.Errorf("the file is %q, %v", b, err)
	}
	edit("app.palete: ctrl+p\n")
	d.Want("Some of the key file was ignored: line 1, app.palete")
}

func TestChangeKeys(t *testing.T) {
	d := open(t)
	d.Script(
		"tab /", ">find an action", "?Find an action, section", "?app.palette", "?ctrl+k", "!Quit;",
		"enter enter", "?Change key", "?Now: ctrl+k.",
		"ctrl+p", "?key ctrl+p.", "?1 changed", "ctrl+k", "!Palette",
		"ctrl+p", "?Palette", "esc a f11", "?ctrl+p  f11",
	)
	b, err := os.ReadFile(d.keys.Path)
	if err != nil || !strings.HasSuffix(string(b), "\napp.palette: [ctrl+p, f11]\n") {
		t.Errorf("the file is %s, %v", b, err)
	}

	d.Script(
		"enter q", "?keeps its keys: q is the key of app.quit",
		"R", "?its default keys again: ctrl+k", "?0 changed",
		"R", "?It already has its default keys.", "x", "?no key now", "?none",
		"ctrl+k", "!enter run", "esc", "?Quit;",
	)
}

func TestKeymapProblemsAreShown(t *testing.T) {
	d := open(t, func(d *harness) { write(t, d.keys.Path, "app.palete: ctrl+p\napp.quit: ctrl+c\napp.theme: x9\n") })
	d.Press("tab")
	d.Want("✗ line 1, app.palete: there is no action of that name; did you mean", "app.palette?", "✗ and 2 more. Press e to open the file.")
}

func TestRemotes(t *testing.T) {
	d := open(t)
	d.Script(
		"tab tab", "?✓ local", "?in use", "?prod", "?W1 at", "enter", "?The next start already uses it.",
		"down enter", "?The next start uses prod. This window stays", "?○ prod", "?next start", "?● local", "?this window",
	)
	d.list.fail = errors.New("the profiles in profiles.json cannot be read")
	d.Send(screen.ChangedMsg{})
	d.Want("✗ the profiles in profiles.json cannot be read")
}

// Everything clickable works at every window size.
func TestEveryClick(t *testing.T) {
	for _, size := range uitest.Sizes {
		d := open(t)
		d.Resize(size.W, size.H)
		d.Script(
			"@light", "@enter use", "?✓ light",
			"@Keys │", "@Find an action, section", "@enter change key", "f11", "?now has the key f11.",
			"?● Find an action, section",
			"@/ name", "@Remotes", "@prod", "@enter use from next start", "?▌ ○ prod",
			"@Files", "@Keys  ", "@enter copy path",
		)
		if n := len(d.Copied); n != 1 || d.Copied[0] != "~/.config/bugle/keys.yaml" {
			t.Errorf("%d×%d: copied %v", size.W, size.H, d.Copied)
		}
		d.Script("@Theme", "?high-contrast")
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
	d.Script("down enter", "?✓ color-blind") // chosen elsewhere
}
