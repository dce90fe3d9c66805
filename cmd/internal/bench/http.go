package bench

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/badger"
)

const (
	// createdSize is the approximate size of the campaigns created over HTTP, in bytes.
	createdSize = 2000
	// candidates is the number of campaigns from which those read over HTTP are chosen.
	candidates = 5000
)

// call is a kind of request.
type call struct {
	what    string
	status  int
	request func(n int64) []byte // returns the bytes of request n
	targets map[int]float64      // required requests per second by number of clients
}

// http measures requests to a server of the program.
func (r *run) http(ctx context.Context) (err error) {
	dir, err := r.working(ctx)
	if err != nil {
		return err
	}
	ids, err := someIDs(ctx, dir, r.Campaigns)
	if err != nil {
		return err
	}
	calls, err := r.calls(ctx, ids)
	if err != nil {
		return err
	}
	s, err := r.serve(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	made := make([]string, 0, len(calls))
	for i, c := range calls {
		size, n, err := r.callAll(ctx, s.addr, c)
		made = append(made, fmt.Sprintf("%d of %q", n, c.what))
		if i == 0 && err == nil {
			err = r.yardstick(ctx, size)
		}
		if err != nil {
			return err
		}
	}
	r.peak(s.cmd.Process.Pid, "after "+strings.Join(made, ", ")+fmt.Sprintf(", with up to %d clients", slices.Max(r.Clients)))
	return nil
}

// callAll sends one kind of request with each number of clients. It returns the average size of a response body in
// bytes, and the number of requests sent.
func (r *run) callAll(ctx context.Context, addr string, c call) (size int, n int64, err error) {
	var made atomic.Int64
	for _, clients := range r.Clients {
		r.Progress(fmt.Sprintf("measuring: http, %s, clients: %d", c.what, clients))
		row := Row{Part: Serving, What: c.what, Unit: "requests/s", Campaigns: r.Campaigns, Clients: clients}
		l := load{addrs: []string{addr}, clients: clients, status: c.status, request: func() []byte { return c.request(made.Add(1)) }}
		_, err := l.run(ctx, r.For/2) // warm up connections and caches: every requested campaign was read
		var done loadResult
		if err == nil {
			done, err = l.run(ctx, r.For)
		}
		if ctx.Err() != nil {
			return 0, 0, ctx.Err()
		}
		if err != nil {
			r.fail(row, err)
			continue
		}
		rate := round(float64(len(done.took)) / done.within.Seconds())
		row.Value, row.Count, row.Latency = &rate, len(done.took), spread(time.Millisecond, done.took)
		if t, ok := c.targets[clients]; ok {
			row.Targets = []Target{atLeast(ofValue, t)}
		}
		r.add(row)
		size = int(done.read / int64(len(done.took)))
	}
	return size, made.Load(), nil
}

// yardstick measures a handler that only returns responses of the same size.
func (r *run) yardstick(ctx context.Context, size int) error {
	body := bytes.Repeat([]byte("x"), size)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // ignore clients that have disconnected
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()
	_, _, err = r.callAll(ctx, ln.Addr().String(), call{
		what: "yardstick: plain net/http, an answer of the same size as get's", status: http.StatusOK,
		request: func(int64) []byte { return []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") },
	})
	err = errors.Join(err, server.Close())
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

// someIDs returns the ids of campaigns spread evenly over the store.
func someIDs(ctx context.Context, dir string, n int) (ids []string, err error) {
	db, err := badger.Open(ctx, badger.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	i, each := 0, max(1, n/candidates)
	err = db.Read(ctx, func(tx store.Tx) error {
		return tx.Workspace(Workspace).Summaries(func(s engine.Summary) error {
			if i++; i%each == 0 {
				ids = append(ids, s.ID)
			}
			return nil
		})
	})
	return ids, errors.Join(err, db.Close())
}

// calls returns the kinds of requests. Those that write come last, so that the others use the store as it was filled.
func (r *run) calls(ctx context.Context, ids []string) ([]call, error) {
	create, err := r.createBody(ctx)
	if err != nil {
		return nil, err
	}
	byKind := make([]string, 0, 6)
	for _, channel := range []engine.Channel{catalog.Push, catalog.Email} {
		for _, status := range []engine.State{catalog.Draft, catalog.Active, catalog.Sent} {
			byKind = append(byKind, fmt.Sprintf(`{"status":[%q],"channels":[%q]}`, status, channel))
		}
	}
	var byName []string
	for _, part := range strings.Split("sale,cart rem,newsletter,flash,price,gift guide,VIP,launch", ",") {
		byName = append(byName, fmt.Sprintf(`{"name":%q}`, part))
	}
	search := func(fields []string) func(int64) []byte {
		return func(n int64) []byte {
			body := fmt.Sprintf(`{"limit":15,"page":1,"campaign_fields":%s}`, fields[n%int64(len(fields))])
			return r.request(http.MethodPost, "/v5/campaigns/search", body)
		}
	}
	searches := map[int]float64{1: 3000, 32: 6000}
	return []call{
		{"get", http.StatusOK, func(n int64) []byte {
			return r.request(http.MethodGet, "/v5/campaigns/"+ids[n*7919%int64(len(ids))], "")
		}, map[int]float64{1: 8000, 32: 20000}},
		{"search a page of 15 by status and channel", http.StatusOK, search(byKind), searches},
		{"search a page of 15 by part of the name", http.StatusOK, search(byName), searches},
		{"durable create", http.StatusCreated, func(n int64) []byte {
			return r.request(http.MethodPost, "/v5/campaigns", create(n))
		}, map[int]float64{1: 2000, 32: 8000}},
	}, nil
}

// createBody returns a function that builds the body of the n-th create request: a push campaign with a unique name.
func (r *run) createBody(ctx context.Context) (func(n int64) string, error) {
	c, err := r.validCampaign(ctx, createdSize)
	if err != nil {
		return nil, err
	}
	const mark = "Made over HTTP"
	body, err := engine.DocumentBody(c).Set(doc.P(string(catalog.BasicDetails), "name"), doc.NewString(mark))
	if err != nil {
		return nil, err
	}
	whole := engine.NewDraftBody(catalog.Push, engine.DeliveryType(c.Get("campaign_delivery_type").Text()), "ann@example.com", body)
	before, after, ok := strings.Cut(string(whole.Encode()), mark)
	if !ok {
		return nil, fmt.Errorf("the name of the campaign was not found in its body")
	}
	return func(n int64) string { return before + mark + " " + strconv.FormatInt(n, 10) + after }, nil
}

// request returns the bytes of a request to the API.
func (r *run) request(method, path, body string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic %s\r\nX-SVC-Request-Id: %s\r\n",
		method, path, base64.StdEncoding.EncodeToString([]byte(Workspace+":"+r.filled.Key)), uuid.NewString())
	if body != "" {
		fmt.Fprintf(&b, "Idempotency-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", uuid.NewString(), len(body))
	}
	b.WriteString("\r\n")
	b.WriteString(body)
	return b.Bytes()
}
