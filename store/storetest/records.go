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

// Records of every kind are read as they were stored, and in no other workspace; full ones, and almost empty ones.
func testRoundTrip(t *testing.T, db store.DB) {
	full := filled(t)
	c := engine.Campaign{Head: engine.Head{ID: "empty", Revision: 1}}
	first := []store.Version{{Revision: engine.Revision{N: 1}, Campaign: c}}
	empty := []store.Record{
		engine.Workspace{ID: "EMPTY"}, engine.User{ID: "empty"},
		store.WholeCampaign{Campaign: c, Summary: engine.Summary{Head: c.Head}, History: first, WorkingCopy: &engine.WorkingCopy{}},
	}
	for _, want := range [][]store.Record{full, empty} {
		id := want[0].(engine.Workspace).ID
		write(t, db, func(tx store.Tx) error { return tx.Workspace(id).PutRecords(want) })
		write(t, db, func(tx store.Tx) error {
			got := all(t, tx.Workspace(id))
			if len(got) != len(want) {
				t.Fatalf("there are %d records, want %d", len(got), len(want))
			}
			for i, r := range got {
				if !reflect.DeepEqual(r, want[i]) {
					t.Errorf("a %T is\n%+v, want\n%+v", r, r, want[i])
				}
			}
			_, err := tx.Workspace("OTHER").Campaign(of[store.WholeCampaign](want)[0].Campaign.ID)
			wantErr(t, err, store.ErrNotFound)
			return nil
		})
	}
	read(t, db, func(s store.WorkspaceTx) error {
		c, err := s.Campaign(of[store.WholeCampaign](full)[0].Campaign.ID)
		if string(c.Body.Encode()) != tree {
			t.Errorf("stored %s\nread   %s", tree, c.Body.Encode())
		}
		return err
	})
	for more := true; more; {
		write(t, db, func(tx store.Tx) (err error) {
			if more, err = tx.Workspace(space).ClearWorkspace(); !more {
				wantErr(t, tx.Workspace(space).Records(nil), store.ErrNotFound)
			}
			return err
		})
	}
}

// all returns all records of a workspace.
func all(t interface{ Error(...any) }, s store.WorkspaceTx) []store.Record {
	out, err := list(s.Records)
	if err != nil {
		t.Error(err)
	}
	return out
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
	put := func(s store.WorkspaceTx, id string) error {
		_, err := save(s, id, `{}`, t, false)
		return err
	}
	write(t, db, func(tx store.Tx) error {
		for _, id := range []string{"", "A B", "A\x00", "A\n", "\x1b[2J", "\xff", strings.Repeat("A", 10_000)} {
			s := tx.Workspace(id)
			refused(fmt.Sprintf("workspace %q", id), put(s, "c"), s.PutSettings(engine.Workspace{ID: id}), s.Summaries(nil), s.PutTestSend(engine.TestRecord{}))
		}
		s := tx.Workspace(space)
		for _, id := range []string{"", "a\x00", strings.Repeat("A", 10_000)} {
			refused(fmt.Sprintf("id %.10q", id), put(s, id), s.PutProfiles(profile(id, "")), s.PutIdempotencyRecord(store.IdempotencyRecord{Operation: "create", Key: id, ExpiresAt: noon}),
				s.PutOutbox(engine.OutboxMessage{ID: id}), s.PutContent(products(id, "")))
		}
		c, _, rev := campaign(t, "c", `{}`)
		_, other, _ := campaign(t, "d", `{}`)
		_, err1 := s.PutCampaign(c, other, rev, false)
		_, err2 := s.FindProfiles("shoe_size", "44")
		_, err3 := s.ContentItem(engine.ContentRef{Kind: engine.KindBlock, Name: "footer"})
		refused("the summary of another campaign, an identifier, content without records, a template without a version, a key without an end",
			err1, err2, err3, s.PutContent(template("t", 0, "")), s.PutIdempotencyRecord(store.IdempotencyRecord{Operation: "create", Key: "k"}))
		return nil
	})
	wantErr(t, db.Read(t.Context(), func(tx store.Tx) error { return tx.Workspace(space).PutProfiles(engine.User{ID: "u"}) }), store.ErrReadOnly)
}

// A long history keeps the first revision, those that changed the state, and the newest ones.
func testLongHistory(t *testing.T, db store.DB) {
	const saves, live = store.NewestRevisions + store.OlderRevisions + 200, 302
	for from := 1; from < saves; from += 100 {
		in(t, db, func(s store.WorkspaceTx) (err error) {
			for n := from; err == nil && n < from+100; n++ {
				c, sum, rev := campaign(t, "c", `{}`)
				if c.Status = "DRAFT"; n >= live {
					c.Status = "ACTIVE"
				}
				_, err = s.PutCampaign(c, sum, rev, false)
			}
			return err
		})
	}
	read(t, db, func(s store.WorkspaceTx) error {
		revs, err := s.Revisions("c")
		kept := 0
		for _, r := range revs {
			if r.N == 1 || r.N == live || r.N > saves-store.NewestRevisions {
				kept++
			}
		}
		if len(revs) >= saves || len(revs) < store.NewestRevisions+store.OlderRevisions/2 || kept != 2+store.NewestRevisions {
			t.Errorf("%d of %d are kept, %d of those that must be", len(revs), saves, kept)
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
			put("gone", later), s.DeleteIdempotencyRecord("create", "gone"), s.DeleteIdempotencyRecord("create", "gone"))
	})
	for _, at := range []time.Time{time.Now(), time.Now().Add(2 * time.Hour)} {
		for more := true; more; {
			in(t, db, func(s store.WorkspaceTx) (err error) { more, err = s.Sweep(at); return err })
		}
	}
	var left []string
	read(t, db, func(s store.WorkspaceTx) error {
		for _, r := range of[store.IdempotencyRecord](all(t, s)) {
			left = append(left, r.Key)
		}
		return nil
	})
	if want := []string{"longer", "new"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}
