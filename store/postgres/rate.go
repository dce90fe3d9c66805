package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"bugle/engine/service/api/limit"
)

// Take counts one request under a name if all windows let it through, for all processes together and by the clock of the
// database. Otherwise it returns how long to wait, and which window is full. The time at which it was counted is for
// [DB.Return]. A crash of the database may forget the requests of the last moment.
func (d *DB) Take(ctx context.Context, workspace, name string, windows []limit.Window) (taken time.Time, wait time.Duration, full limit.Window, err error) {
	counts, periods := make([]int, len(windows)), make([]time.Duration, len(windows))
	for i, w := range windows {
		counts[i], periods[i] = w.N, w.Per
	}
	var due *time.Duration
	var window *int
	err = d.batch(ctx, func(b *pgx.Batch) {
		b.Queue("BEGIN")
		b.Queue("SET LOCAL synchronous_commit = off")
		b.Queue("SELECT taken, wait, full_window FROM bugle_take($1, $2, $3, $4)", workspace, escape(name), counts, periods).QueryRow(func(row pgx.Row) error {
			return row.Scan(&taken, &due, &window)
		})
		b.Queue("COMMIT")
	})
	if err == nil && due != nil {
		wait, full = *due, windows[*window-1]
	}
	return taken, wait, full, err
}

// Return takes back a request that was counted at a time.
func (d *DB) Return(ctx context.Context, workspace, name string, taken time.Time) error {
	return d.batch(ctx, func(b *pgx.Batch) {
		b.Queue("UPDATE rate SET admitted = array_remove(admitted, $3) WHERE workspace = $1 AND name = $2", workspace, escape(name), taken)
	})
}

// batch sends the statements that fill queues in one round trip, again if the connection was lost.
func (d *DB) batch(ctx context.Context, fill func(*pgx.Batch)) error {
	ctx, cancel := context.WithTimeout(ctx, d.o.Patience)
	defer cancel()
	for attempt := 0; ; attempt++ {
		conn, err := d.acquire(ctx)
		if err != nil {
			return err
		}
		b := &pgx.Batch{}
		fill(b)
		err = conn.SendBatch(ctx, b).Close()
		conn.Release()
		if err == nil || !isLost(err) || attempt == 2 || ctx.Err() != nil {
			return d.explain(err)
		}
	}
}
