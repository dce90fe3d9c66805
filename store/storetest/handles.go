package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bugle/engine"
	"bugle/store"
)

// Handles tests several handles on one store, as several processes have them. Each call of newStore makes an empty store,
// and returns a function that opens a handle on it, which is closed at the end of the test.
func Handles(t *testing.T, newStore func(testing.TB) (open func() store.DB)) {
	for name, test := range map[string]func(t *testing.T, one, two store.DB){
		"AddRace":     testAddRace,
		"Idempotency": testIdempotency,
		"Updates":     testUpdates,
		"Feed":        testFeed,
		"DyingHandle": testDyingHandle,
	} {
		t.Run(name, func(t *testing.T) {
			open := newStore(t)
			one := open()
			putSettings(t, one)
			test(t, one, open())
		})
	}
}

// If two transactions add the same campaign, one is refused.
func testAddRace(t *testing.T, one, two store.DB) {
	for n := range 10 {
		results := make(chan error, 2)
		for _, db := range []store.DB{one, two} {
			go func() {
				results <- db.Write(t.Context(), func(tx store.Tx) error { return tx.Workspace(space).AddCampaign(campaign(t, fmt.Sprint("c", n), tree)) })
			}()
		}
		if a, b := <-results, <-results; (a == nil) == (b == nil) {
			t.Errorf("two were added with one id: %v, %v", a, b)
		}
	}
}

// stop stops a live campaign and adds its successor, as a service does for a request with a key: a repeated request gets
// the answer of the first one, not a refusal because of what that has done. It returns the id of the successor.
func stop(t testing.TB, db store.DB, id, successor string) (made string, err error) {
	err = db.Write(t.Context(), func(tx store.Tx) error {
		s := tx.Workspace(space)
		found, err := s.IdempotencyRecord("stop", id)
		if made = string(found.Result); !errors.Is(err, store.ErrNotFound) {
			return err
		}
		c, err := s.Campaign(id)
		if err != nil {
			return err
		}
		if string(c.Body.Encode()) != `{"live":true}` {
			return errors.New("it is stopped already")
		}
		made = successor
		_, err1 := save(s, id, `{"live":false}`, t, false)
		err2 := s.AddCampaign(campaign(t, successor, `{}`))
		return errors.Join(err1, err2, s.PutIdempotencyRecord(store.IdempotencyRecord{Operation: "stop", Key: id, ExpiresAt: time.Now().Add(time.Hour), Result: []byte(made)}))
	})
	return made, err
}

// Requests with the same keys at two handles, in different orders, do their work once and get the same answers.
func testIdempotency(t *testing.T, one, two store.DB) {
	const keys, each = 20, 6
	for n := range keys {
		in(t, one, func(s store.WorkspaceTx) error {
			return s.AddCampaign(campaign(t, fmt.Sprint("c", n), `{"live":true}`))
		})
	}
	var mu sync.Mutex
	made := map[string]string{}
	var all sync.WaitGroup
	for n := range keys {
		for i := range each {
			db, id := one, fmt.Sprint("c", n)
			if i%2 == 1 {
				db, id = two, fmt.Sprint("c", keys-1-n)
			}
			all.Go(func() {
				got, err := stop(t, db, id, fmt.Sprintf("s%d-%d", n, i))
				mu.Lock()
				defer mu.Unlock()
				if before, ok := made[id]; err != nil || ok && got != before {
					t.Errorf("%s was answered with %q, and with %q, %v", id, before, got, err)
				}
				made[id] = got
			})
		}
	}
	all.Wait()
	n := 0
	read(t, one, func(s store.WorkspaceTx) error { return s.Summaries(func(engine.Summary) error { n++; return nil }) })
	if n != 2*keys || len(made) != keys {
		t.Errorf("%d keys have made %d campaigns", len(made), n-keys)
	}
}

// No update of two handles is lost, and a read sees every write that was acknowledged before it.
func testUpdates(t *testing.T, one, two store.DB) {
	in(t, one, func(s store.WorkspaceTx) error { return s.AddCampaign(campaign(t, "c", `{"n":0}`)) })
	count := func(s store.WorkspaceTx) (n int64, err error) {
		c, err := s.Campaign("c")
		n, _ = c.Body.Get("n").Int()
		return n, err
	}
	const writers, each = 4, 25
	var acknowledged atomic.Int64
	var all sync.WaitGroup
	for i := range writers {
		own, other := one, two
		if i%2 == 1 {
			own, other = two, one
		}
		all.Go(func() {
			for range each {
				var n, seen int64
				in(t, own, func(s store.WorkspaceTx) (err error) {
					if n, err = count(s); err == nil {
						_, err = save(s, "c", fmt.Sprintf(`{"n":%d}`, n+1), t, false)
					}
					return err
				})
				least := acknowledged.Add(1)
				read(t, other, func(s store.WorkspaceTx) (err error) { seen, err = count(s); return err })
				if seen < least || seen <= n {
					t.Errorf("%d was read after %d was acknowledged", seen, max(least, n+1))
				}
			}
		})
	}
	all.Wait()
	read(t, one, func(s store.WorkspaceTx) error {
		c, err := s.Campaign("c")
		if n, _ := c.Body.Get("n").Int(); n != writers*each || c.Revision != writers*each+1 {
			t.Errorf("%d were counted as %d, revision %d", writers*each, n, c.Revision)
		}
		return err
	})
}

// A follower receives every change of other handles, at the latest with a Sync.
func testFeed(t *testing.T, one, two store.DB) {
	feed := two.(store.Feed)
	var heard sync.Map
	ready := make(chan struct{})
	go feed.Follow(t.Context(), func() { close(ready) }, func(changes []store.Change) {
		for _, c := range changes {
			heard.Store(c, true)
		}
	})
	<-ready
	wantHeard := func(c store.Change) {
		t.Helper()
		if _, ok := heard.Load(c); !ok {
			t.Errorf("%+v is not heard of", c)
		}
	}
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := range 20 {
				c := store.Change{Workspace: space, Kind: store.ChangedCampaign, ID: fmt.Sprintf("c%d-%d", w, i)}
				in(t, one, func(s store.WorkspaceTx) error { return s.AddCampaign(campaign(t, c.ID, `{}`)) })
				if err := feed.Sync(t.Context()); err != nil {
					t.Error(err)
				}
				wantHeard(c)
			}
		})
	}
	all.Wait()
	heard.Clear()
	in(t, two, func(s store.WorkspaceTx) error { return s.PutProfile(engine.User{ID: "own"}) })
	in(t, one, func(s store.WorkspaceTx) error {
		return errors.Join(s.DeleteCampaign("c0-0"), s.PutProfile(engine.User{ID: "u"}), s.PutContent(products("p", "")), s.PutOutbox(engine.OutboxMessage{ID: "m"}))
	})
	if err := feed.Sync(t.Context()); err != nil {
		t.Error(err)
	}
	for kind, id := range map[store.Kind]string{store.ChangedCampaign: "c0-0", store.ChangedUser: "u", store.ChangedSettings: "", store.ChangedOutbox: ""} {
		wantHeard(store.Change{Workspace: space, Kind: kind, ID: id})
	}
	if _, own := heard.Load(store.Change{Workspace: space, Kind: store.ChangedUser, ID: "own"}); own {
		t.Error("it heard of its own change")
	}
}

// The lease of a handle ends when that is closed, and the others go on.
func testDyingHandle(t *testing.T, one, two store.DB) {
	lease := one.Lease()
	in(t, one, func(s store.WorkspaceTx) error {
		return s.PutIdempotencyRecord(store.IdempotencyRecord{Operation: "test", Key: "k", Running: true, Lease: lease, ExpiresAt: time.Now().Add(time.Hour)})
	})
	for _, want := range []bool{true, false} {
		in(t, two, func(s store.WorkspaceTx) error {
			held, err := s.LeaseHeld(lease)
			if i, err := s.IdempotencyRecord("test", "k"); err != nil || i.Lease != lease || held != want {
				t.Errorf("the lease %q of %+v is held: %t, want %t; %v", lease, i, held, want, err)
			}
			return err
		})
		if err := one.Close(); err != nil {
			t.Error(err)
		}
	}
	wantErr(t, one.Write(t.Context(), func(tx store.Tx) error { return tx.Workspace(space).PutProfile(engine.User{ID: "u"}) }), store.ErrClosed)
}
