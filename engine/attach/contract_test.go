//go:build linux || darwin || freebsd

package attach_test

import (
	"testing"

	"bugle/engine/attach"
	"bugle/engine/enginetest"
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
