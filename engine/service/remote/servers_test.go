package remote_test

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bugle/engine/enginetest"
	"bugle/engine/operation"
	"bugle/engine/search/index"
	"bugle/engine/service/api"
	"bugle/engine/service/api/limit"
	"bugle/engine/service/local"
	"bugle/engine/service/remote"
	"bugle/store/postgres"
	"bugle/store/postgres/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

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
		if _, ok := index.For(t.Context(), svc); !ok { // as `bugle serve` begins it
			t.Fatal("there is no index")
		}
		out.home = svc
		out.handlers = append(out.handlers, serving(svc, api.Options{Clock: clock, Unlimited: unlimited, Counter: db}))
	}
	for _, p := range enginetest.Users() {
		if err := out.home.PutUser(t.Context(), p); err != nil {
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
	pgtest.Require(t)
	enginetest.Run(t, func(t *testing.T) enginetest.Env {
		clock := enginetest.NewClock()
		s := newServers(t, 2, clock.Now, true)
		return enginetest.Env{Service: over(t, s, remote.Config{Key: fixedKey(s.key)}), Home: s.home, Clock: clock}
	})
}

// A limit is that of all servers together, and so is what it counts.
func TestLimitsOfSeveralServers(t *testing.T) {
	pgtest.Require(t)
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

// A create that is repeated gets its answer from any server, also when no creation is left.
func TestRepeatedCreateAtAnotherServer(t *testing.T) {
	pgtest.Require(t)
	s := newServers(t, 2, time.Now, false)
	var send func(server int, key string) (status int, replayed bool)
	send = func(server int, key string) (status int, replayed bool) {
		r := httptest.NewRequest(http.MethodPost, "/v5/campaigns", strings.NewReader(`{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com"}`))
		r.SetBasicAuth(workspace, s.key)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-SVC-Request-Id", uuid.NewString())
		r.Header.Set("Idempotency-Key", key)
		w := httptest.NewRecorder()
		s.handlers[server].ServeHTTP(w, r)
		if strings.Contains(w.Body.String(), "for the create operation") { // the limit of requests in a second
			select {
			case <-time.After(100 * time.Millisecond):
			case <-t.Context().Done():
			}
			return send(server, key)
		}
		return w.Code, w.Header().Get(operation.HeaderReplayed) != ""
	}
	first := uuid.NewString()
	if status, _ := send(0, first); status != http.StatusCreated {
		t.Fatalf("the first create is answered with %d", status)
	}
	for range limit.Creations[0].N - 1 {
		if status, _ := send(0, uuid.NewString()); status != http.StatusCreated {
			t.Fatalf("a create is answered with %d", status)
		}
	}
	for server := range s.handlers {
		if status, _ := send(server, uuid.NewString()); status != http.StatusTooManyRequests {
			t.Errorf("server %d: one create too many is answered with %d", server, status)
		}
		if status, replayed := send(server, first); status != http.StatusCreated || !replayed {
			t.Errorf("server %d: the first one, repeated, is answered with %d (replayed: %v)", server, status, replayed)
		}
	}
}
