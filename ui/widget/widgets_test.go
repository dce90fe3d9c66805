package widget_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"bugle/themes"
	"bugle/ui/widget"
)

// Tabs wrap around, and a click on a name, of those that fit, finds its tab.
func TestTabs(t *testing.T) {
	tabs := widget.NewTabs(plain(), "One", "Two", "Three")
	if tabs.Prev(); tabs.Active != 2 {
		t.Errorf("before the first comes %d", tabs.Active)
	}
	if tabs.Next(); tabs.Active != 0 {
		t.Errorf("after the last comes %d", tabs.Active)
	}
	tabs.Next()
	for width, want := range map[int]string{30: "000   111   22222", 10: "  111  "} {
		tabs.SetSize(width, 1)
		got := ""
		for x := range width {
			if i, ok := tabs.At(x); ok {
				got += strconv.Itoa(i)
			} else {
				got += " "
			}
		}
		if strings.TrimRight(got, " ") != strings.TrimRight(want, " ") {
			t.Errorf("at %d cells, clicks on %q find %q", width, tabs.View(), got)
		}
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
