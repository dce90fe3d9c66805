package api_test

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/service/api"
	"bugle/engine/service/local"
	"bugle/store/kv"
	"bugle/store/mem"
)

// The statuses of the operations (CONTRACT.md, Envelopes and errors); 500 is for what must not happen, so
// that no input may lead to it.
var statuses = []int{200, 201, 204, 400, 401, 403, 404, 405, 409, 413, 422}

var codes = []string{"VALIDATION_FAILED", "UNPROCESSABLE_ENTITY", "BAD_REQUEST", "RATE_LIMITED", "UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND"}

// checkEnvelope checks what every answer of an operation promises.
func checkEnvelope(t *testing.T, about string, a answer) {
	t.Helper()
	good := a.status < 300
	switch {
	case !slices.Contains(statuses, a.status):
		t.Fatalf("%s: status %d: %s", about, a.status, a.raw)
	case a.raw == "":
		return // 204, or HEAD
	case a.doc.Get("data").Exists() != good || a.doc.Get("error").Exists() == good || good != (a.doc.Get("type").Text() != ""):
		t.Fatalf("%s: %d with the wrong envelope: %s", about, a.status, a.raw)
	case !good && (!slices.Contains(codes, a.at("error.code")) || a.at("error.message") == "" || strings.ContainsAny(a.at("error.message"), "\x00\x1b\r\n")):
		t.Fatalf("%s: %d without a good error: %s", about, a.status, a.raw)
	}
}

// template is a bench with one draft, which each run of a fuzz test gets a copy of.
func template(f *testing.F) (b *bench, id string) {
	b = newBench(f)
	return b, b.create(whole)
}

// copied is the API on a copy of b's store, which nothing leaves.
func copied(t *testing.T, b *bench) (http.Handler, *mem.DB) {
	t.Helper()
	db := b.db.(*mem.DB).Clone()
	svc, err := local.Open(db, "TEST", local.Options{
		Clock: b.clock.Now, Providers: func(engine.Connector) (delivery.Sender, error) { return nil, context.DeadlineExceeded },
		Fetcher: &delivery.Fetcher{Timeout: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return api.New(api.Keys(func(ctx context.Context, id string) (engine.Workspace, engine.Service, error) {
		if id != "TEST" {
			return engine.Workspace{}, nil, engine.Errorf(engine.NotFound, http.StatusNotFound, "there is no workspace %q", id)
		}
		w, err := svc.Workspace(ctx)
		return w, svc, err
	}), api.Options{Unlimited: true, Clock: b.clock.Now}), db
}

// contents returns all that a store holds.
func contents(t *testing.T, db *kv.Store) string {
	t.Helper()
	var all strings.Builder
	err := db.View(context.Background(), func(tx *kv.Tx) error {
		return tx.Scan(nil, kv.ScanOptions{}, func(key, value []byte) error {
			all.Write(key)
			all.WriteByte('=')
			all.Write(value)
			all.WriteByte('\n')
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// Whatever comes as a body, the answer is an envelope of a documented status, and never one of 500; what is
// refused has changed nothing, and the same request again is answered the same, byte for byte.
func FuzzBodies(f *testing.F) {
	b, id := template(f)
	targets := []struct{ method, path string }{
		{"POST", campaigns}, {"PATCH", campaigns + "/" + id}, {"POST", campaigns + "/" + id + "/validate"}, {"POST", campaigns + "/" + id + "/status"},
		{"POST", campaigns + "/search"}, {"POST", campaigns + "/meta"}, {"POST", campaigns + "/test"}, {"POST", "/v5/personalization/preview"},
	}
	for i := range targets {
		for _, s := range []string{
			whole, `{"action":"STOP"}`, `{"limit":1,"page":1}`, `{"status":"PUBLISH"}`, `{"draft_id":"$ID",` + idaTo + `}`, `[`, `{"request_id":{}}`,
			`{"channel":"SMS","user_identification":{"type":"EMAIL","value":"a@example.com"},"campaign_content":{"a":"{{ {% }}"}}`,
			`{"limit":15,"page":9223372036854775807,"campaign_fields":{"status":["DRAFT"],"created_date":{"from_date":"2026-01-01","to_date":"x"},"name":"\u0000","version_number":1e2}}`,
		} {
			f.Add(uint8(i), s, "")
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, body, reqID string) {
		target := targets[int(i)%len(targets)]
		body = strings.ReplaceAll(body, "$ID", id)
		h, db := copied(t, b)
		before := contents(t, db.Store)
		key := uuid.NewString()
		once := func() answer {
			return send(t, h, request(t.Context(), target.method, target.path, body, requestID(reqID), idemKey(key)))
		}
		a := once()
		checkEnvelope(t, target.method+" "+target.path, a)
		after := contents(t, db.Store)
		if a.status >= 300 && after != before {
			t.Fatalf("%s %s: refused with %d, and something was written: %s", target.method, target.path, a.status, a.raw)
		}
		again := once()
		if sameID := a.doc.Get("response_id").Text() == again.doc.Get("response_id").Text(); again.status != a.status || sameID && again.raw != a.raw {
			t.Fatalf("%s %s: first %d %s, and again %d %s", target.method, target.path, a.status, a.raw, again.status, again.raw)
		}
		if last := contents(t, db.Store); last != after {
			t.Fatalf("%s %s: doing the same again wrote more: %s", target.method, target.path, again.raw)
		}
	})
}

// Whatever request net/http lets through, the answer is one of the API's, well formed, with no header that
// the request wrote; and without credentials nothing of the workspace is in it. $ID is the draft's id, and
// $AUTH good credentials.
func FuzzRequests(f *testing.F) {
	b, id := template(f)
	auth := request(f.Context(), "GET", "/", "").Header.Get("Authorization")
	for _, head := range []string{
		"GET /v5/campaigns/$ID HTTP/1.1\r\nHost: x\r\n$AUTH\r\n", "HEAD /v5/campaigns/$ID HTTP/1.0\r\n$AUTH\r\n", "OPTIONS * HTTP/1.1\r\nHost: x\r\n", "GET //v5/campaigns/../x HTTP/1.1\r\nHost: x\r\n",
		"GET /healthz HTTP/1.1\r\nHost: x\r\n", "GET /metrics?name[]=a HTTP/1.1\r\nHost: x\r\n", "DELETE /v5/campaigns/$ID HTTP/1.1\r\nHost: x\r\n$AUTH\r\n", "GET /v5/campaigns/%24%00%0a HTTP/1.1\r\nHost: x\r\n$AUTH\r\n",
		"POST /v5/campaigns HTTP/1.1\r\nHost: x\r\n$AUTH\r\nContent-Type: application/json\r\nX-SVC-Request-Id: a\r\nIdempotency-Key: 2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09\r\nContent-Length: 96\r\n",
		"POST /v5/campaigns/search HTTP/1.1\r\nHost: x\r\n$AUTH\r\nX-SVC-Request-Id: \xff\r\nX-SVC-Request-Id: b\r\nTransfer-Encoding: chunked\r\n", "PATCH /v5/campaigns/$ID HTTP/1.1\r\nHost: x\r\n$AUTH\r\nContent-Encoding: gzip\r\nExpect: 100-continue\r\n",
		"POST /v5/campaigns/search?limit=1 HTTP/1.1\r\nHost: x\r\n$AUTH\r\nX-SVC-Tenant-ID: OTHER\r\nContent-Type: text/plain\r\n", "GET http://evil/v5/campaigns/$ID HTTP/1.1\r\nHost: y\r\nAuthorization: Basic Og==\r\n", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n",
	} {
		for _, body := range []string{"", "{" + pushHead + "}", "5\r\n{\"a\":\r\n2\r\n1}\r\n0\r\n\r\n"} {
			f.Add([]byte(head + "\r\n" + body))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		known := bytes.Contains(in, []byte("$AUTH"))
		in = bytes.ReplaceAll(bytes.ReplaceAll(in, []byte("$ID"), []byte(id)), []byte("$AUTH"), []byte("Authorization: "+auth))
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(in)))
		if err != nil {
			return
		}
		h, db := copied(t, b)
		before := contents(t, db.Store)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		for name, values := range w.Result().Header {
			if strings.ContainsAny(name+strings.Join(values, ""), "\r\n\x00") {
				t.Fatalf("%q: the header %s is %q", in, name, values)
			}
		}
		if w.Code >= 300 && contents(t, db.Store) != before {
			t.Fatalf("%q: refused with %d, and something was written: %s", in, w.Code, w.Body)
		}
		if !known && (strings.Contains(w.Body.String(), "Spring mail") || contents(t, db.Store) != before) && r.Header.Get("Authorization") != auth {
			t.Fatalf("%q: done without credentials: %d %s", in, w.Code, w.Body)
		}
		if p := r.URL.Path; w.Code < 300 && (p == "/healthz" || p == "/metrics") {
			return
		}
		a := answer{TB: t, status: w.Code, header: w.Result().Header, raw: w.Body.String()}
		if a.raw != "" {
			if a.doc, err = doc.Parse([]byte(a.raw)); err != nil {
				t.Fatalf("%q: the answer is no JSON: %v: %s", in, err, a.raw)
			}
		}
		checkEnvelope(t, r.Method+" "+r.URL.String(), a)
	})
}
