package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/store"
	"bugle/store/kv"
)

type record struct{ key, value []byte }

// dump returns all records.
func dump(t testing.TB, db kv.DB) (out []record) {
	t.Helper()
	view(t, db, func(tx kv.Tx) error {
		return tx.Scan(nil, kv.ScanOptions{}, func(key, value []byte) error {
			out = append(out, record{slices.Clone(key), slices.Clone(value)})
			return nil
		})
	})
	return out
}

func putRaw(t testing.TB, db KeyValueDB, key, value []byte) {
	t.Helper()
	update(t, db, func(tx kv.Tx) error { return tx.Set(key, value) })
}

// damage flips a bit in the one record for which read then fails with a [store.CorruptError] about what.
func damage(t testing.TB, db KeyValueDB, what string, read func(kv.WorkspaceTx) error) {
	t.Helper()
	for _, r := range dump(t, db) {
		bad := slices.Clone(r.value)
		bad[len(bad)-1] ^= 0x10
		putRaw(t, db, r.key, bad)
		err := db.View(t.Context(), func(tx kv.Tx) error { return read(kv.NewWorkspaceTx(tx, space)) })
		if corrupt := (*store.CorruptError)(nil); errors.As(err, &corrupt) && corrupt.What == what {
			return
		}
		putRaw(t, db, r.key, r.value)
	}
	t.Fatalf("no record is %s", what)
}

// Any damage to any record must be reported and never be read as data.
func testDamage(t *testing.T, db KeyValueDB) {
	all := filled(t)
	write(t, db, all.put)
	records := dump(t, db)
	found := map[string]bool{}
	for i, r := range records {
		last := len(r.value) - 1
		spoiled := map[string][]byte{
			"empty":     nil,
			"cut short": r.value[:last],
			"longer":    append(slices.Clone(r.value), 0),
			"zeroed":    make([]byte, len(r.value)),
			"another's": records[(i+1)%len(records)].value,
		}
		for _, at := range []int{0, 1, 8, last, last / 2} {
			b := slices.Clone(r.value)
			b[at] ^= 0x01
			spoiled["flipped at "+string(rune('0'+at%10))] = b
		}
		for how, value := range spoiled {
			putRaw(t, db, r.key, value)
			for _, what := range wantDamage(t, db, all, r.key, how) {
				found[what] = true
			}
			putRaw(t, db, r.key, r.value)
		}
	}
	for _, what := range []string{"Campaign", "Revision", "Revisions", "Summary", "Summaries", "Copy", "Dismissals", "Idempotent",
		"Outbox", "Profile", "Profiles", "FindProfiles", "Tests", "RequestID"} {
		if !found[what] {
			t.Errorf("no damage was found by %s", what)
		}
	}
	if found["Settings"] {
		t.Error("one damaged record hides the settings")
	}
}

// wantDamage reads everything: failing reads must report damage, and the others must return the right data. It returns
// the reads that failed.
func wantDamage(t *testing.T, db KeyValueDB, all records, key []byte, how string) (failed []string) {
	t.Helper()
	view(t, db, func(tx kv.Tx) error {
		for what, o := range all.read(kv.NewWorkspaceTx(tx, space)) {
			corrupt := (*store.CorruptError)(nil)
			switch {
			case errors.As(o.err, &corrupt):
				failed = append(failed, what)
				if !strings.HasSuffix(corrupt.What, `in workspace "DEMO"`) {
					t.Errorf("%s: the record is called %q", what, corrupt.What)
				}
			case o.err != nil || !equal(o.got, o.want):
				t.Errorf("%q %s: %s gives %v, %v", key, how, what, o.got, o.err)
			}
		}
		return nil
	})
	return failed
}

func testDamageHidesNothing(t *testing.T, db KeyValueDB) {
	inKeys(t, db, func(s kv.WorkspaceTx) error {
		for _, id := range []string{"c1", "c2", "c3"} {
			if _, err := save(s, id, tree, t, false); err != nil {
				return err
			}
		}
		return nil
	})
	damage(t, db, `the summary of campaign "c2" in workspace "DEMO"`, func(s kv.WorkspaceTx) error { _, err := s.Summary("c2"); return err })
	inKeys(t, db, func(s kv.WorkspaceTx) error {
		var ids []string
		err := s.Summaries(func(s engine.Summary) error { ids = append(ids, s.ID); return nil })
		if corrupt := wantCorrupt(t, err); corrupt.What != `the summary of campaign "c2" in workspace "DEMO"` {
			t.Errorf("damaged is %s", corrupt.What)
		}
		if want := []string{"c1", "c2", "c3"}; !slices.Equal(ids, want) {
			t.Errorf("got %q, want %q", ids, want)
		}
		return nil
	})
	damage(t, db, `campaign "c1" in workspace "DEMO"`, func(s kv.WorkspaceTx) error { _, err := s.Campaign("c1"); return err })
	inKeys(t, db, func(s kv.WorkspaceTx) error { // restoring an earlier revision repairs it
		c, err := s.Revision("c1", 1)
		if err != nil {
			return err
		}
		_, err = s.PutCampaign(c, engine.Summary{Head: c.Head}, engine.Revision{}, false)
		return err
	})
	inKeys(t, db, func(s kv.WorkspaceTx) error {
		c, err := s.Campaign("c1")
		if string(c.Body.Encode()) != tree {
			t.Errorf("repaired to %s", c.Body.Encode())
		}
		return err
	})
}

func testFormat(t *testing.T, db KeyValueDB) {
	if err := kv.Prepare(t.Context(), db); err != nil {
		t.Errorf("opened again: %v", err)
	}
	records := dump(t, db)
	if len(records) != 1 {
		t.Fatalf("an empty store holds %d records", len(records))
	}
	r := records[0]
	newer := kv.EncodeValue(r.key, fmt.Appendf(nil, `{"format":%d}`, kv.Format+1))
	putRaw(t, db, r.key, newer)
	wantErr(t, kv.Prepare(t.Context(), db), store.ErrNewerVersion)
	newer[len(newer)-2] ^= 1
	putRaw(t, db, r.key, newer)
	wantCorrupt(t, kv.Prepare(t.Context(), db))
}
