package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bugle/engine"
	"bugle/store"
)

var noon = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)

// in runs fn in a transaction that must succeed.
func in(t testing.TB, db store.DB, fn func(store.WorkspaceTx) error) {
	t.Helper()
	write(t, db, func(tx store.Tx) error { return fn(tx.Workspace(space)) })
}

// save stores a campaign that has only a body.
func save(s store.WorkspaceTx, id string, body string, t testing.TB, coalesce bool) (int64, error) {
	c := engine.Campaign{Head: engine.Head{ID: id}, Body: parse(t, body)}
	return s.PutCampaign(c, engine.Summary{Head: c.Head, Name: "of " + id}, engine.Revision{At: noon, Note: body}, coalesce)
}

func testRoundTrip(t *testing.T, db store.DB) {
	r := filled(t)
	write(t, db, r.put)
	read(t, db, func(tx store.Tx) error {
		for what, o := range r.read(tx.Workspace(space)) {
			if o.err != nil || !reflect.DeepEqual(o.got, o.want) {
				t.Errorf("%s gives %v\n%+v, want\n%+v", what, o.err, o.got, o.want)
			}
		}
		for what, o := range r.read(tx.Workspace("OTHER")) {
			if v := reflect.ValueOf(o.got); v.Kind() == reflect.Slice {
				if o.err != nil || v.Len() > 0 {
					t.Errorf("%s of another workspace gives %v, %v", what, o.got, o.err)
				}
			} else if !errors.Is(o.err, store.ErrNotFound) {
				t.Errorf("%s of another workspace gives %v", what, o.err)
			}
		}
		return nil
	})
	// The same with almost empty records.
	write(t, db, func(tx store.Tx) error {
		s := tx.Workspace(space)
		_, err := s.PutCampaign(engine.Campaign{Head: engine.Head{ID: "empty"}}, engine.Summary{Head: engine.Head{ID: "empty"}}, engine.Revision{}, false)
		return errors.Join(err, s.PutWorkingCopy("empty", engine.WorkingCopy{}), s.PutProfile(engine.User{ID: "empty"}))
	})
	read(t, db, func(tx store.Tx) error {
		c, err := tx.Workspace(space).Campaign("empty")
		if want := (engine.Campaign{Head: engine.Head{ID: "empty", Revision: 1}}); err != nil || !reflect.DeepEqual(c, want) {
			t.Errorf("empty campaign gives %+v, %v", c, err)
		}
		return nil
	})
}

// AddCampaign stores the same as PutCampaign, and does not replace a campaign.
func testAdd(t *testing.T, db store.DB) {
	c := engine.Campaign{Head: engine.Head{ID: "new"}, Body: parse(t, tree)}
	add := func(s store.WorkspaceTx) error {
		return s.AddCampaign(c, engine.Summary{Head: c.Head, Name: "added"}, engine.Revision{At: noon, Note: "created"})
	}
	in(t, db, add)
	in(t, db, func(s store.WorkspaceTx) error {
		got, err1 := s.Campaign("new")
		sum, err2 := s.Summary("new")
		revs, err3 := s.Revisions("new")
		if err := errors.Join(err1, err2, err3); err != nil || got.Revision != 1 || string(got.Body.Encode()) != tree || sum.Name != "added" || len(revs) != 1 || revs[0].N != 1 {
			t.Errorf("added: %+v, %+v, %+v, %v", got, sum, revs, err)
		}
		if err := add(s); err == nil {
			t.Error("a second campaign was added with the id of the first")
		}
		n, err := save(s, "new", `{"n":2}`, t, false)
		if err != nil || n != 2 {
			t.Errorf("the change of an added campaign is revision %d, %v", n, err)
		}
		return err
	})
	// If two transactions add the same campaign, one is refused.
	var added, refused atomic.Int64
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			c := engine.Campaign{Head: engine.Head{ID: "one"}, Body: parse(t, tree)}
			err := db.Write(t.Context(), func(tx store.Tx) error {
				return tx.Workspace(space).AddCampaign(c, engine.Summary{Head: c.Head}, engine.Revision{At: noon})
			})
			if err == nil {
				added.Add(1)
			} else {
				refused.Add(1)
			}
		})
	}
	both.Wait()
	if added.Load() != 1 || refused.Load() != 1 {
		t.Errorf("of two that were added with one id, %d are there", added.Load())
	}
}

func testSpelling(t *testing.T, db store.DB) {
	in(t, db, func(s store.WorkspaceTx) error {
		_, err := save(s, "c1", tree, t, false)
		return errors.Join(err, s.PutWorkingCopy("c1", engine.WorkingCopy{Body: parse(t, tree)}))
	})
	in(t, db, func(s store.WorkspaceTx) error {
		c, err1 := s.Campaign("c1")
		old, err2 := s.Revision("c1", 1)
		w, err3 := s.WorkingCopy("c1")
		for _, got := range []string{string(c.Body.Encode()), string(old.Body.Encode()), string(w.Body.Encode())} {
			if got != tree {
				t.Errorf("stored %s\nread   %s", tree, got)
			}
		}
		return errors.Join(err1, err2, err3)
	})
}

func testRevisions(t *testing.T, db store.DB) {
	steps := []struct {
		body     string
		coalesce bool
		want     []int64 // revisions, newest first
	}{
		{`{"n":1}`, true, []int64{1}},
		{`{"n":2}`, true, []int64{2, 1}}, // the first one is kept
		{`{"n":3}`, true, []int64{3, 1}},
		{`{"n":4}`, false, []int64{4, 3, 1}},
		{`{"n":5}`, true, []int64{5, 3, 1}},
	}
	for i, step := range steps {
		in(t, db, func(s store.WorkspaceTx) error {
			n, err := save(s, "c", step.body, t, step.coalesce)
			if n != int64(i+1) {
				t.Errorf("save %d gives revision %d", i+1, n)
			}
			return err
		})
		in(t, db, func(s store.WorkspaceTx) error {
			revs, err := s.Revisions("c")
			var got []int64
			for _, r := range revs {
				got = append(got, r.N)
				c, err := s.Revision("c", r.N)
				if string(c.Body.Encode()) != r.Note || c.Revision != r.N || r.Size != len(r.Note) || err != nil {
					t.Errorf("revision %+v is %s, %d, %v", r, c.Body.Encode(), c.Revision, err)
				}
			}
			if !slices.Equal(got, step.want) {
				t.Errorf("after save %d revisions %v, want %v", i+1, got, step.want)
			}
			c, err1 := s.Campaign("c")
			sum, err2 := s.Summary("c")
			if c.Revision != int64(i+1) || sum.Revision != int64(i+1) {
				t.Errorf("document is at %d, summary at %d, want %d", c.Revision, sum.Revision, i+1)
			}
			return errors.Join(err, err1, err2)
		})
	}
	in(t, db, func(s store.WorkspaceTx) error {
		_, err := s.Revision("c", 2)
		wantErr(t, err, store.ErrNotFound)
		c := engine.Campaign{Head: engine.Head{ID: "c"}}
		if _, err := s.PutCampaign(c, engine.Summary{Head: engine.Head{ID: "d"}}, engine.Revision{}, false); err == nil {
			t.Error("a campaign was stored with another one's summary")
		}
		return nil
	})
}

func testDeleteCampaign(t *testing.T, db store.DB) {
	in(t, db, func(s store.WorkspaceTx) error {
		for _, id := range []string{"a", "ab", "a\x00b"} {
			for range 3 {
				if _, err := save(s, id, `{}`, t, false); err != nil {
					return err
				}
			}
			if err := errors.Join(s.PutWorkingCopy(id, engine.WorkingCopy{Base: 1}), s.PutDismissals(id, []engine.Dismissal{{Warning: "w@" + id}})); err != nil {
				return err
			}
		}
		return nil
	})
	in(t, db, func(s store.WorkspaceTx) error { return s.DeleteCampaign("a") })
	in(t, db, func(s store.WorkspaceTx) error {
		_, err1 := s.Campaign("a")
		_, err2 := s.Summary("a")
		_, err3 := s.WorkingCopy("a")
		_, err4 := s.Revision("a", 1)
		for id, want := range map[string]int{"a": 0, "ab": 1, "a\x00b": 1} {
			if list, err := s.Dismissals(id); err != nil || len(list) != want {
				t.Errorf("of %q, %d warnings are dismissed, %v, want %d", id, len(list), err, want)
			}
		}
		for _, err := range []error{err1, err2, err3, err4, s.DeleteCampaign("a")} {
			wantErr(t, err, store.ErrNotFound)
		}
		for id, want := range map[string]int{"a": 0, "ab": 3, "a\x00b": 3} {
			if revs, err := s.Revisions(id); err != nil || len(revs) != want {
				t.Errorf("%q has %d revisions, %v, want %d", id, len(revs), err, want)
			}
		}
		n, err := save(s, "a", `{}`, t, false)
		if n != 1 {
			t.Errorf("a new campaign of that id begins at revision %d", n)
		}
		return err
	})
}

func testWorkspaces(t *testing.T, db store.DB) {
	write(t, db, func(tx store.Tx) error {
		for _, id := range []string{"B", "A", "AA"} {
			if err := tx.Workspace(id).PutSettings(engine.Workspace{ID: id}); err != nil {
				return err
			}
		}
		return nil
	})
	write(t, db, func(tx store.Tx) error {
		ids, err := tx.Workspaces()
		if want := []string{"A", "AA", "B", space}; !slices.Equal(ids, want) {
			t.Errorf("got %q, want %q", ids, want)
		}
		if err := tx.Workspace("A").PutSettings(engine.Workspace{ID: "B"}); err == nil {
			t.Error("the settings of B were stored in A")
		}
		return err
	})
}

func testOddNames(t *testing.T, db store.DB) {
	write(t, db, func(tx store.Tx) error {
		for _, id := range []string{"", "A B", "A\x00", "A\n", "\x1b[2J", "\xff", strings.Repeat("A", 10_000)} {
			s := tx.Workspace(id)
			_, err := save(s, "c", `{}`, t, false)
			for _, err := range []error{err, s.PutSettings(engine.Workspace{ID: id}), s.Summaries(nil), s.PutTestSend(engine.TestRecord{})} {
				if err == nil || errors.Is(err, store.ErrNotFound) {
					t.Errorf("workspace %q: %v", id, err)
				}
			}
		}
		s := tx.Workspace(space)
		for _, id := range []string{"", strings.Repeat("A", 10_000)} {
			_, err := save(s, id, `{}`, t, false)
			for _, err := range []error{err, s.PutProfile(engine.User{ID: id}), s.PutRequestID("create", id, noon), s.PutOutbox(engine.OutboxMessage{ID: id})} {
				if err == nil {
					t.Errorf("an id of %d bytes was stored", len(id))
				}
			}
		}
		return nil
	})
}

// Records that expired long ago are removed by the second of two sweeps, and others are kept.
func testSweep(t *testing.T, db store.DB) {
	long, later := noon.Add(time.Hour), time.Now().Add(24*time.Hour).Truncate(time.Second)
	in(t, db, func(s store.WorkspaceTx) error {
		put := func(key string, until time.Time) error {
			return s.PutIdempotencyRecord(store.IdempotencyRecord{Operation: "create", Key: key, ExpiresAt: until})
		}
		return errors.Join(put("old", long), put("new", later), put("longer", long), put("longer", later), put("shorter", later), put("shorter", long),
			put("gone", later), s.DeleteIdempotencyRecord("create", "gone"), s.DeleteIdempotencyRecord("create", "gone"),
			s.PutRequestID("create", "old", long), s.PutRequestID("create", "longer", long), s.PutRequestID("create", "longer", later))
	})
	now := time.Now()
	for _, at := range []time.Time{now, now.Add(2 * time.Hour)} {
		for more := true; more; {
			in(t, db, func(s store.WorkspaceTx) (err error) {
				more, err = s.Sweep(at)
				return err
			})
		}
	}
	var left []string
	in(t, db, func(s store.WorkspaceTx) error {
		left = nil
		for _, key := range []string{"old", "new", "longer", "shorter", "gone"} {
			if i, err := s.IdempotencyRecord("create", key); err == nil {
				left = append(left, key)
				if !i.ExpiresAt.Equal(later) {
					t.Errorf("%s expires at %v", key, i.ExpiresAt)
				}
			}
			if _, err := s.RequestID("create", key); err == nil {
				left = append(left, "request "+key)
			}
		}
		return nil
	})
	if want := []string{"new", "longer", "request longer"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}

// A lease is held by its handle as long as the handle is open.
func testLease(t *testing.T, db store.DB) {
	in(t, db, func(s store.WorkspaceTx) error {
		return s.PutIdempotencyRecord(store.IdempotencyRecord{Operation: "test", Key: "k", Running: true, Lease: db.Lease(), ExpiresAt: time.Now().Add(time.Hour)})
	})
	in(t, db, func(s store.WorkspaceTx) error {
		mine, err1 := s.LeaseHeld(db.Lease())
		other, err2 := s.LeaseHeld("of nobody")
		if !mine || other {
			t.Errorf("our lease is held: %t, that of nobody: %t", mine, other)
		}
		return errors.Join(err1, err2)
	})
}

func testOutbox(t *testing.T, db store.DB) {
	ids := func(limit int) (ids []string) {
		in(t, db, func(s store.WorkspaceTx) error {
			ds, err := s.Outbox(limit)
			for _, d := range ds {
				ids = append(ids, d.ID)
			}
			return err
		})
		return ids
	}
	in(t, db, func(s store.WorkspaceTx) error {
		return errors.Join(s.PutOutbox(engine.OutboxMessage{ID: "02"}), s.PutOutbox(engine.OutboxMessage{ID: "03"}), s.PutOutbox(engine.OutboxMessage{ID: "01"}))
	})
	if got, want := ids(2), []string{"03", "02"}; !slices.Equal(got, want) {
		t.Errorf("newest two are %q, want %q", got, want)
	}
	in(t, db, func(s store.WorkspaceTx) error { _, err := s.TrimOutbox(1); return err })
	if got, want := ids(0), []string{"03", "02"}; !slices.Equal(got, want) {
		t.Errorf("without the oldest %q, want %q", got, want)
	}
	in(t, db, func(s store.WorkspaceTx) error { _, err := s.TrimOutbox(0); return err })
	if got := ids(0); len(got) > 0 {
		t.Errorf("cleared, but holds %q", got)
	}
}

func testTestSends(t *testing.T, db store.DB) {
	in(t, db, func(s store.WorkspaceTx) error {
		for i, at := range []time.Time{noon, noon.Add(time.Hour), noon, {}} {
			if err := s.PutTestSend(engine.TestRecord{At: at, CampaignID: fmt.Sprint(i)}); err != nil {
				return err
			}
		}
		return nil
	})
	in(t, db, func(s store.WorkspaceTx) error {
		var got []string
		err := s.TestSends(3, func(r engine.TestRecord) error { got = append(got, r.CampaignID); return nil })
		if want := []string{"1", "2", "0"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		return err
	})
}
