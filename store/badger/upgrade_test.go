package badger_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/kv"
)

// The campaigns in testdata/filters, which a program wrote whose filters on event attributes had a type that
// the specification does not have, or none.
const (
	oldCreated = "69a81ec0384e923646526610" // as the API took it
	oldSaved   = "69a82cd0384e923646526611" // changed in a terminal, with a field that no table knows
	oldEdited  = "69a83ae0384e923646526612" // with edits that are not saved
	oldActive  = "69a848f0384e923646526613" // published
	oldPlain   = "69a85700384e923646526614" // without such filters
)

// oldFilters opens a copy of the store, or loads its backup.
func oldFilters(t *testing.T, how string) *badger.DB {
	t.Helper()
	from, dir := filepath.Join("testdata", "filters"), t.TempDir()
	if how == "store" {
		if err := os.CopyFS(filepath.Join(dir, badger.Folder), os.DirFS(filepath.Join(from, badger.Folder))); err != nil {
			t.Fatal(err)
		}
		return open(t, dir)
	}
	db := open(t, dir)
	if _, err := backup.Load(t.Context(), db, filepath.Join(from, "plain"+backup.Suffix), "", nil); err != nil {
		t.Fatal(err)
	}
	return db
}

// typed is a document as it was, with the types that it lacks: the expected outcome, from its text alone.
func typed(text string) string {
	text = strings.ReplaceAll(text, `"filter_type":"event_attributes"`, `"filter_type":"user_attributes"`)
	return strings.ReplaceAll(text, `"operator":"in","value":["a","b"]}`, `"operator":"in","value":["a","b"],"filter_type":"user_attributes"}`)
}

func TestFiltersOfOldStores(t *testing.T) {
	for _, how := range []string{"store", "backup"} {
		t.Run(how, func(t *testing.T) {
			db := oldFilters(t, how)
			err := db.View(t.Context(), func(tx kv.Tx) error {
				s := kv.NewWorkspaceTx(tx, "DEMO")
				for id, revisions := range map[string]int64{oldCreated: 2, oldSaved: 3, oldEdited: 2, oldActive: 3, oldPlain: 1} {
					wantUpgraded(t, s, id, revisions)
				}
				w, err := s.WorkingCopy(oldEdited)
				if err != nil {
					return err
				}
				c, err := s.Campaign(oldEdited)
				if err != nil {
					return err
				}
				if w.Base != c.Revision || !doc.Equal(w.Origin, c.Body) {
					t.Errorf("the edits are of revision %d, the campaign is at %d; they began with %s", w.Base, c.Revision, w.Origin.Encode())
				}
				if want := strings.Replace(string(c.Body.Encode()), "500.00", "700.0", 1); string(w.Body.Encode()) != want {
					t.Errorf("the edits are %s", w.Body.Encode())
				}
				settings, err := s.Settings()
				if err != nil {
					return err
				}
				const group = `{"filter_operator":"and","filters":[{"action_name":"Bought","attributes":{"filters":[{"data_type":"double","filter_type":"user_attributes","name":"Amount","operator":"greaterThan","value":5e2}]},"filter_type":"actions"}],"x-kept":1.0}`
				if got := string(settings.Segments[0].Group().Encode()); got != group {
					t.Errorf("the segment has %s", got)
				}
				return s.SettingsDamage()
			})
			if err != nil {
				t.Fatal(err)
			}
			c, err := kv.Check(t.Context(), db, nil)
			if err != nil || !c.Healthy() || len(c.Findings) > 0 || c.Format != kv.Format {
				t.Errorf("%+v, %v", c, err)
			}
			if said := db.Notices(); len(said) > 0 {
				t.Errorf("opening says %q", said)
			}
		})
	}
}

// wantUpgraded wants a campaign to be valid, and to have so many revisions, the last of which is the upgrade.
func wantUpgraded(t *testing.T, s kv.WorkspaceTx, id string, revisions int64) {
	t.Helper()
	c, err := s.Campaign(id)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Revisions(id)
	if err != nil || c.Revision != revisions || list[0].N != revisions {
		t.Fatalf("%s is at revision %d, its history at %+v, %v", id, c.Revision, list, err)
	}
	if ps := schema.Errors(catalog.Campaign(c.Channel).Validate(c.Document(), schema.Env{Stage: schema.Draft})); len(ps) > 0 {
		t.Errorf("%s: %v", id, ps)
	}
	row, err := s.Summary(id)
	if err != nil || row.Revision != revisions || !row.UpdatedAt.Equal(c.UpdatedAt) {
		t.Errorf("%s has the summary %+v, %v", id, row, err)
	}
	if id == oldPlain {
		return
	}
	if r := list[0]; r.By != "bugle" || r.Note != "upgraded filters" || time.Since(r.At) > time.Hour {
		t.Errorf("%s: the history has %+v", id, r)
	}
	before, err := s.Revision(id, revisions-1)
	if err != nil {
		t.Fatal(err)
	}
	old, now := string(before.Body.Encode()), string(c.Body.Encode())
	if !strings.Contains(old, `"event_attributes"`) || now != typed(old) {
		t.Errorf("%s was\n%s\nand is\n%s", id, old, now)
	}
	before.Revision = revisions
	if before.Head != c.Head {
		t.Errorf("%s was %+v and is %+v", id, before.Head, c.Head)
	}
}

// One campaign that is put back from an older backup is brought up to date as well.
func TestRecoverOldFilters(t *testing.T) {
	db := oldFilters(t, "store")
	if err := db.Update(t.Context(), func(tx kv.Tx) error { return kv.NewWorkspaceTx(tx, "DEMO").ClearCampaign(oldCreated) }); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.RestoreCampaign(t.Context(), db, filepath.Join("testdata", "filters", "plain"+backup.Suffix), "", "DEMO", oldCreated); err != nil {
		t.Fatal(err)
	}
	err := db.View(t.Context(), func(tx kv.Tx) error {
		wantUpgraded(t, kv.NewWorkspaceTx(tx, "DEMO"), oldCreated, 2)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
