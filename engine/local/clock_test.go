package local_test

import (
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/local"
)

// A clock that is set back by a year stops nobody: campaigns are made and saved, in the order of their
// revisions, promises about repeated requests hold, and what was made before is still there.
func TestClockSetBack(t *testing.T) {
	b := newBench(t, local.Options{})
	first := b.create(`{%s,"basic_details":{"name":"Before"}}`, emailHead)
	call := engine.Call{IdempotencyKey: key()}
	once, err := b.Create(b.ctx, engine.CreateRequest{Call: call, Body: parse(t, `{%s}`, emailHead)})
	b.ok(err)

	b.clock.Add(-365 * 24 * time.Hour)
	again, err := b.Create(b.ctx, engine.CreateRequest{Call: call, Body: parse(t, `{%s}`, emailHead)})
	b.ok(err)
	if again.ID != once.ID || !again.Replayed {
		t.Errorf("a repeated request made %s, and first %s", again.ID, once.ID)
	}
	later := b.create(`{%s,"basic_details":{"name":"After"}}`, emailHead)
	if later == first {
		t.Error("two campaigns have one id")
	}
	c := b.get(first)
	for n := range 3 {
		h, err := b.Save(b.ctx, engine.SaveRequest{ID: first, Revision: c.Revision + int64(n), Body: parse(t, `{"basic_details":{"name":"Save %d"}}`, n), By: author})
		b.ok(err)
		if h.Revision != c.Revision+int64(n)+1 {
			t.Errorf("save %d is revision %d", n, h.Revision)
		}
	}
	revs, err := b.Revisions(b.ctx, first)
	b.ok(err)
	for i := 1; i < len(revs); i++ {
		if revs[i].N >= revs[i-1].N {
			t.Errorf("revision %d stands before %d", revs[i-1].N, revs[i].N)
		}
	}
	list, err := b.List(b.ctx, engine.ListQuery{})
	b.ok(err)
	if len(list) != 3 {
		t.Errorf("%d campaigns are listed", len(list))
	}
}
