package engine_test

import (
	"encoding/json"
	"testing"

	"bugle/engine"
	"bugle/engine/doc"
)

// A segment's filters are the same after they have been stored, and a list alone has none.
func TestSegmentGroup(t *testing.T) {
	group, err := doc.Parse([]byte(`{"filter_operator":"and","filters":[{"name":"<a> & é","value":[1.50,12345678901234567890]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var s, back engine.Segment
	if err := s.SetGroup(group); err != nil {
		t.Fatal(err)
	}
	if got := s.Group(); string(got.Encode()) != string(group.Encode()) {
		t.Errorf("got %s", got.Encode())
	}
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &back); err != nil || back.Group().Get("filters").Len() != 1 {
		t.Errorf("stored and read: %+v, %v", back, err)
	}
	for _, bad := range []doc.Value{doc.NullValue(), doc.NewStrings("a"), doc.NewInt(1)} {
		if err := s.SetGroup(bad); err == nil || !s.Group().Exists() {
			t.Errorf("%s was taken: %v", bad.Encode(), err)
		}
	}
	if err := s.SetGroup(doc.Value{}); err != nil || s.Group().Exists() {
		t.Errorf("a list alone: %+v, %v", s, err)
	}
	if b, err := json.Marshal(s); err != nil || string(b) != `{"id":"","name":"","members":null}` {
		t.Errorf("a list alone is stored as %s, %v", b, err)
	}
}
