package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/store"
	"bugle/store/postgres"
	"bugle/store/postgres/pgtest"
)

// Failovers names a variable with how many failovers [TestFailover] makes.
const failoversVar = "BUGLE_FAILOVERS"

// cluster is a primary with two synchronous standbys.
type cluster struct {
	t       *testing.T
	primary *pgtest.Server
	others  []*pgtest.Server
	all     []*pgtest.Server
}

const syncNames = "synchronous_standby_names=ANY 1 (n1,n2,n3)"

func newCluster(t *testing.T) *cluster {
	t.Helper()
	first := pgtest.New(t, "n1")
	if err := errors.Join(first.Init(), first.Start()); err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, primary: first, all: []*pgtest.Server{first}}
	for _, name := range []string{"n2", "n3"} {
		s := pgtest.New(t, name)
		follow(t, s, first)
		c.others, c.all = append(c.others, s), append(c.all, s)
	}
	first.Exec(t, "postgres", "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (n1,n2,n3)'")
	first.Exec(t, "postgres", "SELECT pg_reload_conf()")
	c.synced()
	return c
}

// follow makes a server a standby of another one; what it had is gone.
func follow(t *testing.T, s, from *pgtest.Server) {
	t.Helper()
	err := errors.Join(os.RemoveAll(s.Data()),
		s.Run("pg_basebackup", "-h", "127.0.0.1", "-p", strconv.Itoa(from.Port), "-U", "bugle", "-D", s.Data(), "-c", "fast", "-X", "stream", "--no-sync"),
		os.WriteFile(filepath.Join(s.Data(), "standby.signal"), nil, 0o644), startStandby(s, from))
	if err != nil {
		t.Fatal(err)
	}
}

// startStandby starts a standby of another server.
func startStandby(s, from *pgtest.Server) error {
	return s.Start(fmt.Sprintf("primary_conninfo=host=127.0.0.1 port=%d user=bugle application_name=%s", from.Port, s.Name), syncNames,
		"wal_retrieve_retry_interval=100ms", "wal_receiver_timeout=3s", "recovery_target_timeline=latest")
}

// synced waits until a standby has all.
func (c *cluster) synced() {
	c.t.Helper()
	until(c.t, "both standbys follow", func() bool {
		return c.ask(c.primary, "SELECT count(*)::text FROM pg_stat_replication WHERE state = 'streaming'") == "2"
	})
}

func (c *cluster) ask(s *pgtest.Server, sql string) (out string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return ""
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, sql).Scan(&out); err != nil {
		return ""
	}
	return out
}

// fail ends the primary, calls killed, promotes the standby that has more, and makes the other two its standbys.
func (c *cluster) fail(killed func()) {
	c.t.Helper()
	old := c.primary
	old.Stop()
	killed()
	a, b := c.others[0], c.others[1]
	const received = "SELECT (pg_last_wal_receive_lsn() - '0/0')::text"
	var atA, atB string
	until(c.t, "both standbys answer", func() bool {
		atA, atB = c.ask(a, received), c.ask(b, received)
		return atA != "" && atB != ""
	})
	if more(atB, atA) {
		a, b = b, a
	}
	a.Exec(c.t, "postgres", "SELECT pg_promote(true, 30)")
	c.primary, c.others = a, []*pgtest.Server{b, old}
	b.Stop()
	if err := startStandby(b, a); err != nil {
		c.t.Fatal(err)
	}
	follow(c.t, old, a)
	c.synced()
}

func more(a, b string) bool {
	x, _ := strconv.ParseFloat(a, 64)
	y, _ := strconv.ParseFloat(b, 64)
	return x > y
}

// The primary ends repeatedly while two handles write, and a standby takes over. Every acknowledged write is there at
// the end, and each write whose acknowledgment was lost was made once or not at all.
func TestFailover(t *testing.T) {
	t.Parallel()
	pgtest.Require(t)
	failovers := 1
	if n, err := strconv.Atoi(os.Getenv(failoversVar)); err == nil {
		failovers = n
	} else if testing.Short() {
		t.Skip("it takes some seconds")
	}
	c := newCluster(t)
	c.primary.Exec(t, "postgres", "CREATE DATABASE bugle")
	url := fmt.Sprintf("postgres://bugle@127.0.0.1:%d,127.0.0.1:%d,127.0.0.1:%d/bugle?sslmode=disable", c.all[0].Port, c.all[1].Port, c.all[2].Port)
	dbs := []*postgres.DB{handlePatient(t, url), handlePatient(t, url)}
	write(t, dbs[0], func(s store.WorkspaceTx) error { return s.PutSettings(engine.Workspace{ID: space}) })

	var mu sync.Mutex
	answers := map[string]string{} // acknowledged campaigns by key
	counted := map[string]int{}    // acknowledged changes by campaign
	var unknown, refused, running atomic.Int64
	var first moment // when a write was acknowledged that was begun after a kill
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			running.Add(1)
			own := fmt.Sprintf("own%d", w)
			write(t, dbs[w%2], func(s store.WorkspaceTx) error { return add(s, own, `{"n":0}`) })
			for i := 0; ctx.Err() == nil; i++ {
				key := fmt.Sprintf("k%d-%d", w, i)
				// The same key at both handles must get the same answer, even with a failover in between.
				for _, db := range []*postgres.DB{dbs[w%2], dbs[(w+1)%2]} {
					begun := time.Now()
					made, err := create(t, db, key, fmt.Sprintf("c%d-%d-%d", w, i, time.Now().UnixNano()))
					if err != nil {
						refused.Add(1)
						continue
					}
					mu.Lock()
					if before, ok := answers[key]; ok && before != made {
						t.Errorf("%s was answered with %s, and then with %s", key, before, made)
					}
					answers[key] = made
					mu.Unlock()
					first.now(begun)
				}
				// A change without a key is made once, also where the answer of its commit is lost.
				err := count(t, dbs[w%2], own)
				mu.Lock()
				if err == nil {
					counted[own]++
				} else {
					unknown.Add(1)
				}
				mu.Unlock()
			}
		})
	}
	c.primary.Exec(t, "bugle", "CREATE TABLE probe (n int)")
	var heard sync.Map // of the changes of campaigns at the second handle, by id; "" for a change of all
	ready := make(chan struct{})
	go dbs[1].Follow(ctx, sync.OnceFunc(func() { close(ready) }), func(changes []store.Change) {
		for _, c := range changes {
			heard.Store(c.ID, true)
		}
	})
	<-ready
	var worst, most time.Duration
	for range failovers {
		until(t, "all write", func() bool { return running.Load() == 8 })
		n := told(&mu, answers)
		until(t, "some is written", func() bool { return told(&mu, answers) > n+50 })
		killed := time.Now()
		heard.Delete("")
		own := make(chan time.Time, 1)
		c.fail(func() {
			first.arm()
			go func() { own <- writable(ctx, url) }()
		})
		n = told(&mu, answers)
		until(t, "they write again", func() bool { return told(&mu, answers) > n && !first.at().IsZero() })
		// What the first handle has written since, the second one knows after a Sync.
		after := fmt.Sprintf("after%d", killed.UnixNano())
		write(t, dbs[0], func(s store.WorkspaceTx) error { return add(s, after, `{}`) })
		if err := dbs[1].Sync(t.Context()); err != nil {
			t.Error(err)
		}
		_, all := heard.Load("")
		if _, ok := heard.Load(after); !ok && !all {
			t.Error("after a failover, a change is not received with a Sync")
		}
		worst, most = max(worst, time.Since(killed)), max(most, first.at().Sub(<-own))
	}
	if most > time.Second {
		t.Errorf("the first write was acknowledged %v after the database took one", most)
	}
	stop()
	all.Wait()
	lost := 0
	made := map[string]bool{}
	read(t, dbs[0], func(s store.WorkspaceTx) error {
		return s.Summaries(func(sum engine.Summary) error { made[sum.ID] = true; return nil })
	})
	for key, id := range answers {
		if !made[id] {
			lost++
			t.Errorf("%s was answered with %s, which is not there", key, id)
		}
	}
	if n := len(made) - 8 - failovers; n > len(answers)+int(refused.Load()) {
		t.Errorf("%d keys made %d campaigns", len(answers), n)
	}
	for own, n := range counted {
		read(t, dbs[1], func(s store.WorkspaceTx) error {
			got, err := s.Campaign(own)
			have, _ := got.Body.Get("n").Int()
			if int(have) < n || int(have) > n+int(unknown.Load()) {
				t.Errorf("%s was told to be counted %d times, and %d are there", own, n, have)
			}
			return err
		})
	}
	checked, err := store.Check(t.Context(), dbs[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range checked.Findings {
		if f.Campaign != "" && f.What != "" && !strings.HasPrefix(f.What, "the summary") { // these campaigns have summaries of their own
			t.Error(f.What)
		}
	}
	t.Logf("%d failovers, the longest with its repair %v, the first write at most %v after the database took one; %d keys answered, %d lost, %d refused, %d changes of unknown outcome",
		failovers, worst.Round(time.Millisecond), most.Round(time.Millisecond), len(answers), lost, refused.Load(), unknown.Load())
}

// moment is the time of the first event that was begun after it was armed.
type moment struct {
	mu           sync.Mutex
	armed, first time.Time
}

func (m *moment) arm() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.armed, m.first = time.Now(), time.Time{}
}

func (m *moment) now(begun time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.armed.IsZero() && m.first.IsZero() && begun.After(m.armed) {
		m.first = time.Now()
	}
}

func (m *moment) at() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.first
}

// writable returns when the database takes a write of a client that knows nothing of bugle.
func writable(ctx context.Context, url string) time.Time {
	try := func() bool {
		ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		defer cancel()
		conn, err := pgx.Connect(ctx, url+"&target_session_attrs=read-write")
		if err != nil {
			return false
		}
		defer conn.Close(context.WithoutCancel(ctx))
		_, err = conn.Exec(ctx, "INSERT INTO probe VALUES (1)")
		return err == nil
	}
	for ctx.Err() == nil && !try() {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return time.Now()
}

func told(mu *sync.Mutex, answers map[string]string) int {
	mu.Lock()
	defer mu.Unlock()
	return len(answers)
}

func handlePatient(t testing.TB, url string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), postgres.Options{URL: url, Create: true, Patience: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
