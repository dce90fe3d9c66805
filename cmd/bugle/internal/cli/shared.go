package cli

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"bugle/engine"
	"bugle/engine/service/api"
	"bugle/engine/service/api/limit"
	"bugle/store"
	"bugle/store/postgres"
)

// connect opens the store in a database for this command, once. With create, it creates missing tables.
func (f *Factory) connect(ctx context.Context, create bool) error {
	if f.db != nil {
		return nil
	}
	url, _ := f.Database()
	db, err := postgres.Open(ctx, postgres.Options{URL: url, Create: create, Logger: slog.New(slog.DiscardHandler)})
	switch {
	case errors.Is(err, postgres.ErrNoTables):
		return ErrNoWorkspace
	case err != nil:
		return err
	}
	f.db = db
	return nil
}

// Away returns a function that returns since when the database cannot be reached, and why. It returns nil if the store
// is not in a database.
func (f *Factory) Away() func() (since time.Time, why string) {
	if f.db == nil {
		return nil
	}
	return f.db.Outage
}

// counter counts API requests in a database. It reports an unreachable database as the API does.
type counter struct{ *postgres.DB }

// Counter returns the counter that all servers of the store share, or nil if only one can serve it.
func (f *Factory) Counter() api.Counter {
	if f.db == nil {
		return nil
	}
	return counter{f.db}
}

// Take implements [api.Counter].
func (c counter) Take(ctx context.Context, workspace, name string, windows []limit.Window) (taken time.Time, wait time.Duration, full limit.Window, err error) {
	taken, wait, full, err = c.DB.Take(ctx, workspace, name, windows)
	return taken, wait, full, refusal(err)
}

// refusal returns an error of the store as an error of the API.
func refusal(err error) error {
	if !errors.Is(err, store.ErrUnreachable) {
		return err
	}
	e := engine.Errorf(engine.Internal, http.StatusServiceUnavailable, "%w; try again in a moment", err)
	e.RetryAfter = time.Second
	return e
}
