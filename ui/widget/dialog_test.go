package widget_test

import (
	"strings"
	"testing"

	"bugle/ui/widget"
)

func TestConfirm(t *testing.T) {
	for _, test := range []struct {
		danger bool
		keys   string
		done   bool
		index  int
	}{
		{false, "enter", true, 0},
		{true, "enter", true, 1},
		{true, "y", true, 0},
		{false, "n", true, 1},
		{false, "N", true, 1},
		{true, "left enter", true, 0},
		{true, "tab enter", true, 0},
		{false, "shift+tab enter", true, 1},
		{false, "esc", true, -1},
		{false, "x", false, 0},
		{false, "down", false, 0},
	} {
		d := confirm("Delete?", "It is gone for good.", "Delete", "Keep", test.danger)
		var answer widget.Answer
		var done bool
		for name := range strings.FieldsSeq(test.keys) {
			answer, done = d.Update(key(name))
		}
		if done != test.done || done && answer.Index != test.index {
			t.Errorf("%s (danger %v): %v, %v", test.keys, test.danger, answer, done)
		}
		if done && (answer.Yes() != (test.index == 0) || answer.Canceled() != (test.index < 0)) {
			t.Errorf("%s: %v says yes %v, canceled %v", test.keys, answer, answer.Yes(), answer.Canceled())
		}
	}
}

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

func TestLongDialogScrolls(t *testing.T) {
	d := confirm("Publish?", strings.Repeat("first ", 50)+"last", "Publish", "Not yet", false)
	d.SetSize(40, 10)
	if strings.Contains(d.View(), "last") || !strings.Contains(d.View(), "Not yet") {
		t.Fatalf("before scrolling:\n%s", d.View())
	}
	d.Update(key("end"))
	if view := d.View(); !strings.Contains(view, "last") || !strings.Contains(view, "Not yet") {
		t.Errorf("after scrolling:\n%s", view)
	}
}
