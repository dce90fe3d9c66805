package local_test

import (
	"testing"

	"bugle/engine"
	"bugle/engine/service/local"
)

// Shared settings are those of the last change to them, however many other writes come between.
func TestSettingsAreCurrent(t *testing.T) {
	b := newBench(t, local.Options{})
	for _, name := range []string{"One", "Two", "Three"} {
		b.ok(b.UpdateWorkspace(b.ctx, func(w *engine.Workspace) error { w.Name = name; return nil }))
		for range 2 {
			w, err := b.Settings(b.ctx)
			b.ok(err)
			if w.Name != name {
				t.Errorf("the name is %q, want %q", w.Name, name)
			}
			b.ok(b.PutUser(b.ctx, engine.User{ID: name}))
		}
	}
}
