package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/operation"
)

// NewTrusted returns the handler of the API for callers that are already authorized for everything, such as
// those on a socket that only its user can access. Requests need no credentials: they use the workspace in
// X-SVC-Tenant-ID, or the only one, and have all scopes. Requests with credentials are checked as usual.
// Everything else is as in [New]; never make it reachable for others. list returns the ids of the workspaces.
func NewTrusted(lookup Lookup, list func(context.Context) ([]string, error), o Options) http.Handler {
	h := New(trusted{Keys(lookup), lookup, list}, o)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.Header.Values("Authorization")) > 0 {
			h.ServeHTTP(w, r)
			return
		}
		r = r.Clone(context.WithValue(r.Context(), tenantKey{}, r.Header.Get(operation.HeaderTenant)))
		r.SetBasicAuth("", "") // what stands there does not count
		h.ServeHTTP(w, r)
	})
}

// tenantKey is the context key of the workspace that a request without credentials uses.
type tenantKey struct{}

type trusted struct {
	keys   Workspaces
	lookup Lookup
	list   func(context.Context) ([]string, error)
}

func (t trusted) Authenticate(ctx context.Context, workspaceID, key string) (Tenant, bool, error) {
	id, ok := ctx.Value(tenantKey{}).(string)
	if !ok {
		return t.keys.Authenticate(ctx, workspaceID, key)
	}
	id, err := t.choose(ctx, id)
	if err != nil {
		return Tenant{}, false, err
	}
	if !engine.IsWorkspaceID(id) {
		return Tenant{}, false, withTenantTarget(engine.Errorf(engine.NotFound, http.StatusNotFound, "no workspace %q", id))
	}
	w, svc, err := t.lookup(ctx, id)
	if err != nil {
		return Tenant{}, false, withTenantTarget(err)
	}
	return Tenant{Workspace: w.ID, Scopes: engine.KnownScopes(), Publish: w.Publish, Service: svc}, true, nil
}

// choose returns the requested workspace.
func (t trusted) choose(ctx context.Context, id string) (string, error) {
	if id != "" {
		return id, nil
	}
	ids, err := t.list(ctx)
	switch {
	case err != nil:
		return "", err
	case len(ids) == 1:
		return ids[0], nil
	case len(ids) == 0:
		return "", withTenantTarget(engine.Errorf(engine.NotFound, http.StatusNotFound, "no workspace yet"))
	}
	ids = slices.Sorted(slices.Values(ids))
	return "", withTenantTarget(engine.Errorf(engine.ValidationFailed, http.StatusBadRequest,
		"the store has several workspaces (%s); choose one with the header %s", strings.Join(ids, ", "), operation.HeaderTenant))
}

// withTenantTarget adds to a refusal that it is about the tenant header.
func withTenantTarget(err error) error {
	e := engine.AsError(err)
	if e == nil || e.Target != "" {
		return err
	}
	out := *e
	out.Target = operation.HeaderTenant
	return &out
}
