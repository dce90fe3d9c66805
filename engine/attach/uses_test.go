//go:build linux || darwin || freebsd

package attach_test

import (
	"testing"

	"bugle/engine"
)

// What uses a name is told by the owner, and through the socket.
func TestNameUses(t *testing.T) {
	s := newShed(t)
	owner, attached := s.pair()
	near, far := owner.Service(workspace), attached.Service(workspace)
	s.ok(near.UpdateWorkspace(t.Context(), func(w *engine.Workspace) error {
		w.ContentBlocks = []engine.ContentBlock{{Name: "b", Source: "{{ user.first_name }}"}}
		return nil
	}))
	for _, svc := range []any{near, far} {
		uses, err := svc.(engine.NameUses).NameUses(t.Context(), engine.NameRef{List: "user_attributes", Name: "First Name"})
		if err != nil || len(uses) != 1 || uses[0].In.Name != "b" {
			t.Errorf("%+v, %v", uses, err)
		}
		if _, err := svc.(engine.NameUses).NameUses(t.Context(), engine.NameRef{List: "shoes"}); engine.AsError(err) == nil {
			t.Errorf("got %v", err)
		}
	}
}
