// Package postgres keeps the records of workspaces, see [store.DB], in tables of a PostgreSQL database, which any number of
// processes on any number of machines use at once.
//
// Write transactions run at READ COMMITTED. They lock the rows that they read, and insert rows that they found missing
// without replacing, so that conflicting transactions fail and are retried. All writes are sent with the COMMIT in one round
// trip; the database itself commits what arrives at the same time in groups. The first attempt does not read what it can
// expect, such as that an idempotency key is new, so that a create is one round trip.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"bugle/engine"
	"bugle/store"
)

// Options say which database a store is in.
type Options struct {
	// URL is a connection URL (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING). Of several
	// hosts, the one that can be written to is used.
	URL string
	// Create makes the tables where there are none.
	Create bool
	Logger *slog.Logger // nil: nothing is logged
	// Patience is how long a transaction waits for a database that cannot be reached, or that has no connection left;
	// 0 means 10 seconds.
	Patience time.Duration

	tracer pgx.QueryTracer // of tests
}

// DB is a store in a database. It is safe for concurrent use.
type DB struct {
	o      Options
	pool   *pgxpool.Pool
	log    *slog.Logger
	origin uuid.UUID // names this handle in the feed, and in its leases
	lease  lease
	feed   feed
	outage atomic.Pointer[outage] // nil while the database can be reached

	committed chan struct{} // holds an element when others are to be notified of a commit

	ctx  context.Context // ended by Close
	end  context.CancelFunc
	mu   sync.Mutex // guards the start of goroutines against Close
	work sync.WaitGroup
}

var (
	_ store.DB     = (*DB)(nil)
	_ store.Feed   = (*DB)(nil)
	_ store.Getter = (*DB)(nil)
)

const (
	usualPatience = 10 * time.Second
	// outagePatience is how long a transaction waits in an outage, and the first connection, whose URL may be wrong.
	outagePatience = 2 * time.Second
)

// Open connects to a database. It fails with [ErrNoTables] if there are no tables and they are not to be made, with
// [store.ErrNewerVersion] if a later program has made them, and with [store.ErrUnreachable] if the database does not
// answer.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Patience <= 0 {
		o.Patience = usualPatience
	}
	c, err := config(o)
	if err != nil {
		return nil, err
	}
	db := &DB{o: o, log: o.Logger, origin: uuid.New(), committed: make(chan struct{}, 1)}
	db.feed.began = make(chan struct{})
	db.outage.Store(&outage{})
	db.ctx, db.end = context.WithCancel(context.Background())
	c.ConnConfig.OnNotice = db.noticed
	if db.pool, err = pgxpool.NewWithConfig(ctx, c); err != nil {
		return nil, err
	}
	if err := db.prepare(ctx); err != nil {
		db.end()
		db.pool.Close()
		return nil, err
	}
	db.start(db.notify)
	return db, nil
}

// prepare checks the tables, or makes them.
func (d *DB) prepare(ctx context.Context) error {
	conn, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	ctx, cancel := context.WithTimeout(ctx, d.o.Patience)
	defer cancel()
	return d.explain(checkTables(ctx, conn.Conn(), d.o.Create))
}

// start does something in the background until the store is closed; it reports false where it is already.
func (d *DB) start(do func(context.Context)) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil {
		return false
	}
	d.work.Go(func() { do(d.ctx) })
	return true
}

// Close implements [store.DB].
func (d *DB) Close() error {
	d.mu.Lock()
	closed := d.ctx.Err() != nil
	d.end()
	d.mu.Unlock()
	if closed {
		return nil
	}
	d.work.Wait()
	d.pool.Close()
	return nil
}

// outage is since when the database cannot be reached, and why.
type outage struct {
	since  time.Time
	reason string
}

// Outage returns since when the database cannot be reached, and why. The time is zero while it can be reached, as far as
// transactions and the feed have noticed.
func (d *DB) Outage() (since time.Time, reason string) {
	if o := d.outage.Load(); o != nil {
		return o.since, o.reason
	}
	return since, ""
}

// patience returns how long to wait for the database.
func (d *DB) patience() time.Duration {
	if d.outage.Load() != nil {
		return min(d.o.Patience, outagePatience)
	}
	return d.o.Patience
}

// acquire returns a connection, as soon as there is one.
func (d *DB) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	limit, cancel := context.WithTimeout(ctx, d.patience())
	defer cancel()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		if d.ctx.Err() != nil {
			return nil, store.ErrClosed
		}
		conn, err := d.pool.Acquire(limit)
		switch {
		case err == nil:
			d.outage.Store(nil)
			return conn, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case hasCode(err, authorizationClass, noSuchDatabase):
			return nil, d.explain(err)
		case limit.Err() != nil, sleep(limit, wait) != nil:
			err = d.explain(err)
			d.outage.CompareAndSwap(nil, &outage{time.Now(), err.Error()})
			return nil, err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Read implements [store.DB]. It runs fn again where the connection was lost.
func (d *DB) Read(ctx context.Context, fn func(store.Tx) error) error {
	return d.do(ctx, beginRead, func(t *tx) error { return fn(t) })
}

// Campaign implements [store.Getter].
func (d *DB) Campaign(ctx context.Context, workspace, id string) (c engine.Campaign, err error) {
	err = d.do(ctx, "", func(t *tx) error {
		c, err = t.Workspace(workspace).Campaign(id)
		return err
	})
	return c, err
}

// Write implements [store.DB].
func (d *DB) Write(ctx context.Context, fn func(store.Tx) error) error {
	return d.do(ctx, beginWrite, func(t *tx) error { return fn(t) })
}

// attempts is how often a transaction is retried because of conflicts.
const attempts = 50

// do runs fn in a transaction that begins with a statement, or with "" one statement without a transaction around it. It
// does so again where the connection was lost and nothing was written, or where the transaction was in conflict with another.
func (d *DB) do(ctx context.Context, begin string, fn func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var lost time.Time
	for attempt := 0; ; attempt++ {
		t := newTx(ctx, d, begin)
		t.guess = t.write && attempt == 0
		err := t.run(fn)
		if t.write && errors.Is(err, store.ErrCommitUnknown) {
			done, unsettled := d.settle(ctx, t.commit)
			if unsettled != nil {
				return fmt.Errorf("%w: %w", store.ErrCommitUnknown, d.explain(unsettled))
			}
			if done {
				err = nil
			}
		}
		wait := 50 * time.Millisecond
		switch {
		case err == nil:
			if t.wrote {
				d.announce()
			}
			return nil
		case errors.Is(err, errGuessed):
			continue
		case t.failed == nil:
			return err // of fn
		case ctx.Err() != nil:
			return ctx.Err()
		case isConflict(t.failed) && attempt < attempts:
			wait = time.Duration(rand.Int64N(int64(min(attempt, 20)+1))) * time.Millisecond
		case !t.lost():
			return d.explain(t.failed)
		case lost.IsZero():
			lost = time.Now()
		case time.Since(lost) > d.o.Patience:
			return d.explain(t.failed)
		}
		if sleep(ctx, wait) != nil {
			return ctx.Err()
		}
	}
}

// claimed is the kind of a change that only reserves the id of a commit.
const claimed = "claimed"

// settle finds out whether a transaction was committed after the connection was lost. If it was not, it never will be: its
// id is taken. The statement waits for a running transaction with that id, and it always writes, so that its own commit
// waits until the standbys have all earlier ones.
func (d *DB) settle(ctx context.Context, id uuid.UUID) (committed bool, err error) {
	// Find out even if the caller has gone: what is in memory depends on it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.o.Patience)
	defer cancel()
	var kind string
	err = d.do(ctx, "", func(t *tx) error {
		return t.first(`INSERT INTO change (workspace, kind, id, origin, commit_id) VALUES ('', $1, '', $2, $3)
			ON CONFLICT (commit_id) DO UPDATE SET commit_id = excluded.commit_id RETURNING kind`,
			[]any{claimed, d.origin, id}, func(rows pgx.Rows) error { return rows.Scan(&kind) })
	})
	return kind != claimed, err
}
