package edit_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/schema"
)

// newDocument returns a document that keeps its changes in h.
func newDocument(h *edit.History, id string, now *time.Time) *edit.Document {
	d := edit.NewDocument(edit.Rules{
		Check:   func(doc.Value) (*schema.Schema, []schema.Problem) { return nil, nil },
		Now:     func() time.Time { return *now },
		History: h, ID: id,
	})
	d.Replace(doc.NewObject())
	return &d
}

// Whatever is edited, undone and redone in two documents, in whichever order: each document is, byte for byte, what a list
// of all its versions says, also where it was opened again. Edits that follow each other in one field within a moment are
// one step.
func TestHistoryAgainstAList(t *testing.T) {
	type open struct {
		*edit.Document
		versions []string
		place    int
		field    string // that the newest step may go on in
		typed    time.Time
	}
	rapid.Check(t, func(t *rapid.T) {
		var h edit.History
		at := time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)
		docs := []*open{{Document: newDocument(&h, "a", &at)}, {Document: newDocument(&h, "b", &at)}}
		for _, d := range docs {
			d.versions = []string{string(d.Root().Encode())}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			at = at.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 1999, 2000, 5000}).Draw(t, "pause")) * time.Millisecond)
			n := rapid.IntRange(0, 1).Draw(t, "document")
			d := docs[n]
			switch rapid.SampledFrom([]string{"edit", "edit", "edit", "undo", "redo", "reopen"}).Draw(t, "what") {
			case "edit":
				field := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "field")
				root := d.Root().Delete(doc.P("x"))
				if rapid.IntRange(0, 3).Draw(t, "delete") > 0 {
					var err error
					if root, err = d.Root().Set(doc.P("x", rapid.SampledFrom([]string{"y", "z", "é\t"}).Draw(t, "name")), doc.NewString(rapid.String().Draw(t, "text"))); err != nil {
						t.Fatal(err)
					}
				}
				if len(doc.Diff(d.Root(), root)) == 0 {
					continue
				}
				continued := d.Change(root, nil, field)
				if want := field != "" && field == d.field && at.Sub(d.typed) < 2*time.Second && d.place > 0; continued != want {
					t.Fatalf("an edit of %q goes on: %v, want %v", field, continued, want)
				}
				if !continued {
					d.place++
				}
				d.versions = append(d.versions[:d.place], string(root.Encode()))
				d.field, d.typed = field, at
			case "undo":
				for d.place > 0 && d.versions[d.place] == d.versions[d.place-1] { // typed, and taken back
					d.place, d.field = d.place-1, "-"
				}
				if _, ok := d.Undo(); ok != (d.place > 0) {
					t.Fatalf("undone: %v, with %d steps", ok, d.place)
				} else if ok {
					d.place, d.field = d.place-1, "-"
				}
			case "redo":
				for d.place < len(d.versions)-1 && d.versions[d.place] == d.versions[d.place+1] {
					d.place++
				}
				if _, ok := d.Redo(); ok != (d.place < len(d.versions)-1) {
					t.Fatalf("redone: %v, at %d of %d", ok, d.place, len(d.versions)-1)
				} else if ok {
					d.place, d.field = d.place+1, "-"
				}
			case "reopen":
				again := newDocument(&h, []string{"a", "b"}[n], &at)
				root, err := doc.Parse(d.Root().Encode())
				if err != nil {
					t.Fatal(err)
				}
				again.Replace(root)
				d.Document = again
			}
			for i, d := range docs {
				if got := string(d.Root().Encode()); got != d.versions[d.place] {
					t.Fatalf("version %d of document %d is %s, and was %s", d.place, i, got, d.versions[d.place])
				}
			}
		}
	})
}

func TestHistoryOfSeveralDocuments(t *testing.T) {
	var h edit.History
	now := time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)
	any := func(*edit.Step) bool { return true }
	only := func(id string) func(*edit.Step) bool { return func(s *edit.Step) bool { return s.ID == id } }
	ids := func(steps []*edit.Step) (out []string) {
		for _, s := range steps {
			out = append(out, s.ID)
		}
		return out
	}
	want := func(what string, steps []*edit.Step, want ...string) {
		t.Helper()
		if got := ids(steps); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	tags := func(id string) edit.Step {
		return edit.Step{ID: id, Before: doc.NewObject(), After: doc.NewObject(doc.M("tags", doc.NewStrings("vip")))}
	}
	h.Record(tags("a"), tags("b"), tags("c"))
	b := newDocument(&h, "b", &now)
	b.Replace(doc.NewObject(doc.M("tags", doc.NewStrings("vip"))))
	if _, ok := b.Undo(); !ok || string(b.Root().Encode()) != "{}" {
		t.Errorf("undone in one document: %s", b.Root().Encode())
	}
	rest := h.Next(true, any)
	want("the rest of the change", rest, "a", "c")
	h.Done(rest[0])
	want("what failed, again", h.Next(true, any), "c")
	h.Drop(rest[1])
	want("nothing is left", h.Next(true, any))
	want("undone last", h.Next(false, any), "a", "b")
	want("undone in one document", h.Next(false, only("b")), "b")

	h.Record(edit.Step{ID: "d", Action: catalog.Pause, What: "“D” was paused"})
	next := h.Next(true, any)
	if want("the action", next, "d"); next[0].Reverse() != catalog.Resume {
		t.Errorf("a pause is undone by %q", next[0].Reverse())
	}
	if !h.Record(edit.Step{ID: "d", Action: catalog.Resume}) {
		t.Error("the action was not undone by its inverse")
	}
	want("an undone action", h.Next(false, only("d")), "d")
	if !h.Record(edit.Step{ID: "d", Action: catalog.Pause}) {
		t.Error("the action was not redone")
	}
	if h.Record(edit.Step{ID: "d", Action: catalog.Resume}) {
		t.Error("nobody asked to undo it")
	}

	big := make([]edit.Step, edit.MaxSteps)
	for i := range big {
		big[i] = tags(fmt.Sprint("e", i))
	}
	h.Record(big...)
	h.Record(tags("f"))
	want("the newest", h.Next(true, only("f")), "f")
	want("the oldest is dropped", h.Next(true, only("d")))
}
