package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"bugle/engine"
	"bugle/store"
)

// race is a deletion and a concurrent write of a record that belongs to the deleted one. The write checks, in the same
// transaction, that the deleted record still exists. So nothing may be left once both are done.
type race struct {
	name    string
	prepare func(s store.WorkspaceTx, id string) error
	delete  func(s store.WorkspaceTx, id string) error
	write   func(s store.WorkspaceTx, id string, n int) error
	left    func(s store.WorkspaceTx, id string) error // fails with [store.ErrNotFound] if nothing is left
}

func races(t testing.TB) []race {
	create := func(s store.WorkspaceTx, id string) error {
		_, err := save(s, id, `{"n":0}`, t, false)
		return err
	}
	change := func(s store.WorkspaceTx, id string, n int) error {
		c, err := s.Campaign(id)
		if err == nil {
			c.Body = parse(t, fmt.Sprintf(`{"n":%d}`, n))
			_, err = s.PutCampaign(c, engine.Summarize(c), engine.Revision{At: noon}, false)
		}
		return err
	}
	keep := func(s store.WorkspaceTx, id string, n int) error {
		_, err := s.Campaign(id)
		if err == nil {
			err = s.PutWorkingCopy(id, engine.WorkingCopy{Base: 1, Body: parse(t, fmt.Sprintf(`{"n":%d}`, n)), At: noon})
		}
		return err
	}
	ofCampaign := func(s store.WorkspaceTx, id string) error { // the check at the end finds any other remains
		_, err := s.Campaign(id)
		return err
	}
	remove := func(s store.WorkspaceTx, id string) error { return s.DeleteCampaign(id) }
	clear := func(s store.WorkspaceTx, id string) error { return s.ClearCampaign(id) }
	profile := func(id string, n int) engine.User {
		return engine.User{ID: id, Attributes: map[string]any{engine.AttrEmail: fmt.Sprintf("%s.%d@example.com", id, n)}}
	}
	template := func(id string, n int) engine.ContentItem {
		return engine.ContentItem{Template: &engine.ContentTemplate{ID: id, Version: n, Name: id, Channel: "EMAIL", Content: parse(t, `{}`), SavedAt: noon}}
	}
	all := func(id string) engine.ContentRef { return engine.ContentRef{Kind: engine.KindTemplate, Name: id} }
	return []race{
		{
			name:    "a template and its next version",
			prepare: func(s store.WorkspaceTx, id string) error { return s.PutContent(template(id, 1)) },
			delete:  func(s store.WorkspaceTx, id string) error { return s.DeleteContent(all(id)) },
			write: func(s store.WorkspaceTx, id string, _ int) error {
				newest, err := s.ContentItem(all(id))
				if err == nil {
					err = s.PutContent(template(id, newest.Template.Version+1))
				}
				return err
			},
			left: func(s store.WorkspaceTx, id string) error {
				_, err := s.ContentItem(all(id))
				return err
			},
		},
		{"a campaign and a save of it", create, remove, change, ofCampaign},
		{"a campaign and its working copy", create, remove, keep, ofCampaign},
		{"all of a campaign and a save of it", create, clear, change, ofCampaign},
		{"all of a campaign and its working copy", create, clear, keep, ofCampaign},
		{
			"a working copy that is discarded and the campaign", create,
			func(s store.WorkspaceTx, id string) error {
				return errors.Join(s.DeleteWorkingCopy(id), s.DeleteCampaign(id))
			}, keep, ofCampaign,
		},
		{
			name:    "a profile and a change of it",
			prepare: func(s store.WorkspaceTx, id string) error { return s.PutProfile(profile(id, 0)) },
			delete:  func(s store.WorkspaceTx, id string) error { return s.DeleteProfile(id) },
			write: func(s store.WorkspaceTx, id string, n int) error {
				_, err := s.Profile(id)
				if err == nil {
					err = s.PutProfile(profile(id, n))
				}
				return err
			},
			left: func(s store.WorkspaceTx, id string) error {
				_, err := s.Profile(id)
				return err
			},
		},
		{
			name:    "a product set and a change of it",
			prepare: func(s store.WorkspaceTx, id string) error { return s.PutContent(products(id)) },
			delete: func(s store.WorkspaceTx, id string) error {
				return s.DeleteContent(engine.ContentRef{Kind: engine.KindProducts, Name: id})
			},
			write: func(s store.WorkspaceTx, id string, _ int) error {
				_, err := s.ContentItem(engine.ContentRef{Kind: engine.KindProducts, Name: id})
				if err == nil {
					err = s.PutContent(products(id))
				}
				return err
			},
			left: func(s store.WorkspaceTx, id string) error {
				_, err := s.ContentItem(engine.ContentRef{Kind: engine.KindProducts, Name: id})
				return err
			},
		},
	}
}

// raceRuns is how often each race runs, raceParallel how many run at the same time.
const (
	raceRuns     = 200
	raceParallel = 20
)

// testDeleteRaces deletes records while other transactions write records that belong to them. Nothing may be left of
// them, not even records that only a check finds.
func testDeleteRaces(t *testing.T, db store.DB) {
	in(t, db, func(s store.WorkspaceTx) error { return s.PutSettings(engine.Workspace{ID: space}) })
	for i, r := range races(t) {
		for from := 0; from < raceRuns; from += raceParallel {
			var ids []string
			for n := range raceParallel {
				// In descending order, because a reverse scan passes everything that was deleted before.
				ids = append(ids, fmt.Sprintf("r%d-%03d", i, raceRuns-from-n))
			}
			r.run(t, db, ids)
		}
	}
}

// run runs a race for each of the ids at once.
func (r race) run(t *testing.T, db store.DB, ids []string) {
	t.Helper()
	in(t, db, func(s store.WorkspaceTx) error {
		var failed []error
		for _, id := range ids {
			failed = append(failed, r.prepare(s, id))
		}
		return errors.Join(failed...)
	})
	var all sync.WaitGroup
	start := make(chan struct{})
	do := func(fn func(store.WorkspaceTx) error) {
		all.Go(func() {
			<-start
			err := db.Write(t.Context(), func(tx store.Tx) error { return fn(tx.Workspace(space)) })
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s: %v", r.name, err)
			}
		})
	}
	for _, id := range ids {
		do(func(s store.WorkspaceTx) error { return r.delete(s, id) })
		for n := range 2 {
			do(func(s store.WorkspaceTx) error { return r.write(s, id, n+1) })
		}
	}
	close(start)
	all.Wait()
	read(t, db, func(tx store.Tx) error {
		for _, id := range ids {
			if err := r.left(tx.Workspace(space), id); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s: of %s something is left (%v)", r.name, id, err)
			}
		}
		return nil
	})
}
