package pictures

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
	"bugle/store/mem"
	"bugle/themes"
	"bugle/ui/app"
	"bugle/ui/builder"
	"bugle/ui/campaigns"
	"bugle/ui/history"
	"bugle/ui/keymap"
	"bugle/ui/newdraft"
	"bugle/ui/outbox"
	"bugle/ui/screen"
	"bugle/ui/settings"
	"bugle/ui/testsend"
	"bugle/ui/uitest"
	"bugle/ui/validate"
	"bugle/ui/workspace"
)

// scene is one picture: the script of keys that leads to it.
type scene struct {
	name   string
	theme  string // [themes.Dark] if empty
	script []string
}

const width, height = 120, 32

// These search for a campaign and open it.
var (
	winterRoast  = []string{"/", ">winter roast", "enter"}
	winBack      = []string{"/", ">win back", "enter"}
	sundayLetter = []string{"/", ">sunday letter", "enter"}
)

// The scenes, in the order of the README's tour.
var scenes = []scene{
	{name: "campaigns"},
	{name: "search", script: []string{"/", ">letter status:se"}},
	{name: "bulk", script: []string{"/", ">type:one-time status:draft", "enter * b"}},
	{name: "builder", script: append(winterRoast, "enter down down enter down down enter enter tab tab")},
	{name: "grid", script: append(winterRoast, "enter down down g a", ">de, fr", "enter A %", ">60", "tab +")},
	{name: "filters", script: append(winBack, "enter down down down down enter enter")},
	{name: "schedule", script: append(sundayLetter, "enter down down down down down enter")},
	{name: "preflight", script: append(winterRoast,
		"enter down down enter end", "> — up to 20% off until Sunday, and a TODO", "esc esc v")},
	{name: "history", script: append(winterRoast, "enter H")},
	{name: "test", script: append(winterRoast, "t", ">ann", "down enter", ">jamal", "down enter ctrl+s")},
	{name: "workspace", script: []string{"M down down enter"}},
	{name: "settings", theme: themes.Light, script: []string{"f9"}},
}

// The pictures of the README match the screens exactly.
func TestPictures(t *testing.T) {
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			p, _ := program(t, cmp.Or(s.theme, themes.Dark), width, height)
			p.Script(s.script...)
			around := DarkTerminal
			if s.theme == themes.Light {
				around = LightTerminal
			}
			compare(t, s.name+".svg", []byte(SVG(p.View(), width, height, around)))
		})
	}
}

// Every screen draws exactly its window, at any size, and follows a change of the theme at once.
func TestScreensFitAndFollowTheTheme(t *testing.T) {
	more := []scene{
		{name: "outbox", script: []string{"O enter"}},
		{name: "new draft", script: []string{"n enter"}},
		{name: "record", script: []string{"M down down enter enter"}},
		{name: "sent", script: append(winterRoast, "t", ">ann", "down enter ctrl+s")},
		{name: "view as", script: append(winterRoast, "p u")},
	}
	for _, s := range append(more, scenes...) {
		t.Run(s.name, func(t *testing.T) {
			h, theme := program(t, themes.Light, width, height)
			h.Script(s.script...)
			wantRecolored(t, h, theme)
			for w := 40; w <= 180; w += 20 {
				for _, ht := range []int{12, 20, 24, 40} {
					h.Resize(w, ht)
					if wrong := h.LayoutError(); wrong != "" {
						t.Fatalf("at %d×%d %s:\n%s", w, ht, wrong, h.Text())
					}
				}
			}
		})
	}
}

// The film of the README: an email, from nothing to a test that arrived, in half a minute.
func TestFilm(t *testing.T) {
	const width, height = 100, 28
	p, _ := program(t, themes.Dark, width, height)
	var frames []Frame
	show := func(pause time.Duration) { frames = append(frames, Frame{p.View(), pause}) }
	press := func(keys ...string) {
		for _, key := range keys {
			p.Press(key)
			show(650 * time.Millisecond)
		}
	}
	write := func(text string) {
		for chunk := range slices.Chunk([]rune(text), 4) {
			p.Type(string(chunk))
			show(160 * time.Millisecond)
		}
	}
	show(time.Second)
	press("n", "down", "enter", "enter")
	write("Spring sale")
	press("enter", "enter")
	write("demo")
	press("enter", "esc", "down", "enter")
	write("Spring is here, {{UserAttribute['First Name']|default('you')}}")
	press("enter", "enter", "enter")
	write("news@example.com")
	press("down")
	write("<p>Dear friend, our beans are <b>20% off</b>.</p>")
	press("esc", "down", "down", "enter", " ", "esc", "down", "enter", "enter", "down", "enter", "esc", "t")
	write("ann")
	press("enter", "ctrl+s")
	show(3 * time.Second)
	p.Want("Spring is here, Ann")
	film := Film(frames, width, height, DarkTerminal)
	if len(film) > 500_000 {
		t.Errorf("the film has %d bytes", len(film))
	}
	compare(t, "film.svg", []byte(film))
}

// program opens the program on the sample workspace in memory, and returns it with its theme.
func program(t *testing.T, theme string, width, height int) (*uitest.Harness, *themes.Theme) {
	t.Helper()
	ctx, db := context.Background(), mem.New()
	clock := func() time.Time { return uitest.Now }
	if _, err := sample.Install(ctx, db, sample.Options{Author: "ann@example.com", Now: uitest.Now}); err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, sample.ID, local.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	colors, err := themes.New(themes.Options{Name: theme, DarkBackground: theme != themes.Light, Profile: termenv.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	deps := uitest.Deps(svc)
	deps.Theme = colors
	h := uitest.Program(t, app.Options{Deps: deps, Factory: screens, First: screen.Route{Name: screen.Campaigns}}, width, height)
	return h, colors
}

func screens(deps screen.Deps, r screen.Route) (screen.Screen, error) {
	switch r.Name {
	case screen.Campaigns:
		return campaigns.New(deps, screen.Route{}), nil
	case screen.NewDraft:
		return newdraft.New(deps, r), nil
	case screen.Workspace:
		return workspace.New(deps, r), nil
	case screen.Builder:
		return builder.New(deps, r), nil
	case screen.TestSend:
		return testsend.New(deps, r), nil
	case screen.Validate:
		return validate.New(deps, r), nil
	case screen.Outbox:
		return outbox.New(deps, r), nil
	case screen.History:
		return history.New(deps, r), nil
	case screen.Settings:
		return settings.New(deps, settings.Sources{
			Themes: themes.NewShelf("~/.config/bugle/themes", true), Remotes: noRemotes{}, Keys: keymap.File{Path: "~/.config/bugle/keys.yaml"},
		}), nil
	}
	return nil, fmt.Errorf("no picture has the screen %q", r.Name)
}

type noRemotes struct{}

func (noRemotes) List() ([]settings.Remote, error) { return nil, nil }
func (noRemotes) Use(string) error                 { return nil }

func compare(t *testing.T, file string, got []byte) {
	t.Helper()
	if uitest.Updating() {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the screen shows now: run go generate ./...", file)
	}
}

// wantRecolored changes the theme for a moment, as the program does, and fails unless everything is drawn in the new colors: as
// it is after another size of the window.
func wantRecolored(t *testing.T, h *uitest.Harness, theme *themes.Theme) {
	t.Helper()
	before := *theme
	dark, err := themes.New(themes.Options{Name: themes.Dark, Profile: termenv.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	theme.Use(dark)
	h.Resize(width, height)
	got := strings.Split(h.View(), "\n")
	h.Resize(width-1, height)
	h.Resize(width, height)
	for i, line := range strings.Split(h.View(), "\n") {
		if got[i] != line {
			t.Errorf("the theme of before is left:\n%q\nwant:\n%q", got[i], line)
			break
		}
	}
	theme.Use(&before)
	h.Resize(width, height)
}
