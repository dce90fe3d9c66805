package postgres

import (
	"context"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"bugle/store"
	"bugle/store/internal/follow"
)

// channel is the NOTIFY channel that announces changes, with the process that made them. The changes themselves are in a
// table.
const channel = "bugle_change"

const (
	// apart is the shortest time between two notifications, and between two reads that notifications cause. The first of
	// them is sent and answered at once.
	apart = 20 * time.Millisecond
	// pollInterval is how often the feed is read without a notification, in case one was lost.
	pollInterval = time.Second
)

// notify sends notifications after commits, one for all commits since the last, until the store is closed. A NOTIFY within
// the transactions would serialize their commits.
func (d *DB) notify(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.committed:
		}
		limit, cancel := context.WithTimeout(ctx, 2*time.Second)
		_, _ = d.pool.Exec(limit, "SELECT pg_notify('"+channel+"', $1)", d.origin.String()) // if it is lost, readers poll
		cancel()
		if sleep(ctx, apart) != nil {
			return
		}
	}
}

// announce has a notification sent for a commit.
func (d *DB) announce() {
	select {
	case d.committed <- struct{}{}:
	default: // one for this commit, too, is about to be sent
	}
}

// feed delivers the changes of other handles. One goroutine reads them for all followers, as does [DB.Sync].
type feed struct {
	followers follow.Followers
	begin     sync.Once

	mu     sync.Mutex    // held by a read
	cursor *cursor       // nil before the first read
	began  chan struct{} // closed after the first read
}

// Follow implements [store.Feed].
func (d *DB) Follow(ctx context.Context, ready func(), deliver func([]store.Change)) {
	d.feed.begin.Do(func() { d.start(d.runFeed) })
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(d.ctx, end)()
	select {
	case <-d.feed.began:
		d.feed.followers.Follow(ctx, ready, deliver)
	case <-ctx.Done():
	}
}

// Sync implements [store.Feed].
func (d *DB) Sync(ctx context.Context) error {
	select {
	case <-d.feed.began:
	default:
		return nil
	}
	limit, end := context.WithTimeout(ctx, d.patience())
	defer end()
	defer context.AfterFunc(d.ctx, end)()
	err := d.do(limit, "", d.readChanges)
	if err == nil {
		err = d.feed.followers.Drain(limit)
	}
	switch {
	case err == nil, ctx.Err() != nil:
		return err
	case d.ctx.Err() != nil:
		return store.ErrClosed
	}
	return d.explain(err)
}

// runFeed reads changes until the store is closed.
func (d *DB) runFeed(ctx context.Context) {
	for ctx.Err() == nil {
		if err := d.listen(ctx); ctx.Err() == nil {
			d.log.Info("the feed of changes was interrupted", "error", d.explain(err))
			_ = sleep(ctx, 200*time.Millisecond)
		}
	}
}

// listen reads changes when they are announced on a new connection, until that fails.
func (d *DB) listen(ctx context.Context) error {
	pooled, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	conn := pooled.Hijack()
	defer conn.Close(context.WithoutCancel(ctx)) // it does not wait for the server
	limit, cancel := context.WithTimeout(ctx, d.o.Patience)
	defer cancel()
	if _, err := conn.Exec(limit, "LISTEN "+channel); err != nil {
		return err
	}
	for {
		began := time.Now()
		if err := d.do(ctx, "", d.readChanges); err != nil {
			return err
		}
		var n *pgconn.Notification
		var err error
		wait, end := context.WithTimeout(ctx, pollInterval)
		for err == nil && (n == nil || n.Payload == d.origin.String()) {
			n, err = conn.WaitForNotification(wait)
		}
		end()
		// What else is announced until the next read needs none of its own.
		wait, end = context.WithDeadline(ctx, began.Add(apart))
		for err == nil {
			_, err = conn.WaitForNotification(wait)
		}
		end()
		if conn.IsClosed() || ctx.Err() != nil {
			return err
		}
	}
}

// cursor is a position in the table of changes. Each read starts at the oldest transaction that was running during the last
// one, and skips the rows that it has seen, because rows get their sequence numbers before transactions end. A transaction
// that runs for long makes reads larger, but does not delay changes.
type cursor struct {
	low      int64          // all transactions before it have ended
	timeline int64          // of the server
	seen     map[int64]bool // the sequence numbers of changes since
	at       time.Time      // when it was read, by the wall clock
}

// timeline is the number of the timeline that the server writes. Another one means that a standby was promoted, which may
// lack changes that the old primary showed. What pg_control_checkpoint says comes some time after the promotion.
const timeline = "('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint"

// readChanges publishes new changes. The first time it only finds out where to begin. It begins anew, and tells followers
// that they may have missed something, on another server, or after so long that changes may have been deleted.
func (d *DB) readChanges(t *tx) error {
	f := &d.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	last := cursor{low: math.MaxInt64}
	if f.cursor != nil {
		last = *f.cursor
	}
	now := cursor{seen: map[int64]bool{}, at: time.Now().Round(0)}
	var news []store.Change
	// In this order: the oldest transaction of before the changes are read.
	t.queue.Queue("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint, " + timeline).QueryRow(func(row pgx.Row) error { return row.Scan(&now.low, &now.timeline) })
	// The upper limit is for the planner, which would read the whole table without one.
	err := t.query(`SELECT xid::text::bigint, seq, workspace, kind, id, origin FROM change
		WHERE xid >= $1::text::xid8 AND xid < pg_snapshot_xmax(pg_current_snapshot())`, []any{strconv.FormatInt(last.low, 10)}, func(rows pgx.Rows) error {
		var xid, seq int64
		var c store.Change
		var origin uuid.UUID
		err := rows.Scan(&xid, &seq, &c.Workspace, &c.Kind, &c.ID, &origin)
		if !last.seen[seq] && origin != d.origin && c.Kind != "" && c.Kind != claimed {
			news = append(news, c)
		}
		if xid >= now.low {
			now.seen[seq] = true
		}
		return err
	})
	if err != nil {
		return err
	}
	switch {
	case f.cursor == nil:
		news = nil
		close(f.began)
	case last.timeline != now.timeline, now.low < last.low, now.at.Sub(last.at) > changesKept/2:
		news = []store.Change{{}}
	}
	f.cursor = &now
	if len(news) > 0 {
		f.followers.Publish(news...)
	}
	return nil
}
