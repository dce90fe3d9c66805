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

// A restore writes more keys in one transaction than the database has places for locks.
func TestManyKeysInOneTransaction(t *testing.T) {
	t.Parallel()
	write(t, filled(t, 1)[0], func(s store.WorkspaceTx) error {
		for n := range 60_000 {
			key := store.IdempotencyRecord{Operation: "create", Key: fmt.Sprint(n), ExpiresAt: time.Now().Add(time.Hour)}
			if err := s.PutIdempotencyRecord(key); err != nil {
				return err
			}
		}
		return nil
	})
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

func (c *counter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, b pgx.TraceBatchStartData) context.Context {
	for _, q := range b.Batch.QueuedQueries {
		if strings.Contains(q.SQL, c.part) {
			c.Add(1)
		}
	}
	return ctx
}

func (c *counter) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (c *counter) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// Many changes of several processes cause few reads of the feed, and those of one's own cause none.
func TestFeedIsReadSeldom(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	var dbs [3]*postgres.DB
	var reads [3]counter
	for i := range dbs {
		reads[i].part = "seq, workspace, kind, id, origin FROM change"
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

// trips counts round trips.
type trips struct {
	statements
	n atomic.Int64
}

func (r *trips) TraceBatchStart(ctx context.Context, conn *pgx.Conn, b pgx.TraceBatchStartData) context.Context {
	r.n.Add(1)
	return r.statements.TraceBatchStart(ctx, conn, b)
}

// A create is one round trip, because it does not read what it can expect: settings as they were, a new key and a new id. Where
// that is wrong it reads.
func TestCreateIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	other := filled(t, 1)[0]
	counted := &trips{statements: statements{args: map[string][]any{}}}
	db, err := postgres.OpenTraced(t.Context(), postgres.Options{URL: other.URL()}, counted)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var cached *store.CachedSettings
	read(t, db, func(s store.WorkspaceTx) (err error) { cached, err = s.SettingsIfChanged(nil); return err })
	for i, tt := range []struct {
		key, id, made string // the campaign that the key has made
		before        func()
		trips         int64
		settings      string
	}{
		{"k0", "c0", "c0", nil, 1, ""},
		{"k1", "c1", "c1", nil, 1, ""},
		{"k1", "c2", "c1", nil, 4, ""}, // the key has made a campaign
		{"k3", "c3", "c3", func() {
			write(t, other, func(s store.WorkspaceTx) error { return s.PutSettings(engine.Workspace{ID: space, Name: "Changed"}) })
		}, 5, "Changed"},
	} {
		if tt.before != nil {
			tt.before()
		}
		var seen *store.CachedSettings
		before := counted.n.Load()
		made, err := create(t, settingsFirst{db, cached, &seen}, tt.key, tt.id)
		if trips := counted.n.Load() - before; err != nil || made != tt.made || trips != tt.trips || seen.Workspace.Name != tt.settings {
			t.Errorf("%d: made %q with the settings %q in %d round trips, %v; want %q, %q, %d", i, made, seen.Workspace.Name, trips, err, tt.made, tt.settings, tt.trips)
		}
	}
}

// settingsFirst reads the settings at the beginning of each transaction.
type settingsFirst struct {
	store.DB
	cached *store.CachedSettings
	seen   **store.CachedSettings
}

func (d settingsFirst) Write(ctx context.Context, fn func(store.Tx) error) error {
	return d.DB.Write(ctx, func(tx store.Tx) (err error) {
		if *d.seen, err = tx.Workspace(space).SettingsIfChanged(d.cached); err != nil {
			return err
		}
		return fn(tx)
	})
}

// Reports find the fields of campaigns in a view.
func TestCampaignList(t *testing.T) {
	t.Parallel()
	db := filled(t, 1)[0]
	write(t, db, func(s store.WorkspaceTx) error {
		c, sum, rev := campaign("c", `{}`)
		c.Status, sum.Status, sum.Name, sum.Tags = "ACTIVE", "ACTIVE", "Harvest", []string{"autumn"}
		sum.UpdatedAt = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)
		return s.AddCampaign(c, sum, rev)
	})
	conn, err := pgx.Connect(t.Context(), db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	var got string
	err = conn.QueryRow(t.Context(), `SELECT concat_ws(' ', workspace, id, revision, name, status, tags ->> 0, updated_at AT TIME ZONE 'UTC') FROM campaign_list`).Scan(&got)
	if want := "DEMO c 1 Harvest ACTIVE autumn 2025-06-01 12:00:00"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
}

// Two that read the settings in order to write something else do not wait for each other.
func TestReadersOfSettings(t *testing.T) {
	t.Parallel()
	dbs := filled(t, 2)
	use := func(s store.WorkspaceTx) error {
		_, err := s.SettingsIfChanged(nil)
		return err
	}
	write(t, dbs[0], func(s store.WorkspaceTx) error {
		if err := use(s); err != nil {
			return err
		}
		write(t, dbs[1], func(s store.WorkspaceTx) error { return errors.Join(use(s), add(s, "second", `{}`)) })
		return add(s, "first", `{}`)
	})
}
