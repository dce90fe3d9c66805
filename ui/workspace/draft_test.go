package workspace

import (
	"testing"
	"time"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/workspace/settings"
)

func newSegment(t *testing.T) *draft {
	t.Helper()
	sec, ok := settings.Find("segments")
	if !ok {
		t.Fatal("there is no section of segments")
	}
	return newDraft(sec, "", doc.Value{}, time.Now)
}

func TestNewRecordHidesMissingBeforeSave(t *testing.T) {
	d := newSegment(t)
	if bad := schema.Errors(d.Problems()); len(bad) > 0 {
		t.Errorf("problems of a new record: %v", bad)
	}
	d.saveTried = true
	d.Check()
	if len(schema.Errors(d.Problems())) == 0 {
		t.Error("no problem after a save was tried")
	}
}

// The group that the filter editor needs is not a change, and undo skips it.
func TestEmptyFilterGroupIsNoChange(t *testing.T) {
	d := newSegment(t)
	d.addFilterGroup(doc.P("filters"))
	if !d.Root().Get("filters").Exists() || d.dirty() || d.Steps() > 0 {
		t.Fatalf("%s, dirty: %v, steps: %d", d.Root().Encode(), d.dirty(), d.Steps())
	}
	root, err := d.Root().Set(doc.P("name"), doc.NewString("Norwegians"))
	if err != nil {
		t.Fatal(err)
	}
	d.change(root, nil, "name")
	if !d.dirty() || d.request().Value.Get("filters").Exists() {
		t.Errorf("to save: %s", d.request().Value.Encode())
	}
	if _, ok := d.Undo(); !ok || d.dirty() {
		t.Errorf("after undo: %s", d.Root().Encode())
	}
}

// The service's problems are shown until the record is changed.
func TestRefusalIsShownUntilChange(t *testing.T) {
	d := newSegment(t)
	d.refused = []schema.Problem{{Path: doc.P("name"), Rule: "x#taken"}}
	d.Check()
	if len(d.Problems()) != 1 {
		t.Fatalf("problems: %v", d.Problems())
	}
	d.change(d.Root(), nil, "")
	if len(d.Problems()) != 0 {
		t.Errorf("problems after a change: %v", d.Problems())
	}
}

// A record that has not been read has nothing to save and no problems, in any section.
func TestUnreadRecord(t *testing.T) {
	for _, sec := range settings.Sections() {
		if d := newDraft(sec, "x", doc.Value{}, time.Now); d.dirty() {
			t.Errorf("%s: there is something to save", sec.ID)
		}
	}
}
