package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bugle/engine"
	"bugle/store"
	"bugle/store/postgres"
	"bugle/store/postgres/pgtest"
)

// behind returns a handle behind a proxy.
func behind(t testing.TB, direct string, patience time.Duration) (*postgres.DB, *pgtest.Proxy) {
	t.Helper()
	p, through := pgtest.NewProxy(t, direct)
	db, err := postgres.Open(t.Context(), postgres.Options{URL: through, Patience: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, p
}

// If connections are cut at any time, every acknowledged change is stored once, and no refused one is.
func TestTheNetworkIsCut(t *testing.T) {
	t.Parallel()
	direct := pgtest.URL(t)
	sure := handle(t, direct)
	write(t, sure, func(s store.WorkspaceTx) error {
		return errors.Join(s.PutSettings(engine.Workspace{ID: space}), add(s, "c", `{"n":0}`))
	})
	db, p := behind(t, direct, 10*time.Second)
	ctx, stop := context.WithCancel(t.Context())
	var made, unknown atomic.Int64
	var cutter sync.WaitGroup
	cutter.Go(func() {
		for ctx.Err() == nil {
			wait(ctx, time.Duration(rand.Int64N(int64(40*time.Millisecond))))
			p.Set(pgtest.Open)
			for before := made.Load(); made.Load() == before && ctx.Err() == nil; { // a slow machine makes some, too
				wait(ctx, time.Millisecond)
			}
		}
	})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 15 {
				switch err := count(t, db, "c"); {
				case err == nil:
					made.Add(1)
				case errors.Is(err, store.ErrCommitUnknown):
					unknown.Add(1)
				}
			}
		})
	}
	all.Wait()
	stop()
	cutter.Wait()
	read(t, sure, func(s store.WorkspaceTx) error {
		c, err := s.Campaign("c")
		n, _ := c.Body.Get("n").Int()
		if n < made.Load() || n > made.Load()+unknown.Load() {
			t.Errorf("%d were told to be made, %d may have been, and %d were", made.Load(), unknown.Load(), n)
		}
		return err
	})
	if made.Load() == 0 {
		t.Error("nothing could be written")
	}
	t.Logf("%d changes made, %d unknown", made.Load(), unknown.Load())
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// Transactions wait for an unreachable database no longer than their limit.
func TestTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	const patience = 300 * time.Millisecond
	for _, how := range []pgtest.State{pgtest.Stalled, pgtest.Closed} {
		t.Run(string(how), func(t *testing.T) {
			direct := pgtest.URL(t)
			sure := handle(t, direct)
			write(t, sure, func(s store.WorkspaceTx) error {
				return errors.Join(s.PutSettings(engine.Workspace{ID: space}), add(s, "c", `{"n":0}`))
			})
			db, p := behind(t, direct, patience)
			reads := func() bool { // on a slow machine not within its patience
				return db.Read(t.Context(), func(tx store.Tx) error { _, err := tx.Workspace(space).Campaign("c"); return err }) == nil
			}
			for range 20 { // so that there are connections
				until(t, "the database is read", reads)
			}
			p.Set(how)
			for what, do := range map[string]func(context.Context) error{
				"read": func(ctx context.Context) error {
					return db.Read(ctx, func(tx store.Tx) error { _, err := tx.Workspace(space).Campaign("c"); return err })
				},
				"write": func(ctx context.Context) error {
					return db.Write(ctx, func(tx store.Tx) error { return add(tx.Workspace(space), fmt.Sprint("new", rand.Int64()), `{}`) })
				},
			} {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				begun := time.Now()
				err := do(ctx)
				cancel()
				if took := time.Since(begun); !errors.Is(err, store.ErrUnreachable) || took > 10*time.Second {
					t.Errorf("%s: %v after %v", what, err, took)
				}
			}
			p.Set(pgtest.Open)
			until(t, "it is read again", reads)
			until(t, "it is written again", func() bool { return count(t, db, "c") == nil })
		})
	}
}

// A handle whose server does not answer closes soon.
func TestCloseWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	direct := pgtest.URL(t)
	handle(t, direct)
	db, p := behind(t, direct, time.Second)
	ready := make(chan struct{})
	go db.Follow(t.Context(), func() { close(ready) }, func([]store.Change) {})
	<-ready
	p.Set(pgtest.Stalled)
	closed := make(chan error, 1)
	go func() { closed <- db.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("it does not close")
	}
}

// A server that cannot be written to counts as unreachable.
func TestReadOnlyServer(t *testing.T) {
	t.Parallel()
	direct := pgtest.URL(t)
	db := handle(t, direct)
	write(t, db, func(s store.WorkspaceTx) error { return s.PutSettings(engine.Workspace{ID: space}) })
	u, _ := url.Parse(direct)
	q := u.Query()
	q.Set("default_transaction_read_only", "on")
	u.RawQuery = q.Encode()
	_, err := postgres.Open(t.Context(), postgres.Options{URL: u.String(), Patience: 200 * time.Millisecond})
	if !errors.Is(err, store.ErrUnreachable) {
		t.Errorf("a server that cannot be written to opens: %v", err)
	}
}
