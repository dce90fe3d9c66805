package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"bugle/cmd/bugle/internal/cli"
)

// served is `bugle serve` on a store on the disk, for benchmarks.
type served struct {
	addr string
	user string
	key  string
}

func benchServe(b *testing.B) served {
	b.Helper()
	dir := b.TempDir()
	env := func(name string) string {
		return map[string]string{cli.EnvData: dir, cli.EnvAuthor: "ada@example.com"}[name]
	}
	var out strings.Builder
	if code := run(b.Context(), []string{"init", "--id", "DEMO", "--json"}, env, cli.Streams{In: strings.NewReader(""), Out: &out, Err: io.Discard}); code != cli.ExitDone {
		b.Fatalf("bugle init exited with %d", code)
	}
	s := served{user: "DEMO"}
	var made struct {
		Key string `json:"api_key"`
	}
	if err := json.Unmarshal([]byte(out.String()), &made); err != nil {
		b.Fatalf("bugle init said %q: %v", &out, err)
	}
	s.key = made.Key
	ctx, stop := context.WithCancel(context.Background())
	read, write := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		args := []string{"serve", "--addr", "127.0.0.1:0", "--rate-limits", "off", "--json"}
		ended <- run(ctx, args, env, cli.Streams{In: strings.NewReader(""), Out: write, Err: io.Discard})
		write.Close()
	}()
	b.Cleanup(func() {
		stop()
		if code := <-ended; code != cli.ExitDone {
			b.Errorf("bugle serve exited with %d", code)
		}
	})
	var said struct{ Addr string }
	if err := json.NewDecoder(read).Decode(&said); err != nil {
		b.Fatal(err)
	}
	s.addr = said.Addr
	return s
}

// caller is one client that keeps its connection, and takes little time of its own.
type caller struct {
	net.Conn
	r *bufio.Reader
}

func (s served) dial(b *testing.B) *caller {
	b.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		b.Fatal(err)
	}
	return &caller{c, bufio.NewReader(c)}
}

// request returns the bytes of a request with unique ids.
func (s served) request(method, path, body string) []byte {
	r, err := http.NewRequest(method, "http://"+s.addr+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.SetBasicAuth(s.user, s.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-SVC-Request-Id", uuid.NewString())
	r.Header.Set("Idempotency-Key", uuid.NewString())
	var w strings.Builder
	_ = r.Write(&w) // into memory
	return []byte(w.String())
}

func (c *caller) do(request []byte, status int) ([]byte, error) {
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != status {
		err = fmt.Errorf("status %d: %s", resp.StatusCode, body)
	}
	return body, err
}

// load has clients do b.N requests in all, and reports how many were done in a second.
func (s served) load(b *testing.B, clients, status int, request func() []byte) {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(b.N))
	callers := make([]*caller, clients)
	for i := range callers {
		callers[i] = s.dial(b)
		defer callers[i].Close()
	}
	b.ReportAllocs()
	b.ResetTimer()
	var all sync.WaitGroup
	for _, c := range callers {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if _, err := c.do(request(), status); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

const benchCampaign = `{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","created_by":"ada@example.com",
	"basic_details":{"name":"Spring mail","content_type":"TRANSACTIONAL"},
	"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"},
	"campaign_content":{"content":{"email":{"subject":"Hi {{UserAttribute['First Name']}}","from_address":"shop@example.com",
		"sender_name":"Shop","html_content":"<p>Hello {{user.first_name}}</p>"}}},
	"segmentation_details":{"is_all_user_campaign":true},
	"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2099-12-01T09:00:00","timezone":"Europe/Berlin"}}`

// BenchmarkHTTPCreate creates campaigns over loopback, each of them durable before its answer.
func BenchmarkHTTPCreate(b *testing.B) {
	for _, clients := range []int{1, 32} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			s := benchServe(b)
			s.load(b, clients, http.StatusCreated, func() []byte { return s.request("POST", "/v5/campaigns", benchCampaign) })
		})
	}
}

// BenchmarkHTTPGet gets campaigns over loopback.
func BenchmarkHTTPGet(b *testing.B) {
	for _, clients := range []int{1, 32} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			s := benchServe(b)
			c := s.dial(b)
			defer c.Close()
			body, err := c.do(s.request("POST", "/v5/campaigns", benchCampaign), http.StatusCreated)
			var made struct{ Data struct{ ID string } }
			if err == nil {
				err = json.Unmarshal(body, &made)
			}
			if err != nil {
				b.Fatal(err)
			}
			get := s.request("GET", "/v5/campaigns/"+made.Data.ID, "")
			s.load(b, clients, http.StatusOK, func() []byte { return get })
		})
	}
}

// BenchmarkDiskSync measures the lower limit of a durable write: appending 4 KB to a file and syncing it.
func BenchmarkDiskSync(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "file"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	page := make([]byte, 4<<10)
	for b.Loop() {
		if _, err := f.Write(page); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}
