//go:build linux || darwin || freebsd

package attach_test

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/attach"
	"bugle/engine/enginetest"
	"bugle/engine/service/api"
	"bugle/engine/service/remote"
)

// The contract of every service holds through the socket, and in the owner.
func TestContract(t *testing.T) {
	for _, role := range []attach.Role{attach.Owner, attach.Attached} {
		t.Run(role.String(), func(t *testing.T) {
			enginetest.Run(t, func(t *testing.T) enginetest.Env {
				s, clock := newShed(t), enginetest.NewClock()
				s.clock = clock.Now
				owner, attached := s.pair()
				svc := owner.Service(workspace)
				if role == attach.Attached {
					svc = attached.Service(workspace)
				}
				for _, p := range enginetest.Profiles() {
					s.ok(svc.PutProfile(t.Context(), p))
				}
				return enginetest.Env{Service: svc, Home: svc, Clock: clock}
			})
		})
	}
}

// v5 answers the API on the socket of a node.
func v5(n *attach.Node, clock func() time.Time) http.Handler {
	return api.Trusted(func(ctx context.Context, id string) (engine.Workspace, engine.Service, error) {
		svc := n.Service(id)
		w, err := svc.Workspace(ctx)
		return w, svc, err
	}, n.Workspaces, api.Options{Clock: clock, Unlimited: true})
}

// It holds for clients of the V5 API on the socket too, who need no key.
func TestContractOfHTTP(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) enginetest.Env {
		s, clock := newShed(t), enginetest.NewClock()
		s.clock = clock.Now
		s.handler = func(n *attach.Node) http.Handler { return v5(n, clock.Now) }
		owner := s.node()
		home := owner.Service(workspace)
		for _, p := range enginetest.Profiles() {
			s.ok(home.PutProfile(t.Context(), p))
		}
		svc, err := remote.New(remote.Config{BaseURL: "http://localhost", Workspace: workspace, Transport: s.transport(t)})
		s.ok(err)
		t.Cleanup(func() { svc.Close() })
		return enginetest.Env{Service: svc, Home: home, Clock: clock}
	})
}

// transport leads to the socket.
func (s *shed) transport(t *testing.T) *http.Transport {
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socketOf(s.dir))
	}}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// What clients of the V5 API write is news to the owner too.
func TestChangesByHTTP(t *testing.T) {
	s := newShed(t)
	s.handler = func(n *attach.Node) http.Handler { return v5(n, nil) }
	owner := s.node()
	changes := owner.Changes(t.Context())
	svc, err := remote.New(remote.Config{BaseURL: "http://localhost", Workspace: workspace, Transport: s.transport(t)})
	s.ok(err)
	t.Cleanup(func() { svc.Close() })
	made, err := svc.Create(t.Context(), engine.CreateRequest{Body: parse(t, draft)})
	s.ok(err)
	next(t, changes, attach.Change{Workspace: workspace, Kind: attach.Campaigns, ID: made.ID})
}
