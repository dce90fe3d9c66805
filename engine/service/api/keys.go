package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

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
	return Tenant{Workspace: w.ID, KeyID: found.ID, Scopes: found.Scopes, Expires: found.ExpiresAt, Used: found.UsedAt, Publish: w.Publish, Service: svc}, true, nil
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

// keyUses are the times when this server last stored that a key was used, by its id.
type keyUses struct{ stored sync.Map }

// noteTimeout limits the time that a request waits for the storing of the use of its key.
const noteTimeout = 2 * time.Second

// note stores that the key of a tenant was used, unless that was stored less than [engine.KeyUseInterval] ago.
func (u *keyUses) note(ctx context.Context, t Tenant, now time.Time) error {
	svc, ok := t.Service.(engine.KeyUser)
	if !ok || t.KeyID == "" || now.Sub(t.Used) < engine.KeyUseInterval {
		return nil
	}
	if at, ok := u.stored.Load(t.KeyID); ok && now.Sub(at.(time.Time)) < engine.KeyUseInterval {
		return nil // by a request that runs now, or in vain
	}
	u.stored.Store(t.KeyID, now)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
	defer cancel()
	return svc.NoteKeyUse(ctx, t.KeyID, now)
}
