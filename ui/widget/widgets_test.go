package widget_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"bugle/themes"
	"bugle/ui/widget"
)

func TestToastsExpire(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	toasts := widget.NewToasts(plain())
	toasts.SetSize(40, 0)
	if _, ok := toasts.Next(); ok || toasts.View() != "" {
		t.Error("there is a notice before any was given")
	}
	for i, text := range []string{"one", "two", "three", "four"} {
		toasts.Push(widget.Toast{Level: widget.LevelInfo, Text: text, Until: start.Add(time.Duration(4-i) * time.Second)})
	}
	if view := toasts.View(); toasts.Len() != 3 || strings.Contains(view, "one") || !strings.Contains(view, "four") {
		t.Errorf("%d notices:\n%s", toasts.Len(), view)
	}
	if next, _ := toasts.Next(); !next.Equal(start.Add(time.Second)) {
		t.Errorf("the next goes at %v", next)
	}
	if toasts.Expire(start) {
		t.Error("one went before its time")
	}
	if !toasts.Expire(start.Add(2*time.Second)) || toasts.Len() != 1 {
		t.Errorf("%d are left", toasts.Len())
	}
	toasts.Push(widget.Toast{Level: widget.LevelInfo, Text: "two", Until: start.Add(time.Minute)})
	if toasts.Len() != 1 || toasts.Expire(start.Add(30*time.Second)) {
		t.Error("the same notice is shown twice, or keeps its old time")
	}
	if !toasts.Dismiss() || toasts.Dismiss() {
		t.Error("the notice cannot be dismissed once")
	}
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
