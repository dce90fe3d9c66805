package activity_test

import (
	"strings"
	"testing"

	"github.com/muesli/termenv"

	calls "bugle/engine/service/activity"
	"bugle/themes"
	"bugle/ui/activity"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/widget"
)

func TestPictures(t *testing.T) {
	l := newFilledLog(t)
	h := open(t, l)
	h.GoldenSizes("calls")
	h.Resize(80, 24)
	h.WantFits()
	h.Press("down", "enter")
	h.Golden("call-80x24")
	h.WantFits()
	h.Press("tab")
	h.WantFits()
	h.Press("esc", "/")
	h.Type("4xx")
	h.Golden("filter-80x24")
	h.WantFits()

	empty := open(t, &calls.Log{})
	empty.Golden("empty-80x24")
	empty.WantFits()
}

func TestColorsKeepWidths(t *testing.T) {
	dark, err := themes.New(themes.Options{Name: themes.Dark, Profile: termenv.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	deps := uitest.Deps(nil)
	deps.Theme = dark
	s := activity.New(deps, screen.Route{Name: "activity"}, newFilledLog(t))
	t.Cleanup(func() { s.Close() })
	h := uitest.New(t, idleScreen{s}, 80, 24)
	h.WantRecolored(deps.Theme)
	check := func() {
		t.Helper()
		for _, w := range []int{40, 60, 80, 120} {
			s.SetSize(w, 22)
			for line := range strings.SplitSeq(s.View(), "\n") {
				if n := widget.Width(line); n != w {
					t.Fatalf("a line of %d cells, not %d: %q", n, w, line)
				}
			}
		}
	}
	check()
	h.Press("enter")
	check()
}
