package kv_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/kv"
	"bugle/store/mem"
)

const space = "DEMO"

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

type pair struct{ key, value []byte }

func dump(t *testing.T, db kv.DB) (out []pair) {
	t.Helper()
	err := db.View(t.Context(), func(tx kv.Tx) error {
		return tx.Scan(nil, kv.ScanOptions{}, func(key, value []byte) error {
			out = append(out, pair{bytes.Clone(key), bytes.Clone(value)})
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func updateWorkspace(t *testing.T, db kv.DB, fn func(kv.WorkspaceTx) error) {
	t.Helper()
	if err := db.Update(t.Context(), func(tx kv.Tx) error { return fn(kv.NewWorkspaceTx(tx, space)) }); err != nil {
		t.Fatal(err)
	}
}

// newStore returns a store with one of every kind of record.
func newStore(t *testing.T) *mem.DB {
	t.Helper()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	updateWorkspace(t, db, func(s kv.WorkspaceTx) error {
		steps := []func() error{
			func() error { return s.PutSettings(engine.Workspace{ID: space}) },
			func() error { return save(s, "c1", `{"basic_details":{"name":"One"}}`) },
			func() error { return save(s, "c1", `{"basic_details":{"name":"One, changed"}}`) },
			func() error { return save(s, "c2", `{"basic_details":{"name":"Two"}}`) },
			func() error {
				return s.PutWorkingCopy("c2", engine.WorkingCopy{Base: 1, At: noon, Body: parse(t, `{}`)})
			},
			func() error {
				return s.PutProfile(engine.User{ID: "p", Attributes: map[string]any{engine.AttrEmail: "ada@example.com"}})
			},
			func() error {
				return s.PutIdempotencyRecord(store.IdempotencyRecord{Operation: "create", Key: "k", At: noon, ExpiresAt: noon.Add(time.Hour)})
			},
			func() error { return s.PutRequestID("test", "r", noon.Add(time.Hour)) },
			func() error { return s.PutOutbox(engine.OutboxMessage{ID: "01", At: noon}) },
			func() error { return s.PutTestSend(engine.TestRecord{At: noon, Body: parse(t, `{}`)}) },
			func() error {
				_, err := s.ContentItem(engine.ContentRef{Kind: engine.KindProducts, Name: "p"})
				if err != store.ErrNotFound {
					return err
				}
				return s.PutContent(engine.ContentItem{Products: &engine.ProductSet{Name: "p"}})
			},
		}
		for _, step := range steps {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	return db
}

func parse(t *testing.T, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func save(s kv.WorkspaceTx, id, body string) error {
	v, err := doc.Parse([]byte(body))
	if err != nil {
		return err
	}
	c := engine.Campaign{Head: engine.Head{ID: id, CampaignID: id, Channel: "EMAIL", CreatedAt: noon, UpdatedAt: noon}, Body: v}
	_, err = s.PutCampaign(c, engine.Summarize(c), engine.Revision{At: noon}, false)
	return err
}

func check(t *testing.T, db kv.DB) kv.CheckResult {
	t.Helper()
	c, err := kv.Check(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCheckHealthy(t *testing.T) {
	db := newStore(t)
	var last int
	c, err := kv.Check(t.Context(), db, func(n int) { last = n })
	if err != nil {
		t.Fatal(err)
	}
	if !c.Healthy() || len(c.Findings) != 0 || c.Campaigns != 2 || c.Records != len(dump(t, db)) || last != c.Records || c.Format != kv.Format {
		t.Errorf("got %+v, told of %d", c, last)
	}
}

// documents returns what campaigns read as; damaged ones are not in it.
func documents(t *testing.T, db kv.DB) map[string]string {
	t.Helper()
	out := map[string]string{}
	updateWorkspace(t, db, func(s kv.WorkspaceTx) error {
		for _, id := range []string{"c1", "c2"} {
			if c, err := s.Campaign(id); err == nil {
				out[id] = string(c.Body.Encode())
			}
		}
		return nil
	})
	return out
}

// Damage or loss of any record is found, what can be repaired is, and no document changes.
func TestCheckFindsAndRepairs(t *testing.T) {
	db := newStore(t)
	want := documents(t, db)
	quiet := 0
	for _, r := range dump(t, db) {
		flipped := bytes.Clone(r.value)
		flipped[len(flipped)-1] ^= 4
		for how, value := range map[string][]byte{"flipped": flipped, "gone": nil} {
			spoiled := newStore(t)
			err := spoiled.Update(t.Context(), func(tx kv.Tx) error {
				if value == nil {
					return tx.Delete(r.key)
				}
				return tx.Set(r.key, value)
			})
			if err != nil {
				t.Fatal(err)
			}
			found := check(t, spoiled).Findings
			if len(found) == 0 {
				if how == "flipped" {
					t.Errorf("%q is %s, and nothing was found", r.key, how)
				}
				quiet++
				continue
			}
			mended, err := kv.Repair(t.Context(), spoiled, nil)
			if err != nil {
				t.Fatal(err)
			}
			left := check(t, spoiled).Findings
			for _, f := range left {
				if f.Repair != "" || f.Advice == "" {
					t.Errorf("%q is %s: after the repair there is still %+v", r.key, how, f)
				}
			}
			if mended.Healthy() != (len(left) == 0) {
				t.Errorf("%q is %s: repaired is %+v, and then there is %+v", r.key, how, mended.Findings, left)
			}
			for id, got := range documents(t, spoiled) {
				if got != want[id] {
					t.Errorf("%q is %s: then %s reads %s", r.key, how, id, got)
				}
			}
			if mended.Healthy() && len(documents(t, spoiled)) != 2 {
				t.Errorf("%q is %s: a campaign is gone", r.key, how)
			}
		}
	}
	// Nothing leads to: the format, a copy, the outbox, a test send, content, a profile's and promises' own
	// records have entries that lead to them.
	if quiet > 5 {
		t.Errorf("%d records could go without being missed", quiet)
	}
}

// The text of the most common findings.
func TestCheckMessages(t *testing.T) {
	find := func(s func(kv.WorkspaceTx) error, spoil func(pair) bool) string {
		db := newStore(t)
		if s != nil {
			updateWorkspace(t, db, s)
		}
		for _, r := range dump(t, db) {
			if spoil(r) {
				r.value[len(r.value)-1] ^= 1
				if err := db.Update(t.Context(), func(tx kv.Tx) error { return tx.Set(r.key, r.value) }); err != nil {
					t.Fatal(err)
				}
			}
		}
		var out []string
		for _, f := range check(t, db).Findings {
			out = append(out, fmt.Sprintf("%s [%s|%s]", f.What, f.Repair, f.Advice))
		}
		return strings.Join(out, "\n")
	}
	kind := func(k string) func(pair) bool {
		return func(p pair) bool { return strings.HasPrefix(string(p.key), "rDEMO\x00\x01"+k) }
	}
	for _, test := range []struct {
		name  string
		first func(kv.WorkspaceTx) error
		spoil func(pair) bool
		want  string
	}{
		{"document", nil, kind("cc1"),
			`campaign "c1" is damaged (its checksum does not match) in workspace "DEMO" [restore revision 2, the newest that can be read|]`},
		{"document and history", nil, func(p pair) bool { return kind("cc2")(p) || kind("dc2")(p) },
			"campaign \"c2\" is damaged (its checksum does not match) in workspace \"DEMO\" [|restore it from a backup with `bugle restore FILE --campaign ID`; `bugle restore` lists them]\n" +
				`the document of campaign "c2", revision 1 cannot be read in workspace "DEMO" [remove the revision from the history; the campaign itself stays|]`},
		{"summary", nil, kind("sc1"), `the summary of campaign "c1" is damaged in workspace "DEMO" [create it from the document|]`},
		{"profile index", nil, kind("x"), `the user "p" is missing in the search index in workspace "DEMO" [add it to the search index|]`},
	} {
		if got := find(test.first, test.spoil); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, got, test.want)
		}
	}
}

// A campaign that is older than its own history, as after a log was cut, comes back.
func TestCheckOlderThanHistory(t *testing.T) {
	db := newStore(t)
	var first []byte
	records := dump(t, db)
	for _, r := range records {
		if bytes.HasPrefix(r.key, []byte("rDEMO\x00\x01dc1")) && first == nil {
			first = r.value
		}
	}
	i := slices.IndexFunc(records, func(r pair) bool { return bytes.HasPrefix(r.key, []byte("rDEMO\x00\x01cc1")) })
	old := kv.EncodeValue(records[i].key, first[9:]) // after format and checksum
	if err := db.Update(t.Context(), func(tx kv.Tx) error { return tx.Set(records[i].key, old) }); err != nil {
		t.Fatal(err)
	}
	found := check(t, db).Findings
	if len(found) != 1 || found[0].Campaign != "c1" || found[0].Repair != "restore revision 2" {
		t.Fatalf("found %+v", found)
	}
	if c, err := kv.Repair(t.Context(), db, nil); err != nil || !c.Healthy() {
		t.Fatalf("%+v, %v", c, err)
	}
	if got := documents(t, db)["c1"]; got != `{"basic_details":{"name":"One, changed"}}` {
		t.Errorf("then it is %s", got)
	}
}
