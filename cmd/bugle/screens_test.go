package main

import (
	"testing"

	"github.com/muesli/termenv"

	"bugle/cmd/bugle/terminal"
	"bugle/engine"
	"bugle/engine/service/activity"
	"bugle/engine/service/local"
	"bugle/themes"
	"bugle/ui/app"
	"bugle/ui/keymap"
	"bugle/ui/screen"
	settingsscreen "bugle/ui/settings"
	"bugle/ui/uitest"
)

// onSample opens a screen of the program on the sample, in memory.
func onSample(tb testing.TB, route string) *uitest.Harness {
	tb.Helper()
	svc, _ := onMemory(tb)
	theme, err := themes.New(themes.Options{Name: themes.Dark, DarkBackground: true, Profile: termenv.TrueColor})
	if err != nil {
		tb.Fatal(err)
	}
	log := &activity.Log{}
	deps := uitest.Deps(activity.Wrap(svc, log))
	deps.Theme = theme
	first := screen.Route{Name: route}
	switch route {
	case screen.Builder, screen.Validate, screen.TestSend, screen.History:
		first.ID = longest(tb, svc)
	}
	own := settingsscreen.Sources{Themes: &themes.Shelf{}, Remotes: noRemotes{}, Keys: keymap.File{}}
	return uitest.Program(tb, app.Options{Deps: deps, Factory: terminal.Screens(nil, log, own), First: first, PaletteItems: terminal.Places()}, 120, 40)
}

type noRemotes struct{}

func (noRemotes) List() ([]settingsscreen.Remote, error) { return nil, nil }

func (noRemotes) Use(string) error { return nil }

// longest returns the draft with the longest body.
func longest(tb testing.TB, svc *local.Service) string {
	tb.Helper()
	rows, err := svc.List(tb.Context(), engine.ListQuery{})
	if err != nil {
		tb.Fatal(err)
	}
	id, most := "", 0
	for _, r := range rows {
		c, err := svc.Get(tb.Context(), r.ID)
		if err != nil {
			tb.Fatal(err)
		}
		if n := len(c.Body.Encode()); n > most && n < 6000 {
			id, most = r.ID, n
		}
	}
	return id
}
