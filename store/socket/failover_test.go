//go:build linux || darwin || freebsd

package socket_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/service/local"
	"bugle/store"
	"bugle/store/kv"
	"bugle/store/socket"
)

// When the owner quits in order, another process takes over, and transactions in between wait for it.
func TestFailover(t *testing.T) {
	s := newTestFolder(t)
	first, second := s.pair()
	third := s.node()
	id := create(t, s.service(second))
	s.ok(first.Close())
	for _, d := range []*socket.DB{second, third} {
		if c, err := s.service(d).Get(t.Context(), id); err != nil || c.ID != id {
			t.Fatalf("after the hand-over: %v, %v", c.ID, err)
		}
	}
	roles := map[socket.Role]int{second.State().Role: 1}
	roles[third.State().Role]++
	if roles[socket.Owner] != 1 || roles[socket.Attached] != 1 {
		t.Errorf("the second is %s, the third %s", second.State().Role, third.State().Role)
	}
	if err := first.View(t.Context(), func(kv.Tx) error { return nil }); !errors.Is(err, store.ErrClosed) {
		t.Errorf("a transaction after Close: %v", err)
	}
}

// A connection that comes to the next owner, before it is noticed that the former has quit, is not used.
func TestNextOwnerIsIntroducedFirst(t *testing.T) {
	s := newTestFolder(t)
	_, err := s.open(t.Context(), nil)
	s.ok(err)
	l := s.listen()
	sent := make(chan []byte, 1)
	go func() {
		former, _ := greet(l, socket.Protocol, "former")
		defer former.Close()
		_ = socket.Respond(former) // to the request for news
		next, in := greet(l, socket.Protocol, "next")
		defer next.Close()
		l.Close()
		b, _ := io.ReadAll(in)
		s.release()
		sent <- b
	}()
	d := s.node()
	s.ok(d.View(t.Context(), func(kv.Tx) error { return nil }))
	if b := <-sent; len(b) > 0 || d.State().Role != socket.Owner {
		t.Errorf("the next owner was sent %q, and the handle is %s", b, d.State().Role)
	}
}

// retriedDB is a store whose commits are interfered with.
type retriedDB struct {
	kv.Driver
	before, after func() error // the commit
}

func (m *retriedDB) Commit(ctx context.Context, c kv.Change) error {
	if m.before != nil {
		if err := m.before(); err != nil {
			return err
		}
	}
	err := m.Driver.Commit(ctx, c)
	if err == nil && m.after != nil {
		err = m.after()
	}
	return err
}

// An owner that quits finishes the transactions that run.
func TestFailoverFinishesTransactions(t *testing.T) {
	s := newTestFolder(t)
	running, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var armed atomic.Bool
	s.wrap = func(db kv.Driver) kv.Driver {
		return &retriedDB{Driver: db, before: func() error {
			if armed.Load() {
				once.Do(func() { close(running); <-goOn })
			}
			return nil
		}}
	}
	first, second := s.pair()
	svc := s.service(second)
	armed.Store(true)
	done := make(chan error)
	go func() {
		_, err := svc.Create(t.Context(), engine.CreateRequest{Body: parse(t, draft)})
		done <- err
	}()
	<-running
	closed := make(chan error)
	go func() { closed <- first.Close() }()
	// A transaction while the owner quits waits for the next one.
	late := make(chan error)
	go func() { _, err := svc.List(t.Context(), engine.ListQuery{}); late <- err }()
	close(goOn)
	for _, c := range []chan error{done, closed, late} {
		if err := <-c; err != nil {
			t.Error(err)
		}
	}
	rows, err := svc.List(t.Context(), engine.ListQuery{})
	if err != nil || len(rows) != 1 {
		t.Errorf("%d campaigns, want 1: %v", len(rows), err)
	}
}

// A write whose owner dies before or after its commit is made once, and its caller hears what came of it.
func TestLostCommits(t *testing.T) {
	type scene struct {
		*testing.T
		svc   *local.Service // of the attached process
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
		"delete a user": {func(s scene) error { return s.svc.DeleteUser(s.Context(), "U") },
			func(s scene) {
				p, err := s.svc.Users(s.Context(), "", 0)
				if err != nil {
					s.Fatal(err)
				}
				count(s, 0, "a user", len(p))
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
		"test": {func(s scene) error {
			out, err := s.svc.Test(s.Context(), engine.TestRequest{Body: parse(s, inlineTest), Call: engine.Call{IdempotencyKey: "2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09"}})
			if err == nil && out.Data[out.Keys[0]].Status != engine.Sent {
				s.Errorf("it ended with %+v", out)
			}
			return err
		}, func(s scene) {
			sent, err := s.svc.Outbox(s.Context(), 0)
			if err != nil {
				s.Fatal(err)
			}
			count(s, 1, "a message", len(sent))
		}},
	} {
		for _, when := range []string{"before", "after"} {
			t.Run(name+"/"+when, func(t *testing.T) {
				sh := newTestFolder(t)
				home := sh.service(sh.db) // what the scene begins with is written beside the service under test
				id := create(t, home)
				sh.ok(home.PutUser(t.Context(), engine.User{ID: "U"}))
				_, attached, arm := sh.lossy(when)
				s := scene{T: t, svc: sh.service(attached)}
				var err error
				s.draft, err = home.Get(t.Context(), id)
				sh.ok(err)
				arm()
				if err := c.do(s); err != nil {
					t.Fatal(err)
				}
				if attached.State().Role != socket.Owner {
					t.Error("the owner did not die on the way")
				}
				c.check(s)
			})
		}
	}
}

// lossy returns an owner that dies at the first write after arm, before or after the commit, and a handle that takes over.
func (s *testFolder) lossy(when string) (owner, attached *socket.DB, arm func()) {
	var armed atomic.Bool
	die := func() error {
		if !armed.CompareAndSwap(true, false) {
			return nil
		}
		s.kill(owner)
		return errors.New("the process is dead")
	}
	s.wrap = func(db kv.Driver) kv.Driver {
		if when == "before" {
			return &retriedDB{Driver: db, before: die}
		}
		return &retriedDB{Driver: db, after: die}
	}
	owner, attached = s.pair()
	return owner, attached, func() { armed.Store(true) }
}

const inlineTest = `{"channel":"EMAIL","basic_details":{"name":"T","content_type":"TRANSACTIONAL",
	"subscription_category":"Newsletter","user_attribute_identifier":"Email (Standard)"},
	"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"},
	"campaign_content":{"content":{"email":{"subject":"Hi","from_address":"shop@example.com","sender_name":"Shop","html_content":"<p>Hello</p>"}}},
	"test_campaign_meta":{"identifier":"EMAIL","identifier_values":["a@example.com"]}}`

// A commit whose connection broke while it was made is waited for, not made twice.
func TestLostConnection(t *testing.T) {
	s := newTestFolder(t)
	var attached *socket.DB
	var armed atomic.Bool
	s.wrap = func(db kv.Driver) kv.Driver {
		return &retriedDB{Driver: db, after: func() error {
			if armed.CompareAndSwap(true, false) {
				attached.Disconnect()
			}
			return nil
		}}
	}
	_, attached = s.pair()
	svc := s.service(attached)
	armed.Store(true)
	create(t, svc)
	rows, err := svc.List(t.Context(), engine.ListQuery{})
	if err != nil || len(rows) != 1 {
		t.Errorf("%d campaigns, want 1: %v", len(rows), err)
	}
	if role := attached.State().Role; role != socket.Attached {
		t.Errorf("the handle is %s", role)
	}
}

// If no process takes over, a transaction fails in time.
func TestNoOwner(t *testing.T) {
	s := newTestFolder(t)
	owner, _ := s.pair()
	o := s.options()
	o.Patience = 50 * time.Millisecond
	o.Opener = func(context.Context, func(string)) (kv.Driver, error) { return nil, fmt.Errorf("the disk is full") }
	d, err := socket.Open(t.Context(), o)
	s.ok(err)
	defer d.Close()
	// The other attached process must not take over either.
	s.mu.Lock()
	s.holder = &heldDriver{folder: &testFolder{}}
	s.mu.Unlock()
	owner.Kill()
	read := func() error { return d.View(t.Context(), func(kv.Tx) error { return nil }) }
	if e := engine.AsError(read()); e == nil || e.HTTP != 503 {
		t.Errorf("got %v", e)
	}
	s.release()
	until(t, d, "attached again", attached)
	s.ok(read())
}

// A transaction that runs while the owner quits runs again with the next one.
func TestQuitDuringALongTransaction(t *testing.T) {
	s := newTestFolder(t)
	owner, attached := s.pair()
	runs, closed := 0, make(chan error, 1)
	s.ok(attached.View(t.Context(), func(tx kv.Tx) error {
		if runs++; runs == 1 {
			go func() { closed <- owner.Close() }()
			for { // until the owner ends it
				if _, err := tx.Get([]byte("none")); !errors.Is(err, store.ErrNotFound) {
					return err
				}
			}
		}
		return nil
	}))
	s.ok(<-closed)
	if runs != 2 || attached.State().Role != socket.Owner {
		t.Errorf("it ran %d times, and the process is %s", runs, attached.State().Role)
	}
}
