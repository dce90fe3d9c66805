package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	Apart     = apart
	LookAgain = lookAgain
)

// URL returns the URL that the store was opened with.
func (d *DB) URL() string { return d.o.URL }

// OpenTraced is [Open] with a tracer of every statement.
func OpenTraced(ctx context.Context, o Options, tracer pgx.QueryTracer) (*DB, error) {
	o.tracer = tracer
	return Open(ctx, o)
}

// OpenGathering is [OpenTraced] of a store in which batches wait for each other, however long one takes.
func OpenGathering(ctx context.Context, o Options, tracer pgx.QueryTracer) (*DB, error) {
	o.slow = time.Hour
	return OpenTraced(ctx, o, tracer)
}

// Waiting returns how many calls wait for the next batch of reads or commits.
func (d *DB) Waiting() int { return d.loads.len() + d.commits.len() }

func (l *line[T]) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting)
}
