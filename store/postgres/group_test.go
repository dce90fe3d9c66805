package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/store"
	"bugle/store/postgres"
	"bugle/store/postgres/pgtest"
)

// gathering returns a handle whose batches wait for each other, behind a proxy, and another handle on the same store.
func gathering(t *testing.T, tracer pgx.QueryTracer) (db, sure *postgres.DB, direct string, p *pgtest.Proxy) {
	t.Helper()
	direct = pgtest.URL(t)
	sure = handle(t, direct)
	write(t, sure, func(s store.WorkspaceTx) error { return s.PutSettings(engine.Workspace{ID: space}) })
	p, through := pgtest.NewProxy(t, direct)
	db, err := postgres.OpenGathering(t.Context(), postgres.Options{URL: through}, tracer)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, sure, direct, p
}

// locker is a connection with an open transaction.
func locker(t *testing.T, direct, sql string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), direct)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.WithoutCancel(t.Context())) })
	exec(t, conn, "BEGIN")
	exec(t, conn, sql)
	return conn
}

func exec(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// holdKey makes whoever inserts an idempotency key wait.
func holdKey(key string) string {
	return fmt.Sprintf(`INSERT INTO idempotency (workspace, operation, key, fingerprint, running, lease, expires_at, checksum) VALUES ('%s', 'create', '%s', '', false, '', now(), 0)`, space, key)
}

// number returns the number that a query finds.
func number(t *testing.T, conn *pgx.Conn, sql string, args ...any) (n int) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// waiters is how many statements wait for a lock in the database.
const waiters = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"

func observer(t *testing.T, direct string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), direct)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

// group has creates with the keys k1 to k8 wait while one with the key k0 is committed, and calls held before that ends.
// made returns the id of the campaign of each, and what it failed with.
func group(t *testing.T, db *postgres.DB, direct string, id func(n int) string, held func(look *pgx.Conn)) (made []string, errs []error) {
	t.Helper()
	look, first := observer(t, direct), locker(t, direct, holdKey("k0"))
	made, errs = make([]string, 9), make([]error, 9)
	var all sync.WaitGroup
	one := func(n int) {
		all.Go(func() { made[n], errs[n] = create(t, db, fmt.Sprint("k", n), id(n)) })
	}
	one(0)
	until(t, "the first waits", func() bool { return number(t, look, waiters) == 1 })
	for n := 1; n <= 8; n++ {
		one(n)
	}
	until(t, "the others wait for it", func() bool { return db.Waiting() == 8 })
	if held != nil {
		held(look)
	}
	exec(t, first, "ROLLBACK")
	if held != nil {
		held(nil)
	}
	all.Wait()
	return made, errs
}

const commitsOf = "SELECT count(DISTINCT xid) FROM change WHERE id = ANY ($1)"

// Creates that end while another one is committed go into one transaction of the database.
func TestCommitTogether(t *testing.T) {
	t.Parallel()
	db, sure, direct, _ := gathering(t, nil)
	made, errs := group(t, db, direct, func(n int) string { return fmt.Sprint("c", n) }, nil)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if n := number(t, observer(t, direct), commitsOf, made[1:]); n != 1 {
		t.Errorf("8 creates made %d commits", n)
	}
	wantAll(t, sure, made)
}

// wantAll checks that there are campaigns, each with its first revision, and no others.
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

// A create that fails does not take those with it that are committed with it.
func TestOneOfAGroupFails(t *testing.T) {
	t.Parallel()
	db, sure, direct, _ := gathering(t, nil)
	write(t, sure, func(s store.WorkspaceTx) error { return add(s, "taken", `{}`) })
	made, errs := group(t, db, direct, func(n int) string {
		if n == 3 {
			return "taken"
		}
		return fmt.Sprint("c", n)
	}, nil)
	want := []string{"taken"}
	for n, err := range errs {
		if n == 3 {
			if err == nil || !strings.Contains(err.Error(), "already exists") {
				t.Errorf("the create of a campaign that exists: %v", err)
			}
			continue
		}
		if err != nil {
			t.Errorf("create %d: %v", n, err)
		}
		want = append(want, made[n])
	}
	wantAll(t, sure, want)
	read(t, sure, func(s store.WorkspaceTx) error {
		if _, err := s.IdempotencyRecord("create", "k3"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the key of the create that failed is kept: %v", err)
		}
		return nil
	})
}

// A create whose key another server has just used gets the answer of that one, and the creates that are committed with it
// do not fail.
func TestAKeyOfAGroupIsUsed(t *testing.T) {
	t.Parallel()
	db, sure, direct, _ := gathering(t, nil)
	made, errs := group(t, db, direct, func(n int) string { return fmt.Sprint("c", n) }, func(look *pgx.Conn) {
		if look == nil {
			return
		}
		if _, err := create(t, sure, "k5", "other"); err != nil {
			t.Error(err)
		}
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if made[5] != "other" {
		t.Errorf("the key that was used made %s", made[5])
	}
	wantAll(t, sure, made)
}

// If the answer to the commit of a group is lost, each of its transactions finds out that it was committed.
func TestLostCommitOfAGroup(t *testing.T) {
	t.Parallel()
	db, sure, direct, p := gathering(t, nil)
	second := locker(t, direct, holdKey("k1"))
	made, errs := group(t, db, direct, func(n int) string { return fmt.Sprint("c", n) }, func(look *pgx.Conn) {
		if look != nil {
			return
		}
		look = observer(t, direct)
		until(t, "the group waits", func() bool {
			return number(t, look, "SELECT count(*) FROM campaign") == 1 && number(t, look, waiters) == 1
		})
		p.Stall(true)
		exec(t, second, "ROLLBACK")
		until(t, "the group is committed", func() bool { return number(t, look, "SELECT count(*) FROM campaign") == 9 })
		p.Cut()
		p.Stall(false)
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if n := number(t, observer(t, direct), commitsOf, made[1:]); n != 1 {
		t.Errorf("8 creates made %d commits", n)
	}
	wantAll(t, sure, made)
}

// A create that was not committed when the connection was lost is made once, like the others of its group.
func TestLostGroup(t *testing.T) {
	t.Parallel()
	db, sure, direct, p := gathering(t, nil)
	second := locker(t, direct, holdKey("k1"))
	made, errs := group(t, db, direct, func(n int) string { return fmt.Sprint("c", n) }, func(look *pgx.Conn) {
		if look != nil {
			return
		}
		look = observer(t, direct)
		until(t, "the group waits", func() bool {
			return number(t, look, "SELECT count(*) FROM campaign") == 1 && number(t, look, waiters) == 1
		})
		exec(t, look, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
		p.Cut()
		exec(t, second, "ROLLBACK")
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	wantAll(t, sure, made)
}

// A caller that gives up while its create waits for a group has written nothing; those that wait with it have.
func TestGiveUpInAGroup(t *testing.T) {
	t.Parallel()
	db, sure, direct, _ := gathering(t, nil)
	given := make(chan error, 1)
	made, errs := group(t, db, direct, func(n int) string { return fmt.Sprint("c", n) }, func(look *pgx.Conn) {
		if look == nil {
			return
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			given <- db.Write(ctx, func(tx store.Tx) error { return add(tx.Workspace(space), "given up", `{}`) })
		}()
		until(t, "it waits, too", func() bool { return db.Waiting() == 9 })
		cancel()
		if err := <-given; !errors.Is(err, context.Canceled) {
			t.Errorf("who gives up gets %v", err)
		}
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	wantAll(t, sure, made)
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

// loads is part of the statements that read campaigns for several callers.
const loads = "WITH ORDINALITY AS k"

// Reads that come while another one is under way share a statement, which is younger than they are. Who gives up ends
// nobody else's wait.
func TestGatheredReads(t *testing.T) {
	t.Parallel()
	statements := counter{part: loads}
	db, sure, direct, _ := gathering(t, &statements)
	write(t, sure, func(s store.WorkspaceTx) error { return errors.Join(add(s, "c", `{"n":1}`), add(s, "d", `{}`)) })
	if _, err := db.Campaign(t.Context(), space, "none"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a campaign that is not there: %v", err)
	}
	statements.Store(0)
	look := observer(t, direct)
	lock := locker(t, direct, "LOCK TABLE campaign IN ACCESS EXCLUSIVE MODE")
	var all sync.WaitGroup
	get := func(ctx context.Context, id string, want int64) {
		all.Go(func() {
			c, err := db.Campaign(ctx, space, id)
			if n, _ := c.Body.Get("n").Int(); err != nil || c.ID != id || n != want {
				t.Errorf("%s is %s, %v", id, c.Body.Encode(), err)
			}
		})
	}
	get(t.Context(), "d", 0)
	until(t, "the first waits", func() bool { return number(t, look, waiters) == 1 })
	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan error)
	go func() { _, err := db.Campaign(ctx, space, "c"); given <- err }()
	for range 4 {
		get(t.Context(), "c", 1)
		get(t.Context(), "d", 0)
	}
	all.Go(func() {
		if _, err := db.Campaign(t.Context(), space, "none"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a campaign that is not there: %v", err)
		}
	})
	until(t, "the others wait for it", func() bool { return db.Waiting() == 10 })
	cancel()
	if err := <-given; !errors.Is(err, context.Canceled) {
		t.Errorf("who gives up gets %v", err)
	}
	exec(t, lock, "ROLLBACK")
	all.Wait()
	if n := statements.Load(); n != 2 {
		t.Errorf("11 reads took %d statements", n)
	}
}

// The document of a campaign that has not changed since this process read it is not sent again.
func TestUnchangedIsNotSentAgain(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db, other := handle(t, url), handle(t, url)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	write(t, other, func(s store.WorkspaceTx) error {
		return errors.Join(s.PutSettings(engine.Workspace{ID: space}), add(s, "c", `{"n":1}`))
	})
	get := func(want int64) {
		t.Helper()
		c, err := db.Campaign(t.Context(), space, "c")
		if n, _ := c.Body.Get("n").Int(); err != nil || n != want {
			t.Errorf("the campaign is %s (%v), want %d", c.Body.Encode(), err, want)
		}
	}
	get(1)
	exec(t, conn, `UPDATE revision SET body = '{"n":0}'`) // which the checksum would show
	get(1)
	write(t, other, func(s store.WorkspaceTx) error {
		c, sum, rev := campaign("c", `{"n":2}`)
		_, err := s.PutCampaign(c, sum, rev, false)
		return err
	})
	get(2)
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
				c, err := dbs[0].Campaign(t.Context(), space, "c")
				if n, _ := c.Body.Get("n").Int(); err != nil || n < atLeast {
					t.Errorf("%d after %d was acknowledged, %v", n, atLeast, err)
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

// A read is repeated once the connections that it had are gone.
func TestReadAfterConnectionsWereCut(t *testing.T) {
	t.Parallel()
	db, sure, _, p := gathering(t, nil)
	write(t, sure, func(s store.WorkspaceTx) error { return add(s, "c", `{}`) })
	for range 5 {
		if _, err := db.Campaign(t.Context(), space, "c"); err != nil {
			t.Fatal(err)
		}
		p.Cut()
	}
}

// Servers that create campaigns with the same keys in different orders at once do not block each other.
func TestGroupsOfTwoServers(t *testing.T) {
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
