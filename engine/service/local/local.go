// Package local implements [engine.Service] on a store, with all capabilities of a local workspace.
package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/providers"
	"bugle/engine/message/delivery/secret"
	"bugle/engine/message/template"
	"bugle/engine/schema"
	"bugle/engine/search/index"
	"bugle/store"
)

// Options configure a service. The zero value is ready for use.
type Options struct {
	Clock  func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: nothing is logged
	// OnDamage is called with damage that a list leaves out; nil: it is only logged.
	OnDamage func(error)
	// Providers returns the provider for a connector that is not the outbox. Nil: SMTP, with the password
	// from the connector's environment variable.
	Providers func(engine.Connector) (delivery.Sender, error)
	// Gateways returns the provider for a push gateway. Nil: the real one, with the key that its settings
	// refer to.
	Gateways func(context.Context, engine.Gateway) (delivery.Sender, error)
	// Trust is the list of the keys in files and commands that gateways may use. The zero value allows none.
	Trust secret.Trust
	// Fetcher downloads the attachments of emails. Nil: one that refuses private addresses.
	Fetcher *delivery.Fetcher
}

// Service is [engine.Service] for one workspace of a store. It is safe for concurrent use. Caches and
// background work start on demand and end with Close.
type Service struct {
	*reader
	*writer
	*lists
	*audiences
	*content
	*uses
	*settings
	*users
	*dismissals
	sweeper   *sweeper
	keys      *idempotency
	providers func(engine.Connector) (delivery.Sender, error)
	gateways  func(context.Context, engine.Gateway) (delivery.Sender, error)
	fetcher   *delivery.Fetcher
	ids       *idSource
	tasks     *tasks
}

var (
	_ engine.Service          = (*Service)(nil)
	_ engine.Lister           = (*Service)(nil)
	_ engine.DraftSaver       = (*Service)(nil)
	_ engine.WorkingCopyStore = (*Service)(nil)
	_ engine.RevisionReader   = (*Service)(nil)
	_ engine.CampaignManager  = (*Service)(nil)
	_ engine.OutboxReader     = (*Service)(nil)
	_ engine.WorkspaceStore   = (*Service)(nil)
	_ engine.GatewayOpener    = (*Service)(nil)
	_ engine.UserStore        = (*Service)(nil)
	_ engine.TestHistory      = (*Service)(nil)
)

// Open returns the service of an existing workspace, or fails with NOT_FOUND. A workspace with damaged
// settings can be opened to read its campaigns. The caller must close the store.
func Open(db store.DB, workspace string, o Options) (*Service, error) {
	s := newService(db, workspace, o)
	ctx := context.Background()
	err := s.view(ctx, func(sp store.WorkspaceTx) error {
		_, err := s.reader.settings(sp)
		return err
	})
	if err != nil && !errors.As(err, new(*store.CorruptError)) {
		return nil, err
	}
	s.sweeper.start(ctx)
	return s, nil
}

func newService(db store.DB, workspace string, o Options) *Service {
	tasks := newTasks()
	w := newWriter(db, workspace, tasks, o)
	sweeper := &sweeper{writer: w, tasks: tasks}
	content := &content{w}
	audiences := &audiences{reader: w.reader, content: content}
	var s *Service
	follow := newFollower(db, tasks, func(changes []store.Change) { s.changed(changes) })
	w.index.follow = follow
	s = &Service{
		reader: w.reader, content: content, audiences: audiences,
		uses:   &uses{reader: w.reader, content: content},
		lists:  &lists{reader: w.reader, index: w.index, reach: &reachability{reader: w.reader, tasks: tasks, audiences: audiences}},
		writer: w, tasks: tasks, sweeper: sweeper,
		settings:   &settings{writer: w, tasks: tasks, follow: follow, trust: o.Trust},
		users:      &users{w},
		dismissals: &dismissals{w},
		keys:       &idempotency{writer: w, sweeper: sweeper},
		providers:  o.Providers, gateways: o.Gateways, fetcher: o.Fetcher, ids: newIDSource(),
	}
	pool := new(providers.Pool)
	if s.providers == nil {
		s.providers = pool.Mail
	}
	if s.gateways == nil {
		s.gateways = pool.Get
	}
	if s.fetcher == nil {
		s.fetcher = &delivery.Fetcher{}
	}
	return s
}

// Index returns the index of the workspace, which is loaded in the background, or false after Close.
func (s *Service) Index(context.Context) (*index.Index, bool) {
	ix := s.writer.index.request(scansBeforeIndex + 1)
	return ix, ix != nil
}

// Reindex updates the index after the store was changed without the service, for example by a repair.
func (s *Service) Reindex() {
	s.settingsChanges.Add(1)
	s.writer.index.reload()
}

// Close ends background work. Calls still work, but without caches.
func (s *Service) Close() error {
	s.tasks.close()
	s.writer.index.close()
	return nil
}

// put stores c as changed now, with a note for the history.
func (s *Service) put(sp store.WorkspaceTx, c *engine.Campaign, by, note string, coalesce bool) error {
	rev := s.revise(c, by, note)
	n, err := sp.PutCampaign(*c, engine.Summarize(*c), rev, coalesce)
	if err != nil {
		return fmt.Errorf("storing campaign %s: %w", c.ID, err)
	}
	c.Revision = n
	return nil
}

// revise sets the time and author of a change in c, and returns the history entry.
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

// env returns the environment for checks at a stage.
func (s *Service) env(w engine.Workspace, at schema.Stage) schema.Env {
	flags := w.Flags
	if flags == nil {
		flags = map[string]bool{}
	}
	return schema.Env{Stage: at, Now: s.now(), Flags: flags, Lists: w.Lists, Expression: template.Check}
}

// checkBody refuses a body that is not an object or too large.
func checkBody(v doc.Value) error {
	if v.Kind() != doc.Object {
		return engine.Errorf(engine.BadRequest, http.StatusBadRequest, "the body must be a JSON object, not %s", describeKind(v))
	}
	return checkSize(v)
}

// checkSize refuses a value that could not be read again after storing it.
func checkSize(v doc.Value) error {
	if n := v.Size(); n > engine.MaxBody {
		return engine.Errorf(engine.BadRequest, http.StatusRequestEntityTooLarge, "the body is %d KiB long; at most %d KiB are allowed", n>>10, engine.MaxBody>>10)
	}
	if v.Depth() > doc.MaxDepth {
		return engine.Errorf(engine.BadRequest, http.StatusBadRequest, "cannot store the body: it is nested deeper than %d levels", doc.MaxDepth)
	}
	return nil
}

func describeKind(v doc.Value) string {
	switch v.Kind() {
	case doc.Array:
		return "an array"
	case doc.Absent, doc.Null:
		return v.Kind().String()
	}
	return "a " + v.Kind().String()
}
