package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/attach"
	"bugle/engine/openapi"
	"bugle/engine/search/index"
	"bugle/engine/service/api"
)

// Open joins the data folder: as the owner of its store, or attached to the process that is. It creates the store if
// needed. All users share one node.
func (f *Factory) Open(ctx context.Context) (*attach.Node, error) {
	if f.node != nil {
		return f.node, nil
	}
	dir, open := f.DataDir(), attach.Opener(f.own)
	if _, ok := f.Database(); ok {
		dir, open = "", f.share
	}
	node, err := attach.Open(ctx, attach.Options{
		Dir: dir, Version: Version(), Opener: open,
		Handler: func(n *attach.Node) http.Handler {
			resolve := &Resolver{Node: n}
			return api.Trusted(resolve.Lookup, n.Workspaces, api.Options{
				Unlimited: true, Health: resolve.Health, OpenAPI: func() []byte { return openapi.JSON(Version()) },
			})
		},
	})
	var path *fs.PathError
	if errors.As(err, &path) {
		return nil, fmt.Errorf("cannot use %s: %w; choose another folder with --data or %s", f.DataDir(), path.Err, EnvData)
	}
	if err != nil {
		return nil, err
	}
	suspendable(node)
	f.node = node
	f.heard.Go(func() { // ends with the node
		for text := range node.Notices(context.Background()) {
			f.Notices.add(text)
		}
	})
	return node, nil
}

// Close leaves the store, where one was opened.
func (f *Factory) Close() error {
	node, db := f.node, f.db
	f.node, f.db = nil, nil
	switch {
	case node == nil && db == nil:
		return nil
	case node == nil:
		return db.Close()
	}
	defer f.heard.Wait()
	return node.Close()
}

// WorkspaceID returns the workspace to work in: the one asked for, or the only one.
func (f *Factory) WorkspaceID(ctx context.Context, node *attach.Node) (string, error) {
	ids, err := node.Workspaces(ctx)
	id := f.Wanted()
	switch {
	case err != nil:
		return "", err
	case len(ids) == 0:
		return "", ErrNoWorkspace
	case id == "" && len(ids) == 1:
		return ids[0], nil
	case id == "":
		return "", Misused("the store has several workspaces (%s); choose one with --workspace", strings.Join(ids, ", "))
	case slices.Contains(ids, id):
		return id, nil
	}
	return "", Misused("no workspace %q; choose from %s", id, strings.Join(ids, ", "))
}

// Resolver finds the workspace of an API call.
type Resolver struct {
	Node *attach.Node
	only string // the only workspace that is served; empty: all
}

// Narrow serves only one workspace, which must exist; empty means all, and there must be one.
func (d *Resolver) Narrow(ctx context.Context, id string) error {
	ids, err := d.Node.Workspaces(ctx)
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		return ErrNoWorkspace
	case id != "" && !slices.Contains(ids, id):
		return Misused("no workspace %q", id)
	}
	d.only = id
	return nil
}

// Warm starts loading the index of each workspace that is served, so that the first search does not wait.
func (d *Resolver) Warm(ctx context.Context) error {
	ids := []string{d.only}
	if d.only == "" {
		var err error
		if ids, err = d.Node.Workspaces(ctx); err != nil {
			return err
		}
	}
	for _, id := range ids {
		index.Of(ctx, d.Node.Service(id))
	}
	return nil
}

// Lookup implements [api.Lookup] with the current settings, so that a key is valid from its creation until it is
// revoked.
func (d *Resolver) Lookup(ctx context.Context, id string) (engine.Workspace, engine.Service, error) {
	if d.only != "" && d.only != id {
		return engine.Workspace{}, nil, engine.Errorf(engine.NotFound, http.StatusNotFound, "no workspace %q", id)
	}
	w, err := d.Node.Settings(ctx, id)
	return w, d.Node.Service(id), err
}

// Health reports whether the store answers.
func (d *Resolver) Health(ctx context.Context) error {
	_, err := d.Node.Workspaces(ctx)
	return err
}
