package edit

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"bugle/engine/doc"
)

// Whatever is edited, undone and done again, in whichever order: the document is, byte for byte, what a list
// of all its versions says. Edits that follow each other in one field within a moment are one step.
func TestHistoryAgainstAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h history
		root := doc.NewObject()
		at := time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)
		versions, place := []string{string(root.Encode())}, 0
		joins := "" // the field that the newest step may go on in
		var typed time.Time
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			at = at.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 1999, 2000, 5000}).Draw(t, "pause")) * time.Millisecond)
			now := Step{Root: root}
			switch rapid.SampledFrom([]string{"edit", "edit", "edit", "undo", "redo"}).Draw(t, "what") {
			case "edit":
				field := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "field")
				continued := h.record(now, field, at)
				if want := field != "" && field == joins && at.Sub(typed) < 2*time.Second && place > 0; continued != want {
					t.Fatalf("an edit of %q goes on: %v, want %v", field, continued, want)
				}
				var err error
				if rapid.IntRange(0, 3).Draw(t, "delete") == 0 {
					root = root.Delete(doc.P("x"))
				} else if root, err = root.Set(doc.P("x", rapid.SampledFrom([]string{"y", "z", "é\t"}).Draw(t, "name")), doc.NewString(rapid.String().Draw(t, "text"))); err != nil {
					t.Fatal(err)
				}
				if !continued {
					place++
				}
				versions = append(versions[:place], string(root.Encode()))
				joins, typed = field, at
			case "undo":
				if to, ok := h.undo(now); ok != (place > 0) {
					t.Fatalf("undone: %v, with %d steps", ok, place)
				} else if ok {
					root, place, joins = to.Root, place-1, ""
				}
			case "redo":
				if to, ok := h.redo(now); ok != (place < len(versions)-1) {
					t.Fatalf("done again: %v, at %d of %d", ok, place, len(versions)-1)
				} else if ok {
					root, place, joins = to.Root, place+1, ""
				}
			}
			if got := string(root.Encode()); got != versions[place] {
				t.Fatalf("version %d is %s, and was %s", place, got, versions[place])
			}
		}
		for place > 0 {
			to, ok := h.undo(Step{Root: root})
			if !ok {
				t.Fatalf("%d steps are left, and none is undone", place)
			}
			if root, place = to.Root, place-1; string(root.Encode()) != versions[place] {
				t.Fatalf("version %d is %s, and was %s", place, root.Encode(), versions[place])
			}
		}
	})
}
