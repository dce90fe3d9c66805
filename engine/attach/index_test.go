//go:build linux || darwin || freebsd

package attach_test

import (
	"testing"
	"time"

	"bugle/engine/attach"
	"bugle/engine/search/index"
)

// The owner has the index of its service, who is attached has none; when the store changes hands the one
// is left, and the next owner has another.
func TestIndexGoesWithTheStore(t *testing.T) {
	s := newShed(t)
	first, second := s.pair()
	id := create(t, second.Service(workspace))
	ix, ok := index.Of(t.Context(), first.Service(workspace))
	if !ok {
		t.Fatal("the owner has no index")
	}
	if _, _, err := ix.Wait(t.Context(), 1<<30); err != nil {
		t.Fatal(err)
	}
	later := create(t, second.Service(workspace)) // from another process
	for _, id := range []string{id, later} {
		if _, ok := ix.Get(id, time.Now()); !ok {
			t.Errorf("%s is not in the index", id)
		}
	}
	if _, ok := index.Of(t.Context(), second.Service(workspace)); ok {
		t.Error("who is attached has an index that nobody keeps current")
	}
	s.ok(first.Close())
	select {
	case <-ix.Left():
	default:
		t.Error("the index of a closed owner is not left")
	}
	until(t, second, "the owner", func(st attach.State) bool { return st.Role == attach.Owner })
	next, ok := index.Of(t.Context(), second.Service(workspace))
	if !ok {
		t.Fatal("the next owner has no index")
	}
	if _, _, err := next.Wait(t.Context(), 1<<30); err != nil {
		t.Fatal(err)
	}
	if next.Len() != 2 {
		t.Errorf("%d rows, want 2", next.Len())
	}
}
