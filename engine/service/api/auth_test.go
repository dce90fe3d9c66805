package api_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/service/api"
)

func TestCredentials(t *testing.T) {
	b := newBench(t)
	id := b.create(whole)
	for name, change := range map[string]with{
		"none": header("Authorization", ""), "wrong key": as("TEST", "wrong"), "no key": as("TEST", ""), "another's key": as("TEST", "key-of-other"),
		"unknown workspace": as("NOWHERE", keyAll), "no workspace": as("", keyAll), "long": as(strings.Repeat("x", 9999), keyAll),
		"bearer": header("Authorization", "Bearer "+keyAll), "not base64": header("Authorization", "Basic ???"),
		"the hash": as("TEST", apiKey("", keyAll).Hash),
		"two":      func(r *http.Request) { r.Header.Add("Authorization", "Basic eDp5") },
	} {
		t.Run(name, func(t *testing.T) {
			a := b.do("GET", campaigns+"/"+id, "", change, requestID("a"))
			a.refused(401, engine.Unauthorized, "Authorization").is(401, "response_id", "a")
			if !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Basic ") {
				t.Errorf("WWW-Authenticate %q", a.header.Get("WWW-Authenticate"))
			}
		})
	}
}

func TestARevokedKeyEndsAtOnce(t *testing.T) {
	b := newBench(t)
	b.do("GET", campaigns+"/"+b.create(whole), "", as("TEST", keyRead)).is(200)
	err := b.svc["TEST"].UpdateWorkspace(t.Context(), func(w *engine.Workspace) error { w.Keys = w.Keys[:1]; return nil })
	if err != nil {
		t.Fatal(err)
	}
	b.do("GET", campaigns+"/"+unused, "", as("TEST", keyRead)).is(401)
}

func TestTenancy(t *testing.T) {
	b := newBench(t)
	id := b.create(whole)
	b.do("GET", campaigns+"/"+id, "", header("X-SVC-Tenant-ID", "TEST")).is(200)
	b.do("GET", campaigns+"/"+id, "", header("X-SVC-Tenant-ID", "OTHER")).refused(403, engine.Forbidden, "X-SVC-Tenant-ID")
	r := request(t.Context(), "GET", campaigns+"/"+id, "", header("X-SVC-Tenant-ID", "TEST"))
	r.Header.Add("X-SVC-Tenant-ID", "OTHER")
	send(t, b, r).refused(403, engine.Forbidden, "X-SVC-Tenant-ID")
	other := as("OTHER", "key-of-other")
	b.do("POST", campaigns+"/search", `{"limit":15,"page":1,"campaign_fields":{"status":["DRAFT"]}}`, other).is(200, "data", `{"campaigns":[]}`)
	b.do("PATCH", campaigns+"/"+id, `{"basic_details":{"name":"mine"}}`, other).is(404)
}

func TestScopes(t *testing.T) {
	b := newBench(t)
	id := b.create(whole)
	for _, op := range []struct {
		method, path, body string
		write              bool
	}{
		{"POST", campaigns, `{` + emailHead + `}`, true}, {"PATCH", campaigns + "/" + id, `{"basic_details":{"name":"x"}}`, true},
		{"POST", campaigns + "/" + id + "/status", `{"action":"STOP"}`, true}, {"POST", campaigns + "/test", `{"draft_id":"` + id + `",` + idaTo + `}`, true},
		{"GET", campaigns + "/" + id, "", false}, {"POST", campaigns + "/" + id + "/validate", "", false},
		{"POST", campaigns + "/search", `{"limit":1,"page":1}`, false}, {"POST", campaigns + "/meta", `{"limit":1,"page":1}`, false},
	} {
		for key, may := range map[string]bool{keyRead: !op.write, keyPublish: true, keyManage: true, keyAll: true} {
			a := b.do(op.method, op.path, op.body, as("TEST", key))
			if may == (a.status == 403) {
				t.Errorf("%s %s with %s: %d", op.method, op.path, key, a.status)
			}
			if !may {
				a.refused(403, engine.Forbidden, "Authorization")
			}
		}
	}
}

func TestAFailingDirectory(t *testing.T) {
	h := api.New(api.Keys(func(context.Context, string) (engine.Workspace, engine.Service, error) {
		return engine.Workspace{}, nil, errors.New("the disk said: secret")
	}), api.Options{})
	a := send(t, h, request(t.Context(), "GET", campaigns+"/x", ""))
	a.is(500, "error.code", "INTERNAL_ERROR")
	if strings.Contains(a.raw, "secret") {
		t.Errorf("the answer tells what went wrong inside: %s", a.raw)
	}
}

// A key works until it expires.
func TestAKeyExpires(t *testing.T) {
	b := newBench(t, func(b *bench, w *engine.Workspace) {
		w.Keys[0].ExpiresAt = b.clock.Now().Add(time.Hour)
	})
	b.do("POST", campaigns+"/search", `{"limit":1,"page":1}`, as("TEST", keyAll)).is(200, "type", "campaign")
	b.clock.Add(time.Hour)
	a := b.do("POST", campaigns+"/search", `{"limit":1,"page":1}`, as("TEST", keyAll))
	a.refused(401, engine.Unauthorized, "Authorization")
	if a.header.Get("WWW-Authenticate") == "" || !strings.Contains(a.raw, "expired") {
		t.Errorf("%v %s", a.header, a.raw)
	}
}

// The last use of a key is stored, once an hour.
func TestTheUseOfAKeyIsStored(t *testing.T) {
	b := newBench(t)
	used := func() time.Time {
		w, err := b.svc["TEST"].Workspace(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return w.Keys[0].UsedAt
	}
	call := func() {
		b.do("POST", campaigns+"/search", `{"limit":1,"page":1}`, as("TEST", keyAll)).is(200, "type", "campaign")
	}
	first := b.clock.Now()
	call()
	b.clock.Add(59 * time.Minute)
	call()
	if !used().Equal(first) {
		t.Errorf("used %v, want %v", used(), first)
	}
	b.clock.Add(time.Minute)
	call()
	if !used().Equal(b.clock.Now()) {
		t.Errorf("used %v, want %v", used(), b.clock.Now())
	}
	b.do("POST", campaigns+"/search", `{"limit":1,"page":1}`, as("TEST", "wrong")).refused(401, engine.Unauthorized, "Authorization")
}

func TestFindKey(t *testing.T) {
	keys := []engine.APIKey{apiKey("a", "one"), apiKey("b", "two"), {ID: "broken"}}
	for key, want := range map[string]string{"one": "a", "two": "b", "three": "", "": ""} {
		if got, ok := api.FindKey(keys, key); got.ID != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", key, got.ID, ok)
		}
	}
	if _, ok := api.FindKey(nil, "one"); ok {
		t.Error("found a key where there are none")
	}
}
