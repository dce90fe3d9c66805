package sample_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
	"bugle/store"
	"bugle/store/badger"
	"bugle/store/kv"
	"bugle/store/mem"
)

var now = time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)

// install gives the service of a sample that was installed at a time at which its clock stands still.
func install(t *testing.T, at time.Time) *local.Service {
	t.Helper()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	if key, err := sample.Install(t.Context(), db, sample.Options{Now: at}); err != nil || key == "" {
		t.Fatalf("Install gave key %q, error %v", key, err)
	}
	return open(t, db, sample.ID, at)
}

func open(t *testing.T, db store.DB, id string, at time.Time) *local.Service {
	t.Helper()
	svc, err := local.Open(db, id, local.Options{Clock: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	return svc
}

func workspace(t *testing.T, svc *local.Service) engine.Workspace {
	t.Helper()
	w, err := svc.Workspace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// campaigns gives all campaigns of the sample, the archived ones too, as they are now.
func campaigns(t *testing.T, svc *local.Service) []engine.Campaign {
	t.Helper()
	rows, err := svc.List(t.Context(), engine.ListQuery{Archived: true})
	if err != nil {
		t.Fatal(err)
	}
	var out []engine.Campaign
	for _, row := range rows {
		c, err := svc.Get(t.Context(), row.ID)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// named gives the campaign of that name.
func named(t *testing.T, all []engine.Campaign, name string) engine.Campaign {
	t.Helper()
	for _, c := range all {
		if engine.CampaignName(c.Body) == name {
			return c
		}
	}
	t.Fatalf("the sample has no campaign %q", name)
	return engine.Campaign{}
}

func TestInstallTakesTheOptions(t *testing.T) {
	db := mem.New()
	defer db.Close()
	o := sample.Options{ID: "SHOP", Name: "My shop", Author: "me@example.com", Now: now}
	if _, err := sample.Install(t.Context(), db, o); err != nil {
		t.Fatal(err)
	}
	w := workspace(t, open(t, db, "SHOP", now))
	if w.Name != o.Name || w.Author != o.Author || !w.Sample || len(w.Keys) != 1 {
		t.Errorf("the workspace is %q by %q, sample %v, %d keys", w.Name, w.Author, w.Sample, len(w.Keys))
	}
	if got := workspace(t, install(t, now)).Name; got != "Demo" {
		t.Errorf("without a name it is called %q", got)
	}
}

func TestInstallRefusesExistingID(t *testing.T) {
	db := mem.New()
	defer db.Close()
	if _, err := local.CreateWorkspace(t.Context(), db, engine.Workspace{ID: sample.ID, Name: "Mine"}); err != nil {
		t.Fatal(err)
	}
	key, err := sample.Install(t.Context(), db, sample.Options{})
	if e := engine.AsError(err); e == nil || e.HTTP != 409 || key != "" {
		t.Fatalf("got key %q, error %v; want a refusal with 409", key, err)
	}
	if w := workspace(t, open(t, db, sample.ID, now)); w.Name != "Mine" || w.Sample {
		t.Errorf("the workspace that was there became %+v", w)
	}
}

func TestInstallRefusesABadID(t *testing.T) {
	db := mem.New()
	defer db.Close()
	_, err := sample.Install(t.Context(), db, sample.Options{ID: "no spaces"})
	if e := engine.AsError(err); e == nil || e.Target != "id" {
		t.Fatalf("got %v, want a refusal of the id", err)
	}
}

// A store that fails in the middle is left as it was, whichever write it is that fails.
func TestInstallIsAtomic(t *testing.T) {
	for _, allowed := range []int{0, 1, 12, 60, 100} {
		db := kv.NewStore(&failing{Driver: mem.New().Driver(), allowed: allowed})
		key, err := sample.Install(t.Context(), db, sample.Options{Now: now})
		if !errors.Is(err, errDisk) || key != "" {
			t.Fatalf("with %d writes: got key %q, error %v", allowed, key, err)
		}
		left := 0
		err = db.View(t.Context(), func(tx *kv.Tx) error {
			ids, err := kv.Workspaces(tx)
			if len(ids) > 0 {
				t.Errorf("with %d writes the workspaces %v are left", allowed, ids)
			}
			return errors.Join(err, tx.Workspace(sample.ID).Summaries(func(engine.Summary) error { left++; return nil }))
		})
		if err != nil || left > 0 {
			t.Errorf("with %d writes: %d campaigns are left, error %v", allowed, left, err)
		}
		db.Close()
	}
}

var errDisk = errors.New("the disk is gone")

// failing is a store whose transactions take only so many writes.
type failing struct {
	kv.Driver
	allowed int
}

func (f *failing) Commit(ctx context.Context, c kv.Change) error {
	if len(c.Writes) > f.allowed {
		return errDisk
	}
	return f.Driver.Commit(ctx, c)
}

func TestInstallIsFastOnDisk(t *testing.T) {
	db, err := badger.Open(t.Context(), badger.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	began := time.Now()
	if _, err := sample.Install(t.Context(), db, sample.Options{Now: now}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %v, and the first start waits for it", took)
	}
	if got := len(campaigns(t, open(t, db, sample.ID, now))); got < 40 {
		t.Errorf("%d campaigns are in the store", got)
	}
}

func BenchmarkInstall(b *testing.B) {
	for b.Loop() {
		db, err := badger.Open(b.Context(), badger.Options{Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := sample.Install(b.Context(), db, sample.Options{}); err != nil {
			b.Fatal(err)
		}
		db.Close()
	}
}

func TestCampaignsHaveAHistory(t *testing.T) {
	svc := install(t, now)
	for _, c := range campaigns(t, svc) {
		revisions, err := svc.Revisions(t.Context(), c.ID)
		if err != nil || len(revisions) == 0 {
			t.Fatalf("%q: %d revisions, error %v", engine.CampaignName(c.Body), len(revisions), err)
		}
		newestFirst := slices.IsSortedFunc(revisions, func(a, b engine.Revision) int { return b.At.Compare(a.At) })
		first := revisions[len(revisions)-1]
		if !newestFirst || revisions[0].At.After(now) || c.Channel.Writable() && !first.At.Equal(c.CreatedAt) {
			t.Errorf("%q: a history that cannot have been: %+v", engine.CampaignName(c.Body), revisions)
		}
		if c.CreatedAt.After(c.UpdatedAt) || c.UpdatedAt.After(now) || c.SentTime.After(now) {
			t.Errorf("%q: created %v, updated %v, sent %v, and it is %v", engine.CampaignName(c.Body), c.CreatedAt, c.UpdatedAt, c.SentTime, now)
		}
	}
}

func TestArchivedComeBackAsTheyWere(t *testing.T) {
	svc := install(t, now)
	all := campaigns(t, svc)
	for name, want := range map[string]engine.State{
		"Cold brew summer": catalog.Sent, "Five years, one party": catalog.Sent, "Hamburg store moves (canceled)": catalog.Stopped,
	} {
		id := named(t, all, name).ID
		if err := svc.Restore(t.Context(), id, "ann@example.com"); err != nil {
			t.Fatal(err)
		}
		if c, err := svc.Get(t.Context(), id); err != nil || c.Status != want {
			t.Errorf("%q came back %s, error %v; want %s", name, c.Status, err, want)
		}
	}
}
