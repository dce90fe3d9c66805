//go:build unix

package bench_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"bugle/engine/service/local/sample"
)

// server is the program serving the API in its own process.
type server struct {
	cmd  *exec.Cmd
	addr string
}

// serve starts a server on a store. It ends with the benchmark.
func (f filled) serve(b *testing.B, data string) server {
	cmd := exec.CommandContext(b.Context(), f.program, "serve", "--addr", "127.0.0.1:0", "--rate-limits", "off", "--json") // ends before Cleanup
	cmd.Env = environment(data)
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(syscall.SIGTERM) }, quitTimeout
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cmd.Wait() }) // it was told to end
	var said struct{ Addr string }
	if err := json.NewDecoder(out).Decode(&said); err != nil {
		b.Fatalf("the server did not say where it listens: %v", err)
	}
	return server{cmd, said.Addr}
}

// conn is a persistent connection to a server. It does as little as possible, because it runs on the machine that it
// measures.
type conn struct {
	net.Conn
	in *bufio.Reader
}

func dial(s server) (conn, error) {
	c, err := net.Dial("tcp", s.addr)
	return conn{c, bufio.NewReaderSize(c, 64<<10)}, err
}

func (c conn) do(request []byte) ([]byte, error) {
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return nil, err
	}
	said, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("the server answered %s: %s", answer.Status, said)
	}
	return said, err
}

// request returns the bytes of a request to the API.
func (f filled) request(method, path, body string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s /v5/campaigns%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic %s\r\nX-SVC-Request-Id: %s\r\n",
		method, path, base64.StdEncoding.EncodeToString([]byte(sample.ID+":"+f.key)), uuid.NewString())
	if body != "" {
		fmt.Fprintf(&b, "Idempotency-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", uuid.NewString(), len(body))
	}
	b.WriteString("\r\n" + body)
	return b.Bytes()
}

func (f filled) get(n int64) []byte {
	return f.request(http.MethodGet, "/"+f.ids[n*7919%int64(len(f.ids))], "")
}

func (f filled) search(fields string) []byte {
	return f.request(http.MethodPost, "/search", `{"limit":15,"page":1,"campaign_fields":`+fields+`}`)
}

func (f filled) searches(n int64) []byte {
	fields := []string{`{"name":"sale"}`, `{"status":["DRAFT"],"channels":["PUSH"]}`, `{"name":"cart rem"}`, `{"status":["SENT"],"channels":["EMAIL"]}`}
	return f.search(fields[n%int64(len(fields))])
}

func (f filled) create(n int64) []byte {
	message := strings.Repeat("Twelve new blends. ", 12)
	return f.request(http.MethodPost, "", fmt.Sprintf(`{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com",`+
		`"basic_details":{"name":"Made over HTTP %d","platforms":["ANDROID","IOS"],"tags":["sale"]},`+
		`"segmentation_details":{"is_all_user_campaign":true},`+
		`"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2040-05-01T09:00:00","timezone":"Europe/Berlin"},`+
		`"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"Spring sale","message":%q}},`+
		`"ios":{"template_type":"BASIC","basic_details":{"title":"Spring sale","message":%[2]q}}}}}}`, n, message))
}

// BenchmarkRequests measures a server on the folder, and two on a database. The part that creates comes last, so that the
// others use the store as it was filled.
func BenchmarkRequests(b *testing.B) {
	f := setup(b)
	b.Run("folder", func(b *testing.B) { f.requests(b, f.serve(b, f.dir)) })
	b.Run("database", func(b *testing.B) {
		url := f.copyTo(b)
		one, other := f.serve(b, url), f.serve(b, url)
		f.requests(b, one, other)
		b.Run("found-at-the-other", func(b *testing.B) { f.finding(b, one, other) })
	})
}

func (f filled) requests(b *testing.B, servers ...server) {
	for _, kind := range []struct {
		name    string
		request func(n int64) []byte
	}{{"get", f.get}, {"search", f.searches}, {"create", f.create}} {
		for _, n := range []int{1, *clients} {
			b.Run(fmt.Sprintf("%s/clients=%d", kind.name, n), func(b *testing.B) { load(b, n, kind.request, servers) })
		}
	}
}

// load makes requests from several clients at once, each over its own connection to one of the servers in turn.
func load(b *testing.B, clients int, request func(n int64) []byte, servers []server) {
	var made atomic.Int64
	var group errgroup.Group
	parts := make([][]time.Duration, clients)
	for i := range parts {
		group.Go(func() error {
			c, err := dial(servers[i%len(servers)])
			if err != nil {
				return err
			}
			defer c.Close()
			for n := made.Add(1); n <= int64(b.N); n = made.Add(1) {
				text, began := request(n), time.Now()
				if _, err := c.do(text); err != nil {
					return err
				}
				parts[i] = append(parts[i], time.Since(began))
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for _, part := range parts {
		took = append(took, part...)
	}
	distribution(b, "", took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	memory(b, servers[0].cmd.Process.Pid, "RssAnon") // of the server itself
	memory(b, servers[0].cmd.Process.Pid, "VmHWM")   // with tables that are mapped, which are the system's cache
}

// finding measures how long it takes until a campaign that one server created is found at the other one.
func (f filled) finding(b *testing.B, one, other server) {
	at, err := dial(one)
	if err != nil {
		b.Fatal(err)
	}
	defer at.Close()
	there, err := dial(other)
	if err != nil {
		b.Fatal(err)
	}
	defer there.Close()
	var took []time.Duration
	for b.Loop() {
		answer, err := at.do(f.create(0))
		if err != nil {
			b.Fatal(err)
		}
		var made struct{ ID string }
		if err := json.Unmarshal(answer, &made); err != nil {
			b.Fatal(err)
		}
		search := f.search(fmt.Sprintf(`{"ids":[%q],"status":["DRAFT"]}`, made.ID))
		for began := time.Now(); ; {
			found, err := there.do(search)
			if err != nil || time.Since(began) > patience {
				b.Fatalf("the other server does not find %s: %v", made.ID, err)
			}
			if bytes.Contains(found, []byte(made.ID)) {
				took = append(took, time.Since(began))
				break
			}
		}
	}
	distribution(b, "", took)
}
