package list_test

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/screen"
)

// verses returns a list of rows of as many lines as each has letters, with a heading above the first.
func verses(rows ...string) *list.List[string] {
	l := list.Lines(themes.Plain(), "verse", func(row string, selected bool, _ int) list.Drawn {
		mark := " "
		if selected {
			mark = "▌"
		}
		var d list.Drawn
		if row == rows[0] {
			d.Above = []string{"Verses"}
		}
		for i := range len(row) {
			d.Lines = append(d.Lines, fmt.Sprintf("%s%s %d", mark, row, i+1))
		}
		return d
	})
	l.Focused = true
	l.SetSize(12, 4)
	l.Set(rows)
	return l
}

func click[T any](l *list.List[T], y int) (hit, again bool) {
	return l.Mouse(tea.MouseMsg{Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
}

// A list of rows of several lines scrolls by rows, with the heading, and a click on any line of a row selects it.
func TestLinesScrollAndClick(t *testing.T) {
	l := verses("a", "bb", "ccc")
	for _, want := range []string{"Verses      \n▌a 1", "▌bb 1", "▌ccc 1"} {
		if !strings.Contains(l.View(), want) {
			t.Errorf("%q is not in\n%s", want, l.View())
		}
		l.Key(tea.KeyMsg{Type: tea.KeyDown})
	}
	if !strings.Contains(l.View(), "▌ccc 3") || l.Position() != "3 of 3" {
		t.Errorf("at the end, %s:\n%s", l.Position(), l.View())
	}
	l.Key(tea.KeyMsg{Type: tea.KeyHome})
	if hit, _ := click(l, 0); hit {
		t.Error("the heading was hit")
	}
	if hit, again := click(l, 3); !hit || again || l.Index() != 1 {
		t.Errorf("a click on its second line: %v, %v, row %d", hit, again, l.Index())
	}
	if _, again := click(l, 2); !again {
		t.Error("a second click is not one on the selected row")
	}
}

// An action on the row under the cursor is disabled where there is none, and in an empty list it is not in the status bar.
func TestActionsOnTheSelectedRow(t *testing.T) {
	short := func(row string) string {
		if len(row) < 2 {
			return "It is too short."
		}
		return ""
	}
	var done []string
	open := func(l *list.List[string]) screen.Action {
		return l.On(screen.Action{Label: "open", BarPriority: 9}, short, func(row string) tea.Cmd {
			done = append(done, row)
			return nil
		})
	}
	l := verses("a", "bb")
	if a := open(l); a.DisabledReason != "It is too short." || a.BarPriority != 9 {
		t.Errorf("on a: %+v", a)
	}
	l.Key(tea.KeyMsg{Type: tea.KeyDown})
	if a := open(l); a.DisabledReason != "" || a.Run() != nil || len(done) != 1 || done[0] != "bb" {
		t.Errorf("on bb: %+v, done %v", a, done)
	}
	l.Set(nil)
	if a := open(l); a.DisabledReason != "No verse is selected." || a.BarPriority != 0 || a.Run() != nil || len(done) != 1 {
		t.Errorf("without rows: %+v, done %v", a, done)
	}
}
