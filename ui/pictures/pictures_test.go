package pictures

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"bugle/engine/local"
	"bugle/engine/local/sample"
	"bugle/store/mem"
	"bugle/themes"
	"bugle/ui/app"
	"bugle/ui/builder"
	"bugle/ui/campaigns"
	"bugle/ui/outbox"
	"bugle/ui/screen"
	"bugle/ui/testsend"
	"bugle/ui/uitest"
	"bugle/ui/validate"
)

// The pictures of the README are what the screens show, to the cell.
func TestPictures(t *testing.T) {
	const width, height = 120, 32
	h := program(t, width, height)
	draw := func(name string) {
		t.Helper()
		compare(t, name+".svg", []byte(SVG(h.View(), width, height)))
	}
	draw("campaigns")
	h.Press("/")
	h.Type("winter roast")
	h.Press("enter", "enter", "down", "down", "enter", "down", "down", "enter", "enter", "tab", "tab")
	draw("builder")
	h.Press("esc", "esc", "esc", "t")
	h.Type("ann")
	h.Press("down", "enter")
	h.Type("jamal")
	h.Press("down", "enter", "ctrl+s")
	draw("test")
}

// program opens the terminal program on the sample workspace, in memory.
func program(t *testing.T, width, height int) *uitest.Harness {
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
	theme, err := themes.New(themes.Options{Name: themes.Dark, DarkBackground: true, Profile: termenv.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	deps := uitest.Deps(svc)
	deps.Theme = theme
	return uitest.Program(t, app.Options{Deps: deps, Factory: screens, First: screen.Route{Name: screen.Campaigns}}, width, height)
}

func screens(deps screen.Deps, r screen.Route) (screen.Screen, error) {
	switch r.Name {
	case screen.Campaigns:
		return campaigns.New(deps, screen.Route{}), nil
	case screen.Builder:
		return builder.New(deps, r), nil
	case screen.TestSend:
		return testsend.New(deps, r), nil
	case screen.Validate:
		return validate.New(deps, r), nil
	case screen.Outbox:
		return outbox.New(deps, r), nil
	}
	return nil, fmt.Errorf("no picture has the screen %q", r.Name)
}

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
