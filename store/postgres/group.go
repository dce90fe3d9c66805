package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"bugle/store"
)

// Transactions that only insert rows are committed in groups: those that end while a group is under way go together into
// the next one, with one statement for each table and one COMMIT. If one of them fails, none is committed, and each is
// repeated alone.

// insertion is how rows are added to a table. Its arguments are arrays, one for each column.
type insertion struct {
	order int // groups insert into tables in this order, so that they do not wait for each other in a circle
	sql   string
	key   int // columns that the rows of a group are sorted by, for the same reason
}

var (
	addRequestID = insertion{0, `INSERT INTO request_id (workspace, operation, id, expires_at)
		SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[])`, 3}
	addCampaign = insertion{1, `INSERT INTO campaign (workspace, id, revision, etag, name, status, channel, delivery_type, team, tags, created_by, updated_by, created_at, updated_at, starts_at, ends_at, summary, checksum)
		SELECT w, i, r, e, n, s, c, d, t, g::text[], cb, ub, ca, ua, sa, ea, m, x FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
		$11::text[], $12::text[], $13::timestamptz[], $14::timestamptz[], $15::timestamptz[], $16::timestamptz[], $17::bytea[], $18::bigint[]) AS a (w, i, r, e, n, s, c, d, t, g, cb, ub, ca, ua, sa, ea, m, x)`, 2}
	addRevision = insertion{2, `INSERT INTO revision (workspace, campaign, n, at, author, status, meta, meta_sum, head, body, checksum)
		SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::timestamptz[], $5::text[], $6::text[], $7::bytea[], $8::bigint[], $9::bytea[], $10::bytea[], $11::bigint[])`, 2}
	addIdempotent = insertion{3, `INSERT INTO idempotency (workspace, operation, key, fingerprint, running, lease, at, expires_at, answer, checksum)
		SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::timestamptz[], $8::timestamptz[], $9::bytea[], $10::bigint[])`, 3}
	addChange = insertion{4, `INSERT INTO change (workspace, kind, id, origin, commit_id)
		SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::uuid[])`, 0}
)

// row is a row that a transaction adds.
type row struct {
	*insertion
	values []any
}

// arrays turns rows of one table into its arrays.
func arrays(rows []row) []any {
	out := make([]any, len(rows[0].values))
	for c, first := range rows[0].values {
		switch first.(type) {
		case string:
			out[c] = column[string](rows, c)
		case bool:
			out[c] = column[bool](rows, c)
		case int64:
			out[c] = column[int64](rows, c)
		case []byte:
			out[c] = column[[]byte](rows, c)
		case time.Time:
			out[c] = column[time.Time](rows, c)
		case *time.Time:
			out[c] = column[*time.Time](rows, c)
		case pgtype.UUID:
			out[c] = column[pgtype.UUID](rows, c)
		default:
			panic("a column of an unknown type")
		}
	}
	return out
}

func column[T any](rows []row, c int) pgtype.FlatArray[T] {
	out := make(pgtype.FlatArray[T], len(rows))
	for i, r := range rows {
		out[i] = r.values[c].(T)
	}
	return out
}

// size is about how long a row is, in bytes.
func (r row) size() (n int) {
	for _, v := range r.values {
		switch v := v.(type) {
		case []byte:
			n += len(v)
		case string:
			n += len(v)
		}
	}
	return n
}

// add queues the insertion of a row.
func (t *tx) add(in *insertion, values ...any) error {
	r := row{in, values}
	if !t.open {
		t.rows = append(t.rows, r)
	}
	return t.exec(in.sql, arrays([]row{r})...)
}

const (
	mostGrouped = 64      // transactions of one group
	groupBytes  = 1 << 18 // of a transaction that can be in a group
	groupPause  = time.Millisecond
)

// groupable reports whether the transaction can be committed with others: it only adds rows that no other transaction
// waits for while it waits for rows of this one, and assumes nothing that locks rows.
func (t *tx) groupable() bool {
	if !t.first || t.open || t.alone || len(t.rows) == 0 || len(t.rows) != len(t.queue.QueuedQueries) {
		return false
	}
	n := 0
	for _, r := range t.rows {
		n += r.size()
	}
	return n <= groupBytes && !slices.ContainsFunc(t.checks, func(c assumption) bool { return c.locks })
}

// member is a transaction that is to be committed with others.
type member struct {
	*tx
	taken atomic.Bool   // by a group, or by its caller, who has given up
	err   error         // errAlone, or as of a transaction
	done  chan struct{} // closed when err is set
}

// errAlone reports that a group was not committed because of one of its members.
var errAlone = errors.New("the group was not committed")

// together commits the transaction with others.
func (t *tx) together() error {
	m := &member{tx: t, done: make(chan struct{})}
	if err := t.db.commits.join(t.db, m); err != nil {
		return t.fail(err)
	}
	select {
	case <-m.done:
	case <-t.ctx.Done():
		if m.taken.CompareAndSwap(false, true) {
			return t.fail(t.ctx.Err())
		}
		<-m.done // what is in memory depends on it
	}
	if m.err != nil && !errors.Is(m.err, errAlone) {
		t.fail(m.err)
	}
	return m.err
}

// committing commits transactions.
func (d *DB) committing(ctx context.Context, calls []*member) {
	group := calls[:0]
	used := map[string]bool{}
	for _, m := range calls {
		switch {
		case !m.taken.CompareAndSwap(false, true):
		case m.meets(used):
			m.err = errAlone // it waits for the other one with its key
			close(m.done)
		default:
			group = append(group, m)
		}
	}
	if len(group) == 0 {
		return
	}
	err := d.commitAll(ctx, group)
	for _, m := range group {
		m.err = err
		close(m.done)
	}
}

// meets reports whether the transaction adds a key that one before has added, and notes its own.
func (m *member) meets(used map[string]bool) bool {
	var keys []string
	for _, r := range m.rows {
		if r.insertion == &addChange || r.key == 0 {
			continue
		}
		var b strings.Builder
		b.WriteByte(byte(r.order))
		for _, v := range r.values[:r.key] {
			b.WriteString(v.(string))
			b.WriteByte(0)
		}
		if r.insertion != &addRevision && used[b.String()] {
			return true
		}
		keys = append(keys, b.String())
	}
	for _, k := range keys {
		used[k] = true
	}
	return false
}

// commitAll commits a group.
func (d *DB) commitAll(ctx context.Context, group []*member) error {
	if d.ctx.Err() != nil {
		return store.ErrClosed
	}
	conn, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	b := &pgx.Batch{}
	b.Queue(beginWrite)
	var rows []row
	checked := map[string]bool{}
	for _, m := range group {
		for _, c := range m.checks {
			if !checked[c.name] {
				checked[c.name] = true
				c.queue(b)
			}
		}
		rows = append(rows, m.rows...)
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		order := cmp.Compare(a.order, b.order)
		for i := 0; i < a.key && order == 0; i++ {
			order = strings.Compare(a.values[i].(string), b.values[i].(string))
		}
		return order
	})
	for len(rows) > 0 {
		n := slices.IndexFunc(rows, func(r row) bool { return r.order != rows[0].order })
		if n < 0 {
			n = len(rows)
		}
		b.Queue(rows[0].sql, arrays(rows[:n])...)
		rows = rows[n:]
	}
	b.Queue("COMMIT")
	limit, cancel := context.WithTimeout(ctx, d.o.Patience)
	defer cancel()
	err = conn.SendBatch(limit, b).Close()
	switch {
	case err == nil && d.doubted(conn.Conn()), err != nil && undecided(err):
		return errUnknown
	case err == nil, lost(err):
		return err
	}
	if !conn.Conn().IsClosed() {
		_, _ = conn.Exec(limit, "ROLLBACK") // where it fails, the pool closes the connection
	}
	if len(group) == 1 {
		return err
	}
	return errAlone
}
