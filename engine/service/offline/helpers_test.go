package offline_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/enginetest"
	"bugle/engine/service/api"
	"bugle/engine/service/local"
	"bugle/engine/service/offline"
	"bugle/engine/service/remote"
	"bugle/store/mem"
)

const workspace = enginetest.WorkspaceID

// home returns a workspace of its own in memory, the API over it, and its key.
func home(t *testing.T, clock func() time.Time) (*local.Service, http.Handler, string) {
	t.Helper()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	key, err := local.CreateWorkspace(t.Context(), db, enginetest.Workspace())
	if err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, workspace, local.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range enginetest.Users() {
		if err := svc.PutUser(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	h := api.New(api.Keys(func(ctx context.Context, _ string) (engine.Workspace, engine.Service, error) {
		w, err := svc.Workspace(ctx)
		return w, svc, err
	}), api.Options{Clock: clock, Unlimited: true})
	return svc, h, key
}

// The ways in which a network can be.
type weather int

const (
	fair weather = iota
	refused
	silent      // nothing ever comes
	unavailable // 503 from somebody in between
	broken      // 500 from the service itself
	limited     // 429, half a minute to wait
	forbidden   // 403 to everything
)

// network is a transport whose weather a test sets.
type network struct {
	mu    sync.Mutex
	state weather
	hung  chan struct{} // a request that gets no answer has arrived; later ones are not told of
	heard chan struct{} // closed: they are answered after all
}

func (n *network) set(w weather) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.state = w
}

func (n *network) RoundTrip(req *http.Request) (*http.Response, error) {
	n.mu.Lock()
	state := n.state
	n.mu.Unlock()
	say := func(status int, header ...string) (*http.Response, error) {
		res := &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"text/plain"}}, Body: io.NopCloser(strings.NewReader("no")), Request: req}
		for i := 0; i+1 < len(header); i += 2 {
			res.Header.Set(header[i], header[i+1])
		}
		return res, nil
	}
	switch state {
	case refused:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	case silent:
		select {
		case n.hung <- struct{}{}:
		default:
		}
		select {
		case <-n.heard:
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	case unavailable:
		return say(http.StatusServiceUnavailable)
	case broken:
		return say(http.StatusInternalServerError)
	case limited:
		return say(http.StatusTooManyRequests, "Retry-After", "30")
	case forbidden:
		return say(http.StatusForbidden)
	}
	return http.DefaultTransport.RoundTrip(req)
}

// bench is a service over a network, and the workspace at its other end.
type bench struct {
	*testing.T
	far *local.Service
	net *network
	dir string
	svc *offline.Service

	url, key string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{T: t, net: &network{hung: make(chan struct{}, 1), heard: make(chan struct{})}, dir: t.TempDir()}
	var h http.Handler
	b.far, h, b.key = home(t, time.Now)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	b.url = server.URL
	b.start()
	return b
}

// start opens the service as a program does that begins, so impatient that tests are quick.
func (b *bench) start() {
	b.Helper()
	b.startWith(offline.Options{CheckAfter: 30 * time.Millisecond, HealthTimeout: 30 * time.Millisecond, RetryPause: 10 * time.Millisecond})
}

func (b *bench) startWith(o offline.Options) {
	b.Helper()
	o.Dir = b.dir
	svc, err := offline.Open(
		remote.Config{BaseURL: b.url, Workspace: workspace, Key: func(context.Context) (string, error) { return b.key, nil }, Transport: b.net, Limits: true},
		o,
	)
	if err != nil {
		b.Fatal(err)
	}
	b.svc = svc
	b.Cleanup(func() { svc.Close() })
}

// create makes a campaign at the other end, with a member that no table knows.
func (b *bench) create(name string) string {
	b.Helper()
	body := b.parse(`{"basic_details":{"name":"` + name + `"}}`)
	made, err := b.far.Create(b.Context(), engine.CreateRequest{Body: engine.NewDraftBody(catalog.Push, catalog.OneTime, "ann@example.com", body)})
	if err != nil {
		b.Fatal(err)
	}
	c, err := b.far.Get(b.Context(), made.ID)
	if err != nil {
		b.Fatal(err)
	}
	strange := b.parse(`{"basic_details":{"name":"` + name + `"},"theirs":1.50}`)
	if _, err := b.far.Save(b.Context(), engine.SaveRequest{ID: made.ID, Revision: c.Revision, Body: strange}); err != nil {
		b.Fatal(err)
	}
	return made.ID
}

// rename changes a campaign at the other end.
func (b *bench) rename(id, name string) {
	b.Helper()
	if _, err := b.far.Update(b.Context(), renaming(b, id, name)); err != nil {
		b.Fatal(err)
	}
}

func renaming(b *bench, id, name string) engine.UpdateRequest {
	head := engine.Head{Channel: catalog.Push, DeliveryType: catalog.OneTime}
	body := engine.UpdateBody(head, "ann@example.com", doc.M("basic_details", b.parse(`{"name":"`+name+`"}`)))
	return engine.UpdateRequest{Call: engine.NewCall(), ID: id, Body: body}
}

func (b *bench) parse(s string) doc.Value {
	b.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		b.Fatalf("%s: %v", s, err)
	}
	return v
}

func (b *bench) read(id string) engine.Campaign {
	b.Helper()
	c, err := b.svc.Get(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

func (b *bench) list() []string {
	b.Helper()
	rows, err := b.svc.List(b.Context(), engine.ListQuery{})
	if err != nil {
		b.Fatal(err)
	}
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.Name
	}
	return names
}

// until waits for a state of the link.
func (b *bench) until(what string, is func(engine.Connection) bool) engine.Connection {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 10*time.Second)
	defer cancel()
	if l := b.svc.Connection(); is(l) {
		return l
	}
	for l := range b.svc.Connections(ctx) {
		if is(l) {
			return l
		}
	}
	b.Fatalf("the link is not %s: %+v", what, b.svc.Connection())
	return engine.Connection{}
}

func (b *bench) online() {
	b.Helper()
	b.until("back", func(l engine.Connection) bool { return l.OfflineSince.IsZero() })
}
