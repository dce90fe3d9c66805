package api_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/service/api"
	"bugle/engine/service/api/limit"
)

// quick answers everything at once. Creates fail where it is told so.
type quick struct {
	engine.Service
	fails *atomic.Bool
}

func (q quick) Create(context.Context, engine.CreateRequest) (engine.Created, error) {
	if q.fails.Load() {
		return engine.Created{}, engine.Errorf(engine.ValidationFailed, http.StatusBadRequest, "no")
	}
	return engine.Created{ID: unused, Status: "DRAFT"}, nil
}
func (quick) Get(context.Context, string) (engine.Campaign, error) { return engine.Campaign{}, nil }
func (quick) Update(context.Context, engine.UpdateRequest) (engine.Updated, error) {
	return engine.Updated{ID: unused}, nil
}
func (quick) Search(context.Context, engine.SearchRequest) ([]engine.Campaign, error) {
	return nil, nil
}
func (quick) Meta(context.Context, engine.MetaRequest) ([]engine.Meta, error) { return nil, nil }
func (quick) Test(context.Context, engine.TestRequest) (engine.TestResult, error) {
	return engine.TestResult{Message: "sent"}, nil
}

// moments stand before the API, and hold its clock. Many requests are inside at once, but time moves
// only while none is: so each has one moment, which the server decides by when it lets it in, and
// which the answer names.
type moments struct {
	next    http.Handler
	arrived atomic.Int64
	fails   atomic.Bool // what the creates of this moment do

	inside sync.RWMutex
	clock  *clock
	times  []time.Time
	failed []bool
	// every so many arrivals time moves by itself; 0: never.
	every  int64
	random *rand.Rand
}

const headerMoment = "X-Moment"

func (m *moments) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if m.every > 0 && m.arrived.Add(1)%m.every == 0 {
		m.move(m.pause)
	}
	m.inside.RLock()
	defer m.inside.RUnlock()
	w.Header().Set(headerMoment, strconv.Itoa(len(m.times)-1))
	m.next.ServeHTTP(w, r)
}

// move waits for the requests that are inside, and lets time go on.
func (m *moments) move(by func() time.Duration) {
	m.inside.Lock()
	defer m.inside.Unlock()
	m.clock.Add(by())
	m.times = append(m.times, m.clock.Now())
	m.failed = append(m.failed, len(m.times)%3 == 0)
	m.fails.Store(len(m.times)%3 == 0)
}

// pause draws how long nothing comes: mostly a part of a second, now and then hours.
func (m *moments) pause() time.Duration {
	upTo := []time.Duration{time.Second, time.Second, 3 * time.Second, 20 * time.Second, 2 * time.Minute, time.Hour, 9 * time.Hour}
	return time.Duration(m.random.Int64N(int64(upTo[min(m.random.IntN(9), m.random.IntN(len(upTo)))%len(upTo)]))) + 1
}

// counting counts the connections that are made, and those that the server ends before their client does.
type counting struct {
	net.Listener
	made, ended *atomic.Int64
}

func (c counting) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c.made.Add(1)
	return &serverEnd{Conn: conn, ended: c.ended}, nil
}

// serverEnd is the server's end of a connection.
type serverEnd struct {
	net.Conn
	left  atomic.Bool // its client hung up
	ended *atomic.Int64
}

func (c *serverEnd) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) { // with a deadline the server stops its own reading
		c.left.Store(true)
	}
	return n, err
}

func (c *serverEnd) Close() error {
	if !c.left.Load() {
		c.ended.Add(1)
	}
	return c.Conn.Close()
}

// loopback is the API with its limits on behind a socket of this machine, with a hundred clients of
// which each has one connection at a time.
type loopback struct {
	*testing.T
	*moments
	url         string
	clients     []*http.Client
	made, ended atomic.Int64 // connections
	model       *model
	heard       []map[heard]map[said]int // for each client
}

// heard is which answers are told apart: those to one caller at one moment.
type heard struct {
	caller
	moment int
}

func newLoopback(t *testing.T) *loopback {
	t.Helper()
	l := &loopback{T: t, moments: &moments{clock: newClock(), random: rand.New(rand.NewPCG(4, 2))}, model: newModel()}
	l.move(func() time.Duration { return 0 })
	l.next = api.New(api.Keys(func(_ context.Context, id string) (engine.Workspace, engine.Service, error) {
		return engine.Workspace{
			ID: id, Keys: []engine.APIKey{apiKey("a", "key-a-of-"+id, engine.KnownScopes()...), apiKey("b", "key-b-of-"+id, engine.KnownScopes()...)},
		}, quick{fails: &l.fails}, nil
	}), api.Options{Clock: l.clock.Now})
	ln, err := api.Listen("127.0.0.1:0", api.Transport{})
	if err != nil {
		t.Fatal(err)
	}
	l.url = "http://" + ln.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- api.Serve(ctx, counting{ln, &l.made, &l.ended}, l.moments, api.ServeOptions{}) }()
	for range 100 {
		l.clients = append(l.clients, &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}})
		l.heard = append(l.heard, map[heard]map[said]int{})
	}
	t.Cleanup(func() {
		for _, c := range l.clients {
			c.CloseIdleConnections()
		}
		stop()
		if err := <-served; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return l
}

// ask sends one request of a client, and keeps what it heard.
func (l *loopback) ask(client int, c caller) {
	call := calls[c.operation]
	r, err := http.NewRequestWithContext(l.Context(), call.method, l.url+call.path, strings.NewReader(call.body))
	if err != nil {
		l.Error(err)
		return
	}
	r.SetBasicAuth(c.workspace, c.key)
	r.Header.Set("X-SVC-Request-Id", uuid.NewString())
	r.Header.Set("Idempotency-Key", uuid.NewString())
	res, err := l.clients[client].Do(r)
	if err != nil {
		l.Error(err)
		return
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		l.Error(err)
	}
	if res.Close {
		l.Errorf("%s: the answer ends the connection", res.Status)
	}
	moment, err := strconv.Atoi(res.Header.Get(headerMoment))
	if err != nil {
		l.Errorf("%s: the answer names no moment: %v", res.Status, err)
		return
	}
	at := heard{c, moment}
	if l.heard[client][at] == nil {
		l.heard[client][at] = map[said]int{}
	}
	l.heard[client][at][said{res.StatusCode, res.Header.Get("Retry-After")}]++
}

// at lets the clients work at once.
func (l *loopback) at(clients int, work func(client int)) {
	var wait sync.WaitGroup
	for i := range clients {
		wait.Go(func() { work(i) })
	}
	wait.Wait()
}

// judge compares all that was heard since the last time with the model, moment by moment, and gives
// it.
func (l *loopback) judge() map[heard]map[said]int {
	all := map[heard]map[said]int{}
	for i, one := range l.heard {
		for at, answers := range one {
			if all[at] == nil {
				all[at] = map[said]int{}
			}
			for s, n := range answers {
				all[at][s] += n
			}
		}
		clear(l.heard[i])
	}
	for _, at := range slices.SortedFunc(maps.Keys(all), func(a, b heard) int { return cmp.Compare(a.moment, b.moment) }) {
		asked := 0
		for _, n := range all[at] {
			asked += n
		}
		want := l.model.answers(at.caller, l.times[at.moment], asked, l.failed[at.moment])
		if !maps.Equal(all[at], want) {
			l.Errorf("%s, moment %d at %s: %d requests were answered %v, the model says %v", at.caller, at.moment, l.times[at.moment], asked, all[at], want)
		}
	}
	return all
}

// round has clients ask for the same at one moment, and gives what they heard.
func (l *loopback) round(clients int, c caller) map[said]int {
	l.Helper()
	l.at(clients, func(client int) { l.ask(client, c) })
	return l.judge()[heard{c, len(l.times) - 1}]
}

// A hundred clients send whatever they like as fast as they can, and time goes on meanwhile. At no moment passes more or less than the naive model lets pass, and each refusal says
// exactly how long it takes until one passes.
func TestAHundredClientsOverASocket(t *testing.T) {
	l := newLoopback(t)
	l.every = 100
	const each = 40
	operations := slices.Sorted(maps.Keys(calls))
	l.at(100, func(client int) {
		random := rand.New(rand.NewPCG(9, uint64(client)))
		for range each {
			workspace := []string{"NORTH", "SOUTH", "SOUTH"}[random.IntN(3)]
			key := []string{"a", "a", "b"}[random.IntN(3)]
			l.ask(client, caller{workspace, "key-" + key + "-of-" + workspace, operations[min(random.IntN(len(operations)), random.IntN(len(operations)))]})
		}
	})
	total, callers := map[int]int{}, map[caller]bool{}
	for at, answers := range l.judge() {
		callers[at.caller] = true
		for s, n := range answers {
			total[s.status] += n
		}
	}
	if len(callers) != 2*2*len(calls) || len(l.times) != 1+100*each/100 {
		t.Errorf("%d callers at %d moments", len(callers), len(l.times))
	}
	for _, status := range []int{200, 201, 400, 429} {
		if total[status] < 50 {
			t.Errorf("only %d answers with %d: this tests little", total[status], status)
		}
	}
	// A client may give a connection up: that of net/http does where it is not told within 50 ms that its
	// request was written, which happens on a busy machine. The server ends none.
	if n := l.ended.Load(); n != 0 {
		t.Errorf("the server ended %d of %d connections", n, l.made.Load())
	}
	t.Logf("%d moments, %d connections, answers %v", len(l.times), l.made.Load(), total)
}

// The edge of each window of each kind: once it is full, of a hundred requests at once none passes
// until the very moment that the window rolls on, and then as many as the model says.
func TestWindowBoundsOverASocket(t *testing.T) {
	l := newLoopback(t)
	search := caller{"NORTH", "key-a-of-NORTH", "search"}
	create := caller{"NORTH", "key-a-of-NORTH", "create"}
	for _, tt := range []struct {
		caller
		windows []limit.Window
		made    bool // the windows are those of creations
	}{{search, limit.Other, false}, {create, limit.Create, false}, {caller{"SOUTH", "key-b-of-SOUTH", "create"}, limit.Creations, true}} {
		requests, creations := l.model.of(tt.caller)
		counted := requests
		if tt.made {
			counted = creations
		}
		for _, w := range tt.windows {
			t.Run(fmt.Sprintf("%s %s", tt.operation, w), func(t *testing.T) {
				l.T = t
				one := &rolling{windows: []limit.Window{w}}
				for one.passed = counted.passed; one.room(l.clock.Now()) > 0; one.passed = counted.passed {
					l.fill(tt.caller, requests, creations, tt.made)
				}
				clients := len(l.clients)
				if tt.made { // so few that the windows of requests have room for them
					clients = 2
				}
				l.edge(tt.caller, counted, clients)
			})
		}
	}
}

// fill moves to the next moment at which something passes, and sends as much as does; of creates that
// shall count as creations one, so that the windows of requests do not fill before.
func (l *loopback) fill(c caller, requests, creations *rolling, made bool) {
	now := l.clock.Now()
	d := time.Second
	if requests.room(now.Add(d)) <= 0 || creations.room(now.Add(d)) <= 0 {
		d = max(requests.wait(now), creations.wait(now))
	}
	l.step(d, !made)
	n := requests.room(now.Add(d))
	if made {
		n = 1
	}
	l.round(min(n, len(l.clients)), c)
}

// step moves time, and says what creates do from then on.
func (l *loopback) step(d time.Duration, fails bool) {
	l.move(func() time.Duration { return d })
	l.failed[len(l.failed)-1] = fails
	l.fails.Store(fails)
}

// edge has clients ask at once while the window is full, a moment before it rolls on, and as it
// does.
func (l *loopback) edge(c caller, counted *rolling, clients int) {
	l.Helper()
	fails := l.failed[len(l.failed)-1]
	wait := counted.wait(l.clock.Now())
	refused := func(retryAfter string) {
		l.Helper()
		want := map[said]int{{http.StatusTooManyRequests, retryAfter}: clients}
		if got := l.round(clients, c); !maps.Equal(got, want) {
			l.Errorf("with %s to wait: answers %v, want %v", counted.wait(l.clock.Now()), got, want)
		}
	}
	refused(wholeSeconds(wait))
	l.step(wait-1, fails)
	refused("1")
	l.step(1, fails)
	got, passed := l.round(clients, c), 0
	for s, n := range got {
		if s.status != http.StatusTooManyRequests {
			passed += n
		}
	}
	if passed == 0 {
		l.Errorf("%s after the refusal, as it said, nothing passes: %v", wait, got)
	}
}
