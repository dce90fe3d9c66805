package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/store"
)

func equal(a, b any) bool { return reflect.DeepEqual(a, b) }

// Records of every kind are read as they were stored, and in no other workspace.
func testRoundTrip(t *testing.T, db store.DB) {
	r := filled(t)
	write(t, db, r.put)
	read(t, db, func(s store.WorkspaceTx) error {
		for what, o := range r.read(s) {
			if o.err != nil || !equal(o.got, o.want) {
				t.Errorf("%s gives %v\n%+v, want\n%+v", what, o.err, o.got, o.want)
			}
		}
		c, err := s.Campaign(r.Campaign.ID)
		if got := string(c.Body.Encode()); got != tree {
			t.Errorf("stored %s\nread   %s, %v", tree, got, err)
		}
		return err
	})
	write(t, db, func(tx store.Tx) error {
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
	empty := engine.Campaign{Head: engine.Head{ID: "empty"}}
	in(t, db, func(s store.WorkspaceTx) error {
		_, err := s.PutCampaign(empty, engine.Summary{Head: empty.Head}, engine.Revision{}, false)
		return errors.Join(err, s.PutWorkingCopy("empty", engine.WorkingCopy{}), s.PutProfile(engine.User{ID: "empty"}))
	})
	read(t, db, func(s store.WorkspaceTx) error {
		c, err := s.Campaign("empty")
		if c.Revision = 0; !equal(c, empty) {
			t.Errorf("empty campaign gives %+v", c)
		}
		return err
	})
}

func testWorkspaces(t *testing.T, db store.DB) {
	write(t, db, func(tx store.Tx) error {
		var all []error
		for _, id := range []string{"B", "A", "AA"} {
			all = append(all, tx.Workspace(id).PutSettings(engine.Workspace{ID: id}))
		}
		if err := tx.Workspace("A").PutSettings(engine.Workspace{ID: "B"}); err == nil {
			t.Error("the settings of B were stored in A")
		}
		return errors.Join(all...)
	})
	write(t, db, func(tx store.Tx) error {
		ids, err := tx.Workspaces()
		if want := []string{"A", "AA", "B", space}; !slices.Equal(ids, want) {
			t.Errorf("got %q, want %q", ids, want)
		}
		return err
	})
	// Settings that have not changed are not read again.
	var first, again, changed *store.CachedSettings
	in(t, db, func(s store.WorkspaceTx) (err error) { first, err = s.SettingsIfChanged(nil); return err })
	in(t, db, func(s store.WorkspaceTx) (err error) { again, err = s.SettingsIfChanged(first); return err })
	in(t, db, func(s store.WorkspaceTx) error { return s.PutSettings(engine.Workspace{ID: space, Name: "new"}) })
	in(t, db, func(s store.WorkspaceTx) (err error) { changed, err = s.SettingsIfChanged(first); return err })
	if first != again || changed.Workspace.Name != "new" {
		t.Errorf("read again: %t; after a change: %+v", first != again, changed.Workspace)
	}
}

// Ids that no record can have, and what does not fit together, are refused.
func testRefusals(t *testing.T, db store.DB) {
	refused := func(what string, all ...error) {
		t.Helper()
		for i, err := range all {
			if err == nil || errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s, %d: %v", what, i, err)
			}
		}
	}
	write(t, db, func(tx store.Tx) error {
		for _, id := range []string{"", "A B", "A\x00", "A\n", "\x1b[2J", "\xff", strings.Repeat("A", 10_000)} {
			s := tx.Workspace(id)
			_, err := save(s, "c", `{}`, t, false)
			refused(fmt.Sprintf("workspace %q", id), err, s.PutSettings(engine.Workspace{ID: id}), s.Summaries(nil), s.PutTestSend(engine.TestRecord{}))
		}
		s := tx.Workspace(space)
		for _, id := range []string{"", "a\x00", strings.Repeat("A", 10_000)} {
			_, err := save(s, id, `{}`, t, false)
			refused(fmt.Sprintf("id %.10q", id), err, s.PutProfile(engine.User{ID: id}), s.PutRequestID("create", id, noon), s.PutOutbox(engine.OutboxMessage{ID: id}), s.PutContent(products(id, "")))
		}
		c, _, rev := campaign(t, "c", `{}`)
		_, other, _ := campaign(t, "d", `{}`)
		_, err := s.PutCampaign(c, other, rev, false)
		refused("a campaign with the summary of another one", err)
		_, err = s.FindProfiles("shoe_size", "44")
		refused("an unknown kind of identifier", err)
		_, err = s.ContentItem(engine.ContentRef{Kind: engine.KindBlock, Name: "footer"})
		refused("a kind of content that has no records", err)
		refused("a template without a version", s.PutContent(template("t", 0, "")))
		refused("an idempotency key that never expires", s.PutIdempotencyRecord(store.IdempotencyRecord{Operation: "create", Key: "k"}))
		return nil
	})
	err := db.Read(t.Context(), func(tx store.Tx) error { return tx.Workspace(space).PutProfile(engine.User{ID: "u"}) })
	wantErr(t, err, store.ErrReadOnly)
}

// A long history keeps the first revision, those that changed the state, and the newest ones.
func testLongHistory(t *testing.T, db store.DB) {
	if testing.Short() {
		t.Skip("it saves a campaign more than 2,000 times")
	}
	const saves, live = store.NewestRevisions + store.OlderRevisions + 200, 302
	for from := 0; from < saves; from += 100 {
		in(t, db, func(s store.WorkspaceTx) error {
			for n := from + 1; n <= from+100; n++ {
				c, sum, rev := campaign(t, "c", `{}`)
				if c.Status = "DRAFT"; n >= live {
					c.Status = "ACTIVE"
				}
				if _, err := s.PutCampaign(c, sum, rev, false); err != nil {
					return err
				}
			}
			return nil
		})
	}
	read(t, db, func(s store.WorkspaceTx) error {
		revs, err := s.Revisions("c")
		kept := map[int64]bool{}
		for _, r := range revs {
			kept[r.N] = true
		}
		if len(revs) >= saves || len(revs) < store.NewestRevisions+store.OlderRevisions/2 || !kept[1] || !kept[live] {
			t.Errorf("%d of %d are kept, the first: %t, the change of state: %t", len(revs), saves, kept[1], kept[live])
		}
		for n := int64(saves); n > saves-store.NewestRevisions; n-- {
			if !kept[n] {
				t.Fatalf("revision %d of %d is gone", n, saves)
			}
		}
		return err
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
	read(t, db, func(s store.WorkspaceTx) error {
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
