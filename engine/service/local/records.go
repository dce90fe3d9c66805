package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"bugle/engine"
	"bugle/store"
)

// reader reads the records of one workspace as of the time of its clock.
type reader struct {
	db        store.DB
	workspace string
	clock     func() time.Time
	log       *slog.Logger
	onDamage  func(error)
	damage    atomic.Pointer[error] // that a list has left out
}

// Damage returns why lists leave something out: a record that is damaged. It returns nil as long as nothing was found.
func (r *reader) Damage() error {
	if err := r.damage.Load(); err != nil {
		return *err
	}
	return nil
}

// now returns the clock's time in UTC with the precision of a record.
func (r *reader) now() time.Time { return r.clock().UTC().Round(0) }

// view runs fn in one read transaction, and converts its error for the caller.
func (r *reader) view(ctx context.Context, fn func(store.WorkspaceTx) error) error {
	return r.explain(ctx, r.db.Read(ctx, func(tx store.Tx) error { return fn(tx.Workspace(r.workspace)) }))
}

// skipDamage reports damage that a list leaves out, and returns any other error.
func (r *reader) skipDamage(err error) error {
	var corrupt *store.CorruptError
	if err == nil {
		r.damage.Store(nil)
	}
	if !errors.As(err, &corrupt) {
		return err
	}
	r.log.Error("damaged record", "what", corrupt.What, "error", err)
	said := internal(err, "%s is damaged in the store, so the list may not be complete; check with `bugle doctor`", corrupt.What)
	failure := error(said)
	r.damage.Store(&failure)
	if r.onDamage != nil {
		r.onDamage(err)
	}
	return nil
}

// explain returns API errors and context errors unchanged, and wraps errors of the store.
func (r *reader) explain(ctx context.Context, err error) error {
	var corrupt *store.CorruptError
	var impossible *store.IDError
	switch {
	case err == nil:
		return nil
	case engine.AsError(err) != nil:
		return err
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return err
	case errors.As(err, &impossible):
		return engine.Errorf(engine.NotFound, http.StatusNotFound, "%v", impossible)
	case errors.Is(err, store.ErrTooLarge):
		return engine.Errorf(engine.BadRequest, http.StatusRequestEntityTooLarge, "this change is too large; make it smaller, or split it into several requests")
	case errors.As(err, &corrupt):
		r.log.Error("damaged record", "what", corrupt.What, "error", err)
		return internal(err, "%s is damaged in the store; restore an earlier revision, or a backup with `bugle restore`", corrupt.What)
	case errors.As(err, new(*store.DamagedError)):
		r.log.Error("damaged store", "error", err)
		return internal(err, "%v", err)
	case errors.Is(err, store.ErrReadOnly):
		return internal(err, "%v", err)
	}
	r.log.Error("store", "error", err)
	switch {
	case store.IsDiskFull(err):
		e := internal(err, "%v", err)
		e.HTTP = http.StatusInsufficientStorage
		return e
	case errors.Is(err, store.ErrUnreachable), errors.Is(err, store.ErrBusy):
		e := internal(err, "%v; try again in a moment", err)
		e.HTTP, e.RetryAfter = http.StatusServiceUnavailable, time.Second
		return e
	case store.IsTooManyFiles(err):
		e := internal(err, "the store cannot open its files (%v); try again in a moment", err)
		e.HTTP, e.RetryAfter = http.StatusServiceUnavailable, time.Second
		return e
	}
	return internal(err, "the store failed: %v; try again", err)
}

func internal(cause error, format string, args ...any) *engine.Error {
	e := engine.Errorf(engine.Internal, http.StatusInternalServerError, format, args...)
	e.Err = cause
	return e
}

// missing returns the error for a name that does not exist.
func missing(format string, args ...any) *engine.Error {
	return engine.Errorf(engine.NotFound, http.StatusNotFound, format, args...)
}

// withRequestID returns err with the request id if it is an API error.
func withRequestID(err error, requestID string) error {
	e := engine.AsError(err)
	if e == nil || e.RequestID != "" {
		return err
	}
	out := *e
	out.RequestID = requestID
	return &out
}

// settings returns a copy of the settings that the caller may change.
func (r *reader) settings(sp store.WorkspaceTx) (engine.Workspace, error) {
	w, err := sp.Settings()
	if err != nil {
		return w, r.noSettings(err)
	}
	return w, nil
}

func (r *reader) noSettings(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return missing("there is no workspace %q in this store", r.workspace)
	}
	return fmt.Errorf("reading the workspace: %w", err)
}

// campaign returns a campaign with its state advanced by the clock.
func (r *reader) campaign(sp store.WorkspaceTx, id string) (engine.Campaign, error) {
	if id == "" || len(id) > maxID {
		return engine.Campaign{}, engine.MissingCampaign(id)
	}
	c, err := sp.Campaign(id)
	return r.orMissing(id, c, err)
}

// orMissing returns a campaign that the store was asked for, as it is now.
func (r *reader) orMissing(id string, c engine.Campaign, err error) (engine.Campaign, error) {
	if errors.Is(err, store.ErrNotFound) {
		return c, engine.MissingCampaign(id)
	}
	if err != nil {
		return c, fmt.Errorf("reading campaign %s: %w", id, err)
	}
	return r.current(c), nil
}

func (r *reader) current(c engine.Campaign) engine.Campaign {
	if !c.Status.Live() {
		return c // the clock moves no other
	}
	c.Head = engine.HeadAt(engine.Summarize(c), r.now())
	return c
}

// writer changes the records of one workspace, and updates its index.
type writer struct {
	*reader
	index *indexer
	// settingsChanges counts the changes, or possible changes, of the settings.
	settingsChanges atomic.Int64
}

func newWriter(db store.DB, workspace string, t *tasks, o Options) *writer {
	r := &reader{db: db, workspace: workspace, clock: o.Clock, log: o.Logger, onDamage: o.OnDamage}
	if r.clock == nil {
		r.clock = time.Now
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	return &writer{reader: r, index: &indexer{reader: r, tasks: t}}
}

// update runs fn in one write transaction. After the commit, and before it returns, searches include its
// changes.
func (w *writer) update(ctx context.Context, fn func(store.WorkspaceTx) error) error {
	var watch *changeRecorder
	done := false
	err := w.db.Write(ctx, func(tx store.Tx) error {
		watch, done = &changeRecorder{}, false
		tx.Watch(watch)
		err := fn(tx.Workspace(w.workspace))
		done = err == nil
		return err
	})
	if watch != nil && watch.settled {
		w.settingsChanges.Add(1)
	}
	switch {
	case watch == nil || len(watch.changes) == 0:
	case err == nil:
		w.index.onCommit(watch.changes)
	case done:
		w.index.reread(watch.changes) // it failed as it was committed: nobody knows what the store has
	}
	if done && err != nil && !nothingWritten(ctx, err) {
		w.log.Error("store", "error", err)
		if store.IsDiskFull(err) {
			e := internal(err, "the disk is full (%v), so the change may not have been saved; free some space, then repeat the request with the same Idempotency-Key", err)
			e.HTTP = http.StatusInsufficientStorage
			return e
		}
		if errors.Is(err, store.ErrCommitUnknown) {
			e := internal(err, "%v, so it may not have been saved; repeat the request with the same Idempotency-Key", err)
			e.HTTP, e.RetryAfter = http.StatusServiceUnavailable, time.Second
			return e
		}
		return internal(err, "the store failed while writing (%v), so the change may not have been saved; repeat the request with the same Idempotency-Key, or run `bugle doctor`", err)
	}
	return w.explain(ctx, err)
}

// nothingWritten reports whether a change that failed at its end certainly wrote nothing.
func nothingWritten(ctx context.Context, err error) bool {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return true
	}
	if errors.Is(err, store.ErrCommitUnknown) {
		return false
	}
	if errors.As(err, new(*store.DamagedError)) {
		return true
	}
	for _, known := range []error{store.ErrUnreachable, store.ErrBusy, store.ErrLeaseExpired, store.ErrDiskFull, store.ErrTooLarge, store.ErrReadOnly, store.ErrClosed} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// change is a change of a campaign's summary by a transaction.
type change struct {
	row  engine.Summary
	gone bool // only the id is set
}

// changeRecorder records what a transaction changes.
type changeRecorder struct {
	changes []change
	settled bool // the settings were written
}

var _ store.Watcher = (*changeRecorder)(nil)

func (w *changeRecorder) SettingsStored(string) { w.settled = true }

func (w *changeRecorder) SummaryStored(_ string, row engine.Summary) {
	w.changes = append(w.changes, change{row: row})
}

func (w *changeRecorder) CampaignRemoved(_, id string) {
	c := change{gone: true}
	c.row.ID = id
	w.changes = append(w.changes, c)
}
