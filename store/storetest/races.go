package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"bugle/engine"
	"bugle/store"
)

// writesBeneath returns changes of records. Each reads in the same transaction that its record, or the campaign that the
// record belongs to, exists.
func writesBeneath(t testing.TB) []func(s store.WorkspaceTx, id string) error {
	return []func(s store.WorkspaceTx, id string) error{
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
				err = s.PutProfile(profile(id, "changed"))
			}
			return err
		},
		func(s store.WorkspaceTx, id string) error {
			_, err := s.ContentItem(engine.ContentRef{Kind: engine.KindProducts, Name: id})
			if err == nil {
				err = s.PutContent(products(id, "changed"))
			}
			return err
		},
		func(s store.WorkspaceTx, id string) error {
			newest, err := s.ContentItem(engine.ContentRef{Kind: engine.KindTemplate, Name: id})
			if err == nil {
				err = s.PutContent(template(id, newest.Template.Version+1, ""))
			}
			return err
		},
	}
}

// testDeleteRaces deletes records while other transactions write records that belong to them. Nothing may be left of
// them, not even records that only a check finds.
func testDeleteRaces(t *testing.T, db store.DB) {
	deletes := []func(s store.WorkspaceTx, id string) error{
		func(s store.WorkspaceTx, id string) error { return s.DeleteCampaign(id) },
		func(s store.WorkspaceTx, id string) error {
			return errors.Join(s.DeleteWorkingCopy(id), s.DeleteCampaign(id))
		},
	}
	for round := range 15 {
		var ids []string
		for n := range 20 { // in descending order, because a reverse scan passes everything that was deleted before
			ids = append(ids, fmt.Sprintf("r%04d", 9999-20*round-n))
		}
		in(t, db, func(s store.WorkspaceTx) error {
			var all []error
			for _, id := range ids {
				_, err := save(s, id, `{}`, t, false)
				all = append(all, err, s.PutProfile(profile(id, "first")), s.PutContent(products(id, "")), s.PutContent(template(id, 1, "")))
			}
			return errors.Join(all...)
		})
		var all sync.WaitGroup
		start := make(chan struct{})
		do := func(id string, fn func(s store.WorkspaceTx, id string) error) {
			all.Go(func() {
				<-start
				err := db.Write(t.Context(), func(tx store.Tx) error { return fn(tx.Workspace(space), id) })
				if err != nil && !errors.Is(err, store.ErrNotFound) {
					t.Errorf("%s: %v", id, err)
				}
			})
		}
		for _, id := range ids {
			do(id, deletes[round%len(deletes)])
			do(id, func(s store.WorkspaceTx, id string) error { return s.DeleteProfile(id) })
			for _, kind := range []engine.ContentKind{engine.KindProducts, engine.KindTemplate} {
				do(id, func(s store.WorkspaceTx, id string) error {
					return s.DeleteContent(engine.ContentRef{Kind: kind, Name: id})
				})
			}
			for _, write := range writesBeneath(t) {
				do(id, write)
			}
		}
		close(start)
		all.Wait()
		read(t, db, func(s store.WorkspaceTx) error {
			for _, id := range ids {
				_, copied := s.WorkingCopy(id)
				for i, read := range writesBeneath(t) { // which begin with the record that must be gone
					if err := read(s, id); !errors.Is(err, store.ErrNotFound) || !errors.Is(copied, store.ErrNotFound) {
						t.Errorf("of %s, kind %d, something is left (%v)", id, i, err)
					}
				}
			}
			return nil
		})
	}
}
