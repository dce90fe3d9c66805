package kv_test

import (
	"errors"
	"fmt"
	"testing"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store/kv"
	"bugle/store/mem"
)

// A campaign that gets the id of one whose long history is still being removed keeps its own history: it is
// refused until the other is gone.
func TestReuseIDDuringDelete(t *testing.T) {
	for _, revisions := range []int{1999, 2000, 2001} {
		t.Run(fmt.Sprint(revisions), func(t *testing.T) {
			db := mem.New()
			defer db.Close()
			in := func(fn func(kv.WorkspaceTx) error) error {
				return db.Update(t.Context(), func(tx kv.Tx) error { return fn(kv.NewWorkspaceTx(tx, "W")) })
			}
			create := func(s kv.WorkspaceTx) error {
				c := engine.Campaign{Head: engine.Head{ID: "c1", Status: "DRAFT"}, Body: doc.NewObject()}
				_, err := s.PutCampaign(c, engine.Summarize(c), engine.Revision{}, false)
				return err
			}
			err := in(func(s kv.WorkspaceTx) error {
				var failed error
				for range revisions {
					failed = errors.Join(failed, create(s))
				}
				return errors.Join(failed, s.PutSettings(engine.Workspace{ID: "W"}))
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := in(func(s kv.WorkspaceTx) error { return s.DeleteCampaign("c1") }); err != nil {
				t.Fatal(err)
			}
			early := in(create)
			for more := true; more; {
				if err := in(func(s kv.WorkspaceTx) (err error) { more, err = s.FinishDeletes(); return err }); err != nil {
					t.Fatal(err)
				}
			}
			if early != nil {
				if err := in(create); err != nil {
					t.Fatal(err)
				}
			}
			checked, err := db.Check(t.Context(), nil)
			if err != nil || len(checked.Findings) > 0 || checked.Campaigns != 1 {
				t.Errorf("the new campaign: %+v, %v", checked, err)
			}
		})
	}
}
