//go:build linux || darwin || freebsd

package socket_test

import (
	"net/http"
	"testing"
	"time"

	"bugle/engine/enginetest"
	"bugle/store"
	"bugle/store/socket"
)

// The contract of every service holds in a process that is attached to the owner.
func TestContract(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) enginetest.Env {
		s, clock := newTestFolder(t), enginetest.NewClock()
		s.clock = clock.Now
		_, db := s.pair()
		svc := s.service(db)
		for _, p := range enginetest.Users() {
			s.ok(svc.PutUser(t.Context(), p))
		}
		return enginetest.Env{Service: svc, Home: svc, Clock: clock}
	})
}

// The socket serves an API too.
func TestHandler(t *testing.T) {
	s := newTestFolder(t)
	s.handler = http.RedirectHandler("/elsewhere", http.StatusTeapot)
	s.node()
	res, err := (&http.Client{Transport: s.transport(t)}).Get("http://bugle/v5/campaigns")
	s.ok(err)
	defer res.Body.Close()
	if res.StatusCode != http.StatusTeapot {
		t.Errorf("it answers %s", res.Status)
	}
}

// A running send belongs to its process while the process is alive, whoever owns the store, and to nobody afterwards.
func TestLeases(t *testing.T) {
	s := newTestFolder(t)
	first, second := s.pair()
	third := s.node()
	held := func(by, of *socket.DB) (held bool) {
		t.Helper()
		s.ok(by.Write(t.Context(), func(tx store.Tx) (err error) {
			held, err = tx.Workspace(workspace).LeaseHeld(of.Lease())
			return err
		}))
		return held
	}
	for _, by := range []*socket.DB{first, second, third} {
		for _, of := range []*socket.DB{first, second, third} {
			if !held(by, of) {
				t.Error("the lease of a living process is not held")
			}
		}
	}
	s.kill(first)
	if !held(second, third) || !held(third, second) {
		t.Error("the lease of a living process is not held by the next owner")
	}
	begun := time.Now()
	if held(second, first) || held(third, first) {
		t.Error("the lease of a dead process is held")
	}
	if took := time.Since(begun); took > 3*time.Second { // each answer takes half a second
		t.Errorf("that is known after %v", took)
	}
}
