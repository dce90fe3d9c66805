package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"
	"unicode/utf8"

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
	single bool      // it makes one statement that reads, outside of a transaction
	open   bool      // BEGIN was sent
	wrote  bool      // a statement that writes was queued
	long   bool      // the next query may take up to longAnswer
	commit uuid.UUID // of a write
	held   string    // the lease to renew before the COMMIT, if any
	watch  store.Watcher

	absent  map[string]bool       // records that were read and are not there
	seen    map[campaignKey]int64 // revisions of campaigns that it has locked
	changes []store.Change
	told    map[store.Change]bool
	failed  error // of the database, the first
}

// errUnknown reports that a transaction may or may not have been committed.
var errUnknown = errors.New("the connection was lost during the commit")

// broken reports whether a connection has ended in the middle.
func broken(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.As(err, &op) ||
		pgconn.Timeout(err) || strings.Contains(err.Error(), "conn closed")
}

func (t *tx) Workspace(workspace string) store.WorkspaceTx { return newSpace(t, workspace) }

func (t *tx) Watch(w store.Watcher) { t.watch = w }

func (t *tx) Workspaces() (ids []string, err error) {
	err = t.query("SELECT id FROM workspace ORDER BY id", nil, func(rows pgx.Rows) error {
		id, err := pgx.RowTo[string](rows)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// fail notes an error of the database.
func (t *tx) fail(err error) error {
	if err != nil && t.failed == nil {
		t.failed = err
	}
	return err
}

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

// queueLimit is how many statements wait at most.
const queueLimit = 500

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
		for rows.Next() {
			if inner = t.ctx.Err(); inner == nil {
				inner = fn(rows)
			}
			if inner != nil {
				return nil // the rest is read over
			}
		}
		return rows.Err()
	})
	if err := t.send(); err != nil {
		return err
	}
	if errors.Is(inner, store.Stop) {
		inner = nil
	}
	return inner
}

// remove is query for a DELETE … RETURNING: it returns how many rows are gone.
func (t *tx) remove(sql string, args ...any) (n int, err error) {
	if !t.write {
		return 0, store.ErrReadOnly
	}
	err = t.query(sql, args, func(pgx.Rows) error { n++; return nil })
	t.wrote = t.wrote || n > 0
	return n, err
}

// one is query for at most one row. It returns [store.ErrNotFound] if there is none.
func (t *tx) one(sql string, args []any, dest ...any) error {
	found := false
	err := t.query(sql, args, func(rows pgx.Rows) error {
		found = true
		return t.fail(rows.Scan(dest...))
	})
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return err
}

// lock returns the clause that locks the rows of a query; empty in a read transaction.
func (t *tx) lock(of string) string {
	if !t.write {
		return ""
	}
	if of != "" {
		of = " OF " + of
	}
	return " FOR UPDATE" + of
}

const beginWrite = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"

// begin puts the beginning of the transaction before the queue.
func (t *tx) begin() error {
	if t.conn == nil {
		conn, err := t.db.acquire(t.ctx)
		if err != nil {
			return t.fail(err)
		}
		t.conn = conn
	}
	if t.open || t.single {
		return nil
	}
	t.open = true
	how := "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	if t.write {
		how = beginWrite
	}
	all := &pgx.Batch{}
	all.Queue(how)
	all.QueuedQueries = append(all.QueuedQueries, t.queue.QueuedQueries...)
	t.queue = all
	return nil
}

// send sends the queue, in one round trip.
func (t *tx) send() error {
	if err := t.begin(); err != nil {
		return err
	}
	batch := t.queue
	t.queue = &pgx.Batch{}
	limit := t.db.o.Patience
	if t.long {
		limit, t.long = longAnswer, false
	}
	ctx, cancel := context.WithTimeout(t.ctx, limit)
	defer cancel()
	err := t.conn.SendBatch(ctx, batch).Close()
	if err != nil && t.ctx.Err() != nil {
		t.fail(err)
		return t.ctx.Err()
	}
	return t.fail(err)
}

// longAnswer is the time limit of queries that return all records of a kind.
const longAnswer = 10 * time.Minute

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
	if !t.open && len(t.queue.QueuedQueries) == 0 {
		return nil
	}
	// A transaction that has only locked rows is committed as well: the commit waits until the standbys have them.
	if t.wrote {
		if err := t.log(); err != nil {
			return err
		}
	}
	if err := t.begin(); err != nil {
		return err
	}
	if t.held != "" {
		// Last, because all test sends of this process lock this row: one that waited for another row meanwhile could
		// deadlock with them.
		t.queue.Queue("SELECT bugle_hold($1, $2::text::interval)", t.held, leaseLife)
	}
	t.queue.Queue("COMMIT")
	err := t.send()
	switch {
	case err == nil && t.db.doubted(t.conn.Conn()):
		t.fail(errUnknown)
		return errUnknown
	case err == nil:
		t.open = false
		return nil
	case undecided(t.failed):
		return errUnknown
	}
	return err
}

// undecided reports whether what failed with the COMMIT may have been committed.
func undecided(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) { // it was not, unless the server shut down
		return pg.Code[:2] == "57"
	}
	return !pgconn.SafeToRetry(err) && !errors.Is(err, store.ErrUnreachable) && !errors.Is(err, store.ErrClosed)
}

// log queues the rows for the feed. The first one has the id of the commit.
func (t *tx) log() error {
	if len(t.changes) == 0 {
		t.changes = []store.Change{{}}
	}
	n := len(t.changes)
	spaces, kinds, ids, commits := make([]string, n), make([]string, n), make([]string, n), make([]pgtype.UUID, n)
	for i, c := range t.changes {
		spaces[i], kinds[i], ids[i] = c.Workspace, string(c.Kind), escape(c.ID)
	}
	commits[0] = pgtype.UUID{Bytes: t.commit, Valid: true}
	return t.exec(`INSERT INTO change (workspace, kind, id, origin, commit_id)
		SELECT w, k, i, $4, c FROM unnest($1::text[], $2::text[], $3::text[], $5::uuid[]) AS n (w, k, i, c)`, spaces, kinds, ids, t.db.origin, commits)
}

// changed notes a change for the feed, each once.
func (t *tx) changed(c store.Change) {
	if len(t.changes) >= mostChanges { // followers read all records of the kind again
		c.ID = ""
	}
	if t.told[c] {
		return
	}
	if t.told == nil {
		t.told = map[store.Change]bool{}
	}
	t.told[c] = true
	t.changes = append(t.changes, c)
}

// mostChanges is how many changes of one transaction are recorded individually.
const mostChanges = 10_000

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

const doubtKey = "bugle doubt"

// noticed handles notices of the server. A warning during a commit means that no standby has confirmed it, so that a
// failover could lose it.
func (d *DB) noticed(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.Severity != "WARNING" && n.SeverityUnlocalized != "WARNING" {
		return
	}
	d.log.Warn("database", "message", n.Message)
	if n.Code == "01000" || n.Code == "57P01" {
		c.CustomData()[doubtKey] = true
	}
}

// doubted reports whether the last commit of a connection was not confirmed by a standby, and resets that.
func (d *DB) doubted(c *pgx.Conn) bool {
	data := c.PgConn().CustomData()
	_, is := data[doubtKey]
	delete(data, doubtKey)
	return is
}

// escape returns a text that PostgreSQL accepts, which refuses NUL and invalid UTF-8. The order of texts is preserved.
func escape(s string) string {
	if !strings.ContainsAny(s, "\x00\x01") && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case s[0] == 0:
			b.WriteString("\x01@")
		case s[0] == 1:
			b.WriteString("\x01A")
		case r == utf8.RuneError && n == 1:
			b.WriteString("\x01x")
			b.WriteByte(hexDigits[s[0]>>4])
			b.WriteByte(hexDigits[s[0]&15])
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

const hexDigits = "0123456789abcdef"

// unescape is the reverse of escape.
func unescape(s string) string {
	if !strings.Contains(s, "\x01") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != 1 || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		switch i++; s[i] {
		case '@':
			b.WriteByte(0)
		case 'A':
			b.WriteByte(1)
		case 'x':
			if i+2 < len(s) {
				b.WriteByte(byte(strings.IndexByte(hexDigits, s[i+1])<<4 | strings.IndexByte(hexDigits, s[i+2])))
				i += 2
			}
		}
	}
	return b.String()
}
