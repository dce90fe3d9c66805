//go:build linux || darwin || freebsd

package attach_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/attach"
	"bugle/engine/doc"
)

// When the owner leaves in order, another takes over, and calls in between wait for it.
func TestHandOver(t *testing.T) {
	s := newShed(t)
	first, second := s.pair()
	third := s.node()
	id := create(t, second.Service(workspace))
	s.ok(first.Close())
	for _, n := range []*attach.Node{second, third} {
		if c, err := n.Service(workspace).Get(t.Context(), id); err != nil || c.ID != id {
			t.Fatalf("after the hand-over: %v, %v", c.ID, err)
		}
	}
	roles := map[attach.Role]int{second.State().Role: 1}
	roles[third.State().Role]++
	if roles[attach.Owner] != 1 || roles[attach.Attached] != 1 {
		t.Errorf("the second is %s, the third %s", second.State().Role, third.State().Role)
	}
	if _, err := first.Service(workspace).Get(t.Context(), id); !errors.Is(err, attach.ErrClosed) {
		t.Errorf("a call after Close: %v", err)
	}
}

// A call whose new connection comes to the next owner, before it is seen that the former is gone, has no effect there: it is made again once the two know each other.
func TestNextOwnerIsGreetedFirst(t *testing.T) {
	s := newShed(t)
	_, err := s.open(t.Context())
	s.ok(err)
	l, err := net.Listen("unix", socketOf(s.dir))
	s.ok(err)
	handler, err := attach.Handler(s.dir, &held{shed: s})
	s.ok(err)
	gone := make(chan struct{})
	var end sync.Once
	var calls []string
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		over := false
		select {
		case <-gone:
			over = true
		default:
		}
		switch path := r.URL.Path; {
		case over:
			handler.ServeHTTP(w, r)
		case path == "/local/hello":
			_ = json.NewEncoder(w).Encode(map[string]any{"protocol": attach.Protocol, "version": "1.0", "pid": os.Getpid(), "id": "former"})
		case path == "/local/v1/changes":
			_, _ = io.WriteString(w, "{}\n")
			_ = http.NewResponseController(w).Flush()
			<-gone
		default: // the former has left, and its end is seen when the next has answered
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, r)
			calls = append(calls, r.Header.Get("X-Bugle-Owner"), strconv.Itoa(answer.Code))
			w.WriteHeader(answer.Code)
			_, _ = w.Write(answer.Body.Bytes())
			end.Do(func() { close(gone) })
		}
	})}
	go srv.Serve(l)
	defer srv.Close()
	n := s.node()
	id := create(t, n.Service(workspace))
	if !slices.Equal(calls, []string{"former", "503"}) {
		t.Errorf("the next owner answered %q before it was greeted", calls)
	}
	if st := n.State(); st.Role != attach.Attached || !st.Again {
		t.Errorf("the node is %+v", st)
	}
	if rows, err := n.Service(workspace).List(t.Context(), engine.ListQuery{}); err != nil || len(rows) != 1 || rows[0].ID != id {
		t.Errorf("%d campaigns: %v", len(rows), err)
	}
}

// An owner that leaves finishes the calls that run.
func TestHandOverFinishesCalls(t *testing.T) {
	s := newShed(t)
	running, goOn := make(chan struct{}), make(chan struct{})
	s.wrap = func(svc attach.Service) attach.Service {
		return &faulty{Service: svc, before: func(context.Context) error { close(running); <-goOn; return nil }}
	}
	first, second := s.pair()
	done := make(chan error)
	go func() {
		_, err := second.Service(workspace).Create(t.Context(), engine.CreateRequest{Body: parse(t, draft)})
		done <- err
	}()
	<-running
	closed := make(chan error)
	go func() { closed <- first.Close() }()
	// A call while the owner leaves waits for the next one.
	late := make(chan error)
	go func() { _, err := second.Service(workspace).List(t.Context(), engine.ListQuery{}); late <- err }()
	close(goOn)
	for _, c := range []chan error{done, closed, late} {
		if err := <-c; err != nil {
			t.Error(err)
		}
	}
	rows, err := second.Service(workspace).List(t.Context(), engine.ListQuery{})
	if err != nil || len(rows) != 1 {
		t.Errorf("%d campaigns, want 1: %v", len(rows), err)
	}
}

// faulty is a service whose writes are interfered with.
type faulty struct {
	attach.Service
	before, after func(context.Context) error
}

func fault[Out any](ctx context.Context, f *faulty, do func() (Out, error)) (out Out, err error) {
	if f.before != nil {
		if err := f.before(ctx); err != nil {
			return out, err
		}
	}
	if out, err = do(); err == nil && f.after != nil {
		err = f.after(ctx)
	}
	return out, err
}

func fault0(ctx context.Context, f *faulty, do func() error) error {
	_, err := fault(ctx, f, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

func (f *faulty) Create(ctx context.Context, r engine.CreateRequest) (engine.Created, error) {
	return fault(ctx, f, func() (engine.Created, error) { return f.Service.Create(ctx, r) })
}

func (f *faulty) Update(ctx context.Context, r engine.UpdateRequest) (engine.Updated, error) {
	return fault(ctx, f, func() (engine.Updated, error) { return f.Service.Update(ctx, r) })
}

func (f *faulty) Save(ctx context.Context, r engine.SaveRequest) (engine.Head, error) {
	return fault(ctx, f, func() (engine.Head, error) { return f.Service.Save(ctx, r) })
}

func (f *faulty) Clone(ctx context.Context, id, by string) (engine.Created, error) {
	return fault(ctx, f, func() (engine.Created, error) { return f.Service.Clone(ctx, id, by) })
}

func (f *faulty) Delete(ctx context.Context, id string) error {
	return fault0(ctx, f, func() error { return f.Service.Delete(ctx, id) })
}

func (f *faulty) Archive(ctx context.Context, id, by string) error {
	return fault0(ctx, f, func() error { return f.Service.Archive(ctx, id, by) })
}

func (f *faulty) DeleteProfile(ctx context.Context, id string) error {
	return fault0(ctx, f, func() error { return f.Service.DeleteProfile(ctx, id) })
}

func (f *faulty) UpdateWorkspace(ctx context.Context, change func(*engine.Workspace) error) error {
	return fault0(ctx, f, func() error { return f.Service.UpdateWorkspace(ctx, change) })
}

func (f *faulty) Test(ctx context.Context, r engine.TestRequest) (engine.TestResult, error) {
	return fault(ctx, f, func() (engine.TestResult, error) { return f.Service.Test(ctx, r) })
}

// A write whose owner dies before or after it was done is done once, and its caller hears what
// came of it.
func TestLostAnswers(t *testing.T) {
	type scene struct {
		*testing.T
		svc   attach.Service // of the attached node
		draft engine.Campaign
	}
	named := func(s scene, name string) int {
		rows, err := s.svc.List(s.Context(), engine.ListQuery{Archived: true})
		if err != nil {
			s.Fatal(err)
		}
		n := 0
		for _, r := range rows {
			if r.Name == name {
				n++
			}
		}
		return n
	}
	count := func(s scene, want int, what string, got int) {
		if got != want {
			s.Errorf("%d times %s, want %d", got, what, want)
		}
	}
	body := func(s scene, name string) doc.Value { return parse(s, `{"basic_details":{"name":"`+name+`"}}`) }
	for name, c := range map[string]struct {
		do    func(scene) error
		check func(scene)
	}{
		"create": {func(s scene) error {
			out, err := s.svc.Create(s.Context(), engine.CreateRequest{Body: parse(s, draft)})
			if out.Replayed {
				s.Error("a caller without a key hears of a replay")
			}
			return err
		}, func(s scene) { count(s, 2, "Spring", named(s, "Spring")) }},
		"update": {func(s scene) error {
			_, err := s.svc.Update(s.Context(), engine.UpdateRequest{ID: s.draft.ID, Body: body(s, "Summer")})
			return err
		}, func(s scene) {
			revisions, err := s.svc.Revisions(s.Context(), s.draft.ID)
			if err != nil {
				s.Fatal(err)
			}
			count(s, 2, "saved", len(revisions))
		}},
		"save": {func(s scene) error {
			h, err := s.svc.Save(s.Context(), engine.SaveRequest{ID: s.draft.ID, Revision: s.draft.Revision, Body: body(s, "Summer"), By: ann})
			if err == nil && h.Revision != s.draft.Revision+1 {
				s.Errorf("revision %d after %d", h.Revision, s.draft.Revision)
			}
			return err
		}, func(s scene) { count(s, 1, "Summer", named(s, "Summer")) }},
		"clone": {func(s scene) error { _, err := s.svc.Clone(s.Context(), s.draft.ID, ann); return err },
			func(s scene) { count(s, 1, "Spring (copy)", named(s, "Spring (copy)")) }},
		"delete": {func(s scene) error { return s.svc.Delete(s.Context(), s.draft.ID) },
			func(s scene) { count(s, 0, "Spring", named(s, "Spring")) }},
		"delete profile": {func(s scene) error { return s.svc.DeleteProfile(s.Context(), "U") },
			func(s scene) {
				p, err := s.svc.Profiles(s.Context(), "", 0)
				if err != nil {
					s.Fatal(err)
				}
				count(s, 0, "a profile", len(p))
			}},
		"settings": {func(s scene) error {
			return s.svc.UpdateWorkspace(s.Context(), func(w *engine.Workspace) error { w.Teams = append(w.Teams, "Twice?"); return nil })
		}, func(s scene) {
			w, err := s.svc.Workspace(s.Context())
			if err != nil {
				s.Fatal(err)
			}
			n := 0
			for _, team := range w.Teams {
				if team == "Twice?" {
					n++
				}
			}
			count(s, 1, "the team", n)
		}},
	} {
		for _, when := range []string{"before", "after"} {
			t.Run(name+"/"+when, func(t *testing.T) {
				sh := newShed(t)
				owner, attached := sh.lossy(when)
				s := scene{T: t, svc: attached.Service(workspace)}
				// What the scene begins with is written beside the service under test.
				home := sh.local()
				id := create(t, home)
				sh.ok(home.PutProfile(t.Context(), engine.Profile{ID: "U"}))
				var err error
				s.draft, err = home.Get(t.Context(), id)
				sh.ok(err)
				_ = owner
				if err := c.do(s); err != nil {
					t.Fatal(err)
				}
				if attached.State().Role != attach.Owner {
					t.Error("the owner did not die on the way")
				}
				c.check(s)
			})
		}
	}
}

// lossy returns an owner that dies at the first write, and a node that takes over.
func (s *shed) lossy(when string) (owner, attached *attach.Node) {
	var died atomic.Bool
	die := func(ctx context.Context) error {
		if !died.CompareAndSwap(false, true) {
			return nil
		}
		s.kill(owner)
		return errors.New("the process is dead")
	}
	s.wrap = func(svc attach.Service) attach.Service {
		if when == "before" {
			return &faulty{Service: svc, before: die}
		}
		return &faulty{Service: svc, after: die}
	}
	owner, attached = s.pair()
	return owner, attached
}

// local returns the service on the store itself.
func (s *shed) local() attach.Service {
	svc, err := (&held{shed: &shed{db: s.db, clock: s.clock}}).Open(workspace)
	s.ok(err)
	return svc
}

// A test send is never made twice.
func TestLostTest(t *testing.T) {
	for _, when := range []string{"before", "after"} {
		t.Run(when, func(t *testing.T) {
			s := newShed(t)
			_, attached := s.lossy(when)
			svc := attached.Service(workspace)
			out, err := svc.Test(t.Context(), engine.TestRequest{Body: parse(t, inlineTest)})
			sent, err2 := s.local().Outbox(t.Context(), 0)
			s.ok(err2)
			if when == "after" {
				if err != nil || len(sent) != 1 || out.Data[out.Keys[0]].Status != engine.Sent {
					t.Errorf("%+v, %v; %d messages", out, err, len(sent))
				}
				return
			}
			if e := engine.AsError(err); e == nil || e.HTTP != 503 || len(sent) != 0 {
				t.Errorf("got %v, and %d messages; want a 503 and none", err, len(sent))
			}
		})
	}
}

const inlineTest = `{"channel":"EMAIL","basic_details":{"name":"T","content_type":"TRANSACTIONAL",
	"subscription_category":"Newsletter","user_attribute_identifier":"Email (Standard)"},
	"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"},
	"campaign_content":{"content":{"email":{"subject":"Hi","from_address":"shop@example.com","sender_name":"Shop","html_content":"<p>Hello</p>"}}},
	"test_campaign_meta":{"identifier":"EMAIL","identifier_values":["a@example.com"]}}`

// Nobody takes over: a call says so, in time.
func TestNoOwner(t *testing.T) {
	s := newShed(t)
	owner, _ := s.pair()
	o := s.options()
	o.Patience = 50 * time.Millisecond
	o.Opener = func(context.Context) (attach.Owned, error) { return nil, fmt.Errorf("the disk is full") }
	n, err := attach.Open(t.Context(), o)
	s.ok(err)
	defer n.Close()
	// The other attached node must not take over either.
	s.mu.Lock()
	s.holder = &held{shed: &shed{}}
	s.mu.Unlock()
	owner.Kill()
	_, err = n.Service(workspace).List(t.Context(), engine.ListQuery{})
	if e := engine.AsError(err); e == nil || e.HTTP != 503 {
		t.Errorf("got %v", err)
	}
	s.release()
	until(t, n, "attached again", func(s attach.State) bool { return s.Role == attach.Attached })
	if _, err := n.Service(workspace).List(t.Context(), engine.ListQuery{}); err != nil {
		t.Error(err)
	}
}
