package list_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/widget"
)

// open returns a list of words; below allows the page below it.
func open(below bool, words ...string) *list.Browser[string] {
	l := list.New(themes.Plain(), list.Config[string]{
		Title: "Words", Columns: []widget.Column{{Title: "Word", Min: 8}}, Hint: "part of a word",
		Row:   func(w string) widget.Cells { return widget.Cells{{Text: w}} },
		Same:  func(a, b string) bool { return a == b },
		Has:   strings.Contains,
		Empty: func() string { return "No words." }, Below: below,
		Tabs: func(w string) (string, []list.Tab) {
			draw := func(int, int) list.Text { return list.Text{Text: "about " + w + strings.Repeat("\nverse", 20)} }
			return w, []list.Tab{{Name: "One", Draw: draw}, {Name: "Two", Draw: draw}}
		},
		Head:      func(w string, _ bool) (string, string) { return "Word " + w, "" },
		PageShare: 50,
		Labels: list.Labels{
			Noun:    "word",
			Entries: "words", Group: "Words", Read: "read the word", Filter: "filter words", Next: "next word", Prev: "previous word",
			NextTab: []string{"tab"}, PrevTab: []string{"shift+tab"},
		},
	})
	l.SetSize(80, 22)
	l.Set(words)
	return l
}

func press(t *testing.T, l *list.Browser[string], keys ...string) {
	t.Helper()
	for _, key := range keys {
		done := false
		for _, a := range l.Actions(nil) {
			if done = a.HasKey(key); done {
				a.Run()
				break
			}
		}
		if !done {
			l.Key(map[string]tea.KeyMsg{"down": {Type: tea.KeyDown}}[key])
		}
	}
}

func write(l *list.Browser[string], text string) {
	for _, r := range text {
		l.Key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
	}
}

func TestSetKeepsCursorOnEntry(t *testing.T) {
	l := open(false, "oak", "ash", "elm")
	press(t, l, "down")
	l.Set([]string{"yew", "oak", "ash"})
	if w, _ := l.Selected(); w != "ash" {
		t.Errorf("the cursor is on %q", w)
	}
	press(t, l, "/")
	write(l, "o")
	if w, _ := l.Selected(); w != "oak" || strings.Contains(l.View(), "yew") {
		t.Errorf("filtered, the cursor is on %q in\n%s", w, l.View())
	}
	press(t, l, "esc")
	if w, _ := l.Selected(); w != "oak" || !strings.Contains(l.View(), "yew") {
		t.Errorf("with all words again, the cursor is on %q", w)
	}
}

// The tab of the page is kept from one entry to the next, the wheel scrolls the page under it, and z shows the focused pane
// alone.
func TestPageKeepsItsTab(t *testing.T) {
	l := open(false, "oak", "ash")
	l.SetSize(120, 22)
	at := func(x, y int, b tea.MouseButton) {
		l.Mouse(tea.MouseMsg{X: x, Y: y, Button: b, Action: tea.MouseActionPress})
	}
	press(t, l, "enter", "tab", ".")
	if !strings.Contains(l.View(), "TWO") || !strings.Contains(l.View(), "about ash") {
		t.Errorf("the next word shows\n%s", l.View())
	}
	before := l.View()
	at(100, 12, tea.MouseButtonWheelDown)
	if l.View() == before {
		t.Errorf("the wheel does not scroll\n%s", before)
	}
	press(t, l, "z")
	if strings.Contains(l.View(), "─ Words") || !strings.Contains(l.View(), "verse") {
		t.Errorf("zoomed, it shows\n%s", l.View())
	}
	press(t, l, "z", "esc")
	at(10, 2, tea.MouseButtonLeft)
	if w, _ := l.Selected(); w != "oak" || l.Reading() || !strings.Contains(l.View(), "about oak") {
		t.Errorf("a click selects %q:\n%s", w, l.View())
	}
	if at(10, 2, tea.MouseButtonLeft); !l.Reading() {
		t.Error("a second click does not read it")
	}
}

// While a filter is typed, arrows move and letters are text.
func TestArrowsMoveWhileFiltering(t *testing.T) {
	l := open(false, "oak", "jay", "ash")
	press(t, l, "/")
	write(l, "a")
	press(t, l, "down")
	if w, _ := l.Selected(); w != "jay" {
		t.Errorf("down leads to %q", w)
	}
	write(l, "j")
	if w, ok := l.Selected(); ok || !strings.Contains(l.View(), "No word matches.") {
		t.Errorf("%q matches aj:\n%s", w, l.View())
	}
}

func TestEmptyListActions(t *testing.T) {
	l := open(true)
	var bar []string
	for _, a := range l.Actions(nil) {
		if a.BarPriority > 0 {
			bar = append(bar, a.Label)
		}
	}
	if len(bar) > 0 || !strings.Contains(l.View(), "No words.") {
		t.Errorf("the bar has %q, the window\n%s", bar, l.View())
	}
}
