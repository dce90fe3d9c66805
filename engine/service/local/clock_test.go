package local_test

import (
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/service/local"
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

// However often the clock is set, a campaign's time of change and its history never go backwards, and
// each kind of change comes through.
func TestTimeOfChangeNeverGoesBack(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.create(`{%s,"basic_details":{"name":"First"}}`, emailHead)
	last := b.get(id)
	for n, d := range []time.Duration{-time.Hour, -365 * 24 * time.Hour, time.Minute, 366 * 24 * time.Hour, -time.Second} {
		b.clock.Add(d)
		c := b.get(id)
		body := parse(t, `{"basic_details":{"name":"Change %d"}}`, n)
		if n%2 == 0 {
			_, err := b.Save(b.ctx, engine.SaveRequest{ID: id, Revision: c.Revision, Body: body, By: author})
			b.ok(err)
		} else {
			_, err := b.Update(b.ctx, engine.UpdateRequest{ID: id, Body: parse(t, `{"updated_by":%q,"basic_details":{"name":"Change %d"}}`, author, n)})
			b.ok(err)
		}
		now := b.get(id)
		if now.UpdatedAt.Before(last.UpdatedAt) || now.UpdatedAt.Before(now.CreatedAt) {
			t.Errorf("after %v it was changed at %v, and before at %v", d, now.UpdatedAt, last.UpdatedAt)
		}
		last = now
	}
	if want := b.clock.Now().Add(time.Second); !last.UpdatedAt.Equal(want) {
		t.Errorf("it was changed at %v, and the clock was at %v at most", last.UpdatedAt, want)
	}
	revs, err := b.Revisions(b.ctx, id)
	b.ok(err)
	for i := 1; i < len(revs); i++ {
		if revs[i].At.After(revs[i-1].At) {
			t.Errorf("revision %d is of %v, and the one after it of %v", revs[i].N, revs[i].At, revs[i-1].At)
		}
	}
}

// Promises are kept until the clock has come to their end, not forgotten and not kept for ever: a
// request_id within its window, an Idempotency-Key for 24 hours, also across a start.
func TestPromisesOutliveAClockSetBack(t *testing.T) {
	b := newBench(t, local.Options{})
	once := engine.CreateRequest{Body: parse(t, `{%s,"request_id":"once"}`, emailHead)}
	_, err := b.Create(b.ctx, once)
	b.ok(err)
	call := engine.Call{IdempotencyKey: key()}
	keyed := engine.CreateRequest{Call: call, Body: parse(t, `{%s}`, emailHead)}
	first, err := b.Create(b.ctx, keyed)
	b.ok(err)

	b.clock.Add(-40 * 24 * time.Hour)
	for step, forward := range []time.Duration{0, 20 * 24 * time.Hour, 20 * 24 * time.Hour, 24*time.Hour - time.Second} {
		b.clock.Add(forward)
		svc, err := local.Open(b.db, "TEST", local.Options{Clock: b.clock.Now}) // as after a start
		b.ok(err)
		_, err = svc.Create(b.ctx, once)
		refused(t, err, engine.BadRequest, 409)
		again, err := svc.Create(b.ctx, keyed)
		b.ok(err)
		if again.ID != first.ID || !again.Replayed {
			t.Errorf("step %d: the repeated request made %s, and first %s", step, again.ID, first.ID)
		}
		// Another key sweeps what is over.
		_, err = svc.Create(b.ctx, engine.CreateRequest{Call: engine.Call{IdempotencyKey: key()}, Body: parse(t, `{%s}`, emailHead)})
		b.ok(err)
	}
	b.clock.Add(time.Second)
	_, err = b.Create(b.ctx, once)
	b.ok(err)
	again, err := b.Create(b.ctx, keyed)
	b.ok(err)
	if again.Replayed {
		t.Error("the Idempotency-Key is remembered for longer than a day")
	}
}

// A schedule is what the clock says when it is read: set back, it is ahead again, and what is allowed
// then can be done; nothing of it is written by reading.
func TestScheduleAfterClockSetBack(t *testing.T) {
	b := newBench(t, local.Options{})
	b.clock.now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	id := b.state(1, catalog.Email, catalog.OneTime, catalog.Scheduled, `{`+fixed+`}`)
	states := func(at string, want engine.State) {
		t.Helper()
		now, err := time.Parse(time.RFC3339, at)
		b.ok(err)
		b.clock.now = now
		if got := b.get(id).Status; got != want {
			t.Errorf("at %s it is %s, want %s", at, got, want)
		}
		rows, err := b.List(b.ctx, engine.ListQuery{})
		b.ok(err)
		if len(rows) != 1 || rows[0].Status != want {
			t.Errorf("at %s the list has %+v, want %s", at, rows, want)
		}
	}
	states("2026-12-01T09:00:00Z", catalog.Sent)
	states("2026-11-30T12:00:00Z", catalog.Scheduled)
	_, err := b.ChangeStatus(b.ctx, engine.StatusRequest{ID: id, Action: catalog.Stop, By: author})
	b.ok(err)
	states("2026-12-01T09:00:00Z", catalog.Stopped)
	states("2025-12-01T09:00:00Z", catalog.Stopped)
}
