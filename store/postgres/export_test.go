package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const (
	Apart        = apart
	PollInterval = pollInterval
)

// URL returns the URL that the store was opened with.
func (d *DB) URL() string { return d.o.URL }

// OpenTraced is [Open] with a tracer of every statement.
func OpenTraced(ctx context.Context, o Options, tracer pgx.QueryTracer) (*DB, error) {
	o.tracer = tracer
	return Open(ctx, o)
}
