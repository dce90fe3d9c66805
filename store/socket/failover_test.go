//go:build linux || darwin || freebsd

package socket_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/service/local"
	"bugle/store"
	"bugle/store/kv"
	"bugle/store/socket"
)

// hooked is a store with a hook around its commits.
type hooked struct {
	kv.Driver
	around func(commit func() error) error
}

func (h hooked) Commit(ctx context.Context, c kv.Change) error {
	return h.around(func() error { return h.Driver.Commit(ctx, c) })
}

// hook has around called instead of the first commit after arm.
func (s *testFolder) hook(around func(commit func() error) error) (arm func()) {
	var armed atomic.Bool
	s.wrap = func(db kv.Driver) kv.Driver {
		return hooked{db, func(commit func() error) error {
			if armed.CompareAndSwap(true, false) {
				return around(commit)
			}
			return commit()
		}}
	}
	return func() { armed.Store(true) }
}

// An owner that quits finishes the transactions that run.
func TestFailoverFinishesTransactions(t *testing.T) {
	s := newTestFolder(t)
	running, goOn := make(chan struct{}), make(chan struct{})
	arm := s.hook(func(commit func() error) error {
		close(running)
		<-goOn
		return commit()
	})
	first, second := s.pair()
	svc := s.service(second)
	arm()
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
	for name, do := range map[string]func(t *testing.T, svc *local.Service, c engine.Campaign) (got, want int, err error){
		"create": func(t *testing.T, svc *local.Service, _ engine.Campaign) (got, want int, err error) {
			_, err = svc.Create(t.Context(), engine.CreateRequest{Body: parse(t, draft)})
			rows, err2 := svc.List(t.Context(), engine.ListQuery{})
			return len(rows), 2, errors.Join(err, err2)
		},
		"save": func(t *testing.T, svc *local.Service, c engine.Campaign) (got, want int, err error) {
			_, err = svc.Save(t.Context(), engine.SaveRequest{ID: c.ID, Revision: c.Revision, Body: c.Body, By: ann})
			saved, err2 := svc.Get(t.Context(), c.ID)
			return int(saved.Revision), int(c.Revision) + 1, errors.Join(err, err2)
		},
		"delete": func(t *testing.T, svc *local.Service, c engine.Campaign) (got, want int, err error) {
			err = svc.Delete(t.Context(), c.ID)
			rows, err2 := svc.List(t.Context(), engine.ListQuery{})
			return len(rows), 0, errors.Join(err, err2)
		},
		"settings": func(t *testing.T, svc *local.Service, _ engine.Campaign) (got, want int, err error) {
			before, err := svc.Workspace(t.Context())
			err2 := svc.UpdateWorkspace(t.Context(), func(w *engine.Workspace) error { w.Teams = append(w.Teams, "Twice?"); return nil })
			after, err3 := svc.Workspace(t.Context())
			return len(after.Teams), len(before.Teams) + 1, errors.Join(err, err2, err3)
		},
		"test": func(t *testing.T, svc *local.Service, _ engine.Campaign) (got, want int, err error) {
			_, err = svc.Test(t.Context(), engine.TestRequest{Body: parse(t, inlineTest), Call: engine.Call{IdempotencyKey: "2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09"}})
			sent, err2 := svc.Outbox(t.Context(), 0)
			return len(sent), 1, errors.Join(err, err2)
		},
	} {
		for _, when := range []string{"before", "after"} {
			t.Run(name+"/"+when, func(t *testing.T) {
				s := newTestFolder(t)
				home := s.service(s.db) // beside the service under test
				c, err := home.Get(t.Context(), create(t, home))
				s.ok(err)
				var owner, attached *socket.DB
				arm := s.hook(func(commit func() error) (err error) {
					if when == "after" {
						err = commit()
					}
					s.kill(owner)
					return errors.Join(err, errors.New("the process is dead"))
				})
				owner, attached = s.pair()
				svc := s.service(attached)
				arm()
				if got, want, err := do(t, svc, c); got != want || err != nil {
					t.Errorf("afterwards there are %d, want %d; %v", got, want, err)
				}
				if attached.State().Role != socket.Owner {
					t.Error("the owner did not die on the way")
				}
			})
		}
	}
}

const inlineTest = `{"channel":"EMAIL","basic_details":{"name":"T","content_type":"TRANSACTIONAL",
	"subscription_category":"Newsletter","user_attribute_identifier":"Email (Standard)"},
	"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"},
	"campaign_content":{"content":{"email":{"subject":"Hi","from_address":"shop@example.com","sender_name":"Shop","html_content":"<p>Hello</p>"}}},
	"test_campaign_meta":{"identifier":"EMAIL","identifier_values":["a@example.com"]}}`

// A commit whose connection broke while it was made is not made twice, even if it has read nothing.
func TestLostConnection(t *testing.T) {
	s := newTestFolder(t)
	var attached *socket.DB
	arm := s.hook(func(commit func() error) error {
		defer attached.Disconnect()
		return commit()
	})
	_, attached = s.pair()
	arm()
	one := kv.Count{Key: []byte("n"), Delta: 1}
	s.ok(attached.Driver().Commit(t.Context(), kv.Change{Counts: []kv.Count{one}}))
	snap, err := attached.Driver().Snapshot(t.Context())
	s.ok(err)
	defer snap.Release()
	got, err := snap.Get(t.Context(), one.Key)
	s.ok(err)
	if want, err := kv.AddCount(one, nil); err != nil || !bytes.Equal(got.Value, want) {
		t.Errorf("one is counted as %q, %v", got.Value, err)
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
	read := func() error { return d.View(t.Context(), func(*kv.Tx) error { return nil }) }
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
	s.ok(attached.View(t.Context(), func(tx *kv.Tx) error {
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
