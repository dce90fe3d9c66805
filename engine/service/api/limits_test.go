package api_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/service/api"
	"bugle/engine/service/api/limit"
)

// window is the naive model: it remembers all that passed, and counts anew at each question.
type window struct {
	limits []limit.Window
	passed []time.Time
}

func (m *window) full(now time.Time) bool {
	for _, w := range m.limits {
		n := 0
		for _, t := range m.passed {
			if t.After(now.Add(-w.Per)) {
				n++
			}
		}
		if n >= w.N {
			return true
		}
	}
	return false
}

// stub answers at once, or fails as it is told.
type stub struct {
	engine.Service
	create func() error
}

func (s stub) Create(_ context.Context, r engine.CreateRequest) (engine.Created, error) {
	err := s.create()
	return engine.Created{ResponseInfo: engine.ResponseInfo{ResponseID: r.RequestID}, ID: unused, Status: "DRAFT"}, err
}

func (s stub) Search(context.Context, engine.SearchRequest) ([]engine.Campaign, error) {
	return nil, nil
}

// anyone lets every workspace in with every key, which is its own id.
type anyone struct{ service engine.Service }

func (a anyone) Authenticate(_ context.Context, workspace, key string) (api.Tenant, bool, error) {
	return api.Tenant{Workspace: workspace, KeyID: key, Scopes: engine.KnownScopes(), Service: a.service}, true, nil
}

// A hundred clients at once, in a time that stands still while they work: at each moment exactly as
// many pass as the model lets pass.
func TestAHundredClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := api.New(anyone{stub{}}, api.Options{})
		type round struct{ asked, passed int }
		var mu sync.Mutex
		seen := map[time.Time]*round{}
		var wg sync.WaitGroup
		for client := range 100 {
			random := rand.New(rand.NewPCG(1, uint64(client)))
			wg.Go(func() {
				for range 60 {
					time.Sleep(time.Duration(random.IntN(40)) * 250 * time.Millisecond)
					a := send(t, h, request(t.Context(), "POST", campaigns+"/search", `{"limit":1,"page":1}`))
					mu.Lock()
					r := seen[time.Now()]
					if r == nil {
						r = &round{}
						seen[time.Now()] = r
					}
					if r.asked++; a.status == 200 {
						r.passed++
					} else if a.status != 429 {
						t.Errorf("%d %s", a.status, a.raw)
					}
					mu.Unlock()
				}
			})
		}
		start := time.Now()
		wg.Wait()
		model, refused := &window{limits: limit.Other}, 0
		for now := start; !now.After(time.Now()); now = now.Add(250 * time.Millisecond) {
			r := seen[now]
			if r == nil {
				continue
			}
			want := 0
			for range r.asked {
				if !model.full(now) {
					model.passed = append(model.passed, now)
					want++
				}
			}
			if r.passed != want {
				t.Errorf("%s after the start %d of %d passed, and %d should", now.Sub(start), r.passed, r.asked, want)
			}
			refused += r.asked - r.passed
		}
		if refused == 0 || len(model.passed) < 500 {
			t.Errorf("%d passed and %d were refused: this tests nothing", len(model.passed), refused)
		}
	})
}

// Creations count where they succeed, requests always; replays and failures leave creations as they are.
func TestCreationsAreTheNaiveModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(2, 3))
		requests, creations := &window{limits: limit.Create}, &window{limits: limit.Creations}
		fails := false
		h := api.New(anyone{stub{create: func() error {
			if fails {
				return engine.Errorf(engine.ValidationFailed, 400, "no")
			}
			return nil
		}}}, api.Options{})
		reached := map[int]int{}
		for range 3000 {
			pause := time.Duration(random.IntN(25)) * time.Second
			if random.IntN(20) == 0 {
				pause = time.Duration(random.IntN(180)) * time.Minute
			}
			time.Sleep(pause)
			fails = random.IntN(3) == 0
			want := 201
			switch now := time.Now(); {
			case requests.full(now):
				want = 429
			default:
				requests.passed = append(requests.passed, now)
				if creations.full(now) {
					want = 429
				} else if fails {
					want = 400
				} else {
					creations.passed = append(creations.passed, now)
				}
			}
			a := send(t, h, request(t.Context(), "POST", campaigns, `{}`))
			if reached[a.status]++; a.status != want {
				t.Fatalf("got %d, the model says %d: %s", a.status, want, a.raw)
			}
			if a.status != 429 {
				continue
			}
			wait, err := strconv.Atoi(a.header.Get("Retry-After"))
			if err != nil || wait < 1 {
				t.Fatalf("Retry-After %q", a.header.Get("Retry-After"))
			}
			if later := time.Now().Add(time.Duration(wait) * time.Second); requests.full(later) && creations.full(later) {
				t.Fatalf("a Retry-After of %d does not help", wait)
			}
		}
		for _, status := range []int{201, 400, 429} {
			if reached[status] < 100 {
				t.Errorf("only %d answers with %d: this tests little", reached[status], status)
			}
		}
	})
}

// Many creates at once with one place left: one passes, though the ones before it fail.
func TestTheLastCreation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		tries := 0
		h := api.New(anyone{stub{create: func() error {
			time.Sleep(time.Millisecond) // so that all are waiting for this one
			mu.Lock()
			defer mu.Unlock()
			if tries++; tries == 5 || tries == 6 {
				return errors.New("no")
			}
			return nil
		}}}, api.Options{})
		for range 4 {
			send(t, h, request(t.Context(), "POST", campaigns, `{}`)).is(201)
			time.Sleep(time.Second)
		}
		statuses := make(chan int, 5)
		for range 5 {
			go func() { statuses <- send(t, h, request(t.Context(), "POST", campaigns, `{}`)).status }()
		}
		got := map[int]int{}
		for range 5 {
			got[<-statuses]++
		}
		if got[500] != 2 || got[201] != 1 || got[429] != 2 {
			t.Errorf("answers %v, want two that failed, one that passed and two refused", got)
		}
	})
}

func limitsOn(b *bench, _ *engine.Workspace) { b.api.Unlimited = false }

func TestLimits(t *testing.T) {
	b := newBench(t, limitsOn)
	search := func(change ...with) answer {
		return b.do("POST", campaigns+"/search", `{"limit":1,"page":1}`, change...)
	}
	for range 10 {
		search().is(200)
	}
	a := search(requestID("r")).is(429, "error.code", "RATE_LIMITED", "response_id", "r", "error.request_id", "r")
	if a.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
	}
	// Another operation, another credential, another workspace: windows of their own.
	b.do("POST", campaigns+"/meta", `{"limit":1,"page":1}`).is(200)
	search(as("TEST", keyManage)).is(200)
	search(as("OTHER", "key-of-other")).is(200)
	// What was refused before it came to the limit does not count.
	for range 20 {
		search(as("TEST", "wrong")).is(401)
		search(as("TEST", keyRead), header("X-SVC-Tenant-ID", "OTHER")).is(403)
	}
	search(as("TEST", keyRead)).is(200)
	b.clock.Add(time.Second)
	// What was wrong after it counts.
	for range 10 {
		b.do("POST", campaigns+"/search", `[`).is(400)
	}
	search().is(429)
}

func TestCreationLimits(t *testing.T) {
	b := newBench(t, limitsOn)
	key := uuid.NewString()
	first := b.do("POST", campaigns, `{`+pushHead+`}`, idemKey(key)).is(201)
	for range 4 {
		b.clock.Add(time.Second)
		b.create(`{` + pushHead + `}`)
	}
	b.clock.Add(time.Second)
	a := b.do("POST", campaigns, `{`+pushHead+`}`).is(429, "error.code", "RATE_LIMITED")
	if a.header.Get("Retry-After") != "55" {
		t.Errorf("Retry-After %q, want 55", a.header.Get("Retry-After"))
	}
	// A repeat creates nothing, and gets its answer.
	same(t, first, b.do("POST", campaigns, `{`+pushHead+`}`, idemKey(key)))
	b.do("POST", campaigns, `{`+emailHead+`}`, idemKey(key)).is(409)
	b.clock.Add(55 * time.Second)
	b.create(`{` + pushHead + `}`)
	b.do("POST", campaigns, `{`+pushHead+`}`).is(429)
}

func TestLimitsAreOff(t *testing.T) {
	b := newBench(t)
	for i := range 120 {
		if a := b.do("POST", campaigns, fmt.Sprintf(`{%s,"basic_details":{"name":"n%d"}}`, pushHead, i)); a.status != http.StatusCreated {
			t.Fatalf("the %dth: %s", i, a.raw)
		}
	}
}
