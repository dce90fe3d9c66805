package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"bugle/engine"
	"bugle/engine/message/delivery/secret"
	"bugle/engine/openapi"
	"bugle/engine/service/api"
	"bugle/engine/service/local"
	"bugle/store"
	"bugle/store/postgres"
	"bugle/store/socket"
)

// Store is the store that commands use: in a folder that several processes may share, or in a database.
type Store struct {
	records store.DB
	folder  *socket.DB   // nil if it is in a database
	shared  *postgres.DB // nil if it is in a folder

	notices  *Notices
	trust    secret.Trust
	mu       sync.Mutex
	services map[string]*local.Service
}

// Store opens the store, which must exist. It fails if a remote is in use.
func (f *Factory) Store(ctx context.Context) (*Store, error) {
	if err := f.checkPlace(Reach{Places: InStore}); err != nil {
		return nil, err
	}
	err := f.CheckFolder()
	if _, ok := f.Database(); ok {
		err = f.connect(ctx, false)
	}
	if err != nil {
		return nil, err
	}
	return f.Open(ctx)
}

// Open opens the store: a folder, as its owner or attached to it, or a database. It creates the store if necessary. All
// callers share one store.
func (f *Factory) Open(ctx context.Context) (*Store, error) {
	if f.store != nil {
		return f.store, nil
	}
	s := &Store{services: map[string]*local.Service{}, notices: &f.Notices, trust: f.Trust()}
	if _, ok := f.Database(); ok {
		if err := f.connect(ctx, true); err != nil {
			return nil, err
		}
		s.records, s.shared = f.db, f.db
		f.store = s
		return s, nil
	}
	opened := make(chan struct{})
	handler := api.NewTrusted(s.lookup, s.Workspaces, api.Options{
		Unlimited: true, Health: s.Health, OpenAPI: func() []byte { return openapi.JSON(Version()) },
	})
	o := socket.Options{
		Dir: f.DataDir(), Version: Version(), Opener: f.own, Patience: Patience,
		Notify: func(problem string) { f.Notices.Damage(problem) },
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-opened // only takes a moment
			handler.ServeHTTP(w, r)
		}),
	}
	db, err := socket.Open(ctx, o)
	if errors.Is(err, syscall.EROFS) && f.CheckFolder() == nil {
		db, err = f.openReadOnly(ctx, o)
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return nil, fmt.Errorf("cannot use %s: %w; %s", f.DataDir(), path.Err, store.FolderRemedy(f.DataDir(), err))
	}
	if err != nil {
		return nil, err
	}
	s.records, s.folder = db, db
	close(opened)
	f.store = s
	return s, nil
}

// Close closes the store, if one was opened.
func (f *Factory) Close() error {
	s, db := f.store, f.db
	f.store, f.db = nil, nil
	switch {
	case s != nil:
		return s.close()
	case db != nil:
		return db.Close()
	}
	return nil
}

func (s *Store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, svc := range s.services {
		_ = svc.Close() // never fails
	}
	return s.records.Close()
}

// Folder returns the store in a folder, or nil if it is in a database.
func (s *Store) Folder() *socket.DB { return s.folder }

// Patience is how long to wait for the process that has the store open; 0 means the usual time. Tests wait longer on
// machines with much else to do.
var Patience time.Duration

// Service returns the service of a workspace, which is opened once. It fails with NOT_FOUND if there is no such workspace.
func (s *Store) Service(ctx context.Context, id string) (*local.Service, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if svc, ok := s.services[id]; ok {
		return svc, nil
	}
	svc, err := local.Open(s.records, id, local.Options{Trust: s.trust, OnDamage: func(err error) {
		text, more, _ := strings.Cut(err.Error(), "\n")
		if more != "" {
			text += fmt.Sprintf(" (and %d more)", 1+strings.Count(more, "\n"))
		}
		s.notices.Damage(text)
	}})
	if err != nil {
		return nil, err
	}
	s.services[id] = svc
	return svc, nil
}

// Workspaces returns the ids of the workspaces in the store.
func (s *Store) Workspaces(ctx context.Context) (ids []string, err error) {
	err = s.records.Read(ctx, func(tx store.Tx) error {
		ids, err = tx.Workspaces()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing the workspaces: %w", err)
	}
	return ids, nil
}

// Records returns the records of the store.
func (s *Store) Records() store.DB { return s.records }

// Follow calls deliver with the changes of other processes until ctx ends.
func (s *Store) Follow(ctx context.Context, deliver func([]store.Change)) {
	if feed, ok := s.records.(store.Feed); ok {
		feed.Follow(ctx, func() {}, deliver)
	}
}

// WorkspaceID returns the workspace to use: the requested one, or the only one.
func (f *Factory) WorkspaceID(ctx context.Context, s *Store) (string, error) {
	ids, err := s.Workspaces(ctx)
	if err != nil {
		return "", err
	}
	id, err := f.Wanted()
	switch {
	case err != nil:
		return "", err
	case len(ids) == 0:
		return "", ErrNoWorkspace
	case id == "" && len(ids) == 1:
		return ids[0], nil
	case id == "":
		return "", Misused("the store has several workspaces (%s); choose one with --workspace, or with `bugle workspace use`", strings.Join(ids, ", "))
	case slices.Contains(ids, id):
		return id, nil
	}
	return "", Misused("no workspace %q; choose from %s", id, strings.Join(ids, ", "))
}

// Serve returns what finds the workspace of an API call: the one with an id, or each if that is "". It starts loading their
// indexes, so that the first search does not wait.
func (s *Store) Serve(ctx context.Context, only string) (api.Lookup, error) {
	ids, err := s.Workspaces(ctx)
	switch {
	case err != nil:
		return nil, err
	case len(ids) == 0:
		return nil, ErrNoWorkspace
	case only != "" && !slices.Contains(ids, only):
		return nil, Misused("no workspace %q", only)
	case only != "":
		ids = []string{only}
	}
	for _, id := range ids {
		svc, err := s.Service(ctx, id)
		if err != nil {
			return nil, err
		}
		svc.Index(ctx)
	}
	return func(ctx context.Context, id string) (engine.Workspace, engine.Service, error) {
		if only != "" && only != id {
			return engine.Workspace{}, nil, engine.Errorf(engine.NotFound, http.StatusNotFound, "no workspace %q", id)
		}
		return s.lookup(ctx, id)
	}, nil
}

// lookup implements [api.Lookup] with the current settings, so that a key is valid from its creation until it is revoked.
func (s *Store) lookup(ctx context.Context, id string) (engine.Workspace, engine.Service, error) {
	svc, err := s.Service(ctx, id)
	if err != nil {
		return engine.Workspace{}, nil, err
	}
	w, err := svc.Settings(ctx)
	return w, svc, err
}

// Health reports whether the store responds.
func (s *Store) Health(ctx context.Context) error {
	_, err := s.Workspaces(ctx)
	return err
}
