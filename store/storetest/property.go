package storetest

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
)

func equal(a, b any) bool { return reflect.DeepEqual(a, b) }

// model is the expected contents of a workspace in plain maps.
type model struct {
	bodies   map[string]string           // campaign → body
	history  map[string]map[int64]string // campaign → revision → body
	last     map[string]int64
	copies   map[string]string
	profiles map[string]string // profile → email address
}

// workspaceCount makes the workspace names of checks unique, because they share one store.
var workspaceCount atomic.Int64

// testAgainstMaps applies the same operations to a workspace and to plain maps. Some transactions fail at their end.
func testAgainstMaps(t *testing.T, db store.DB) {
	rapid.Check(t, func(t *rapid.T) {
		id := fmt.Sprintf("W%d", workspaceCount.Add(1))
		err := db.Write(t.Context(), func(tx store.Tx) error { return tx.Workspace(id).PutSettings(engine.Workspace{ID: id}) })
		if err != nil {
			t.Fatal(err)
		}
		m := model{map[string]string{}, map[string]map[int64]string{}, map[string]int64{}, map[string]string{}, map[string]string{}}
		for range rapid.IntRange(1, 12).Draw(t, "transactions") {
			m = m.transaction(t, db, id)
		}
	})
}

var errRollback = errors.New("rollback")

func (m model) transaction(t *rapid.T, db store.DB, workspace string) model {
	next := m.clone()
	fail := rapid.IntRange(0, 4).Draw(t, "outcome") == 0
	err := db.Write(t.Context(), func(tx store.Tx) error {
		next = m.clone()
		s := tx.Workspace(workspace)
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			if err := next.step(t, s); err != nil {
				return err
			}
		}
		next.compare(t, s) // the transaction sees its own writes
		if fail {
			return errRollback
		}
		return nil
	})
	if fail {
		next = m
		if !errors.Is(err, errRollback) {
			t.Fatalf("Write: %v", err)
		}
	} else if err != nil {
		t.Fatalf("Write: %v", err)
	}
	err = db.Read(t.Context(), func(tx store.Tx) error { next.compare(t, tx.Workspace(workspace)); return nil })
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	return next
}

func (m model) step(t *rapid.T, s store.WorkspaceTx) error {
	id := rapid.SampledFrom([]string{"a", "ab", "a\x00", "b"}).Draw(t, "id")
	text := rapid.StringMatching(`[a-c]{0,3}`).Draw(t, "text")
	body := fmt.Sprintf(`{"text":%q}`, text)
	switch rapid.SampledFrom([]string{"put", "coalesce", "delete", "copy", "drop", "profile", "forget"}).Draw(t, "step") {
	case "put":
		return m.put(t, s, id, body, false)
	case "coalesce":
		return m.put(t, s, id, body, true)
	case "delete":
		_, there := m.bodies[id]
		if err := s.DeleteCampaign(id); there == errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("deleting %q: %w", id, err)
		}
		delete(m.bodies, id)
		delete(m.history, id)
		delete(m.last, id)
		if there {
			delete(m.copies, id)
		}
	case "copy":
		if _, there := m.bodies[id]; !there {
			return nil // working copies exist only for existing campaigns
		}
		m.copies[id] = body
		v, err := doc.Parse([]byte(body))
		if err != nil {
			return err
		}
		return s.PutWorkingCopy(id, engine.WorkingCopy{Body: v})
	case "drop":
		delete(m.copies, id)
		return s.DeleteWorkingCopy(id)
	case "profile":
		m.profiles[id] = text
		return s.PutProfile(engine.User{ID: id, Attributes: map[string]any{engine.AttrEmail: text}})
	case "forget":
		_, there := m.profiles[id]
		if err := s.DeleteProfile(id); there == errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("deleting %q: %w", id, err)
		}
		delete(m.profiles, id)
	}
	return nil
}

func (m model) put(t *rapid.T, s store.WorkspaceTx, id, body string, coalesce bool) error {
	v, err := doc.Parse([]byte(body))
	if err != nil {
		return err
	}
	head := engine.Head{ID: id}
	n, err := s.PutCampaign(engine.Campaign{Head: head, Body: v}, engine.Summary{Head: head, Name: body}, engine.Revision{Note: body}, coalesce)
	if err != nil {
		return err
	}
	if last := m.last[id]; coalesce && last > 1 {
		delete(m.history[id], last)
	}
	m.last[id]++
	if n != m.last[id] {
		t.Fatalf("%q is at revision %d, want %d", id, n, m.last[id])
	}
	if m.history[id] == nil {
		m.history[id] = map[int64]string{}
	}
	m.bodies[id], m.history[id][n] = body, body
	return nil
}

// compare fails the check if the workspace and the maps differ.
func (m model) compare(t *rapid.T, s store.WorkspaceTx) {
	got := model{map[string]string{}, map[string]map[int64]string{}, map[string]int64{}, map[string]string{}, map[string]string{}}
	errs := []error{s.Summaries(func(sum engine.Summary) error {
		c, err := s.Campaign(sum.ID)
		got.bodies[sum.ID] = string(c.Body.Encode())
		got.last[sum.ID] = c.Revision
		if sum.Name != got.bodies[sum.ID] || sum.Revision != c.Revision {
			t.Errorf("summary %+v of %s", sum, got.bodies[sum.ID])
		}
		revs, rerr := s.Revisions(sum.ID)
		history := map[int64]string{}
		for _, r := range revs {
			old, err := s.Revision(sum.ID, r.N)
			history[r.N] = string(old.Body.Encode())
			rerr = errors.Join(rerr, err)
		}
		got.history[sum.ID] = history
		return errors.Join(err, rerr)
	}), s.Profiles("", func(p engine.User) error {
		got.profiles[p.ID], _ = p.Attributes[engine.AttrEmail].(string)
		return nil
	})}
	for _, id := range []string{"a", "ab", "a\x00", "b"} {
		w, err := s.WorkingCopy(id)
		if err == nil {
			got.copies[id] = string(w.Body.Encode())
		} else if !errors.Is(err, store.ErrNotFound) {
			errs = append(errs, err)
		}
	}
	for _, mail := range slices.Collect(maps.Values(m.profiles)) {
		var want []string
		for id, has := range m.profiles {
			if has == mail && mail != "" {
				want = append(want, id)
			}
		}
		slices.Sort(want)
		ids, err := s.FindProfiles(store.ByEmail, mail)
		if !slices.Equal(ids, want) {
			t.Errorf("%q finds %q, want %q", mail, ids, want)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil || !equal(got, m) {
		t.Fatalf("the store holds %+v (%v), want %+v", got, err, m)
	}
}

func (m model) clone() model {
	history := map[string]map[int64]string{}
	for id, revs := range m.history {
		history[id] = maps.Clone(revs)
	}
	return model{maps.Clone(m.bodies), history, maps.Clone(m.last), maps.Clone(m.copies), maps.Clone(m.profiles)}
}
