package enginetest_test

import (
	"testing"

	"bugle/engine/enginetest"
	"bugle/engine/service/local"
	"bugle/store/mem"
)

func TestLocal(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) enginetest.Env {
		svc, clock := home(t)
		return enginetest.Env{Service: svc, Home: svc, Clock: clock}
	})
}

func home(t *testing.T) (*local.Service, *enginetest.Clock) {
	t.Helper()
	db, clock := mem.New(), enginetest.NewClock()
	t.Cleanup(func() { db.Close() })
	if _, err := local.CreateWorkspace(t.Context(), db, enginetest.Workspace()); err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, enginetest.WorkspaceID, local.Options{Clock: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range enginetest.Users() {
		if err := svc.PutUser(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	return svc, clock
}
