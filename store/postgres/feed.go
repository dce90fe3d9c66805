package postgres

import (
	"context"
	"errors"
	"maps"
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

// notifier sends a NOTIFY after commits, one for all commits since the last. A NOTIFY within the transactions would
// serialize their commits.
type notifier struct{ poked chan struct{} }

func (n *notifier) poke() {
	select {
	case n.poked <- struct{}{}:
	default:
	}
}

// apart is the shortest time between two notices, and between two reads that notices cause. The first of them is sent and
// answered at once.
const apart = 20 * time.Millisecond

func (d *DB) notifying(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.notify.poked:
		}
		limit, cancel := context.WithTimeout(ctx, 2*time.Second)
		_, _ = d.pool.Exec(limit, "SELECT pg_notify('"+channel+"', $1)", d.origin.String()) // if it is lost, readers poll
		cancel()
		if sleep(ctx, apart) != nil {
			return
		}
	}
}

// feed reads the changes of other handles on one connection, for all followers.
type feed struct {
	followers follow.Followers
	begin     sync.Once

	reading chan struct{} // of one: holds a token while changes are read, and guards at
	at      *cursor       // nil before the first read
}

// lock waits until nobody else reads changes.
func (f *feed) lock(ctx context.Context) error {
	select {
	case f.reading <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *feed) unlock() { <-f.reading }

// Follow implements [store.Feed].
func (d *DB) Follow(ctx context.Context, ready func(), tell func([]store.Change)) {
	d.feed.begin.Do(func() { d.start(d.following) })
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(d.ctx, end)()
	d.feed.followers.Follow(ctx, ready, tell)
}

// Sync implements [store.Feed].
func (d *DB) Sync(ctx context.Context) error {
	if !d.feed.followers.Ready() {
		return nil
	}
	waiting, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(d.ctx, end)()
	limit, cancel := context.WithTimeout(waiting, d.o.Patience)
	defer cancel()
	err := d.look(limit)
	if err != nil && limit.Err() == nil && lost(err) { // perhaps only this connection
		err = d.look(limit)
	}
	if err == nil {
		err = d.feed.followers.Drain(waiting)
	}
	switch {
	case err == nil, ctx.Err() != nil:
		return err
	case d.ctx.Err() != nil:
		return store.ErrClosed
	}
	return d.explain(err)
}

// look reads new changes on a connection of the pool, which it takes when it is its turn to read.
func (d *DB) look(ctx context.Context) error {
	if err := d.feed.lock(ctx); err != nil {
		return err
	}
	defer d.feed.unlock()
	conn, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	for {
		full, err := d.readChanges(ctx, conn.Conn(), d.feed.at)
		if err != nil || !full {
			return err
		}
	}
}

// cursor is a position in the table of changes. Each read starts at the oldest transaction that was running during the last
// one, and skips the rows that it has seen, because rows get their sequence numbers before transactions end. A transaction
// that runs for long makes reads larger, but does not delay changes.
type cursor struct {
	low      int64           // all transactions before it have ended
	seen     map[int64]int64 // transactions by sequence number
	timeline int64
}

// following runs the feed until the store is closed.
func (d *DB) following(ctx context.Context) {
	failed := 0
	for ctx.Err() == nil {
		err := d.follow(ctx, func() { failed = 0 })
		if ctx.Err() == nil && err != nil {
			d.log.Info("the feed of changes was interrupted", "error", d.explain(err))
			failed++
			if failed > 1 { // one may be a connection that has ended
				_ = d.lose(err)
			}
			_ = sleep(ctx, 200*time.Millisecond)
		}
	}
}

const (
	// lookAgain is how often the feed is read without a notification, in case one was lost.
	lookAgain = time.Second
	feedLimit = 5 * time.Second
	feedBatch = 5000
)

func (d *DB) follow(ctx context.Context, begun func()) error {
	limit, cancel := context.WithTimeout(ctx, feedLimit)
	defer cancel()
	announced := false // by another process, since the last read
	c := d.pool.Config().ConnConfig
	c.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		announced = announced || n.Payload != d.origin.String()
	}
	conn, err := pgx.ConnectConfig(limit, c)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(limit, "LISTEN "+channel); err != nil {
		return err
	}
	now := &cursor{seen: map[int64]int64{}}
	err = conn.QueryRow(limit, "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint, "+timeline).Scan(&now.low, &now.timeline)
	if err != nil {
		return err
	}
	var oldest *int64
	if err := conn.QueryRow(limit, "SELECT xid::text::bigint FROM change ORDER BY change.xid, seq LIMIT 1").Scan(&oldest); err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	if err := d.feed.lock(limit); err != nil {
		return err
	}
	switch c := d.feed.at; {
	case c == nil:
		d.feed.at = now
	case c.timeline != now.timeline, now.low < c.low, oldest != nil && *oldest > c.low: // or some of it is swept already
		d.restart(c, now.low, now.timeline)
	}
	d.feed.unlock()
	d.feed.followers.MarkReady()
	d.link.here()
	begun()
	for {
		announced = false
		began := time.Now()
		if err := d.feed.lock(ctx); err != nil {
			return err
		}
		full, err := d.readChanges(ctx, conn, d.feed.at)
		d.feed.unlock()
		if err != nil {
			return err
		}
		if full {
			continue
		}
		wait, cancel := context.WithTimeout(ctx, lookAgain)
		for !announced && err == nil {
			err = conn.PgConn().WaitForNotification(wait)
		}
		ended := wait.Err() != nil
		cancel()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && !ended {
			return err
		}
		if sleep(ctx, apart-time.Since(began)) != nil {
			return nil
		}
	}
}

// timeline is the number of the timeline that the server writes. Another one means that a standby was promoted, which may
// lack changes that the old primary showed. What pg_control_checkpoint says comes some time after the promotion.
const timeline = "('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint"

// restart begins anew with a cursor, and tells followers that they may have missed something.
func (d *DB) restart(c *cursor, low, timeline int64) {
	*c = cursor{low: low, seen: map[int64]int64{}, timeline: timeline}
	d.feed.followers.Publish(store.Change{})
}

// readChanges reads new changes, and reports whether there are more.
func (d *DB) readChanges(ctx context.Context, conn *pgx.Conn, c *cursor) (full bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, feedLimit)
	defer cancel()
	rows, err := conn.Query(ctx, `SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint, `+timeline+`, n.* FROM (SELECT 1) AS one LEFT JOIN LATERAL (
		SELECT xid::text::bigint, seq, workspace, kind, id, origin FROM change WHERE xid >= $1::text::xid8 ORDER BY change.xid, seq LIMIT $2) AS n ON true`,
		strconv.FormatInt(c.low, 10), feedBatch)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	var low, last, now int64
	var news []store.Change
	fresh := map[int64]int64{} // seen only when the whole response was read, so that a retry does not miss them
	n := 0
	for rows.Next() {
		var xid, seq *int64
		var workspace, kind, id *string
		var origin *uuid.UUID
		if err := rows.Scan(&low, &now, &xid, &seq, &workspace, &kind, &id, &origin); err != nil {
			return false, err
		}
		if xid == nil {
			break
		}
		n++
		last = *xid
		if _, known := c.seen[*seq]; known {
			continue
		}
		fresh[*seq] = *xid
		if *origin != d.origin && *kind != "" && *kind != claimed {
			news = append(news, store.Change{Workspace: *workspace, Kind: store.Kind(*kind), ID: unescape(*id)})
		}
	}
	if err := rows.Err(); err != nil {
		return false, err
	}
	if now != c.timeline {
		d.restart(c, low, now)
		return false, nil
	}
	maps.Copy(c.seen, fresh)
	if len(news) > 0 {
		d.feed.followers.Publish(news...)
	}
	if n == feedBatch && last < low {
		low = last
	}
	if low > c.low {
		c.low = low
		for seq, xid := range c.seen {
			if xid < low {
				delete(c.seen, seq)
			}
		}
	}
	return n == feedBatch, nil
}
