// Package local is the campaign service on a store of its own: the ten operations of the
// specification, and what only a local workspace can do besides.
package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/delivery"
	"bugle/engine/delivery/carriers"
	"bugle/engine/doc"
	"bugle/engine/personalize"
	"bugle/engine/schema"
	"bugle/store"
)

// MaxBody is how long a request body or document may be, in bytes (CONTRACT.md, Requests).
const MaxBody = 1 << 20

// Options are what a service may be given. The zero Options are ready for use.
type Options struct {
	Clock  func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: nothing is logged
	// Boot names this run of the program. A test send that another run left unfinished does not
	// block its idempotency key. Empty: one is made.
	Boot string
	// Carriers gives what carries a connector's mail when its carrier is not the outbox. Nil:
	// SMTP, with the password from the environment variable that the connector names.
	Carriers func(engine.Connector) (delivery.Carrier, error)
	// Gateways gives what carries push notifications through a gateway. Nil: the gateway itself,
	// with the key from where its settings say.
	Gateways func(context.Context, engine.Gateway) (delivery.Carrier, error)
	// Fetcher gets the attachments of mails. Nil: one that refuses private addresses.
	Fetcher *delivery.Fetcher
	Keep    KeepIndex
}

// Service is [engine.Service] for one workspace of a store. It is safe for concurrent use. What it keeps
// in memory, and does in the background, begins when it is wanted and ends with Close.
type Service struct {
	db        store.DB
	workspace string
	boot      string
	clock     func() time.Time
	log       *slog.Logger
	carriers  func(engine.Connector) (delivery.Carrier, error)
	gateways  func(context.Context, engine.Gateway) (delivery.Carrier, error)
	fetcher   *delivery.Fetcher
	ids       *idSource
	swept     atomic.Int64 // when the last sweep began, in Unix seconds
	reached   reaches
	known     atomic.Pointer[store.KnownSettings]
	settled   atomic.Pointer[settled]
	updates   atomic.Int64 // of the settings, done or tried, and all else that may have changed them
	// settingsKey is where the store has the settings.
	settingsKey []byte
	rows        rows
	documents   documents
}

var (
	_ engine.Service         = (*Service)(nil)
	_ engine.Lister          = (*Service)(nil)
	_ engine.Drafter         = (*Service)(nil)
	_ engine.WorkingCopies   = (*Service)(nil)
	_ engine.Historian       = (*Service)(nil)
	_ engine.Curator         = (*Service)(nil)
	_ engine.OutboxReader    = (*Service)(nil)
	_ engine.WorkspaceKeeper = (*Service)(nil)
	_ engine.ProfileKeeper   = (*Service)(nil)
	_ engine.TestHistory     = (*Service)(nil)
)

// Open returns the service of a workspace that is in the store; NOT_FOUND where it is not. A workspace whose
// settings are damaged opens: its campaigns can be read. The store stays the caller's to close.
func Open(db store.DB, workspace string, o Options) (*Service, error) {
	s := newService(db, workspace, o)
	ctx := context.Background()
	err := s.view(ctx, func(sp store.Space) error {
		_, err := s.settings(sp)
		return err
	})
	if err != nil && !errors.As(err, new(*store.CorruptError)) {
		return nil, err
	}
	s.swept.Store(s.now().Unix())
	if s.sweepOnce(ctx) {
		s.rows.background(s.sweep)
	}
	return s, nil
}

func newService(db store.DB, workspace string, o Options) *Service {
	s := &Service{
		db: db, workspace: workspace, boot: o.Boot, clock: o.Clock, log: o.Logger,
		carriers: o.Carriers, fetcher: o.Fetcher, ids: newIDSource(),
	}
	s.settingsKey = store.SettingsKey(workspace)
	s.rows.keep = o.Keep.orDefaults()
	s.rows.ctx, s.rows.end = context.WithCancel(context.Background())
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.boot == "" {
		s.boot = uuid.NewString()
	}
	if s.carriers == nil {
		s.carriers = carriers.Mail
	}
	if s.gateways = o.Gateways; s.gateways == nil {
		s.gateways = new(carriers.Pool).Get
	}
	if s.fetcher == nil {
		s.fetcher = &delivery.Fetcher{}
	}
	return s
}

// now gives the time of the clock in UTC, without the part that a record does not keep.
func (s *Service) now() time.Time { return s.clock().UTC().Round(0) }

// view runs fn in one transaction that reads the workspace's records. What fn fails with is turned
// into what a caller may see.
func (s *Service) view(ctx context.Context, fn func(store.Space) error) error {
	return s.explain(ctx, s.db.View(ctx, func(tx store.Tx) error { return fn(store.In(tx, s.workspace)) }))
}

// explain lets refusals and ended contexts through, and wraps what the store says.
func (s *Service) explain(ctx context.Context, err error) error {
	var corrupt *store.CorruptError
	switch {
	case err == nil:
		return nil
	case engine.AsError(err) != nil:
		return err
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return err
	case errors.Is(err, store.ErrTooBig):
		return engine.Errorf(engine.BadRequest, http.StatusRequestEntityTooLarge, "this change is too large; make it smaller, or split it into several requests")
	case errors.As(err, &corrupt):
		s.log.Error("damaged record", "what", corrupt.What, "error", err)
		return internal(err, "%s is damaged in the store; restore an earlier revision, or a backup with `bugle restore`", corrupt.What)
	}
	s.log.Error("store", "error", err)
	switch {
	case store.NoSpace(err):
		e := internal(err, "%v", err)
		e.HTTP = http.StatusInsufficientStorage
		return e
	case store.NoFiles(err):
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

// missing is the answer for what is named and not there.
func missing(format string, args ...any) *engine.Error {
	return engine.Errorf(engine.NotFound, http.StatusNotFound, format, args...)
}

// stamped gives err with the request id, where it is a refusal.
func stamped(err error, requestID string) error {
	e := engine.AsError(err)
	if e == nil || e.RequestID != "" {
		return err
	}
	out := *e
	out.RequestID = requestID
	return &out
}

func (s *Service) settings(sp store.Space) (engine.Workspace, error) {
	w, err := sp.Settings()
	if errors.Is(err, store.ErrNotFound) {
		return w, missing("there is no workspace %q in this store", s.workspace)
	}
	if err != nil {
		return w, fmt.Errorf("reading the workspace: %w", err)
	}
	return w, nil
}

// campaign gives a campaign as it is now: its state moved on by the clock.
func (s *Service) campaign(sp store.Space, id string) (engine.Campaign, error) {
	if id == "" || len(id) > maxID {
		return engine.Campaign{}, engine.MissingCampaign(id)
	}
	c, err := sp.Campaign(id)
	if errors.Is(err, store.ErrNotFound) {
		return c, engine.MissingCampaign(id)
	}
	if err != nil {
		return c, fmt.Errorf("reading campaign %s: %w", id, err)
	}
	return s.current(c), nil
}

func (s *Service) current(c engine.Campaign) engine.Campaign {
	if !c.Status.Live() {
		return c // the clock moves no other
	}
	c.Head = engine.HeadAt(engine.Summarize(c), s.now())
	return c
}

// put stores c as changed now by someone, with a note for the history.
func (s *Service) put(sp store.Space, c *engine.Campaign, by, note string, coalesce bool) error {
	rev := s.revise(c, by, note)
	n, err := sp.PutCampaign(*c, engine.Summarize(*c), rev, coalesce)
	if err != nil {
		return fmt.Errorf("storing campaign %s: %w", c.ID, err)
	}
	c.Revision = n
	return nil
}

// revise notes in c that it is changed now by someone, and returns the entry of its history, with a note.
func (s *Service) revise(c *engine.Campaign, by, note string) engine.Revision {
	// After the clock was set back, what changes now is not older than what it changes: whoever looks
	// for the newest would not find it.
	if now := s.now(); now.After(c.UpdatedAt) {
		c.UpdatedAt = now
	}
	if by != "" {
		c.UpdatedBy = by
	}
	return engine.Revision{At: c.UpdatedAt, By: cmp.Or(c.UpdatedBy, c.CreatedBy), Note: note}
}

// env is what checks of this workspace know at a stage.
func (s *Service) env(w engine.Workspace, at schema.Stage) schema.Env {
	flags := w.Flags
	if flags == nil {
		flags = map[string]bool{}
	}
	return schema.Env{Stage: at, Now: s.now(), Flags: flags, Lists: w.Lists, Expression: personalize.Parse}
}

// checkBody refuses what is no object or too long.
func checkBody(v doc.Value) error {
	if v.Kind() != doc.Object {
		return engine.Errorf(engine.BadRequest, http.StatusBadRequest, "the body must be a JSON object, not %s", kindWords(v))
	}
	return checkSize(v)
}

// checkSize refuses what could not be read again once it is stored. Everything else that a reader refuses cannot be in
// a value.
func checkSize(v doc.Value) error {
	if n := v.Size(); n > MaxBody {
		return engine.Errorf(engine.BadRequest, http.StatusRequestEntityTooLarge, "the body is %d KiB long; at most %d KiB are allowed", n>>10, MaxBody>>10)
	}
	if v.Depth() > doc.MaxDepth {
		return engine.Errorf(engine.BadRequest, http.StatusBadRequest, "cannot store the body: it is nested deeper than %d levels", doc.MaxDepth)
	}
	return nil
}

func kindWords(v doc.Value) string {
	switch v.Kind() {
	case doc.Array:
		return "an array"
	case doc.Absent, doc.Null:
		return v.Kind().String()
	}
	return "a " + v.Kind().String()
}
