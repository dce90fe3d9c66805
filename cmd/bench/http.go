//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"
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
	s := &server{cmd: cmd}
	if err := json.NewDecoder(out).Decode(&said); err != nil || said.Addr == "" {
		s.close()
		return nil, fmt.Errorf("the server did not say where it listens: %w", err)
	}
	s.addr = said.Addr
	return s, nil
}

// close ends the server, and waits for its end.
func (s *server) close() {
	kill := time.AfterFunc(quitTimeout, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
	_ = s.cmd.Wait()                          // ignore the result: it was told to end
}

// suspend stops a server, or lets it go on.
func (s *server) suspend(on bool) error {
	if on {
		return s.cmd.Process.Signal(syscall.SIGSTOP)
	}
	return s.cmd.Process.Signal(syscall.SIGCONT)
}

// call is a kind of request.
type call struct {
	what    string
	status  int
	request func(n int64) []byte // returns the bytes of request n
	rates   [2]float64           // required requests per second, with one client and with all
}

// calls returns the kinds of requests. The one that writes comes last, so that the others use the store as it was filled.
func (r *run) calls() []call {
	get := func(n int64) []byte {
		return r.request(http.MethodGet, "/v5/campaigns/"+r.filled.IDs[n*7919%int64(len(r.filled.IDs))], "")
	}
	fields := []string{`{"name":"sale"}`, `{"status":["DRAFT"],"channels":["PUSH"]}`, `{"name":"cart rem"}`, `{"status":["SENT"],"channels":["EMAIL"]}`, `{"name":"gift guide"}`, `{"status":["ACTIVE"],"channels":["PUSH"]}`}
	search := func(n int64) []byte {
		return r.request(http.MethodPost, "/v5/campaigns/search", fmt.Sprintf(`{"limit":15,"page":1,"campaign_fields":%s}`, fields[n%int64(len(fields))]))
	}
	return []call{
		{"get", http.StatusOK, get, [2]float64{8000, 20000}},
		{"search a page of 15", http.StatusOK, search, [2]float64{3000, 6000}},
		{createCall, http.StatusCreated, r.create, [2]float64{2000, 8000}},
	}
}

const createCall = "durable create"

// create returns a request that creates the n-th push campaign, of about 1 KB.
func (r *run) create(n int64) []byte {
	return r.request(http.MethodPost, "/v5/campaigns", fmt.Sprintf(`{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com",`+
		`"basic_details":{"name":"Made over HTTP %d","platforms":["ANDROID","IOS"],"tags":["sale"]},`+
		`"segmentation_details":{"is_all_user_campaign":true},`+
		`"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2040-05-01T09:00:00","timezone":"Europe/Berlin"},`+
		`"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"Spring sale","message":%q}},`+
		`"ios":{"template_type":"BASIC","basic_details":{"title":"Spring sale","message":%[2]q}}}}}}`, n, bytes.Repeat([]byte("Twelve new blends. "), 12)))
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
		var made atomic.Int64
		for i, clients := range []int{1, r.clients} {
			r.progress("measuring: http, %s, clients: %d", c.what, clients)
			l := load{addrs: []string{s.addr}, clients: clients, status: c.status, request: func() []byte { return c.request(made.Add(1)) }}
			_, err := l.run(ctx, r.length/2) // warm up connections and caches
			if err != nil {
				return err
			}
			done, err := l.run(ctx, r.length)
			if err != nil {
				return err
			}
			r.add(row{Part: partHTTP, What: c.what, Clients: clients, Value: done.rate(), Unit: "requests/s", Spread: spreadOf(done.took), Targets: []target{atLeast(c.rates[i])}})
		}
	}
	// Tables that the server has read are mapped: they are the system's cache, and count in the peak.
	return errors.Join(r.addMemory(partHTTP, "memory of the server itself after load", s.cmd.Process.Pid, "RssAnon", 300),
		r.addMemory(partHTTP, "peak memory of the server with mapped tables", s.cmd.Process.Pid, "VmHWM", 400))
}
