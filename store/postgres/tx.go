package postgres

import (
	"context"
	"errors"
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
	write  bool
	single bool      // it makes one statement that reads, and has no beginning
	open   bool      // BEGIN was sent
	wrote  bool      // a statement that writes was queued
	commit uuid.UUID // of a write
	lease  string    // the lease to renew before the COMMIT, if any
	watch  store.Watcher

	missing   map[string]bool // records that were read and do not exist, by [rowName]
	revisions map[[2]string]int64
	changes   []store.Change
	noted     map[store.Change]bool
	failed    error // of the database, the first
}

// newTx returns a transaction that begins with a statement, or "" for one that makes a single statement.
func newTx(ctx context.Context, db *DB, begin string) *tx {
	t := &tx{ctx: ctx, db: db, single: begin == "", queue: &pgx.Batch{}, missing: map[string]bool{}, revisions: map[[2]string]int64{}, noted: map[store.Change]bool{}}
	if !t.single {
		t.queue.Queue(begin)
	}
	return t
}

const (
	beginRead  = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	beginWrite = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
)

// errUnknown reports that a transaction may or may not have been committed.
var errUnknown = errors.New("the connection was lost during the commit")

// Workspace implements [store.Tx].
func (t *tx) Workspace(id string) store.WorkspaceTx { return workspace{t, id} }

// Watch implements [store.Tx].
func (t *tx) Watch(w store.Watcher) { t.watch = w }

// Workspaces implements [store.Tx].
func (t *tx) Workspaces() ([]string, error) {
	return t.texts("SELECT workspace FROM workspace ORDER BY workspace")
}

// fail notes an error of the database.
func (t *tx) fail(err error) error {
	if err != nil && t.failed == nil {
		t.failed = err
	}
	return err
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
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if t.failed != nil {
		return t.failed
	}
	var inner error
	t.queue.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		for inner == nil && rows.Next() {
			if inner = t.ctx.Err(); inner == nil {
				inner = fn(rows)
			}
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
		return t.fail(fn(rows))
	})
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return err
}

// texts returns the column of a query, unescaped.
func (t *tx) texts(sql string, args ...any) (all []string, err error) {
	err = t.query(sql, args, func(rows pgx.Rows) error {
		text, err := pgx.RowTo[string](rows)
		all = append(all, unescape(text))
		return err
	})
	return all, err
}

// remove does a DELETE, and returns how many rows are gone.
func (t *tx) remove(sql string, args ...any) (n int, err error) {
	if !t.write {
		return 0, store.ErrReadOnly
	}
	err = t.query(sql+" RETURNING 1", args, func(pgx.Rows) error { n++; return nil })
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

// serialize has a write transaction wait for others that use the same name, before it reads what is there.
func (t *tx) serialize(name string) {
	if t.write {
		t.queue.Queue("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", "bugle "+name)
	}
}

// send sends the queue, in one round trip.
func (t *tx) send() (err error) {
	if t.conn == nil {
		if t.conn, err = t.db.acquire(t.ctx); err != nil {
			return t.fail(err)
		}
	}
	batch := t.queue
	t.queue, t.open = &pgx.Batch{}, !t.single
	ctx, cancel := context.WithTimeout(t.ctx, t.db.o.Patience)
	defer cancel()
	err = t.fail(t.conn.SendBatch(ctx, batch).Close())
	if err != nil && t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	return err
}

// run does a transaction that writes.
func (t *tx) run(fn func(store.Tx) error) error {
	defer t.finish()
	if err := fn(t); err != nil {
		return err
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if t.failed != nil {
		return t.failed
	}
	if !t.open && len(t.queue.QueuedQueries) == 1 { // nothing but BEGIN
		return nil
	}
	// A transaction that has only locked rows is committed as well: the commit waits until the standbys have them.
	if t.wrote {
		if err := t.logChanges(); err != nil {
			return err
		}
	}
	if t.lease != "" {
		// Last, because all test sends of this process lock this row: one that waited for another row meanwhile could
		// deadlock with them.
		t.queue.Queue("SELECT bugle_hold($1, $2::text::interval)", t.lease, leaseLife)
	}
	t.queue.Queue("COMMIT")
	err := t.send()
	switch {
	case err == nil && unconfirmed(t.conn.Conn()):
		return t.fail(errUnknown)
	case err == nil:
		t.open = false
		return nil
	case undecided(t.failed):
		return errUnknown
	}
	return err
}

// mostChanges is how many changes of one transaction are recorded individually.
const mostChanges = 10_000

// changed notes a change for the feed, each once.
func (t *tx) changed(c store.Change) {
	if len(t.changes) >= mostChanges { // followers read all records of the kind again
		c.ID = ""
	}
	if !t.noted[c] {
		t.noted[c] = true
		t.changes = append(t.changes, c)
	}
}

// logChanges queues the rows for the feed. The first one has the id of the commit.
func (t *tx) logChanges() error {
	if len(t.changes) == 0 {
		t.changes = []store.Change{{}}
	}
	n := len(t.changes)
	workspaces, kinds, ids, commits := make([]string, n), make([]string, n), make([]string, n), make([]pgtype.UUID, n)
	for i, c := range t.changes {
		workspaces[i], kinds[i], ids[i] = c.Workspace, string(c.Kind), escape(c.ID)
	}
	commits[0] = pgtype.UUID{Bytes: t.commit, Valid: true}
	return t.exec(`INSERT INTO change (workspace, kind, id, origin, commit_id)
		SELECT w, k, i, $4, c FROM unnest($1::text[], $2::text[], $3::text[], $5::uuid[]) AS n (w, k, i, c)`, workspaces, kinds, ids, t.db.origin, commits)
}

// finish returns the connection to the pool, in the background.
func (t *tx) finish() {
	conn := t.conn
	if conn == nil {
		return
	}
	t.conn = nil
	if !t.open || conn.Conn().IsClosed() {
		conn.Release()
		return
	}
	end := func(context.Context) {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_, _ = conn.Exec(ctx, "ROLLBACK") // where it fails, the pool closes the connection
		conn.Release()
	}
	if !t.db.start(end) {
		end(t.ctx)
	}
}

const unconfirmedKey = "bugle unconfirmed"

// noticed handles notices of the server. A warning during a commit means that no standby has confirmed it, so that a
// failover could lose it.
func (d *DB) noticed(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.Severity != "WARNING" && n.SeverityUnlocalized != "WARNING" {
		return
	}
	d.log.Warn("database", "message", n.Message)
	if n.Code == "01000" || n.Code == "57P01" {
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
