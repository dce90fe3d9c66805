package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"

	"bugle/engine"
)

// Lookup returns the settings and the service of a workspace, and an error with the code
// [engine.NotFound] where there is none of that id.
type Lookup func(ctx context.Context, id string) (engine.Workspace, engine.Service, error)

// Keys returns the [Workspaces] whose credentials are a workspace's id and one of its API keys, as
// its settings are at each call: a key that is revoked ends at once.
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

// FindKey returns the API key among keys whose SHA-256 is that of key. How long it takes tells
// nothing of what the keys are, nor whether there is any.
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

// noKeys stand in for those of a workspace that is not there. No key has this hash.
var noKeys = []engine.APIKey{{Hash: fmt.Sprintf("%*s", 2*sha256.Size, "")}}
