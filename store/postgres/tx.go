package postgres

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"bugle/store"
)

// tx is one transaction. Statements without a result are queued, and sent with the next query or with the COMMIT.
type tx struct {
	ctx    context.Context
	db     *DB
	conn   *pgxpool.Conn // nil before the first statement is sent
	queue  *pgx.Batch
	begin  string // the first statement; empty where it makes a single one
	write  bool
	open   bool      // begin was sent
	wrote  bool      // a statement that writes was queued
	commit uuid.UUID // of a write
	lease  string    // the lease to renew before the COMMIT, if any
	watch  store.Watcher

	// guess is set on the first attempt of a write: what it expects is not read, and the commit fails where it is wrong. guessed
	// is set once it has expected something.
	guess, guessed bool
	absent         map[string]bool // records that do not exist, by [rows.name]; true: as is expected
	revisions      map[[2]string]int64
	changes        map[store.Change]bool
	failed         error // of the database, the first
	cut            bool  // the connection has ended, and with it the answer to what was sent
}

const (
	beginRead  = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	beginWrite = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
)

// newTx returns a transaction that begins with a statement, or "" for one that makes a single statement.
func newTx(ctx context.Context, db *DB, begin string) *tx {
	return &tx{ctx: ctx, db: db, begin: begin, write: begin == beginWrite, commit: uuid.Must(uuid.NewV7()),
		queue: &pgx.Batch{}, absent: map[string]bool{}, revisions: map[[2]string]int64{}, changes: map[store.Change]bool{}}
}

// Watch implements [store.Tx].
func (t *tx) Watch(w store.Watcher) { t.watch = w }

// Workspaces implements [store.Tx].
func (t *tx) Workspaces() ([]string, error) {
	return t.texts("SELECT workspace FROM workspace ORDER BY workspace")
}

// queueLimit is how many statements wait at most.
const queueLimit = 500

// exec queues a statement that writes.
func (t *tx) exec(sql string, args ...any) error {
	if !t.write {
		return store.ErrReadOnly
	}
	t.wrote = true
	t.queue.Queue(sql, args...)
	if len(t.queue.QueuedQueries) >= queueLimit {
		return t.send()
	}
	return nil
}

// query sends the queue and a query, and calls fn with each row. fn must not use the transaction.
func (t *tx) query(sql string, args []any, fn func(pgx.Rows) error) error {
	var inner error
	t.queue.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		for inner == nil && rows.Next() {
			inner = fn(rows)
		}
		rows.Close()
		return rows.Err()
	})
	if err := t.send(); err != nil {
		return err
	}
	return inner
}

// first calls fn with the first row of a query. It returns [store.ErrNotFound] if there is none.
func (t *tx) first(sql string, args []any, fn func(pgx.Rows) error) error {
	found := false
	err := t.query(sql, args, func(rows pgx.Rows) error {
		found = true
		return fn(rows)
	})
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return err
}

// texts returns the column of a query.
func (t *tx) texts(sql string, args ...any) (all []string, err error) {
	err = t.query(sql, args, func(rows pgx.Rows) error {
		text, err := pgx.RowTo[string](rows)
		all = append(all, text)
		return err
	})
	return all, err
}

// remove does a DELETE, and returns how many rows are gone.
func (t *tx) remove(sql string, args ...any) (n int, err error) {
	if !t.write {
		return 0, store.ErrReadOnly
	}
	t.queue.Queue(sql, args...).Exec(func(tag pgconn.CommandTag) error { n = int(tag.RowsAffected()); return nil })
	err = t.send()
	t.wrote = t.wrote || n > 0
	return n, err
}

// lock returns the clause that locks the rows of a query; empty in a read transaction. It is not FOR UPDATE, for which every
// insertion of a row that refers to them would wait.
func (t *tx) lock() string {
	if !t.write {
		return ""
	}
	return " FOR NO KEY UPDATE"
}

// send sends the queue, in one round trip.
func (t *tx) send() (err error) {
	if t.begin != "" && !t.open {
		t.queue.QueuedQueries = slices.Insert(t.queue.QueuedQueries, 0, &pgx.QueuedQuery{SQL: t.begin})
		t.open = true
	}
	return t.flush()
}

// flush is send without a beginning. What is sent at once without one is a transaction of its own, which is committed at the end
// (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING).
func (t *tx) flush() (err error) {
	switch {
	case t.ctx.Err() != nil:
		return t.ctx.Err()
	case t.failed != nil:
		return t.failed
	case t.conn == nil:
		if t.conn, t.failed = t.db.acquire(t.ctx); t.failed != nil {
			return t.failed
		}
		unconfirmed(t.conn.Conn()) // of what was before
	}
	batch := t.queue
	t.queue = &pgx.Batch{}
	ctx, cancel := context.WithTimeout(t.ctx, t.db.o.Patience)
	defer cancel()
	t.failed = t.conn.SendBatch(ctx, batch).Close()
	if unconfirmed(t.conn.Conn()) && t.failed == nil {
		t.failed = store.ErrCommitUnknown
	}
	t.cut = t.failed == store.ErrCommitUnknown || t.conn.Conn().IsClosed()
	if t.failed != nil && t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	return t.failed
}

// lost reports whether the transaction may succeed on a new connection.
func (t *tx) lost() bool {
	return t.cut || hasCode(t.failed, readOnlyTransaction) // of a server that is a standby now
}

// run does a transaction.
func (t *tx) run(fn func(*tx) error) error {
	defer t.finish()
	err := fn(t)
	switch {
	case t.ctx.Err() != nil:
		return cmp.Or(err, t.ctx.Err())
	case t.failed != nil:
		return cmp.Or(err, t.failed)
	case t.guessed && (err != nil || slices.Contains(slices.Collect(maps.Values(t.absent)), true)): // which the commit does not check
		return errGuessed
	case err != nil, !t.write, !t.open && len(t.queue.QueuedQueries) == 0:
		return err
	}
	// A transaction that has only locked rows is committed as well: the commit waits until the standbys have them.
	if t.wrote {
		t.logChanges()
	}
	if t.lease != "" {
		// Last, because all test sends of this process lock this row: one that waited for another row meanwhile could
		// deadlock with them.
		t.queue.Queue("SELECT bugle_hold($1, $2::text::interval)", t.lease, leaseLife)
	}
	if t.open {
		t.queue.Queue("COMMIT")
	}
	if err = t.flush(); t.cut {
		return store.ErrCommitUnknown
	}
	t.open = t.open && err != nil
	return err
}

var errGuessed = errors.New("what was expected must be read")

// changed notes a change for the feed, each once.
func (t *tx) changed(c store.Change) { t.changes[c] = true }

// logChanges queues the rows for the feed. The first one has the id of the commit.
func (t *tx) logChanges() {
	if len(t.changes) == 0 {
		t.changed(store.Change{})
	}
	var workspaces, kinds, ids []string
	for c := range t.changes {
		workspaces, kinds, ids = append(workspaces, c.Workspace), append(kinds, string(c.Kind)), append(ids, c.ID)
	}
	commits := make([]pgtype.UUID, len(ids))
	commits[0] = pgtype.UUID{Bytes: t.commit, Valid: true}
	t.queue.Queue(`INSERT INTO change (workspace, kind, id, origin, commit_id)
		SELECT w, k, i, $4, c FROM unnest($1::text[], $2::text[], $3::text[], $5::uuid[]) AS n (w, k, i, c)`, workspaces, kinds, ids, t.db.origin, commits)
}

// finish returns the connection to the pool.
func (t *tx) finish() {
	if t.conn == nil {
		return
	}
	if t.open && !t.conn.Conn().IsClosed() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), 2*time.Second)
		defer cancel()
		_, _ = t.conn.Exec(ctx, "ROLLBACK") // where it fails, the pool closes the connection
	}
	t.conn.Release()
}

const unconfirmedKey = "bugle unconfirmed"

// noticed handles notices of the server. A warning during a commit means that no standby has confirmed it, so that a
// failover could lose it.
func (d *DB) noticed(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.Code == "01000" || n.Code == "57P01" {
		d.log.Warn("database", "message", n.Message)
		c.CustomData()[unconfirmedKey] = true
	}
}

// unconfirmed reports whether the last commit of a connection was not confirmed by a standby, and resets that.
func unconfirmed(c *pgx.Conn) bool {
	data := c.PgConn().CustomData()
	_, is := data[unconfirmedKey]
	delete(data, unconfirmedKey)
	return is
}
