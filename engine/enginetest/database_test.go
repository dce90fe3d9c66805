package enginetest_test

import (
	"os"
	"testing"

	"bugle/engine/enginetest"
	"bugle/engine/service/local"
	"bugle/store/postgres"
	"bugle/store/postgres/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// Two services on one database, as two machines have them: what is done at one of them is there at the other.
func TestTwoOnADatabase(t *testing.T) {
	pgtest.Require(t)
	enginetest.Run(t, func(t *testing.T) enginetest.Env {
		url, clock := pgtest.URL(t), enginetest.NewClock()
		handle := func() *postgres.DB {
			db, err := postgres.Open(t.Context(), postgres.Options{URL: url, Create: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			return db
		}
		first, second := handle(), handle()
		if _, err := local.CreateWorkspace(t.Context(), first, enginetest.Workspace()); err != nil {
			t.Fatal(err)
		}
		open := func(db *postgres.DB) *local.Service {
			svc, err := local.Open(db, enginetest.WorkspaceID, local.Options{Clock: clock.Now})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { svc.Close() })
			return svc
		}
		svc, home := open(first), open(second)
		for _, p := range enginetest.Users() {
			if err := home.PutUser(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
		return enginetest.Env{Service: svc, Home: home, Clock: clock}
	})
}
