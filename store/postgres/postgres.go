// Package postgres keeps the records of workspaces, see [store.DB], in tables of a PostgreSQL database, which any number of
// processes on any number of machines use at once.
//
// Write transactions run at READ COMMITTED. They lock the rows that they read, and insert rows that they found missing
// without replacing, so that conflicting transactions fail and are retried. All writes are sent with the COMMIT in one round
// trip; the database itself commits what arrives at the same time in groups.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
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
	origin uuid.UUID // names this handle in the feed
	leases leases
	feed   feed
	outage outage

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
	// firstPatience is how long the first connection is waited for, whose URL may be wrong.
	firstPatience = 3 * time.Second
	// tablesLimit is how long checking the tables may take, or making them after other processes that do so.
	tablesLimit = 30 * time.Second
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
	conn, err := d.acquireWithin(ctx, min(d.o.Patience, firstPatience))
	if err != nil {
		return err
	}
	defer conn.Release()
	ctx, cancel := context.WithTimeout(ctx, tablesLimit)
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
	if d.ctx.Err() != nil {
		d.mu.Unlock()
		return nil
	}
	d.end()
	d.mu.Unlock()
	d.work.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	d.leases.release(ctx, d.pool)
	d.pool.Close()
	return nil
}

// acquire returns a connection, as soon as there is one.
func (d *DB) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	return d.acquireWithin(ctx, d.patience())
}

func (d *DB) acquireWithin(ctx context.Context, patience time.Duration) (*pgxpool.Conn, error) {
	if d.ctx.Err() != nil {
		return nil, store.ErrClosed
	}
	limit, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		conn, err := d.pool.Acquire(limit)
		switch {
		case err == nil:
			d.reached()
			return conn, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case d.ctx.Err() != nil:
			return nil, store.ErrClosed
		case limit.Err() != nil, !isTemporary(err), sleep(limit, wait) != nil:
			return nil, d.unreached(err)
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
	return d.read(ctx, beginRead, fn)
}

// Campaign implements [store.Getter]. One statement needs no BEGIN.
func (d *DB) Campaign(ctx context.Context, workspace, id string) (c engine.Campaign, err error) {
	err = d.read(ctx, "", func(t store.Tx) error {
		c, err = t.Workspace(workspace).Campaign(id)
		return err
	})
	return c, err
}

// read runs fn in a transaction, see [newTx].
func (d *DB) read(ctx context.Context, begin string, fn func(store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		t := newTx(ctx, d, begin)
		err := fn(t)
		t.finish()
		if t.failed == nil || !isLost(t.failed) || attempt == 2 || ctx.Err() != nil {
			switch {
			case err == nil:
				return ctx.Err()
			case t.failed != nil && ctx.Err() == nil:
				return d.explain(t.failed)
			}
			return err
		}
	}
}

// attempts is how often a transaction is retried because of conflicts.
const attempts = 50

// Write implements [store.DB].
func (d *DB) Write(ctx context.Context, fn func(store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	lostAt := time.Time{}
	for attempt := 0; ; attempt++ {
		t := newTx(ctx, d, beginWrite)
		t.write, t.commit = true, uuid.Must(uuid.NewV7())
		err := t.run(fn)
		switch {
		case err == nil:
			d.announce()
			return nil
		case t.failed == nil:
			return err // of fn
		case errors.Is(err, errUnknown):
			done, settled := d.settle(ctx, t.commit)
			if settled != nil {
				return fmt.Errorf("%w: %w", store.ErrCommitUnknown, d.explain(settled))
			}
			if done {
				d.announce()
				return nil
			}
		case ctx.Err() != nil:
			return ctx.Err()
		case isConflict(t.failed) && attempt < attempts:
			if attempt > 1 && sleep(ctx, time.Duration(rand.Int64N(int64(min(attempt, 20)))*int64(time.Millisecond))) != nil {
				return ctx.Err()
			}
			continue
		case !isLost(t.failed):
			return d.explain(t.failed)
		}
		// The connection was lost and nothing was written. Try a new one.
		if lostAt.IsZero() {
			lostAt = time.Now()
		}
		if time.Since(lostAt) > d.o.Patience {
			return d.explain(t.failed)
		}
		if sleep(ctx, 50*time.Millisecond) != nil {
			return ctx.Err()
		}
	}
}

// settle finds out whether a transaction was committed after the connection was lost. If it was not, it never will be.
func (d *DB) settle(ctx context.Context, id uuid.UUID) (committed bool, err error) {
	// Find out even if the caller has gone: what is in memory depends on it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.o.Patience)
	defer cancel()
	for {
		committed, err = d.claim(ctx, id)
		if err == nil || !isLost(err) && !errors.Is(err, store.ErrUnreachable) || sleep(ctx, 100*time.Millisecond) != nil {
			return committed, err
		}
	}
}

// claimed is the kind of a change that only reserves the id of a commit.
const claimed = "claimed"

// claim inserts the id of a commit, so that no other transaction can commit with it. It waits for a running transaction
// that has it. After its own commit, all earlier commits are on the standbys, too.
func (d *DB) claim(ctx context.Context, id uuid.UUID) (committed bool, err error) {
	const insert = "INSERT INTO change (workspace, kind, id, origin, commit_id) VALUES ('', $1, '', $2, $3)"
	conn, err := d.acquire(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Release()
	_, err = conn.Exec(ctx, insert, claimed, d.origin, id)
	if !hasCode(err, uniqueViolation) {
		return false, err
	}
	var kind string // that of an earlier try of ours, whose answer was lost
	if err := conn.QueryRow(ctx, "SELECT kind FROM change WHERE commit_id = $1", id).Scan(&kind); err != nil {
		return false, err
	}
	_, err = conn.Exec(ctx, insert, "", d.origin, nil)
	if err == nil && unconfirmed(conn.Conn()) {
		err = errUnknown
	}
	return kind != claimed, err
}
