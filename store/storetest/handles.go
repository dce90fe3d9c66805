package storetest

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"bugle/engine"
	"bugle/store"
)

// Handles tests several handles on one store, as several processes have them. Each call of newStore makes an empty store,
// and returns a function that opens a handle on it, which is closed at the end of the test.
func Handles(t *testing.T, newStore func(testing.TB) (open func() store.DB)) {
	for name, test := range map[string]func(t *testing.T, one, two store.DB){
		"Requests":    testRequests,
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

// request counts in the campaign "c", once for each key, and returns the count. A repeated request gets the answer of the
// first one.
func request(t testing.TB, db store.DB, key string) (answer int64, err error) {
	err = db.Write(t.Context(), func(tx store.Tx) error {
		s := tx.Workspace(space)
		found, missing := s.IdempotencyRecord("count", key)
		n, err := count(s)
		if missing == nil {
			answer, err = strconv.ParseInt(string(found.Result), 10, 64)
		}
		if !errors.Is(missing, store.ErrNotFound) || err != nil {
			return errors.Join(missing, err)
		}
		answer = n + 1
		_, err = save(s, "c", fmt.Sprintf(`{"n":%d}`, answer), t, false)
		record := store.IdempotencyRecord{Operation: "count", Key: key, ExpiresAt: time.Now().Add(time.Hour), Result: fmt.Append(nil, answer)}
		return errors.Join(err, s.PutIdempotencyRecord(record))
	})
	return answer, err
}

func count(s store.WorkspaceTx) (n int64, err error) {
	c, err := s.Campaign("c")
	n, _ = c.Body.Get("n").Int()
	return n, err
}

// Requests with the same keys at two handles do their work once and get the same answers. None of their updates is lost, and
// a read at the other handle sees what was answered before.
func testRequests(t *testing.T, one, two store.DB) {
	in(t, one, func(s store.WorkspaceTx) error { return s.AddCampaign(campaign(t, "c", `{"n":0}`)) })
	const keys, each = 50, 4
	var answers sync.Map
	var done sync.WaitGroup
	for n := range keys * each {
		own, other := one, two
		if n%2 == 1 {
			own, other = two, one
		}
		key := fmt.Sprint("k", n*7%keys)
		done.Go(func() {
			got, err := request(t, own, key)
			if before, ok := answers.LoadOrStore(key, got); err != nil || ok && before != got {
				t.Errorf("%s was answered with %v, and with %d, %v", key, before, got, err)
			}
			read(t, other, func(s store.WorkspaceTx) error {
				seen, err := count(s)
				if seen < got {
					t.Errorf("%d was read after %d was answered", seen, got)
				}
				return err
			})
		})
	}
	done.Wait()
	read(t, one, func(s store.WorkspaceTx) error {
		c, err := s.Campaign("c")
		if n, _ := c.Body.Get("n").Int(); n != keys || c.Revision != keys+1 {
			t.Errorf("%d keys were counted as %d, revision %d", keys, n, c.Revision)
		}
		return err
	})
}

// A follower receives every change of other handles, at the latest with a Sync, and none of its own.
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
	wantHeard := func(kind store.Kind, id string, want bool) {
		t.Helper()
		must(t, feed.Sync(t.Context()))
		c := store.Change{Workspace: space, Kind: kind, ID: id}
		if _, ok := heard.Load(c); ok != want {
			t.Errorf("%+v is heard of: %t", c, ok)
		}
	}
	var done sync.WaitGroup
	for w := range 8 {
		done.Go(func() {
			for i := range 20 {
				id := fmt.Sprintf("c%d-%d", w, i)
				in(t, one, func(s store.WorkspaceTx) error { return s.AddCampaign(campaign(t, id, `{}`)) })
				wantHeard(store.ChangedCampaign, id, true)
			}
		})
	}
	done.Wait()
	heard.Clear()
	in(t, two, func(s store.WorkspaceTx) error { return s.PutProfiles(engine.User{ID: "own"}) })
	in(t, one, func(s store.WorkspaceTx) error {
		return errors.Join(s.DeleteCampaign("c0-0"), s.PutProfiles(engine.User{ID: "u"}), s.PutContent(products("p", "")), s.PutOutbox(engine.OutboxMessage{ID: "m"}))
	})
	wantHeard(store.ChangedCampaign, "c0-0", true)
	wantHeard(store.ChangedUser, "u", true)
	wantHeard(store.ChangedSettings, "", true)
	wantHeard(store.ChangedOutbox, "", true)
	wantHeard(store.ChangedUser, "own", false)
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
	wantErr(t, one.Write(t.Context(), func(tx store.Tx) error { return tx.Workspace(space).PutProfiles(engine.User{ID: "u"}) }), store.ErrClosed)
}
