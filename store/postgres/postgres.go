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
	"net"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
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
	notify notifier
	link   link

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
	db := &DB{o: o, log: o.Logger, origin: uuid.New()}
	db.ctx, db.end = context.WithCancel(context.Background())
	c.ConnConfig.OnNotice = db.noticed
	if db.pool, err = pgxpool.NewWithConfig(ctx, c); err != nil {
		return nil, err
	}
	db.notify.poked, db.feed.reading = make(chan struct{}, 1), make(chan struct{}, 1)
	if err := db.prepare(ctx); err != nil {
		db.pool.Close()
		return nil, err
	}
	db.start(db.notifying)
	return db, nil
}

// prepare checks the tables, or makes them.
func (d *DB) prepare(ctx context.Context) error {
	conn, err := d.acquireWithin(ctx, min(d.o.Patience, firstPatience))
	if err != nil {
		return err
	}
	defer conn.Release()
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
	return d.acquireWithin(ctx, d.o.Patience)
}

func (d *DB) acquireWithin(ctx context.Context, patience time.Duration) (*pgxpool.Conn, error) {
	if d.ctx.Err() != nil {
		return nil, store.ErrClosed
	}
	if since, _ := d.link.away(); !since.IsZero() { // do not wait for long each time
		patience = min(patience, awayPatience)
	}
	limit, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		conn, err := d.pool.Acquire(limit)
		switch {
		case err == nil:
			d.link.here()
			return conn, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case d.ctx.Err() != nil:
			return nil, store.ErrClosed
		case limit.Err() != nil, !passing(err):
			return nil, d.lose(err)
		}
		if sleep(limit, wait) != nil {
			return nil, d.lose(err)
		}
	}
}

// passing reports whether it helps to wait a little and connect again.
func passing(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return !errors.As(err, new(*pgconn.ParseConfigError))
	}
	switch pg.Code {
	case "57P03", "53300", "57P01", "57P02": // starting up, too many connections, shutting down, crashed
		return true
	}
	return false
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

// Codes of errors (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const (
	uniqueViolation      = "23505"
	foreignKeyViolation  = "23503"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	lockNotAvailable     = "55P03"
	undefinedTable       = "42P01"
	diskFull             = "53100"
	readOnlyTransaction  = "25006"
	wrongPassword        = "28P01"
	leaseEnded           = "BG001" // of ours
)

// again reports whether to retry a failed transaction because it conflicted with another one.
func again(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	switch pg.Code {
	case uniqueViolation, foreignKeyViolation, serializationFailure, deadlockDetected:
		return true
	}
	return false
}

// lost reports whether an error means that the connection is broken, or that its server cannot be written to. A new
// connection may work.
func lost(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code[:2] == "57" && pg.Code != "57014" || pg.Code[:2] == "08" || pg.Code == readOnlyTransaction || pg.Code == "25P03"
	}
	return !errors.Is(err, store.ErrNotFound) && (pgconn.SafeToRetry(err) || errors.As(err, new(*pgconn.ConnectError)) || broken(err))
}

// explain returns an error of the database in words, without what may be secret.
func (d *DB) explain(err error) error {
	var pg *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &pg):
		switch pg.Code {
		case diskFull:
			return fmt.Errorf("%w: %s", store.ErrDiskFull, pg.Message)
		case leaseEnded:
			return store.ErrLeaseExpired
		case lockNotAvailable:
			return fmt.Errorf("%w: another transaction holds the record", store.ErrBusy)
		case undefinedTable:
			return ErrNoTables
		}
		if passing(err) || pg.Code[:2] == "57" || pg.Code == readOnlyTransaction {
			return fmt.Errorf("%w at %s: %s", store.ErrUnreachable, Redact(d.o.URL), pg.Message)
		}
		if pg.Code[:2] == "28" || pg.Code == "3D000" { // no such user, password or database
			hint := ""
			if pg.Code == wrongPassword {
				hint = "; set the password with PGPASSWORD or in ~/.pgpass"
			}
			return fmt.Errorf("the database at %s refused the connection: %s%s", Redact(d.o.URL), pg.Message, hint)
		}
		return fmt.Errorf("the database refused: %s (SQLSTATE %s)", pg.Message, pg.Code)
	case errors.As(err, new(*pgconn.ConnectError)), errors.Is(err, context.DeadlineExceeded), lost(err):
		return fmt.Errorf("%w at %s: %s", store.ErrUnreachable, Redact(d.o.URL), reason(err))
	}
	return err
}

// reason returns the innermost cause of an error, in words.
func reason(err error) string {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dns.Err
	}
	for {
		switch e := err.(type) { //nolint:errorlint // one step after the other
		case interface{ Unwrap() []error }:
			all := e.Unwrap()
			if len(all) == 0 {
				return err.Error()
			}
			err = all[len(all)-1]
		case interface{ Unwrap() error }:
			if e.Unwrap() == nil {
				return err.Error()
			}
			err = e.Unwrap()
		default:
			if errors.Is(err, context.DeadlineExceeded) {
				return "it does not answer"
			}
			return err.Error()
		}
	}
}

// Read implements [store.DB]. It runs fn again where the connection was lost.
func (d *DB) Read(ctx context.Context, fn func(store.Tx) error) error { return d.read(ctx, false, fn) }

// Campaign implements [store.Getter]. One statement needs no BEGIN.
func (d *DB) Campaign(ctx context.Context, workspace, id string) (c engine.Campaign, err error) {
	err = d.read(ctx, true, func(t store.Tx) error {
		c, err = t.Workspace(workspace).Campaign(id)
		return err
	})
	return c, err
}

// read runs fn in a transaction, or without one if it makes a single statement.
func (d *DB) read(ctx context.Context, single bool, fn func(store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		t := &tx{ctx: ctx, db: d, single: single, queue: &pgx.Batch{}}
		err := fn(t)
		t.finish()
		if t.failed == nil || !lost(t.failed) || attempt == 2 || ctx.Err() != nil {
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
		t := &tx{ctx: ctx, db: d, write: true, queue: &pgx.Batch{}, commit: uuid.Must(uuid.NewV7())}
		err := t.run(fn)
		switch {
		case err == nil:
			d.notify.poke()
			return nil
		case t.failed == nil:
			return err // of fn
		case errors.Is(err, errUnknown):
			done, settled := d.settle(ctx, t.commit)
			if settled != nil {
				return fmt.Errorf("%w: %w", store.ErrCommitUnknown, d.explain(settled))
			}
			if done {
				d.notify.poke()
				return nil
			}
		case ctx.Err() != nil:
			return ctx.Err()
		case again(t.failed) && attempt < attempts:
			if attempt > 1 && sleep(ctx, time.Duration(rand.Int64N(int64(min(attempt, 20)))*int64(time.Millisecond))) != nil {
				return ctx.Err()
			}
			continue
		case !lost(t.failed):
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
		if err == nil || !lost(err) && !errors.Is(err, store.ErrUnreachable) || sleep(ctx, 100*time.Millisecond) != nil {
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
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || pg.Code != uniqueViolation {
		return false, err
	}
	var kind string // that of an earlier try of ours, whose answer was lost
	if err := conn.QueryRow(ctx, "SELECT kind FROM change WHERE commit_id = $1", id).Scan(&kind); err != nil {
		return false, err
	}
	_, err = conn.Exec(ctx, insert, "", d.origin, nil)
	if err == nil && d.doubted(conn.Conn()) {
		err = errUnknown
	}
	return kind != claimed, err
}
