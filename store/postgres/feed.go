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

const (
	// apart is the shortest time between two notifications, and between two reads that notifications cause. The first of
	// them is sent and answered at once.
	apart = 20 * time.Millisecond
	// pollInterval is how often the feed is read without a notification, in case one was lost.
	pollInterval = time.Second
	feedLimit    = 5 * time.Second // of one read
	feedBatch    = 5000
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

// feed delivers the changes of other handles. One goroutine with a connection of its own reads them for all followers.
type feed struct {
	followers follow.Followers
	begin     sync.Once

	mu     sync.Mutex
	syncs  []chan struct{} // to be closed after a read that begins later
	wakeUp func()          // ends the wait before it
}

// awaitRead has the feed read at once, and returns a channel that is closed when it has.
func (f *feed) awaitRead() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	done := make(chan struct{})
	f.syncs = append(f.syncs, done)
	if f.wakeUp != nil {
		f.wakeUp()
	}
	return done
}

// wanted returns how many wait for a read that begins now.
func (f *feed) wanted() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.syncs)
}

// done tells the first n that it has ended.
func (f *feed) done(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, done := range f.syncs[:n] {
		close(done)
	}
	f.syncs = f.syncs[n:]
}

// waiting returns a context for the wait between two reads, which ends when a read is wanted.
func (f *feed) waiting(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, end := context.WithTimeout(ctx, pollInterval)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wakeUp = end
	if len(f.syncs) > 0 {
		end()
	}
	return ctx, end
}

// Follow implements [store.Feed].
func (d *DB) Follow(ctx context.Context, ready func(), deliver func([]store.Change)) {
	d.feed.begin.Do(func() { d.start(d.runFeed) })
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(d.ctx, end)()
	d.feed.followers.Follow(ctx, ready, deliver)
}

// Sync implements [store.Feed].
func (d *DB) Sync(ctx context.Context) error {
	if !d.feed.followers.Ready() {
		return nil
	}
	limit, end := context.WithTimeout(ctx, d.patience())
	defer end()
	defer context.AfterFunc(d.ctx, end)()
	select {
	case <-d.feed.awaitRead():
	case <-limit.Done():
	}
	err := d.feed.followers.Drain(limit)
	switch {
	case err == nil, ctx.Err() != nil:
		return err
	case d.ctx.Err() != nil:
		return store.ErrClosed
	}
	return d.explain(err)
}

// cursor is a position in the table of changes. Each read starts at the oldest transaction that was running during the last
// one, and skips the rows that it has seen, because rows get their sequence numbers before transactions end. A transaction
// that runs for long makes reads larger, but does not delay changes.
type cursor struct {
	low      int64           // all transactions before it have ended
	timeline int64           // of the server
	seen     map[int64]int64 // transactions by sequence number
}

// runFeed reads changes until the store is closed.
func (d *DB) runFeed(ctx context.Context) {
	at := &cursor{}
	for failed := 0; ; failed++ {
		err := d.listen(ctx, at, func() { failed = 0 })
		if ctx.Err() != nil {
			return
		}
		d.log.Info("the feed of changes was interrupted", "error", d.explain(err))
		if failed > 0 { // one may be a connection that has ended
			_ = d.unreached(err)
		}
		_ = sleep(ctx, 200*time.Millisecond)
	}
}

// listen reads changes on a new connection, until that fails. It calls begun after the first read.
func (d *DB) listen(ctx context.Context, at *cursor, begun func()) error {
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
	defer conn.Close(context.WithoutCancel(ctx)) // it does not wait for the server
	if _, err := conn.Exec(limit, "LISTEN "+channel); err != nil {
		return err
	}
	if err := d.resume(limit, conn, at); err != nil {
		return err
	}
	d.feed.followers.MarkReady()
	for {
		announced = false
		began := time.Now()
		n := d.feed.wanted()
		if err := d.readChanges(ctx, conn, at); err != nil {
			return err
		}
		d.feed.done(n)
		d.reached()
		begun()
		wait, end := d.feed.waiting(ctx)
		var err error
		for !announced && err == nil {
			err = conn.PgConn().WaitForNotification(wait)
		}
		if err == nil {
			err = sleep(wait, apart-time.Since(began))
		}
		over := wait.Err() != nil
		end()
		if ctx.Err() != nil || err != nil && !over {
			return err
		}
	}
}

// timeline is the number of the timeline that the server writes. Another one means that a standby was promoted, which may
// lack changes that the old primary showed. What pg_control_checkpoint says comes some time after the promotion.
const timeline = "('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint"

// resume begins reading on a new connection: at the end, the first time, or where the last connection was.
func (d *DB) resume(ctx context.Context, conn *pgx.Conn, at *cursor) error {
	var low, now int64
	if err := conn.QueryRow(ctx, "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint, "+timeline).Scan(&low, &now); err != nil {
		return err
	}
	var oldest int64
	err := conn.QueryRow(ctx, "SELECT xid::text::bigint FROM change ORDER BY change.xid, seq LIMIT 1").Scan(&oldest)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	switch {
	case at.seen == nil:
		*at = cursor{low: low, timeline: now, seen: map[int64]int64{}}
	case at.timeline != now, low < at.low, oldest > at.low: // another server, or some changes are swept already
		d.restart(at, low, now)
	}
	return nil
}

// restart begins anew with a cursor, and tells followers that they may have missed something.
func (d *DB) restart(at *cursor, low, timeline int64) {
	*at = cursor{low: low, timeline: timeline, seen: map[int64]int64{}}
	d.feed.followers.Publish(store.Change{})
}

// changeRow is a row of the table of changes.
type changeRow struct {
	XID, Seq            int64
	Workspace, Kind, ID string
	Origin              uuid.UUID
}

// readChanges reads new changes, page by page: one transaction, or what was written during a long one, may be many.
func (d *DB) readChanges(ctx context.Context, conn *pgx.Conn, at *cursor) error {
	low := int64(0)
	last := changeRow{XID: at.low}
	for n := feedBatch; n == feedBatch; {
		oldest, now, page, err := readPage(ctx, conn, last)
		if err != nil {
			return err
		}
		if now != at.timeline {
			d.restart(at, oldest, now)
			return nil
		}
		if low == 0 {
			low = oldest // what commits from now on may be missing on this page
		}
		var news []store.Change
		for _, r := range page {
			if _, known := at.seen[r.Seq]; !known && r.Origin != d.origin && r.Kind != "" && r.Kind != claimed {
				news = append(news, store.Change{Workspace: r.Workspace, Kind: store.Kind(r.Kind), ID: unescape(r.ID)})
			}
			at.seen[r.Seq] = r.XID
			last = r
		}
		if len(news) > 0 {
			d.feed.followers.Publish(news...)
		}
		n = len(page)
	}
	if low > at.low {
		at.low = low
		maps.DeleteFunc(at.seen, func(_, xid int64) bool { return xid < low })
	}
	return nil
}

// readPage reads the changes that follow one. It also returns the oldest transaction that is running, and the timeline.
func readPage(ctx context.Context, conn *pgx.Conn, after changeRow) (oldest, now int64, page []changeRow, err error) {
	ctx, cancel := context.WithTimeout(ctx, feedLimit)
	defer cancel()
	both := &pgx.Batch{} // in this order: the oldest transaction of before the changes are read
	both.Queue("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint, " + timeline).QueryRow(func(row pgx.Row) error { return row.Scan(&oldest, &now) })
	both.Queue("SELECT xid::text::bigint, seq, workspace, kind, id, origin FROM change WHERE (xid, seq) > ($1::text::xid8, $2) ORDER BY change.xid, seq LIMIT $3",
		strconv.FormatInt(after.XID, 10), after.Seq, feedBatch).Query(func(rows pgx.Rows) (err error) {
		page, err = pgx.CollectRows(rows, pgx.RowToStructByPos[changeRow])
		return err
	})
	err = conn.SendBatch(ctx, both).Close()
	return oldest, now, page, err
}
