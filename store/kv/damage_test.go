package kv_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/kv"
	"bugle/store/mem"
)

// hiding is a driver that does not find some records, as a damaged block of a table does.
type hiding struct {
	kv.Driver
	hides     func(key []byte) bool
	suspected []error
}

func (h *hiding) Suspect(damage error) { h.suspected = append(h.suspected, damage) }

func (h *hiding) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	s, err := h.Driver.Snapshot(ctx)
	return hidingSnapshot{s, h}, err
}

type hidingSnapshot struct {
	kv.Snapshot
	of *hiding
}

func (s hidingSnapshot) Get(ctx context.Context, key []byte) (kv.Item, error) {
	if s.of.hides(key) {
		return kv.Item{Key: key}, nil
	}
	return s.Snapshot.Get(ctx, key)
}

func (s hidingSnapshot) Versions(ctx context.Context, keys [][]byte) ([]uint64, error) {
	out, err := s.Snapshot.Versions(ctx, keys)
	for i, key := range keys {
		if s.of.hides(key) {
			out[i] = 0
		}
	}
	return out, err
}

func (s hidingSnapshot) Scan(ctx context.Context, prefix []byte, o kv.ScanOptions, fn func(kv.Item) error) error {
	return s.Snapshot.Scan(ctx, prefix, o, func(i kv.Item) error {
		if s.of.hides(i.Key) {
			return nil
		}
		return fn(i)
	})
}

// A record that is not found, although it was written, is never silently gone.
func TestHiddenRecords(t *testing.T) {
	db := mem.New()
	defer db.Close()
	save := func(text string) {
		t.Helper()
		err := db.Update(t.Context(), func(tx *kv.Tx) error {
			c := engine.Campaign{Head: engine.Head{ID: "c1", Status: "DRAFT"}, Body: doc.NewObject(doc.M("text", doc.NewString(text)))}
			s := tx.Workspace("W")
			_, err := s.PutCampaign(c, engine.Summarize(c), engine.Revision{}, false)
			return errors.Join(err, s.PutSettings(engine.Workspace{ID: "W"}), s.PutProfiles(engine.User{ID: "u1"}))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	save("first")
	save("second")
	kind := func(kinds string) func(key []byte) bool {
		return func(key []byte) bool {
			i := bytes.Index(key, []byte("W\x00\x01"))
			return key[0] != 0 && i >= 0 && i+3 < len(key) && strings.IndexByte(kinds, key[i+3]) >= 0
		}
	}
	campaign := func(s store.WorkspaceTx) error {
		c, err := s.Campaign("c1")
		if err == nil && (c.Revision != 2 || !strings.Contains(string(c.Body.Encode()), "second")) {
			t.Errorf("it reads revision %d, %s", c.Revision, c.Body.Encode())
		}
		return err
	}
	list := func(s store.WorkspaceTx) error { return s.NewestSummaries(func(engine.Summary) error { return nil }) }
	users := func(s store.WorkspaceTx) error { return s.Profiles("", func(engine.User) error { return nil }) }
	var damaged *store.CorruptError
	for _, test := range []struct {
		name   string
		hidden string
		read   func(store.WorkspaceTx) error
		whole  bool // it can be read all the same
	}{
		{"the campaign is read from its newest revision", "c", campaign, true},
		{"without its summary too", "s", campaign, true},
		{"not without both copies", "cd", campaign, false},
		{"settings are not older than they were", "n", func(s store.WorkspaceTx) error { _, err := s.Settings(); return err }, false},
		{"a list is short", "s", list, false},
		{"the list of users is short", "p", users, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := &hiding{Driver: db.Driver(), hides: kind(test.hidden)}
			err := kv.NewStore(h).View(t.Context(), func(tx *kv.Tx) error { return test.read(tx.Workspace("W")) })
			if test.whole != (err == nil) || err != nil && !errors.As(err, &damaged) {
				t.Errorf("got %v", err)
			}
			if len(h.suspected) == 0 {
				t.Error("the store is not told")
			}
			found, err := kv.NewStore(h).Check(t.Context(), nil)
			if err != nil || len(found.Findings) == 0 {
				t.Errorf("a check finds %v, %v", found.Findings, err)
			}
		})
	}
}

// A transaction that has scanned records is refused if they have changed, also if several changed in one commit.
func TestScansConflict(t *testing.T) {
	for round := range 200 {
		db := mem.New()
		a, b := []byte(fmt.Sprint("x", round, "a")), []byte(fmt.Sprint("x", round, "b"))
		set := func(value string) {
			err := db.Update(t.Context(), func(tx *kv.Tx) error { return errors.Join(tx.Set(a, []byte(value)), tx.Set(b, []byte(value))) })
			if err != nil {
				t.Fatal(err)
			}
		}
		set("before")
		runs := 0
		err := db.Update(t.Context(), func(tx *kv.Tx) error {
			runs++
			err := tx.Scan([]byte("x"), kv.ScanOptions{}, func(_, _ []byte) error { return nil })
			if runs == 1 {
				set("after")
			}
			return errors.Join(err, tx.Set([]byte("y"), []byte("seen")))
		})
		if err != nil || runs != 2 {
			t.Fatalf("round %d: it ran %d times, %v", round, runs, err)
		}
		db.Close()
	}
}

// A campaign of which only the history is left, as in a rescued store, is read from that, and a check says so.
func TestCampaignOfHistory(t *testing.T) {
	db := mem.New()
	defer db.Close()
	err := db.Update(t.Context(), func(tx *kv.Tx) error {
		c := engine.Campaign{Head: engine.Head{ID: "c1", Status: "DRAFT"}, Body: doc.NewObject()}
		s := tx.Workspace("W")
		_, err := s.PutCampaign(c, engine.Summarize(c), engine.Revision{}, false)
		return errors.Join(err, s.PutSettings(engine.Workspace{ID: "W"}))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(t.Context(), func(tx *kv.Tx) error { return tx.Delete([]byte("rW\x00\x01cc1\x00\x01")) }); err != nil {
		t.Fatal(err)
	}
	err = db.View(t.Context(), func(tx *kv.Tx) error { _, err := tx.Workspace("W").Campaign("c1"); return err })
	if err != nil {
		t.Errorf("it is not read: %v", err)
	}
	found, err := db.Check(t.Context(), nil)
	if err != nil || len(found.Findings) != 1 || !strings.Contains(found.Findings[0].What, `campaign "c1" in workspace "W" is missing`) {
		t.Errorf("a check finds %+v, %v", found.Findings, err)
	}
}
