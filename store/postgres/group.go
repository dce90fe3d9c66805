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

	"bugle/store"
)

// Transactions that only insert rows are committed in groups: those that end while a group is under way go together into
// the next one, with one statement for each table and one COMMIT. If one of them fails, none is committed, and each is
// repeated alone.

const (
	mostGrouped = 64      // transactions of one group
	groupBytes  = 1 << 18 // of a transaction that can be in a group
	groupPause  = 8 * time.Millisecond
)

// groupable reports whether the transaction can be committed with others: it only adds rows that no other transaction
// waits for while it waits for rows of this one, and assumes nothing that locks rows.
func (t *tx) groupable() bool {
	if !t.first || t.open || t.alone || t.held != "" || len(t.rows) == 0 || len(t.rows) != len(t.queue.QueuedQueries) {
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
