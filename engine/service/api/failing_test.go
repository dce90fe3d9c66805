package api_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/service/api"
	"bugle/store"
	"bugle/store/kv"
)

// failing is a store whose transactions fail with what is set, reads or writes.
type failing struct {
	kv.Driver
	view, update error
}

func (f *failing) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	if f.view != nil {
		return nil, f.view
	}
	return f.Driver.Snapshot(ctx)
}

func (f *failing) Commit(ctx context.Context, c kv.Change) error {
	if f.update != nil {
		return f.update
	}
	return f.Driver.Commit(ctx, c)
}

func failingBench(t *testing.T) (*bench, *failing) {
	f := new(failing)
	return newBench(t, func(b *bench, _ *engine.Workspace) {
		f.Driver = b.db.(interface{ Driver() kv.Driver }).Driver()
		b.db = kv.NewStore(f)
	}), f
}

// insideWords is what errors of a store quote, and no answer may.
const insideWords = "/home/ann/.local/share/bugle"

// writes tracks the running writes.
func writes(id string) [][3]string {
	return [][3]string{
		{"POST", campaigns, whole}, {"PATCH", campaigns + "/" + id, `{"basic_details":{"name":"x"}}`}, {"PATCH", campaigns + "/" + id, `{"status":"PUBLISH"}`},
		{"POST", campaigns + "/test", `{"draft_id":"` + id + `",` + idaTo + `}`},
	}
}

// While the disk is full, what writes is answered 507 with what to do, and what reads is answered.
func TestTheDiskIsFull(t *testing.T) {
	b, f := failingBench(t)
	id, live := b.create(whole), b.create(whole)
	b.publish(live)
	for _, full := range []error{
		fmt.Errorf("%w: nothing was written to %s; free at least 64 MB there and try again", store.ErrDiskFull, insideWords),
		fmt.Errorf("write %s/store/000001.vlog: %w", insideWords, syscall.ENOSPC),
	} {
		f.update = full
		for _, w := range append(writes(id), [3]string{"POST", campaigns + "/" + live + "/status", `{"action":"STOP"}`}) {
			a := b.do(w[0], w[1], w[2], requestID("r")).refused(507, engine.Internal, "").is(507, "response_id", "r")
			if m := a.at("error.message"); !strings.Contains(m, "free some space") || strings.Contains(a.raw, insideWords) {
				t.Errorf("%s %s: %s", w[0], w[1], a.raw)
			}
		}
		b.do("GET", campaigns+"/"+id, "").is(200)
		b.do("POST", campaigns+"/search", `{"limit":1,"page":1,"campaign_fields":{"status":["DRAFT"]}}`).is(200)
		b.do("POST", campaigns+"/meta", `{"limit":1,"page":1}`).is(200)
		b.do("POST", campaigns+"/"+id+"/validate", "").is(200)
	}
	f.update = nil
	key := idemKey("2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09")
	b.do("PATCH", campaigns+"/"+id, `{"basic_details":{"name":"x"}}`, key).is(200)
}

// stuck is a store whose writes do not come back until they are let go.
type stuck struct {
	kv.Driver
	began, release chan struct{}
}

func (s *stuck) Commit(ctx context.Context, c kv.Change) error {
	if s.began != nil {
		s.began <- struct{}{}
		<-s.release
	}
	return s.Driver.Commit(ctx, c)
}

// While writes do not come back, /healthz tells, and reads go on.
func TestHealthWhileWritesAreStuck(t *testing.T) {
	db := &stuck{}
	b := newBench(t, func(b *bench, _ *engine.Workspace) {
		db.Driver = b.db.(interface{ Driver() kv.Driver }).Driver()
		b.db = kv.NewStore(db)
	})
	id := b.create(whole)
	db.began, db.release = make(chan struct{}), make(chan struct{})
	done := make(chan answer, 1)
	go func() { done <- b.do("PATCH", campaigns+"/"+id, `{"basic_details":{"name":"x"}}`) }()
	<-db.began
	if got := page(t, b, "/healthz", 200); got != `{"status":"ok"}` {
		t.Errorf("at first /healthz says %s", got)
	}
	b.clock.Add(11 * time.Second)
	if got := page(t, b, "/healthz", 200); !strings.Contains(got, `"degraded"`) || !strings.Contains(got, "writes are stuck: 1 ") {
		t.Errorf("/healthz says %s", got)
	}
	b.do("GET", campaigns+"/"+id, "").is(200)
	close(db.release)
	(<-done).is(200)
	if got := page(t, b, "/healthz", 200); got != `{"status":"ok"}` {
		t.Errorf("in the end /healthz says %s", got)
	}
}

// What is too much for one transaction is the caller's to make smaller.
func TestTooMuchForOneTransaction(t *testing.T) {
	b, f := failingBench(t)
	id := b.create(whole)
	f.update = fmt.Errorf("storing campaign %s: %w", id, store.ErrTooLarge)
	for _, w := range writes(id) {
		a := b.do(w[0], w[1], w[2]).is(413, "error.code", "BAD_REQUEST")
		if m := a.at("error.message"); !strings.Contains(m, "smaller") {
			t.Errorf("%s %s: %s", w[0], w[1], m)
		}
	}
}

// What cannot be read now is not damaged, and no answer quotes what went wrong inside.
func TestReadsWhileOffline(t *testing.T) {
	b, f := failingBench(t)
	id := b.create(whole)
	open := &struct{ error }{fmt.Errorf("open %s/store/000007.sst: %w", insideWords, syscall.EMFILE)}
	for name, tt := range map[string]struct {
		err    error
		status int
	}{
		"no descriptors": {fmt.Errorf("the store in %s: proving a table: %w", insideWords, open.error), 503},
		"no database":    {fmt.Errorf("the database at %s: %w", insideWords, store.ErrUnreachable), 503},
		"something else": {fmt.Errorf("the store in %s: it does not do it", insideWords), 500},
	} {
		t.Run(name, func(t *testing.T) {
			f.view = tt.err
			defer func() { f.view = nil }()
			svc := api.New(api.Keys(func(context.Context, string) (engine.Workspace, engine.Service, error) {
				return engine.Workspace{ID: "TEST", Keys: []engine.APIKey{apiKey("k", keyAll, engine.KnownScopes()...)}}, b.svc["TEST"], nil
			}), api.Options{})
			a := send(t, svc, request(t.Context(), "POST", campaigns+"/"+id+"/validate", ""))
			a.is(tt.status, "error.code", "INTERNAL_ERROR")
			if strings.Contains(a.raw, "damaged") || strings.Contains(a.raw, insideWords) || strings.Contains(a.raw, ".sst") {
				t.Errorf("%s", a.raw)
			}
		})
	}
}

// What a process that has the store says of itself is for the people on its machine, not for callers.
func TestResponsesHideProcesses(t *testing.T) {
	silent := engine.Errorf(engine.Internal, http.StatusGatewayTimeout, "%w", errors.New("the bugle that has the store open (4711) is suspended; `kill -9 4711`"))
	h := api.New(api.Keys(func(context.Context, string) (engine.Workspace, engine.Service, error) {
		return engine.Workspace{}, nil, silent
	}), api.Options{})
	a := send(t, h, request(t.Context(), "GET", campaigns+"/x", "")).is(504, "error.code", "INTERNAL_ERROR")
	if strings.Contains(a.raw, "4711") || strings.Contains(a.raw, "kill") || !strings.Contains(a.raw, "does not respond") {
		t.Errorf("%s", a.raw)
	}
}

// An id that no workspace can have is not looked up, and is as wrong as any other.
func TestUserNamesThatNoWorkspaceHas(t *testing.T) {
	h := api.New(api.Keys(func(_ context.Context, id string) (engine.Workspace, engine.Service, error) {
		return engine.Workspace{}, nil, fmt.Errorf("the store does not take %q", id)
	}), api.Options{})
	trusted := api.NewTrusted(func(_ context.Context, id string) (engine.Workspace, engine.Service, error) {
		return engine.Workspace{}, nil, fmt.Errorf("the store does not take %q", id)
	}, func(context.Context) ([]string, error) { return nil, nil }, api.Options{})
	send(t, trusted, request(t.Context(), "GET", campaigns+"/x", "", header("Authorization", ""), header("X-SVC-Tenant-ID", "a b"))).refused(404, engine.NotFound, "X-SVC-Tenant-ID")
	for _, user := range []string{"TEST\x00", "\x00", "a b", "a\nb", "\xff", "\u202eTSET", "\ufffd", "\x7f", "\U000E0041"} {
		send(t, h, request(t.Context(), "GET", campaigns+"/x", "", as(user, keyAll))).refused(401, engine.Unauthorized, "Authorization")
	}
}

// A list that leaves out a campaign because it is damaged does not pass for a whole one.
func TestDamagedList(t *testing.T) {
	b := newBench(t)
	id := b.create(whole)
	err := b.db.(interface {
		Update(context.Context, func(*kv.Tx) error) error
	}).Update(t.Context(), func(tx *kv.Tx) error {
		return tx.Scan([]byte("rTEST\x00\x01s"), kv.ScanOptions{}, func(key, value []byte) error {
			value = bytes.Clone(value)
			value[len(value)-1] ^= 1
			return tx.Set(bytes.Clone(key), value)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/search", "/meta"} {
		if a := b.do("POST", campaigns+path, `{"limit":15,"page":1}`).is(500); !strings.Contains(a.raw, "damaged") {
			t.Errorf("%s of a store without %s: %s", path, id, a.raw)
		}
	}
}
