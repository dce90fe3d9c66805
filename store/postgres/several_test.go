package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/postgres"
	"bugle/store/postgres/pgtest"
)

const space = "DEMO"

// write runs fn in a transaction that must succeed.
func write(t testing.TB, db store.DB, fn func(store.WorkspaceTx) error) {
	t.Helper()
	if err := db.Write(t.Context(), func(tx store.Tx) error { return fn(tx.Workspace(space)) }); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, db store.DB, fn func(store.WorkspaceTx) error) {
	t.Helper()
	if err := db.Read(t.Context(), func(tx store.Tx) error { return fn(tx.Workspace(space)) }); err != nil {
		t.Fatal(err)
	}
}

// filled returns handles on one store, in which the workspace is.
func filled(t testing.TB, n int) []*postgres.DB {
	t.Helper()
	url := pgtest.URL(t)
	out := make([]*postgres.DB, n)
	for i := range out {
		out[i] = handle(t, url)
	}
	write(t, out[0], func(s store.WorkspaceTx) error { return s.PutSettings(engine.Workspace{ID: space}) })
	return out
}

func campaign(id, body string) (engine.Campaign, engine.Summary, engine.Revision) {
	v, err := doc.Parse([]byte(body))
	if err != nil {
		panic(err)
	}
	c := engine.Campaign{Head: engine.Head{ID: id, CampaignID: id}, Body: v}
	return c, engine.Summary{Head: c.Head, Name: id}, engine.Revision{Note: "created"}
}

func add(s store.WorkspaceTx, id, body string) error { return s.AddCampaign(campaign(id, body)) }

// create does what a service does for a create with a key: it returns the id of the campaign that the key has made.
func create(t testing.TB, db store.DB, key, id string) (made string, err error) {
	err = db.Write(t.Context(), func(tx store.Tx) error {
		s := tx.Workspace(space)
		found, err := s.IdempotencyRecord("create", key)
		if err == nil {
			made = string(found.Result)
			return nil
		}
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		made = id
		if err := add(s, id, `{}`); err != nil {
			return err
		}
		return s.PutIdempotencyRecord(store.IdempotencyRecord{Operation: "create", Key: key, ExpiresAt: time.Now().Add(time.Hour), Result: []byte(id)})
	})
	return made, err
}

// Concurrent creates with the same key at two handles make one campaign, and all get its id.
func TestOneKeyManyAsk(t *testing.T) {
	t.Parallel()
	dbs := filled(t, 2)
	for n := range 20 {
		var mu sync.Mutex
		got := map[string]int{}
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				made, err := create(t, dbs[i%2], fmt.Sprint("k", n), fmt.Sprintf("c%d-%d", n, i))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				got[made]++
			})
		}
		all.Wait()
		if len(got) != 1 {
			t.Errorf("one key made %v", got)
		}
	}
	n := 0
	read(t, dbs[0], func(s store.WorkspaceTx) error { return s.Summaries(func(engine.Summary) error { n++; return nil }) })
	if n != 20 {
		t.Errorf("there are %d campaigns", n)
	}
}

// A follower receives every change of other handles, and none of its own.
func TestFeedMissesNothing(t *testing.T) {
	t.Parallel()
	dbs := filled(t, 3)
	var mu sync.Mutex
	heard := map[string]int{}
	ready := make(chan struct{})
	go dbs[2].Follow(t.Context(), func() { close(ready) }, func(changes []store.Change) {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range changes {
			if c == (store.Change{Workspace: space, Kind: store.ChangedSettings}) {
				continue // of before: another test may have had a transaction open then
			}
			if c.Workspace != space || c.Kind != store.ChangedCampaign {
				t.Errorf("heard of %+v", c)
			}
			heard[c.ID]++
		}
	})
	<-ready
	write(t, dbs[2], func(s store.WorkspaceTx) error { return add(s, "own", `{}`) })
	const writers, each = 16, 40
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				write(t, dbs[w%2], func(s store.WorkspaceTx) error { return add(s, fmt.Sprintf("c%d-%d", w, i), `{}`) })
			}
		})
	}
	all.Wait()
	until(t, "all are heard", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(heard) == writers*each
	})
	if heard["own"] > 0 {
		t.Error("it heard of its own change")
	}
}

// A transaction with more changes than one read takes does not keep the feed from those that follow.
func TestFeedOfALargeTransaction(t *testing.T) {
	t.Parallel()
	dbs := filled(t, 2)
	conn, err := pgx.Connect(t.Context(), dbs[0].URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	var heard atomic.Int64
	ready := make(chan struct{})
	go dbs[1].Follow(t.Context(), func() { close(ready) }, func(changes []store.Change) { heard.Add(int64(len(changes))) })
	<-ready
	exec(t, conn, "INSERT INTO change (workspace, kind, id, origin) SELECT 'DEMO', 'campaign', n, gen_random_uuid() FROM generate_series(1, 12000) AS n")
	write(t, dbs[0], func(s store.WorkspaceTx) error { return add(s, "after", `{}`) })
	if err := dbs[1].Sync(t.Context()); err != nil || heard.Load() < 12_001 {
		t.Errorf("heard of %d changes, %v", heard.Load(), err)
	}
}

// counter counts statements that have a part.
type counter struct {
	part string
	atomic.Int64
}

func (c *counter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if strings.Contains(q.SQL, c.part) {
		c.Add(1)
	}
	return ctx
}

func (c *counter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// Many changes of several processes cause few reads of the feed, and those of one's own cause none.
func TestFeedIsReadSeldom(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	var dbs [3]*postgres.DB
	var reads [3]counter
	for i := range dbs {
		reads[i].part = "FROM change WHERE (xid"
		db, err := postgres.OpenTraced(t.Context(), postgres.Options{URL: url, Create: true}, &reads[i])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		dbs[i] = db
	}
	write(t, dbs[0], func(s store.WorkspaceTx) error { return s.PutSettings(engine.Workspace{ID: space}) })
	var heard [3]atomic.Int64
	for i, db := range dbs {
		ready := make(chan struct{})
		go db.Follow(t.Context(), func() { close(ready) }, func(changes []store.Change) { heard[i].Add(int64(len(changes))) })
		<-ready
	}
	const each = 600
	change := func(i int, name string) {
		for n := range each {
			write(t, dbs[i], func(s store.WorkspaceTx) error { return add(s, fmt.Sprint(name, n), `{}`) })
		}
	}
	within := func(do func(), i int, apart time.Duration) {
		t.Helper()
		before, began := reads[i].Load(), time.Now()
		do()
		took := time.Since(began)
		if n := reads[i].Load() - before; n > int64(took/apart)+3 {
			t.Errorf("%d reads within %v, more than one in %v", n, took, apart)
		}
	}
	within(func() { change(0, "a") }, 0, postgres.PollInterval)
	within(func() {
		var all sync.WaitGroup
		all.Go(func() { change(0, "b") })
		all.Go(func() { change(1, "c") })
		all.Wait()
		until(t, "all are heard", func() bool { return heard[2].Load() >= 3*each })
	}, 2, postgres.Apart)
}

// until waits until something is so.
func until(t testing.TB, what string, is func() bool) {
	t.Helper()
	end := time.Now().Add(2 * time.Minute) // a feed waits for the oldest transaction of its server, also of other tests
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for !is() {
		if (<-again.C).After(end) {
			t.Fatalf("it was never so that %s", what)
		}
	}
}

// No update of two handles is lost.
func TestNoUpdateIsLost(t *testing.T) {
	t.Parallel()
	dbs := filled(t, 2)
	write(t, dbs[0], func(s store.WorkspaceTx) error { return add(s, "c", `{"n":0}`) })
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 25 {
				if err := count(t, dbs[i%2], "c"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	read(t, dbs[0], func(s store.WorkspaceTx) error {
		c, err := s.Campaign("c")
		if n, _ := c.Body.Get("n").Int(); n != 100 || c.Revision != 101 {
			t.Errorf("100 counted %d, revision %d", n, c.Revision)
		}
		return err
	})
}

// count reads a number, and writes the next one.
func count(t testing.TB, db store.DB, id string) error {
	return db.Write(t.Context(), func(tx store.Tx) error {
		s := tx.Workspace(space)
		c, err := s.Campaign(id)
		if err != nil {
			return err
		}
		n, _ := c.Body.Get("n").Int()
		next, sum, rev := campaign(id, fmt.Sprintf(`{"n":%d}`, n+1))
		_, err = s.PutCampaign(next, sum, rev, false)
		return err
	})
}

// The lease of a handle ends when that is closed.
func TestLeaseEndsWithItsHandle(t *testing.T) {
	t.Parallel()
	dbs := filled(t, 2)
	put := func(s store.WorkspaceTx) error {
		return s.PutIdempotencyRecord(store.IdempotencyRecord{Operation: "test", Key: "k", Running: true, Lease: dbs[0].Lease(), ExpiresAt: time.Now().Add(time.Hour)})
	}
	write(t, dbs[0], put)
	held := func() (is bool) {
		read(t, dbs[1], func(s store.WorkspaceTx) (err error) {
			is, err = s.LeaseHeld(dbs[0].Lease())
			return err
		})
		return is
	}
	if !held() {
		t.Error("the lease of a handle that is open is not held")
	}
	dbs[0].Close()
	if held() {
		t.Error("the lease of a handle that is closed is held")
	}
}

// Programs that make the tables at once do not disturb each other.
func TestTablesAreMadeOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	if _, err := postgres.Open(t.Context(), postgres.Options{URL: url}); !errors.Is(err, postgres.ErrNoTables) {
		t.Errorf("an empty database opens: %v", err)
	}
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { handle(t, url) })
	}
	all.Wait()
	db := handle(t, url)
	var ids []string
	err := db.Read(t.Context(), func(tx store.Tx) (err error) {
		ids, err = tx.Workspaces()
		return err
	})
	if err != nil || !slices.Equal(ids, nil) {
		t.Errorf("%v %v", ids, err)
	}
}

// After a lease has expired, records marked with it cannot be stored.
func TestLostLease(t *testing.T) {
	t.Parallel()
	dbs := filled(t, 2)
	of := func(db *postgres.DB, running bool, answer string) store.IdempotencyRecord {
		return store.IdempotencyRecord{Operation: "test", Key: "k", Running: running, Lease: db.Lease(), ExpiresAt: time.Now().Add(time.Hour), Result: []byte(answer)}
	}
	put := func(db *postgres.DB, i store.IdempotencyRecord) error {
		return db.Write(t.Context(), func(tx store.Tx) error { return tx.Workspace(space).PutIdempotencyRecord(i) })
	}
	first := of(dbs[0], true, "")
	if err := put(dbs[0], first); err != nil {
		t.Fatal(err)
	}
	expire(t, dbs[0])
	if err := put(dbs[1], of(dbs[1], false, "theirs")); err != nil {
		t.Fatal(err)
	}
	for _, running := range []bool{true, false} {
		late := first
		late.Running, late.Result = running, []byte("ours")
		if err := put(dbs[0], late); !errors.Is(err, store.ErrLeaseExpired) {
			t.Errorf("running %t: %v", running, err)
		}
	}
	read(t, dbs[0], func(s store.WorkspaceTx) error {
		i, err := s.IdempotencyRecord("test", "k")
		if string(i.Result) != "theirs" {
			t.Errorf("the answer is %q", i.Result)
		}
		return err
	})
}

// expire ends the lease of a handle, as a suspended machine does.
func expire(t testing.TB, db *postgres.DB) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "UPDATE lease SET expires_at = now() - interval '1 s' WHERE id = $1", db.Lease()); err != nil {
		t.Fatal(err)
	}
}

// A request that is repeated while its first try is still being committed gets the answer of that, not a refusal because
// of what it has done.
func TestRepeatDuringCommit(t *testing.T) {
	t.Parallel()
	dbs := filled(t, 2)
	for n := range 30 {
		id, key := fmt.Sprint("c", n), fmt.Sprint("k", n)
		write(t, dbs[0], func(s store.WorkspaceTx) error { return add(s, id, `{"state":"live"}`) })
		stop := func(db store.DB) (answer string, err error) {
			err = db.Write(t.Context(), func(tx store.Tx) error {
				s := tx.Workspace(space)
				found, err := s.IdempotencyRecord("status", key)
				if err == nil {
					answer = string(found.Result)
					return nil
				}
				if !errors.Is(err, store.ErrNotFound) {
					return err
				}
				c, err := s.Campaign(id)
				if err != nil {
					return err
				}
				if c.Body.Get("state").Text() != "live" {
					return errors.New("it is stopped already")
				}
				stopped, sum, rev := campaign(id, `{"state":"stopped"}`)
				if _, err := s.PutCampaign(stopped, sum, rev, false); err != nil {
					return err
				}
				answer = "done"
				return s.PutIdempotencyRecord(store.IdempotencyRecord{Operation: "status", Key: key, ExpiresAt: time.Now().Add(time.Hour), Result: []byte(answer)})
			})
			return answer, err
		}
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				if answer, err := stop(dbs[i%2]); err != nil || answer != "done" {
					t.Errorf("round %d: it is answered with %q, %v", n, answer, err)
				}
			})
		}
		all.Wait()
	}
}

// A refusal because a key is used already is one: the transaction does not run again for it.
func TestRefusalForAUsedKey(t *testing.T) {
	t.Parallel()
	db := filled(t, 1)[0]
	if _, err := create(t, db, "k", "c"); err != nil {
		t.Fatal(err)
	}
	refusal, runs := errors.New("the key was used with another body"), 0
	err := db.Write(t.Context(), func(tx store.Tx) error {
		runs++
		if _, err := tx.Workspace(space).IdempotencyRecord("create", "k"); err != nil {
			return err
		}
		return refusal
	})
	if !errors.Is(err, refusal) || runs != 1 {
		t.Errorf("it ended with %v after %d runs", err, runs)
	}
}

// A read sees every write that was acknowledged before it, also at another server, however many reads are under way.
func TestReadsSeeWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	dbs := filled(t, 2)
	write(t, dbs[1], func(s store.WorkspaceTx) error { return add(s, "c", `{"n":0}`) })
	var acknowledged atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for ctx.Err() == nil {
				atLeast := acknowledged.Load()
				var n int64
				read(t, dbs[0], func(s store.WorkspaceTx) error {
					c, err := s.Campaign("c")
					n, _ = c.Body.Get("n").Int()
					return err
				})
				if n < atLeast {
					t.Errorf("%d after %d was acknowledged", n, atLeast)
					return
				}
			}
		})
	}
	for n := range int64(100) {
		if err := count(t, dbs[1], "c"); err != nil {
			t.Fatal(err)
		}
		acknowledged.Store(n + 1)
	}
	stop()
	all.Wait()
}

// Servers that create campaigns with the same keys in different orders at once do not block each other.
func TestSameKeysAtTwoServers(t *testing.T) {
	t.Parallel()
	dbs := filled(t, 2)
	const n = 40
	var all sync.WaitGroup
	got := make([][2]string, n)
	for i := range n {
		for side, key := range []int{i, n - 1 - i} {
			all.Go(func() {
				made, err := create(t, dbs[side], fmt.Sprint("k", key), fmt.Sprintf("c%d-%d", side, key))
				if err != nil {
					t.Error(err)
				}
				got[key][side] = made
			})
		}
	}
	all.Wait()
	var want []string
	for key, made := range got {
		if made[0] != made[1] {
			t.Errorf("the key %d made %v", key, made)
		}
		want = append(want, made[0])
	}
	wantAll(t, dbs[0], want)
}

func wantAll(t *testing.T, db store.DB, ids []string) {
	t.Helper()
	read(t, db, func(s store.WorkspaceTx) error {
		n := 0
		if err := s.Summaries(func(engine.Summary) error { n++; return nil }); err != nil {
			return err
		}
		if n != len(ids) {
			t.Errorf("there are %d campaigns, not %d", n, len(ids))
		}
		for _, id := range ids {
			if c, err := s.Campaign(id); err != nil || c.ID != id || c.Revision != 1 {
				t.Errorf("%s is %+v, %v", id, c.Head, err)
			}
		}
		return nil
	})
}
