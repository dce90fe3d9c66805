package main

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"bugle/cmd/bugle/terminal"
	"bugle/engine"
	"bugle/engine/message/delivery"
	"bugle/engine/service/activity"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
	"bugle/store/mem"
	"bugle/themes"
	activityscreen "bugle/ui/activity"
	"bugle/ui/app"
	"bugle/ui/builder"
	"bugle/ui/keymap"
	"bugle/ui/screen"
	settingsscreen "bugle/ui/settings"
	"bugle/ui/uitest"
)

// routes are the screens that a stream of keys begins on.
var routes = []string{
	screen.Campaigns, screen.NewDraft, screen.Builder, screen.Validate, screen.TestSend, screen.Outbox,
	screen.Activity, screen.History, screen.Settings, screen.Workspace, screen.Welcome,
}

// Whatever is typed, clicked and pasted on whichever screen, in a window of whatever size: nothing
// panics, the window is drawn in exactly its cells and without a control character, and who wants
// to quit can. The first three bytes are the screen, the theme and the size.
func FuzzKeys(f *testing.F) {
	f.Chdir(f.TempDir()) // where a screen writes files that a stream names
	db := mem.New()
	if _, err := sample.Install(f.Context(), db, sample.Options{Author: "ann@example.com", Now: uitest.Now}); err != nil {
		f.Fatal(err)
	}
	svc, err := local.Open(db, sample.ID, local.Options{Clock: func() time.Time { return uitest.Now }})
	if err != nil {
		f.Fatal(err)
	}
	id := longest(f, svc)
	looks := []themes.Theme{*themes.Plain()}
	for _, name := range themes.Names() {
		t, err := themes.New(themes.Options{Name: name, DarkBackground: true, Profile: termenv.TrueColor})
		if err != nil {
			f.Fatal(err)
		}
		looks = append(looks, *t)
	}
	for n, keys := range []string{
		"", "?\x1b", "\x0b", "\x81\x81\r\x09\x09x", "/status:draft\r", "nname\r", "\r\r\xd0\x1a\x19\x1b", "\x88\x87\x86\xf5\x00\x00\x81", "\xc0\xc1\xc2\xc5\xda\xdb", "\xf1\x05a\tb\nc\x7f",
		"q", "\x03", "\xf2\x05\x05\xf2\x14\x08\xf3\x15\x0a\xf4\x16\x0b", "t\r", "v\r\r", "p", "s\r", "\x13", "e", "y", "uu\x12", "\x95\x95\xf7\x93", "\xf6\x05z\xf0x", "\xf8nname\r\xf9", "\xf8\r\x1b\r",
	} {
		for i := n % 4; i < len(routes); i += 4 { // a fuzzer finds the other pairs
			f.Add(append([]byte{byte(i), byte(i), byte(i * 40)}, keys...))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) < 3 {
			return
		}
		now := uitest.Now
		clock := func() time.Time { return now }
		svc, err := local.Open(db.Clone(), sample.ID, local.Options{Clock: clock, Providers: noMail, Gateways: noPush, Fetcher: &delivery.Fetcher{Timeout: 1}})
		if err != nil {
			t.Fatal(err)
		}
		log := &activity.Log{}
		deps := uitest.Deps(activity.Wrap(svc, log))
		look := looks[int(in[1])%len(looks)]
		deps.Theme, deps.Now = &look, clock
		first := screen.Route{Name: routes[int(in[0])%len(routes)]}
		switch first.Name {
		case screen.Builder, screen.Validate, screen.TestSend, screen.History:
			first.ID = id
		}
		var made []screen.Screen
		own := settingsscreen.Sources{Themes: &themes.Shelf{}, Remotes: noRemotes{}, Keys: keymap.File{}}
		start := func(context.Context, bool) (screen.Deps, error) { return deps, nil }
		known := terminal.Screens(start, log, own)
		factory := func(d screen.Deps, r screen.Route) (s screen.Screen, err error) {
			switch r.Name {
			case screen.Activity:
				s = restful{activityscreen.New(d, r, log)}
			case screen.Builder:
				s = builder.New(d, r, builder.WithBrowser(func(context.Context, string) error { return nil }))
			default:
				s, err = known(d, r)
			}
			made = append(made, s)
			return s, err
		}
		width, height := 60+int(in[2])%141, 20+int(in[2])/7
		h := uitest.Program(t, app.Options{Deps: deps, Factory: factory, First: first}, width, height)
		if wrong := h.LayoutError(); wrong != "" {
			t.Fatalf("%s begins at %d×%d so: %s:\n%s", first.Name, width, height, wrong, h.Text())
		}
		h.Play(in[3:], func(d time.Duration) { now = now.Add(d) })
		h.FinishHeld()
		if !h.Quit && len(made) > 0 {
			for _, s := range made {
				if wrong := uitest.ScreenLayoutError(s, width, height-2); wrong != "" {
					t.Fatalf("%s at %d×%d: %s:\n%s", s.Title(), width, height-2, wrong, s.View())
				}
			}
		}
		for range 2 {
			h.Press("ctrl+c")
		}
		if !h.Quit {
			t.Fatalf("who quits twice is still here:\n%s", h.Text())
		}
	})
}

// restful is the screen of the calls without the wait for the next one, which has no end.
type restful struct{ *activityscreen.Screen }

func (restful) Init() tea.Cmd { return nil }

func noMail(engine.Connector) (delivery.Sender, error) { return nil, os.ErrPermission }

func noPush(context.Context, engine.Gateway) (delivery.Sender, error) { return nil, os.ErrPermission }
