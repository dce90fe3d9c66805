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
