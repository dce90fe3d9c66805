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
	err = d.do(ctx, "", func(t *tx) error {
		return t.first("SELECT taken, wait, full_window FROM bugle_take($1, $2, $3, $4)", []any{workspace, name, counts, periods}, func(rows pgx.Rows) error {
			return rows.Scan(&taken, &due, &window)
		})
	})
	if err == nil && due != nil {
		wait, full = *due, windows[*window-1]
	}
	return taken, wait, full, err
}

// Return takes back a request that was counted at a time.
func (d *DB) Return(ctx context.Context, workspace, name string, taken time.Time) error {
	return d.do(ctx, "", func(t *tx) error {
		return t.query("UPDATE rate SET admitted = array_remove(admitted, $3) WHERE workspace = $1 AND name = $2", []any{workspace, name, taken}, nil)
	})
}
