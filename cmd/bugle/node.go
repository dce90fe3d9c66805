package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/attach"
	"bugle/engine/openapi"
	"bugle/engine/search/index"
	"bugle/engine/service/api"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
	"bugle/store"
	"bugle/store/badger"
)

// open joins the data folder: as the owner of its store, or attached to the process that is. It creates the store if
// needed. All users share one node.
func (f *factory) open(ctx context.Context) (*attach.Node, error) {
	if f.node != nil {
		return f.node, nil
	}
	node, err := attach.Open(ctx, attach.Options{
		Dir: f.dataDir(), Version: version(), Opener: f.own,
		Handler: func(n *attach.Node) http.Handler {
			resolve := &resolver{node: n}
			return api.Trusted(resolve.lookup, n.Workspaces, api.Options{
				Unlimited: true, Health: resolve.health, OpenAPI: func() []byte { return openapi.JSON(version()) },
			})
		},
	})
	var path *fs.PathError
	if errors.As(err, &path) {
		return nil, fmt.Errorf("cannot use %s: %w; choose another folder with --data or %s", f.dataDir(), path.Err, envData)
	}
	if err != nil {
		return nil, err
	}
	suspendable(node)
	f.node = node
	f.heard.Go(func() { // ends with the node
		for text := range node.Notices(context.Background()) {
			f.notices.add(text)
		}
	})
	return node, nil
}

// own opens the store.
func (f *factory) own(ctx context.Context) (attach.Owned, error) {
	found := new(findings)
	db, err := badger.Open(ctx, badger.Options{
		Dir: f.dataDir(), Logger: slog.New(slog.DiscardHandler), Key: f.keys().Find, Encrypt: f.sealing.fresh,
		Found: func(text string) { f.notices.add(text); found.pass(text) },
	})
	var locked *store.LockedError
	if errors.As(err, &locked) {
		return nil, attach.Locked(err, locked.PID)
	}
	if err != nil {
		return nil, err
	}
	f.notices.add(damagedSettings(ctx, db)...)
	return f.keep(db, found), nil
}

// damagedSettings returns a sentence for each workspace whose settings are damaged.
func damagedSettings(ctx context.Context, db store.DB) (out []string) {
	_ = db.View(ctx, func(tx store.Tx) error { // other errors are reported to whoever needs the data
		ids, err := store.Workspaces(tx)
		if err != nil {
			return err
		}
		for _, id := range ids {
			s := store.In(tx, id)
			if !errors.As(s.SettingsDamage(), new(*store.CorruptError)) {
				continue
			}
			state := "their copy is used"
			if _, err := s.Settings(); err != nil {
				state = "so is their copy; campaigns can be read"
			}
			out = append(out, fmt.Sprintf("the settings of workspace %s are damaged, and %s; check with `bugle doctor`, and restore them with `bugle doctor --repair`", id, state))
		}
		return nil
	})
	return out
}

// owned is the store while this process owns it.
type owned struct {
	db      *badger.DB
	dataDir string
}

// keepIndex says when the search index of a workspace is kept for the next start. Tests keep those of small workspaces, too.
var keepIndex local.KeepIndex

func (o owned) Open(id string) (attach.Service, error) {
	return local.Open(o.db, id, local.Options{Keep: keepIndex})
}

func (o owned) Workspaces(ctx context.Context) (ids []string, err error) {
	err = o.db.View(ctx, func(tx store.Tx) error {
		ids, err = store.Workspaces(tx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing the workspaces: %w", err)
	}
	if lost := o.db.Lost(); len(ids) == 0 && len(lost) > 0 { // they seem to be lost
		return nil, fmt.Errorf("no workspace found: %s; check with `bugle doctor`, or choose a backup with `bugle restore`", lost[0])
	}
	return ids, nil
}

func (o owned) Create(ctx context.Context, w engine.Workspace, withSample bool) (id, key string, err error) {
	if withSample {
		key, err = sample.Install(ctx, o.db, sample.Options{ID: w.ID, Name: w.Name, Author: w.Author, Now: time.Now()})
	} else {
		key, err = local.CreateWorkspace(ctx, o.db, w)
	}
	return w.ID, key, err
}

func (o owned) Close() error {
	if err := o.db.Close(); err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}

func (f *factory) close() error {
	if f.node == nil {
		return nil
	}
	node := f.node
	f.node = nil
	defer f.heard.Wait()
	return node.Close()
}

// workspaceID returns the workspace to work in: the one asked for, or the only one.
func (f *factory) workspaceID(ctx context.Context, node *attach.Node) (string, error) {
	ids, err := node.Workspaces(ctx)
	id := f.wanted()
	switch {
	case err != nil:
		return "", err
	case len(ids) == 0:
		return "", errNoWorkspace
	case id == "" && len(ids) == 1:
		return ids[0], nil
	case id == "":
		return "", misused("the store has several workspaces (%s); choose one with --workspace", strings.Join(ids, ", "))
	case slices.Contains(ids, id):
		return id, nil
	}
	return "", misused("no workspace %q; choose from %s", id, strings.Join(ids, ", "))
}

// resolver finds the workspace of an API call.
type resolver struct {
	node *attach.Node
	only string // the only workspace that is served; empty: all
}

// narrow serves only one workspace, which must exist; empty means all, and there must be one.
func (d *resolver) narrow(ctx context.Context, id string) error {
	ids, err := d.node.Workspaces(ctx)
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		return errNoWorkspace
	case id != "" && !slices.Contains(ids, id):
		return misused("no workspace %q", id)
	}
	d.only = id
	return nil
}

// warm starts loading the index of each workspace that is served, so that the first search does not wait.
func (d *resolver) warm(ctx context.Context) error {
	ids := []string{d.only}
	if d.only == "" {
		var err error
		if ids, err = d.node.Workspaces(ctx); err != nil {
			return err
		}
	}
	for _, id := range ids {
		index.Of(ctx, d.node.Service(id))
	}
	return nil
}

// lookup implements [api.Lookup] with the current settings, so that a key is valid from its creation until it is
// revoked.
func (d *resolver) lookup(ctx context.Context, id string) (engine.Workspace, engine.Service, error) {
	if d.only != "" && d.only != id {
		return engine.Workspace{}, nil, engine.Errorf(engine.NotFound, http.StatusNotFound, "no workspace %q", id)
	}
	w, err := d.node.Settings(ctx, id)
	return w, d.node.Service(id), err
}

// health reports whether the store answers.
func (d *resolver) health(ctx context.Context) error {
	_, err := d.node.Workspaces(ctx)
	return err
}
