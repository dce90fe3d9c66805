package local

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"bugle/engine"
)

// CreateKey adds an API key with the scopes, or with all scopes, to the workspace (CONTRACT.md,
// Authentication). The key is only returned this once: the store has its SHA-256. An unknown scope is refused
// with VALIDATION_FAILED.
func CreateKey(ctx context.Context, k engine.WorkspaceStore, now time.Time, scopes ...string) (apiKey string, record engine.APIKey, err error) {
	known := engine.KnownScopes()
	if len(scopes) == 0 {
		scopes = known
	}
	for _, scope := range scopes {
		if !slices.Contains(known, scope) {
			return "", engine.APIKey{}, refuse("scopes", "unknown scope %q; choose from %s", scope, strings.Join(known, ", "))
		}
	}
	apiKey, record = engine.NewAPIKey(now.UTC(), nil)
	for _, scope := range known { // in their order, each once
		if slices.Contains(scopes, scope) {
			record.Scopes = append(record.Scopes, scope)
		}
	}
	err = k.UpdateWorkspace(ctx, func(w *engine.Workspace) error {
		w.Keys = append(slices.Clip(w.Keys), record)
		return nil
	})
	if err != nil {
		return "", engine.APIKey{}, err
	}
	record.Hash = ""
	return apiKey, record, nil
}

// RevokeKey removes the API key with an id, effective immediately, or fails with NOT_FOUND.
func RevokeKey(ctx context.Context, k engine.WorkspaceStore, id string) error {
	return k.UpdateWorkspace(ctx, func(w *engine.Workspace) error {
		i := slices.IndexFunc(w.Keys, func(k engine.APIKey) bool { return k.ID == id })
		if i < 0 {
			e := engine.Errorf(engine.NotFound, http.StatusNotFound, "there is no API key %q in this workspace", id)
			e.Target = "id"
			return e
		}
		w.Keys = slices.Delete(slices.Clone(w.Keys), i, i+1)
		return nil
	})
}
