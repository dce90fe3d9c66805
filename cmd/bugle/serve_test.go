package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
)

// serving is `bugle serve` in this process.
type serving struct {
	t      *testing.T
	url    string
	client *http.Client
	stop   context.CancelFunc
	code   chan int

	mu    sync.Mutex
	wrote sync.Cond
	errs  bytes.Buffer // what it wrote on standard error
}

func (s *serving) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.wrote.Broadcast()
	return s.errs.Write(p)
}

// waitFor waits until all of the texts are in one line of the log.
func (s *serving) waitFor(texts ...string) {
	s.t.Helper()
	late := time.AfterFunc(30*time.Second, s.wrote.Broadcast)
	defer late.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for began := time.Now(); ; s.wrote.Wait() {
		for line := range strings.Lines(s.errs.String()) {
			if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(line, text) }) {
				return
			}
		}
		if time.Since(began) >= 30*time.Second {
			s.t.Fatalf("%q is not in the log:\n%s", texts, s.errs.String())
		}
	}
}

func (s *serving) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.errs.String()
}

// serve starts the server on a free port, and stops it when the test ends.
func (b bugle) serve(args ...string) *serving { return b.serveTo(nil, args...) }

// serveTo is like serve with a writer for standard error; nil: the output is recorded.
func (b bugle) serveTo(errs io.Writer, args ...string) *serving {
	b.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s := &serving{t: b.t, client: &http.Client{}, stop: stop, code: make(chan int, 1)}
	s.wrote.L = &s.mu
	if errs == nil {
		errs = s
	}
	read, write := io.Pipe()
	go func() {
		args := append([]string{"serve", "--addr", "127.0.0.1:0", "--json"}, args...)
		code := run(ctx, args, b.getenv, cli.Streams{In: strings.NewReader(""), Out: write, Err: errs})
		write.Close()
		s.code <- code
	}()
	b.t.Cleanup(func() { s.ends(cli.ExitDone) })
	first, err := bufio.NewReader(read).ReadBytes('\n')
	var said struct{ Addr, URL string }
	if err == nil {
		err = json.Unmarshal(first, &said)
	}
	if err != nil {
		stop()
		b.t.Fatalf("bugle serve wrote %q: %v\n%s", first, err, s.log())
	}
	if _, _, err := net.SplitHostPort(said.Addr); err != nil {
		b.t.Errorf("the address is %q: %v", said.Addr, err)
	}
	s.url = said.URL
	return s
}

// ends stops the server, which must exit with code.
func (s *serving) ends(code int) {
	s.t.Helper()
	s.stop()
	s.client.CloseIdleConnections()
	got, open := <-s.code
	if open {
		close(s.code)
		if got != code {
			s.t.Errorf("bugle serve exited with %d, want %d\n%s", got, code, s.log())
		}
	}
}

// credentials are a workspace's id and an API key.
type credentials struct{ user, key string }

func (s *serving) request(method, path, body string, c credentials) *http.Request {
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.SetBasicAuth(c.user, c.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-SVC-Request-Id", uuid.NewString())
	r.Header.Set("Idempotency-Key", uuid.NewString())
	return r
}

// do sends a request, checks its status, and returns the body.
func (s *serving) do(status int, method, path, body string, c credentials) string {
	s.t.Helper()
	res, err := s.client.Do(s.request(method, path, body, c))
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status {
		s.t.Fatalf("%s %s: %s (%v), want %d\n%s", method, path, res.Status, err, status, got)
	}
	return string(got)
}

// key makes an API key for a workspace.
func (b bugle) key(workspace string, scopes string) credentials {
	b.t.Helper()
	args := []string{"keys", "create", "--json", "--workspace", workspace}
	if scopes != "" {
		args = append(args, "scopes="+scopes)
	}
	out, _ := b.run(cli.ExitDone, "", args...)
	var made struct {
		Key string `json:"api_key"`
	}
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		b.t.Fatal(err)
	}
	return credentials{workspace, made.Key}
}

const servedDraft = `{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "created_by": "ann@example.com", "basic_details": {"name": "Flat white hour"}}`

func idIn(t *testing.T, answer string) string {
	t.Helper()
	var made struct{ Data struct{ ID string } }
	if err := json.Unmarshal([]byte(answer), &made); err != nil || made.Data.ID == "" {
		t.Fatalf("no id in %s (%v)", answer, err)
	}
	return made.Data.ID
}

// The API serves every workspace over HTTP, each with its own key. The log contains no secrets, and the commands see
// what was created.
func TestServe(t *testing.T) {
	t.Parallel()
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init")
	b.run(cli.ExitDone, "", "workspace", "create", "SHOP")
	main := b.key("MAIN", "")
	s := b.serve()
	shop, viewer := b.key("SHOP", engine.ScopeManage), b.key("MAIN", engine.ScopeView) // made while it runs

	if got := s.do(200, "GET", "/healthz", "", credentials{}); got != `{"status":"ok"}` {
		t.Errorf("/healthz says %s", got)
	}
	if got := s.do(200, "GET", "/openapi.json", "", credentials{}); !strings.HasPrefix(got, `{"openapi":"3.1.0"`) {
		t.Errorf("/openapi.json says %.80s", got)
	}
	id := idIn(t, s.do(201, "POST", "/v5/campaigns", servedDraft, main))
	if got := s.do(200, "GET", "/v5/campaigns/"+id, "", main); !strings.Contains(got, "Flat white hour") {
		t.Errorf("the campaign is %s", got)
	}
	s.do(404, "GET", "/v5/campaigns/"+id, "", shop)
	s.do(401, "GET", "/v5/campaigns/"+id, "", credentials{"SHOP", main.key})
	s.do(401, "GET", "/v5/campaigns/"+id, "", credentials{"NONE", main.key})
	s.do(403, "POST", "/v5/campaigns", servedDraft, viewer)
	if got := s.do(200, "GET", "/metrics", "", credentials{}); !strings.Contains(got, "bugle") {
		t.Errorf("/metrics says %.200s", got)
	}
	s.ends(cli.ExitDone)
	for _, want := range []string{`"path":"/v5/campaigns"`, `"status":201`, `"workspace":"MAIN"`, `"msg":"stopped"`} {
		if !strings.Contains(s.log(), want) {
			t.Errorf("%s is not in the log:\n%s", want, s.log())
		}
	}
	for _, secret := range []string{main.key, shop.key, "Flat white hour", "ann@example.com"} {
		if strings.Contains(s.log(), secret) {
			t.Errorf("the log tells %q:\n%s", secret, s.log())
		}
	}
	if out, _ := b.run(cli.ExitDone, "", "get", id, "--workspace", "MAIN"); !strings.Contains(out, "Flat white hour") {
		t.Errorf("bugle get wrote %s", out)
	}
}

func TestServeOverTLS(t *testing.T) {
	t.Parallel()
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init")
	c := b.key("MAIN", "")
	cert, key, client := certificate(t)
	s := b.serve("--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(s.url, "https://") {
		t.Errorf("the URL is %s", s.url)
	}
	s.client = client
	s.do(201, "POST", "/v5/campaigns", servedDraft, c)

	if _, errs := b.run(cli.ExitMisused, "", "serve", "--addr", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", cert); !strings.Contains(errs, "cannot use the certificate and its key") {
		t.Errorf("bugle serve wrote %q", errs)
	}
}

// certificate writes the certificate of a test server for 127.0.0.1 and its key to files, and returns a client that trusts it.
func certificate(t *testing.T) (cert, key string, client *http.Client) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	own := server.TLS.Certificates[0]
	private, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write(t, cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.Certificate[0]})))
	write(t, key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	return cert, key, server.Client()
}

// With --insecure every address will do, and one workspace can be served alone, without limits.
func TestServeOneWorkspace(t *testing.T) {
	t.Parallel()
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init")
	b.run(cli.ExitDone, "", "workspace", "create", "SHOP")
	main, shop := b.key("MAIN", ""), b.key("SHOP", "")
	s := b.serve("--workspace", "SHOP", "--rate-limits", "off", "--insecure", "--addr", "0.0.0.0:0")
	s.url = strings.Replace(s.url, "[::]", "127.0.0.1", 1)
	s.do(401, "POST", "/v5/campaigns", servedDraft, main)
	for range 30 { // ten a second are the limit otherwise
		s.do(200, "POST", "/v5/campaigns/search", `{"limit": 1, "page": 1}`, shop)
	}
}
