//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/postgres"
)

// server is the program serving the API in its own process.
type server struct {
	cmd  *exec.Cmd
	addr string
}

// serve starts a server on a store. Its log is written and discarded.
func (r *run) serve(ctx context.Context, data string) (*server, error) {
	cmd := exec.CommandContext(ctx, r.program, "serve", "--addr", "127.0.0.1:0", "--rate-limits", "off", "--json")
	cmd.Env = r.environment(data)
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(syscall.SIGTERM) }, quitTimeout
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	var said struct{ Addr string }
	if err := json.NewDecoder(out).Decode(&said); err != nil || said.Addr == "" {
		(&server{cmd: cmd}).close()
		return nil, fmt.Errorf("the server did not say where it listens: %w", err)
	}
	return &server{cmd, said.Addr}, nil
}

// close ends the server, and waits for its end.
func (s *server) close() {
	kill := time.AfterFunc(quitTimeout, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
	_ = s.cmd.Wait()                          // ignore the result: it was told to end
}

// call is a kind of request.
type call struct {
	what    string
	status  int
	request func(n int64) []byte // returns the bytes of request n
	least   [2]float64           // required requests per second, with one client and with all
	ratio   float64              // required of what a folder does, for a database; 0 measures none
}

// calls returns the kinds of requests. The one that writes comes last, so that the others use the store as it was filled.
func (r *run) calls() []call {
	get := func(n int64) []byte {
		return r.request(http.MethodGet, "/v5/campaigns/"+r.filled.IDs[n*7919%int64(len(r.filled.IDs))], "")
	}
	fields := []string{`{"name":"sale"}`, `{"status":["DRAFT"],"channels":["PUSH"]}`, `{"name":"cart rem"}`, `{"status":["SENT"],"channels":["EMAIL"]}`}
	search := func(n int64) []byte {
		return r.request(http.MethodPost, "/v5/campaigns/search", fmt.Sprintf(`{"limit":15,"page":1,"campaign_fields":%s}`, fields[n%int64(len(fields))]))
	}
	message := bytes.Repeat([]byte("Twelve new blends. "), 12)
	create := func(n int64) []byte {
		return r.request(http.MethodPost, "/v5/campaigns", fmt.Sprintf(`{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com",`+
			`"basic_details":{"name":"Made over HTTP %d","platforms":["ANDROID","IOS"],"tags":["sale"]},`+
			`"segmentation_details":{"is_all_user_campaign":true},`+
			`"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2040-05-01T09:00:00","timezone":"Europe/Berlin"},`+
			`"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"Spring sale","message":%q}},`+
			`"ios":{"template_type":"BASIC","basic_details":{"title":"Spring sale","message":%[2]q}}}}}}`, n, message))
	}
	return []call{
		{"get", http.StatusOK, get, [2]float64{8000, 20000}, 0.3},
		{"search a page of 15", http.StatusOK, search, [2]float64{3000, 6000}, 0},
		{"durable create", http.StatusCreated, create, [2]float64{2000, 8000}, 0.5},
	}
}

// request returns the bytes of a request to the API.
func (r *run) request(method, path, body string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic %s\r\nX-SVC-Request-Id: %s\r\n",
		method, path, base64.StdEncoding.EncodeToString([]byte(benchWorkspace+":"+r.filled.Key)), uuid.NewString())
	if body != "" {
		fmt.Fprintf(&b, "Idempotency-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", uuid.NewString(), len(body))
	}
	b.WriteString("\r\n" + body)
	return b.Bytes()
}

// requesting measures requests to a server on the folder, and its memory afterwards.
func (r *run) requesting(ctx context.Context) error {
	s, err := r.serve(ctx, r.store)
	if err != nil {
		return err
	}
	defer s.close()
	for _, c := range r.calls() {
		for i, clients := range []int{1, r.clients} {
			one, err := r.load(ctx, c, clients, s)
			if err != nil {
				return err
			}
			r.add(one, fmt.Sprintf("≥ %g", c.least[i]), one.Value >= c.least[i])
		}
	}
	// Tables that the server has read are mapped: they are the system's cache, and count in the peak.
	r.addMemory("memory of the server itself after load", s.cmd.Process.Pid, "RssAnon", 300)
	r.addMemory("peak memory of the server with mapped tables", s.cmd.Process.Pid, "VmHWM", 400)
	return nil
}

// comparing measures how many requests two servers on the database handle, compared with one on the folder.
func (r *run) comparing(ctx context.Context) error {
	if err := r.fillDatabase(ctx); err != nil {
		return err
	}
	for _, c := range r.calls() {
		if c.ratio == 0 {
			continue
		}
		var rates []float64
		for _, data := range [][]string{{r.store}, {r.data, r.data}} {
			var servers []*server
			for _, d := range data {
				s, err := r.serve(ctx, d)
				if err != nil {
					return err
				}
				defer s.close()
				servers = append(servers, s)
			}
			one, err := r.load(ctx, c, r.clients, servers...)
			if err != nil {
				return err
			}
			rates = append(rates, one.Value)
		}
		ratio := rates[1] / rates[0]
		r.add(row{What: c.what + ": two servers on a database to one on a folder", Clients: r.clients, Value: ratio, Unit: "ratio"}, fmt.Sprintf("≥ %g", c.ratio), ratio >= c.ratio)
	}
	return nil
}

// fillDatabase copies the filled store to the database, which must be empty.
func (r *run) fillDatabase(ctx context.Context) (err error) {
	r.progress("filling the database")
	from, err := badger.Open(ctx, badger.Options{Dir: r.store})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := postgres.Open(ctx, postgres.Options{URL: r.data, Create: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if _, err := backup.Copy(ctx, from, to, nil); err != nil {
		return err
	}
	// The database does this by itself within some minutes after it was filled.
	conn, err := pgx.Connect(ctx, r.data)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	return errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
}

// load makes one kind of request from several clients at once, after a warm-up, each over its own persistent connection to
// one of the servers in turn. It returns the row with the requests per second.
func (r *run) load(ctx context.Context, c call, clients int, servers ...*server) (row, error) {
	r.progress("measuring: %s, clients: %d", c.what, clients)
	var made atomic.Int64
	var took []time.Duration
	var within time.Duration
	for _, length := range []time.Duration{r.length / 2, r.length} {
		parts := make([][]time.Duration, clients)
		group, ctx := errgroup.WithContext(ctx)
		began := time.Now()
		for i := range parts {
			group.Go(func() (err error) {
				parts[i], err = client(ctx, servers[i%len(servers)].addr, began.Add(length), c, &made)
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return row{}, err
		}
		took, within = nil, time.Since(began)
		for _, p := range parts {
			took = append(took, p...)
		}
	}
	return row{What: c.what, Clients: clients, Value: float64(len(took)) / within.Seconds(), Unit: "requests/s"}.of(took), nil
}

// client sends one request after another until end, and at least one. It does as little as possible, because it runs on the
// machine that it measures.
func client(ctx context.Context, addr string, end time.Time, c call, made *atomic.Int64) (took []time.Duration, err error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	in := bufio.NewReaderSize(conn, 64<<10)
	for len(took) == 0 || time.Now().Before(end) {
		request := c.request(made.Add(1))
		began := time.Now()
		if _, err := conn.Write(request); err != nil {
			return nil, err
		}
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			return nil, fmt.Errorf("reading an answer: %w", err)
		}
		said, err := io.ReadAll(answer.Body)
		if err == nil && answer.StatusCode != c.status {
			err = fmt.Errorf("the server answered %s: %s", answer.Status, said)
		}
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}
