package local_test

import (
	"slices"
	"testing"

	"bugle/engine"
	"bugle/engine/service/api"
	"bugle/engine/service/local"
)

// A new key opens the workspace with its scopes until it is revoked, and the store has only its hash.
func TestKeys(t *testing.T) {
	b := newBench(t, local.Options{})
	key, made, err := local.CreateKey(b.ctx, b, b.clock.Now(), engine.ScopeManage, engine.ScopeManage)
	b.ok(err)
	if made.ID == "" || made.Hash != "" || !slices.Equal(made.Scopes, []string{engine.ScopeManage}) || !made.CreatedAt.Equal(b.clock.Now()) {
		t.Errorf("the record is %+v", made)
	}
	w, err := b.Workspace(b.ctx)
	b.ok(err)
	found, ok := api.FindKey(w.Keys, key)
	if !ok || found.ID != made.ID || found.Hash == key || len(w.Keys) != 2 {
		t.Errorf("the keys are %+v", w.Keys)
	}

	all, _, err := local.CreateKey(b.ctx, b, b.clock.Now())
	b.ok(err)
	w, err = b.Workspace(b.ctx)
	b.ok(err)
	if found, _ := api.FindKey(w.Keys, all); !slices.Equal(found.Scopes, engine.KnownScopes()) {
		t.Errorf("without scopes the key has %v", found.Scopes)
	}

	b.ok(local.RevokeKey(b.ctx, b, made.ID))
	w, err = b.Workspace(b.ctx)
	b.ok(err)
	if _, ok := api.FindKey(w.Keys, key); ok || len(w.Keys) != 2 {
		t.Errorf("after it was revoked the keys are %+v", w.Keys)
	}
	refused(t, local.RevokeKey(b.ctx, b, made.ID), engine.NotFound, 404)
	refused(t, local.RevokeKey(b.ctx, b, ""), engine.NotFound, 404)
	_, _, err = local.CreateKey(b.ctx, b, b.clock.Now(), "campaigns:everything")
	refused(t, err, engine.ValidationFailed, 400)
}
