package widget_test

import (
	"testing"

	"pgregory.net/rapid"

	"bugle/ui/uitest"
	"bugle/ui/widget"
)

func TestWindowMoves(t *testing.T) {
	w := widget.Window{}
	w.Resize(100, 10)
	for _, step := range []struct {
		key            string
		cursor, offset int
	}{
		{"down", 1, 0}, {"up", 0, 0}, {"up", 0, 0}, {"pgdown", 10, 10}, {"ctrl+d", 15, 15}, {"j", 16, 15}, {"k", 15, 15},
		{"k", 14, 14}, {"G", 99, 90}, {"down", 99, 90}, {"pgdown", 99, 90}, {"pgup", 89, 80}, {"ctrl+u", 84, 75}, {"g", 0, 0},
	} {
		if !w.Update(uitest.Key(step.key)) {
			t.Errorf("%s is not taken", step.key)
		}
		if w.Cursor != step.cursor || w.Offset != step.offset {
			t.Fatalf("after %s: cursor %d, offset %d; want %d, %d", step.key, w.Cursor, w.Offset, step.cursor, step.offset)
		}
	}
	if w.Update(uitest.Key("x")) {
		t.Error("x moves")
	}
}

// After any operation the cursor is on an entry and visible, and no line is wasted.
func TestWindowStaysInBounds(t *testing.T) {
	names := []string{"up", "down", "pgup", "pgdown", "ctrl+u", "ctrl+d", "home", "end"}
	rapid.Check(t, func(t *rapid.T) {
		w := widget.Window{}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				w.Resize(rapid.IntRange(-1, 40).Draw(t, "length"), rapid.IntRange(-1, 12).Draw(t, "height"))
			case 1:
				w.Update(uitest.Key(rapid.SampledFrom(names).Draw(t, "key")))
			case 2:
				w.Scroll(rapid.IntRange(-50, 50).Draw(t, "scroll"))
			case 3:
				w.Click(rapid.IntRange(-1, 14).Draw(t, "y"))
			}
			from, to := w.Visible()
			switch {
			case w.Cursor < 0 || w.Len > 0 && w.Cursor >= w.Len:
				t.Fatalf("the cursor is at %d of %d", w.Cursor, w.Len)
			case w.Len > 0 && w.Height > 0 && (w.Cursor < from || w.Cursor >= to):
				t.Fatalf("the cursor %d is out of sight: %d to %d", w.Cursor, from, to)
			case to-from != min(w.Len, w.Height):
				t.Fatalf("%d to %d of %d are in sight, with room for %d", from, to, w.Len, w.Height)
			}
		}
	})
}
