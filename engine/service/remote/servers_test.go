package remote_test

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"bugle/engine/enginetest"
	"bugle/engine/search/index"
	"bugle/engine/service/api"
	"bugle/engine/service/api/limit"
	"bugle/engine/service/local"
	"bugle/engine/service/remote"
	"bugle/store/postgres"
	"bugle/store/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// servers are several servers on one database, behind a balancer that sends each request to any of them.
type servers struct {
	home     *local.Service
	key      string
	handlers []http.Handler
}

func newServers(t testing.TB, n int, clock func() time.Time, unlimited bool) *servers {
	t.Helper()
	url := pgtest.URL(t)
	out := &servers{}
	for i := range n {
		db, err := postgres.Open(t.Context(), postgres.Options{URL: url, Create: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		if i == 0 {
			if out.key, err = local.CreateWorkspace(t.Context(), db, enginetest.Workspace()); err != nil {
				t.Fatal(err)
			}
		}
		svc, err := local.Open(db, workspace, local.Options{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { svc.Close() })
		if _, ok := index.Of(t.Context(), svc); !ok { // as `bugle serve` begins it
			t.Fatal("there is no index")
		}
		out.home = svc
		out.handlers = append(out.handlers, serving(svc, api.Options{Clock: clock, Unlimited: unlimited, Counter: db}))
	}
	for _, p := range enginetest.Profiles() {
		if err := out.home.PutProfile(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// ServeHTTP sends the request to any of the servers.
func (s *servers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.handlers[rand.IntN(len(s.handlers))].ServeHTTP(w, r)
}

// Whoever talks to several servers, to each time another one, sees one service.
func TestContractOverSeveralServers(t *testing.T) {
	pgtest.Bin(t)
	enginetest.Run(t, func(t *testing.T) enginetest.Env {
		clock := enginetest.NewClock()
		s := newServers(t, 2, clock.Now, true)
		return enginetest.Env{Service: over(t, s, remote.Config{Key: fixedKey(s.key)}), Home: s.home, Clock: clock}
	})
}

// A limit is that of all servers together, and so is what it counts.
func TestLimitsOfSeveralServers(t *testing.T) {
	pgtest.Bin(t)
	s := newServers(t, 2, time.Now, false)
	server := httptest.NewServer(s)
	defer server.Close()
	most := limit.Create[0].N
	passed, refused, begun := 0, 0, time.Now()
	for range 3 * most {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/v5/campaigns", strings.NewReader(`{`))
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth(workspace, s.key)
		r.Header.Set("X-SVC-Request-Id", "1")
		a, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		switch a.StatusCode {
		case http.StatusBadRequest: // it was let through, and is wrong
			passed++
		case http.StatusTooManyRequests:
			refused++
			if n, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || n < 1 || n > 60 {
				t.Errorf("Retry-After: %q", a.Header.Get("Retry-After"))
			}
		default:
			t.Errorf("status %d", a.StatusCode)
		}
	}
	allowed := most * (1 + int(time.Since(begun)/limit.Create[0].Per))
	if passed < most || passed > allowed || refused != 3*most-passed {
		t.Errorf("%d passed and %d were refused; the limit is %v", passed, refused, limit.Create[0])
	}
}
