package workspace

import (
	"testing"
	"time"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/workspace/settings"
	"bugle/ui/screen"
)

func newSegment(t *testing.T) *draft {
	t.Helper()
	sec, ok := settings.Find("segments")
	if !ok {
		t.Fatal("there is no section of segments")
	}
	return newDraft(screen.Deps{Now: time.Now}, sec, "", doc.Value{})
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

// A filter group whose last filter was removed is no change.
func TestEmptyFilterGroupIsNoChange(t *testing.T) {
	d := newSegment(t)
	root, err := d.Root().Set(doc.P("filters", "filters"), doc.NewArray())
	if err != nil {
		t.Fatal(err)
	}
	if d.change(root, nil, ""); d.dirty() || d.request().Value.Get("filters").Exists() {
		t.Errorf("to save: %s, dirty: %v", d.request().Value.Encode(), d.dirty())
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
		if d := newDraft(screen.Deps{Now: time.Now}, sec, "x", doc.Value{}); d.dirty() {
			t.Errorf("%s: there is something to save", sec.ID)
		}
	}
}
