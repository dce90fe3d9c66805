package widget_test

import (
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"bugle/themes"
	"bugle/ui/widget"
)

// find returns the cell at which text begins in the drawn view.
func find(t *testing.T, view, text string) (x, y int) {
	t.Helper()
	for y, line := range strings.Split(view, "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			return widget.Width(before), y
		}
	}
	t.Fatalf("no %q in\n%s", text, view)
	return 0, 0
}

func TestTabs(t *testing.T) {
	tabs := widget.NewTabs(plain(), "One", "Two", "Three")
	tabs.SetSize(30, 1)
	tabs.Prev()
	if tabs.Active != 2 {
		t.Errorf("before the first comes %d", tabs.Active)
	}
	tabs.Next()
	if tabs.Active != 0 {
		t.Errorf("after the last comes %d", tabs.Active)
	}
	for width, names := range map[int][]string{30: {"Two", "Three"}, 10: {"Two"}} {
		tabs.Active = 1
		tabs.SetSize(width, 1)
		for _, name := range names {
			x, _ := find(t, strings.ToLower(tabs.View()), strings.ToLower(name))
			i, ok := tabs.At(x)
			if !ok || tabs.Names[i] != name {
				t.Errorf("at %d cells, %q at %d is tab %d, %v", width, name, x, i, ok)
			}
		}
	}
	if _, ok := tabs.At(29); ok {
		t.Error("there is a tab behind the last")
	}
}

func TestJSONColors(t *testing.T) {
	theme, err := themes.New(themes.Options{Name: themes.Dark, Profile: termenv.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	view := widget.NewPager(theme)
	view.SetJSON(`"a \" b": ["c: d", -1.5e3, true]`)
	view.SetSize(60, 1)
	got := view.View()
	for _, want := range []string{
		theme.JSONKey.Render(`"a \" b"`), theme.JSONString.Render(`"c: d"`), theme.JSONNumber.Render("-1.5e3"), theme.JSONLiteral.Render("true"), theme.JSONPunct.Render("]"),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}
