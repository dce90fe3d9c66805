package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/charmbracelet/bubbletea"

	"bugle/cmd/bugle/terminal"
	"bugle/engine"
	"bugle/engine/service/activity"
	"bugle/engine/service/activity/wire"
	"bugle/engine/service/local/sample"
	"bugle/engine/service/remote"
	"bugle/themes"
	"bugle/ui/app"
	"bugle/ui/keymap"
	"bugle/ui/screen"
	settingsscreen "bugle/ui/settings"
	"bugle/ui/uitest"
	"bugle/ui/widget"
)

// walked are the keys that a walk through a screen presses: those that lead somewhere, more often than
// those that only change something.
var walked = []string{
	"down", "down", "down", "up", "enter", "enter", "enter", "tab", "shift+tab", "right", "left", "pgdown", "end", "home", "esc", "esc",
	"?", "/", "p", "v", "t", "s", "u", "n", "y", "o", "f", "m", "g", "x", "a", "d", "c", "h", "j", "r", "i", "w", " ", "1", "2", "3", "4", "5", "[", "]", "+", "-",
	"ctrl+k", "ctrl+r", "ctrl+s", "ctrl+f",
}

// walkLength is how many keys a walk presses.
const walkLength = 60

// No text of a campaign, a workspace, an answer or an error rules the terminal, on whatever screen it is
// shown: the frames of walks through every screen hold nothing but text and its look.
func TestNoControlSequenceReachesTheScreen(t *testing.T) {
	t.Parallel()
	for _, kind := range append(kinds, "store") {
		for _, route := range []string{
			screen.Campaigns, screen.NewDraft, screen.Builder, screen.Validate, screen.TestSend, screen.Outbox, screen.Activity,
			screen.History, screen.Workspace, screen.Settings, screen.Welcome,
		} {
			t.Run(kind+"/"+route, func(t *testing.T) {
				t.Parallel()
				log := &activity.Log{}
				if kind == "store" {
					svc, db := onMemory(t)
					poisonAll(t, db, sample.ID)
					rows, err := svc.List(t.Context(), engine.ListQuery{})
					if err != nil {
						t.Fatal(err)
					}
					walk(t, route, activity.Wrap(svc, log), log, rows)
					return
				}
				url, rows := hostile(t, kind)
				svc, err := remote.New(remote.Config{BaseURL: url, Workspace: "DEMO", Observe: wire.Observer(log)})
				if err != nil {
					t.Fatal(err)
				}
				walk(t, route, svc, log, rows)
			})
		}
	}
}

func walk(t *testing.T, route string, svc engine.Service, log *activity.Log, rows []engine.Summary) {
	deps := uitest.Deps(svc)
	deps.Author, deps.Workspace, deps.DataDir = spoiled(deps.Author), spoiled(deps.Workspace), spoiled(deps.DataDir)
	own := settingsscreen.Sources{Themes: &themes.Shelf{}, Remotes: hostileRemotes{}, Keys: keymap.File{}, Files: []settingsscreen.File{{Name: spoiled("data"), Path: spoiled("/data")}}}
	random := rand.New(rand.NewPCG(6, uint64(len(route))))
	open := func() *uitest.Harness {
		first := screen.Route{Name: route, ID: rows[random.IntN(len(rows))].ID, Query: spoiled("sale")}
		if route != screen.Campaigns {
			first.Query = ""
		}
		size := [][2]int{{80, 24}, {120, 40}, {200, 60}}[random.IntN(3)]
		h := uitest.Program(t, app.Options{Deps: deps, Factory: still(terminal.Screens(hostileStart, log, own)), First: first, StartupWarnings: []string{spoiled("news")}}, size[0], size[1])
		h.Send(screen.NotifyMsg{Level: widget.LevelError, Text: spoiled("a notice")})
		return h
	}
	// What the calls of the activity screen are.
	_, _ = deps.Service.Search(t.Context(), engine.SearchRequest{Limit: 5, Page: 1})
	_, _ = deps.Service.Get(t.Context(), rows[0].ID)
	h, pressed := open(), []string{"(opened)"}
	look := func() {
		if at, found := ruling(h.View()); found {
			t.Fatalf("after %v the screen holds %q", pressed, at)
		}
	}
	look()
	for i := range walkLength {
		key := walked[random.IntN(len(walked))]
		pressed = append(pressed, key)
		h.Press(key)
		look()
		if h.Quit || i%20 == 19 {
			h, pressed = open(), []string{"(opened)"}
			look()
		}
	}
}

type hostileRemotes struct{}

func (hostileRemotes) List() ([]settingsscreen.Remote, error) {
	return []settingsscreen.Remote{{Name: spoiled("prod"), Location: spoiled("https://api.example.com, workspace W"), Default: true}}, nil
}

func (hostileRemotes) Use(string) error { return fmt.Errorf("%s", spoiled("it cannot be used")) }

// still returns screens that do not wait for messages that never arrive in a test.
func still(of app.Factory) app.Factory {
	return func(d screen.Deps, r screen.Route) (screen.Screen, error) {
		s, err := of(d, r)
		if r.Name == screen.Activity && err == nil {
			return withoutAnimation{s}, nil
		}
		return s, err
	}
}

// withoutAnimation is a screen whose first command, which waits, is left out.
type withoutAnimation struct{ screen.Screen }

func (c withoutAnimation) Init() tea.Cmd { return nil }

func hostileStart(context.Context, bool) (screen.Deps, error) {
	return screen.Deps{}, fmt.Errorf("%s", spoiled("there is no room"))
}
