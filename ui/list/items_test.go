package list_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/widget"
)

func TestItemsSkipHeadings(t *testing.T) {
	l := list.Items(themes.Plain(), "entry", func(i widget.Item) widget.Item { return i })
	l.Set([]widget.Item{{Text: "A", Heading: true}, {Text: "one"}, {Text: "B", Heading: true}, {Text: "two"}, {Text: "C", Heading: true}})
	l.SetSize(10, 5)
	for _, step := range []struct {
		key  tea.KeyType
		want int
	}{{tea.KeyUp, 1}, {tea.KeyDown, 3}, {tea.KeyDown, 3}, {tea.KeyUp, 1}, {tea.KeyEnd, 3}, {tea.KeyHome, 1}} {
		if l.Key(tea.KeyMsg{Type: step.key}); l.Index() != step.want {
			t.Errorf("after %s the cursor is at %d, want %d", step.key, l.Index(), step.want)
		}
	}
	if hit, _ := click(l, 2); hit || l.Index() != 1 {
		t.Error("a click on a heading chose it")
	}
	if hit, _ := click(l, 3); !hit || l.Index() != 3 {
		t.Error("a click did not choose the entry")
	}
}

// Whatever the texts and the size are, exactly the cells of the list are drawn, and the cursor is visible.
func TestItemsFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := list.Items(themes.Plain(), "entry", func(i widget.Item) widget.Item { return i })
		l.Focused, l.Empty = rapid.Bool().Draw(t, "focused"), rapid.String().Draw(t, "empty")
		w, h := rapid.IntRange(1, 60).Draw(t, "width"), rapid.IntRange(1, 12).Draw(t, "height")
		l.SetSize(w, h)
		l.Set(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) widget.Item {
			return widget.Item{
				Icon: rapid.SampledFrom([]string{"", "✓"}).Draw(t, "icon"), Text: rapid.String().Draw(t, "text"), Info: rapid.String().Draw(t, "info"), Wrap: rapid.Bool().Draw(t, "wrap"),
				Dim: rapid.Bool().Draw(t, "dim"), DisabledReason: rapid.String().Draw(t, "why"), Heading: rapid.IntRange(0, 4).Draw(t, "heading") == 0,
			}
		}), 0, 12).Draw(t, "items"))
		for _, k := range rapid.SliceOfN(rapid.SampledFrom([]tea.KeyType{tea.KeyUp, tea.KeyDown, tea.KeyPgDown, tea.KeyEnd, tea.KeyHome}), 0, 6).Draw(t, "keys") {
			l.Key(tea.KeyMsg{Type: k})
		}
		wheel := rapid.Bool().Draw(t, "wheel")
		if wheel {
			l.Mouse(tea.MouseMsg{Button: tea.MouseButtonWheelDown, Action: tea.MouseActionPress})
		}
		lines := strings.Split(l.View(), "\n")
		if len(lines) != h {
			t.Fatalf("%d lines, not %d", len(lines), h)
		}
		for _, line := range lines {
			if widget.Width(line) != w {
				t.Errorf("%q is not %d cells wide", line, w)
			}
		}
		if _, ok := l.Selected(); ok && w > 4 && !wheel && !strings.ContainsAny(l.View(), "▌▏") {
			t.Errorf("the cursor is not visible:\n%s", l.View())
		}
	})
}
