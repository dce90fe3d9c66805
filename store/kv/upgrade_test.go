package kv_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store/kv"
	"bugle/store/mem"
)

const nestedFilter = `{"trigger_condition":{"included_filters":{"filters":[{"filter_type":"actions","attributes":{"filters":[{%s}]}}]}},"n":1.0}`

// outdated is a store of format 2 with campaigns whose nested filters have the type of earlier programs.
func outdated(t *testing.T, campaigns int) *mem.DB {
	t.Helper()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	updateWorkspace(t, db, func(s kv.WorkspaceTx) error {
		segment := engine.Segment{ID: "s", Name: "S"}
		err := segment.SetGroup(parse(t, fmt.Sprintf(nestedFilter, `"filter_type":"event_attributes"`)).Lookup(doc.P("trigger_condition", "included_filters")))
		if err == nil {
			err = s.PutSettings(engine.Workspace{ID: "DEMO", Segments: []engine.Segment{segment}, Keys: []engine.APIKey{{ID: "k1", Hash: "aa"}}})
		}
		for n := range campaigns {
			if err == nil {
				err = save(s, fmt.Sprint("c", n), fmt.Sprintf(nestedFilter, `"filter_type":"event_attributes"`))
			}
		}
		return err
	})
	setFormat(t, db, 2)
	return db
}

func setFormat(t *testing.T, db kv.DB, n int) {
	t.Helper()
	key := []byte("mformat\x00\x01")
	change(t, db, string(key), kv.EncodeValue(key, fmt.Appendf(nil, `{"format":%d}`, n)))
}

// outdatedRecords counts the records that are not of the history and have the type of earlier programs.
func outdatedRecords(t *testing.T, db kv.DB) (n int) {
	t.Helper()
	for _, r := range dump(t, db) {
		if !strings.Contains(string(r.key), "DEMO\x00\x01d") && strings.Contains(string(r.value), "event_attributes") {
			n++
		}
	}
	return n
}

// interrupted is a store whose process ends after so many more changes.
type interrupted struct {
	kv.DB
	left *int
}

var errEnded = errors.New("the process has ended")

func (d interrupted) Update(ctx context.Context, fn func(kv.Tx) error) error {
	if *d.left--; *d.left < 0 {
		return errEnded
	}
	return d.DB.Update(ctx, fn)
}

// An interrupted upgrade continues when the store is opened next, and a completed one changes nothing when it runs
// again.
func TestUpgradeIsInterruptedAndRepeated(t *testing.T) {
	const campaigns = 150 // more than one batch
	whole := outdated(t, campaigns)
	for ends := 0; ; ends++ {
		db, left := whole.Clone(), ends
		err := kv.Prepare(t.Context(), interrupted{db, &left})
		if err != nil && !errors.Is(err, errEnded) {
			t.Fatal(err)
		}
		if err := kv.Prepare(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		updateWorkspace(t, db, func(s kv.WorkspaceTx) error {
			for n := range campaigns {
				c, err := s.Campaign(fmt.Sprint("c", n))
				if want := fmt.Sprintf(nestedFilter, `"filter_type":"user_attributes"`); err != nil || c.Revision != 2 || string(c.Body.Encode()) != want {
					t.Fatalf("ended after %d changes: c%d is %s at revision %d, %v", ends, n, c.Body.Encode(), c.Revision, err)
				}
			}
			return nil
		})
		if n := outdatedRecords(t, db); n > 0 {
			t.Fatalf("ended after %d changes: %d records are as they were", ends, n)
		}
		if c := check(t, db); len(c.Findings) > 0 || c.Format != kv.Format {
			t.Fatalf("ended after %d changes: %+v", ends, c)
		}
		before := dump(t, db)
		setFormat(t, db, 2)
		if err := kv.Prepare(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		if !equal(before, dump(t, db)) {
			t.Fatalf("ended after %d changes: the upgrade changed something when it ran again", ends)
		}
		if err == nil {
			if ends < 4 {
				t.Errorf("it took %d changes: the batches are not apart", ends)
			}
			return
		}
	}
}

// What is damaged keeps nothing else from being upgraded, and stays as it is for doctor to report.
func TestUpgradeOfDamagedStore(t *testing.T) {
	db := outdated(t, 3)
	updateWorkspace(t, db, func(s kv.WorkspaceTx) error {
		return errors.Join(
			s.PutWorkingCopy("c2", engine.WorkingCopy{Base: 1, Body: parse(t, `{}`)}),
			s.PutWorkingCopy("gone", engine.WorkingCopy{Base: 1, Body: parse(t, fmt.Sprintf(nestedFilter, ""))}),
		)
	})
	spoil(t, db, "rDEMO\x00\x01cc1")
	spoil(t, db, "rDEMO\x00\x01wc2")
	spoil(t, db, settingsRecord)
	setFormat(t, db, 2)
	if err := kv.Prepare(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	updateWorkspace(t, db, func(s kv.WorkspaceTx) error {
		for id, want := range map[string]bool{"c0": true, "c1": false, "c2": true} {
			if c, err := s.Campaign(id); (err == nil && c.Revision == 2) != want {
				t.Errorf("%s is at revision %d, %v", id, c.Revision, err)
			}
		}
		if w, err := s.Settings(); err != nil || strings.Contains(string(w.Segments[0].Group().Encode()), "event_attributes") {
			t.Errorf("the settings are %+v, %v", w, err)
		}
		return nil
	})
	if _, err := kv.Repair(t.Context(), db, nil); err != nil {
		t.Fatal(err)
	}
	if w, err := settingsOf(t, db); err != nil || len(w.Keys) != 1 || strings.Contains(string(w.Segments[0].Group().Encode()), "event_attributes") {
		t.Errorf("after the repair the settings are %+v, %v", w, err)
	}
}

// Names may be spelled with escapes.
func TestUpgradeOfEscapedNames(t *testing.T) {
	db := outdated(t, 0)
	body := strings.NewReplacer(`"attributes"`, `"\u0061ttributes"`, `"n"`, `"\u006e"`).Replace(nestedFilter)
	updateWorkspace(t, db, func(s kv.WorkspaceTx) error { return save(s, "c", fmt.Sprintf(body, `"name":"x"`)) })
	if err := kv.Prepare(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	updateWorkspace(t, db, func(s kv.WorkspaceTx) error {
		c, err := s.Campaign("c")
		if want := fmt.Sprintf(body, `"name":"x","filter_type":"user_attributes"`); err != nil || string(c.Body.Encode()) != want {
			t.Errorf("%s, %v", c.Body.Encode(), err)
		}
		return nil
	})
}
