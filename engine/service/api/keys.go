package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"

	"bugle/engine"
)

// Lookup returns the settings and the service of a workspace, or an error with the code [engine.NotFound].
type Lookup func(ctx context.Context, id string) (engine.Workspace, engine.Service, error)

// Keys returns the Workspaces whose credentials are a workspace's id and one of its API keys in the current
// settings: a revoked key stops working immediately.
func Keys(lookup Lookup) Workspaces { return keyring{lookup} }

type keyring struct{ lookup Lookup }

func (k keyring) Authenticate(ctx context.Context, workspaceID, key string) (Tenant, bool, error) {
	var w engine.Workspace
	var svc engine.Service
	if engine.IsWorkspaceID(workspaceID) && len(workspaceID) <= maxID {
		var err error
		w, svc, err = k.lookup(ctx, workspaceID)
		if e := engine.AsError(err); e != nil && e.Code == engine.NotFound {
			w, svc, err = engine.Workspace{}, nil, nil
		}
		if err != nil {
			return Tenant{}, false, fmt.Errorf("looking up the workspace: %w", err)
		}
	}
	found, ok := FindKey(w.Keys, key)
	if !ok {
		return Tenant{}, false, nil
	}
	return Tenant{Workspace: w.ID, KeyID: found.ID, Scopes: found.Scopes, Publish: w.Publish, Service: svc}, true, nil
}

// FindKey returns the API key among keys that has the SHA-256 of key. Its duration reveals nothing about the
// keys.
func FindKey(keys []engine.APIKey, key string) (engine.APIKey, bool) {
	sum := sha256.Sum256([]byte(key))
	hash := hex.AppendEncode(nil, sum[:])
	if len(keys) == 0 {
		keys = noKeys
	}
	at := -1
	for i, k := range keys {
		at = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(hash, []byte(k.Hash)), i, at)
	}
	if at < 0 {
		return engine.APIKey{}, false
	}
	return keys[at], true
}

// noKeys are used for a workspace that does not exist. No key has this hash.
var noKeys = []engine.APIKey{{Hash: fmt.Sprintf("%*s", 2*sha256.Size, "")}}
