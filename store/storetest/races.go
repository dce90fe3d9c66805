package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"bugle/engine"
	"bugle/store"
)

// testDeleteRaces deletes records while other transactions write them, or what belongs to them, where they have found them.
// Nothing may be left, not even records that only a check finds.
func testDeleteRaces(t *testing.T, db store.DB) {
	ofTemplate := func(id string) engine.ContentRef { return engine.ContentRef{Kind: engine.KindTemplate, Name: id} }
	both := []func(s store.WorkspaceTx, id string) error{
		func(s store.WorkspaceTx, id string) error { return s.DeleteCampaign(id) },
		func(s store.WorkspaceTx, id string) error { return s.DeleteProfile(id) },
		func(s store.WorkspaceTx, id string) error { return s.DeleteContent(ofTemplate(id)) },
		func(s store.WorkspaceTx, id string) error {
			_, err := s.Campaign(id)
			if err == nil {
				_, err = save(s, id, `{"changed":true}`, t, false)
			}
			return err
		},
		func(s store.WorkspaceTx, id string) error {
			_, err := s.Campaign(id)
			if err == nil {
				err = s.PutWorkingCopy(id, engine.WorkingCopy{At: noon})
			}
			return err
		},
		func(s store.WorkspaceTx, id string) error {
			_, err := s.Profile(id)
			if err == nil {
				err = s.PutProfiles(profile(id, "changed"))
			}
			return err
		},
		func(s store.WorkspaceTx, id string) error {
			newest, err := s.ContentItem(ofTemplate(id))
			if err == nil {
				err = s.PutContent(template(id, newest.Template.Version+1, ""))
			}
			return err
		},
	}
	for round := range 15 {
		var done sync.WaitGroup
		start := make(chan struct{})
		for n := range 20 { // in descending order, because a reverse scan passes everything that was deleted before
			id := fmt.Sprintf("r%04d", 9999-20*round-n)
			in(t, db, func(s store.WorkspaceTx) error {
				_, err := save(s, id, `{}`, t, false)
				return errors.Join(err, s.PutProfiles(profile(id, "first")), s.PutContent(template(id, 1, "")))
			})
			for _, do := range both {
				done.Go(func() {
					<-start
					err := db.Write(t.Context(), func(tx store.Tx) error { return do(tx.Workspace(space), id) })
					if err != nil && !errors.Is(err, store.ErrNotFound) {
						t.Errorf("%s: %v", id, err)
					}
				})
			}
		}
		close(start)
		done.Wait()
		read(t, db, func(s store.WorkspaceTx) error {
			if left := all(t, s); len(left) != 1 {
				t.Errorf("left are %+v", left)
			}
			return nil
		})
	}
	checkHealthy(t, db)
}
