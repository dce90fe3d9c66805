package kv_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store/kv"
	"bugle/store/mem"
)

// counting is a store that has counted its records, and may have lost some since.
type counting struct {
	kv.DB
	counts kv.Counts
}

func (c counting) View(ctx context.Context, fn func(kv.Tx) error) error {
	return c.DB.View(ctx, func(tx kv.Tx) error { return fn(countingTx{tx, c.counts}) })
}

type countingTx struct {
	kv.Tx
	counts kv.Counts
}

func (c countingTx) Counts() (kv.Counts, error) { return c.counts, nil }

// A campaign of which everything is lost is named where a test send, a delivered message or a campaign below it
// still names it, but not where no campaign is missing: then it was deleted.
func TestReferencedLostCampaigns(t *testing.T) {
	db := mem.New()
	defer db.Close()
	at := time.Unix(1e9, 0).UTC()
	space := func(fn func(kv.WorkspaceTx) error) {
		t.Helper()
		if err := db.Update(t.Context(), func(tx kv.Tx) error { return fn(kv.NewWorkspaceTx(tx, "W")) }); err != nil {
			t.Fatal(err)
		}
	}
	lost := []string{"parent", "sent", "tested"}
	space(func(s kv.WorkspaceTx) error {
		failed := []error{s.PutSettings(engine.Workspace{ID: "W"})}
		for _, id := range append(lost, "child", "unnamed") {
			c := engine.Campaign{Head: engine.Head{ID: id, Status: "DRAFT"}, Body: doc.NewObject()}
			if id == "child" {
				c.ParentID = "parent"
			}
			_, err := s.PutCampaign(c, engine.Summarize(c), engine.Revision{}, false)
			failed = append(failed, err)
		}
		return errors.Join(append(failed, s.PutTestSend(engine.TestRecord{At: at, CampaignID: "tested"}), s.PutTestSend(engine.TestRecord{At: at, CampaignID: "child"}),
			s.PutOutbox(engine.OutboxMessage{ID: "1", At: at, CampaignID: "sent"}))...)
	})
	counts := func() kv.Counts {
		have := kv.Counts{}
		err := db.View(t.Context(), func(tx kv.Tx) error {
			return tx.Scan(nil, kv.ScanOptions{}, func(key, _ []byte) error { have.Add(key, 1); return nil })
		})
		if err != nil {
			t.Fatal(err)
		}
		return have
	}
	before := counts()
	space(func(s kv.WorkspaceTx) error {
		var failed []error
		for _, id := range append(lost, "unnamed") {
			failed = append(failed, s.ClearCampaign(id))
		}
		return errors.Join(failed...)
	})
	for _, test := range []struct {
		counts kv.Counts
		want   []string
	}{{before, lost}, {counts(), nil}} {
		found, err := kv.Check(t.Context(), counting{db, test.counts}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var named []string
		for _, f := range found.Findings {
			if f.Campaign != "" {
				named = append(named, f.Campaign)
			}
		}
		if !slices.Equal(named, test.want) || found.HasLoss() != (test.want != nil) {
			t.Errorf("the check names %q, want %q: %+v", named, test.want, found.Findings)
		}
	}
}
