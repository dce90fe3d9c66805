package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Take counts one under a name where all windows let it pass, for all processes together: of each, no more than counts[i]
// lie within periods[i]. Else it returns how long to wait, and which window is full. When it was counted is for [DB.Return].
// A crash of the database may forget some of the last moment.
func (d *DB) Take(ctx context.Context, workspace, name string, counts []int, periods []time.Duration) (taken time.Time, wait time.Duration, full int, err error) {
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
	if err != nil {
		return taken, 0, 0, err
	}
	if due != nil {
		return taken, *due, *window - 1, nil
	}
	return taken, 0, 0, nil
}

// Return takes back what was counted at a time, as what it was for did not come to be.
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
		if err == nil || !lost(err) || attempt == 2 || ctx.Err() != nil {
			return d.explain(err)
		}
	}
}
