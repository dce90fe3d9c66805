package api_test

import (
	"context"
	"errors"
	"testing"

	"bugle/engine"
	"bugle/engine/service/api"
)

// trust serves the bench's workspaces to callers without credentials.
func (b *bench) trust(ids ...string) {
	b.Handler = api.NewTrusted(b.lookup, func(context.Context) ([]string, error) { return ids, nil }, b.api)
}

var noCredentials = header("Authorization", "")

// Who is trusted needs no key, and has every scope in the workspace that the header names.
func TestTrusted(t *testing.T) {
	b := newBench(t)
	b.trust("TEST", "OTHER")
	tenant := header("X-SVC-Tenant-ID", "TEST")
	id := b.do("POST", campaigns, whole, noCredentials, tenant).is(201).at("data.id")
	b.do("GET", campaigns+"/"+id, "", noCredentials, tenant).is(200)
	b.do("PATCH", campaigns+"/"+id, `{"status":"PUBLISH"}`, noCredentials, tenant).is(200)
	b.do("GET", campaigns+"/"+id, "", noCredentials, header("X-SVC-Tenant-ID", "OTHER")).is(404)
	b.do("GET", campaigns+"/"+id, "", noCredentials, header("X-SVC-Tenant-ID", "NOWHERE")).refused(404, engine.NotFound, "X-SVC-Tenant-ID")
	b.do("GET", campaigns+"/"+id, "", noCredentials, requestID("a")).refused(400, engine.ValidationFailed, "X-SVC-Tenant-ID").is(400, "response_id", "a")

	key := idemKey("2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09")
	first := b.do("POST", campaigns, whole, noCredentials, tenant, key, requestID("b")).is(201)
	if again := b.do("POST", campaigns, whole, noCredentials, tenant, key, requestID("c")); again.raw != first.raw {
		t.Errorf("a repeat is answered with %s after %s", again.raw, first.raw)
	}
	b.do("POST", campaigns, whole, noCredentials, tenant, header("Idempotency-Key", "")).refused(400, engine.ValidationFailed, "Idempotency-Key")
}

func TestTrustedInTheOnlyWorkspace(t *testing.T) {
	b := newBench(t)
	b.trust("TEST")
	b.do("GET", campaigns+"/"+b.create(whole), "", noCredentials).is(200)
	b.trust()
	b.do("GET", campaigns+"/"+unused, "", noCredentials).refused(404, engine.NotFound, "X-SVC-Tenant-ID")
	b.Handler = api.NewTrusted(b.lookup, func(context.Context) ([]string, error) { return nil, errors.New("secret") }, b.api)
	b.do("GET", campaigns+"/"+unused, "", noCredentials).is(500)
}

// Credentials count where they are given: a key with few scopes can be tried out.
func TestTrustedWithCredentials(t *testing.T) {
	b := newBench(t)
	b.trust("TEST", "OTHER")
	b.do("POST", campaigns, whole, as("TEST", keyRead)).refused(403, engine.Forbidden, "Authorization")
	b.do("POST", campaigns, whole, as("TEST", "wrong")).refused(401, engine.Unauthorized, "Authorization")
	b.do("POST", campaigns, whole, as("", "")).refused(401, engine.Unauthorized, "Authorization")
	b.do("POST", campaigns, whole, as("TEST", keyAll)).is(201)
}
