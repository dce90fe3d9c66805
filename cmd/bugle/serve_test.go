package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
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
		code := run(ctx, args, func(name string) string { return b.env[name] }, cli.Streams{In: strings.NewReader(""), Out: write, Err: errs})
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
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init")
	b.run(cli.ExitDone, "", "workspace", "create", "SHOP")
	main, shop := b.key("MAIN", ""), b.key("SHOP", engine.ScopeManage)
	viewer := b.key("MAIN", engine.ScopeView)
	s := b.serve()

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

// A request that was accepted before the stop is answered, and its campaign kept.
func TestServeStopsGracefully(t *testing.T) {
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init")
	c := b.key("MAIN", "")
	s := b.serve()
	body, send := io.Pipe()
	r := s.request("POST", "/v5/campaigns", "", c)
	r.Body, r.ContentLength = body, int64(len(servedDraft))
	answer := make(chan *http.Response, 1)
	go func() {
		res, err := s.client.Do(r)
		if err != nil {
			t.Error(err)
		}
		answer <- res
	}()
	if _, err := io.WriteString(send, servedDraft[:10]); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(s.do(200, "GET", "/metrics", "", credentials{}), "bugle_api_requests_running 1") {
		time.Sleep(time.Millisecond) // until the request is being answered
	}
	s.stop()
	for { // until no new connection is taken
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			break
		}
		conn.Close()
	}
	if _, err := io.WriteString(send, servedDraft[10:]); err != nil {
		t.Fatal(err)
	}
	send.Close()
	res := <-answer
	if res == nil {
		t.FailNow()
	}
	defer res.Body.Close()
	made, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusCreated {
		t.Fatalf("%s %s (%v)", res.Status, made, err)
	}
	s.ends(cli.ExitDone)
	b.run(cli.ExitDone, "", "get", idIn(t, string(made)))
}

func TestServeOverTLS(t *testing.T) {
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init")
	c := b.key("MAIN", "")
	cert, key, roots := certificate(t)
	s := b.serve("--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(s.url, "https://") {
		t.Errorf("the URL is %s", s.url)
	}
	s.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	s.do(201, "POST", "/v5/campaigns", servedDraft, c)

	if _, errs := b.run(cli.ExitMisused, "", "serve", "--addr", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", cert); !strings.Contains(errs, "cannot use the certificate and its key") {
		t.Errorf("bugle serve wrote %q", errs)
	}
}

// certificate makes files of a certificate for 127.0.0.1 and its key.
func certificate(t *testing.T) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "bugle"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	roots.AppendCertsFromPEM(text)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, data := range map[string][]byte{cert: text, key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key, roots
}

func TestServeRefuses(t *testing.T) {
	b := newBugle(t)
	if _, errs := b.run(cli.ExitFailed, "", "serve", "--addr", "127.0.0.1:0"); !strings.Contains(errs, "bugle init") {
		t.Errorf("without a workspace bugle serve wrote %q", errs)
	}
	b.run(cli.ExitDone, "", "init")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, tt := range []struct {
		code int
		want string
		args []string
	}{
		{cli.ExitMisused, "would be sent unencrypted", []string{"--addr", "0.0.0.0:0"}},
		{cli.ExitMisused, "--insecure", []string{"--addr", ":0"}},
		{cli.ExitMisused, "HOST:PORT", []string{"--addr", "8080"}},
		{cli.ExitMisused, "set both --tls-cert and --tls-key", []string{"--tls-cert", "cert.pem"}},
		{cli.ExitFailed, "cannot read cert.pem: no such file or directory", []string{"--addr", "127.0.0.1:0", "--tls-cert", "cert.pem", "--tls-key", "key.pem"}},
		{cli.ExitFailed, taken.Addr().String() + " is already in use", []string{"--addr", taken.Addr().String()}},
		{cli.ExitMisused, "must be one of on, off", []string{"--rate-limits", "some"}},
		{cli.ExitMisused, `no workspace "NONE"`, []string{"--addr", "127.0.0.1:0", "--workspace", "NONE"}},
		{cli.ExitMisused, "serve takes no arguments", []string{"127.0.0.1:0"}},
	} {
		out, errs := b.run(tt.code, "", append([]string{"serve"}, tt.args...)...)
		if out != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("bugle serve %q wrote %q and %q, want %q", tt.args, out, errs, tt.want)
		}
	}
}

// With --insecure every address will do, and one workspace can be served alone, without limits.
func TestServeOneWorkspace(t *testing.T) {
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

// What is made while the server runs is served without a restart: workspaces and keys.
func TestServicesFollowTheStore(t *testing.T) {
	f := &cli.Factory{Environment: cli.Environment{Data: t.TempDir(), Getenv: func(string) string { return "" }}}
	store, err := f.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := &cli.Resolver{Store: store}
	if _, _, err := d.Lookup(t.Context(), "LATE"); engine.AsError(err) == nil || engine.AsError(err).Code != engine.NotFound {
		t.Fatalf("a workspace that is not there yet: %v", err)
	}
	if _, _, err := store.CreateWorkspace(t.Context(), engine.Workspace{ID: "LATE"}, false); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Lookup(t.Context(), "LATE"); err != nil {
		t.Fatal(err)
	}
	svc, err := store.Service(t.Context(), "LATE")
	if err != nil {
		t.Fatal(err)
	}
	_, record := engine.NewAPIKey(time.Now(), nil)
	err = svc.UpdateWorkspace(t.Context(), func(w *engine.Workspace) error {
		w.Keys = append(w.Keys, record)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if w, _, err := d.Lookup(t.Context(), "LATE"); err != nil || len(w.Keys) != 2 {
		t.Errorf("%d keys (%v)", len(w.Keys), err)
	}
}

// While nobody reads the log, every call is served, and /healthz reports the problem; the server still stops in time,
// with the right exit code.
func TestServeWithUnreadLog(t *testing.T) {
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init")
	c := b.key("MAIN", "")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { read.Close(); write.Close() }()
	s := b.serveTo(write, "--rate-limits", "off")
	id := idIn(t, s.do(201, "POST", "/v5/campaigns", servedDraft, c))
	long := strings.Repeat("r", 200) // so that the pipe and the buffer fill up soon
	for n := 0; ; n++ {
		if n == 5000 {
			t.Fatal("no line of the log was dropped")
		}
		r := s.request("GET", "/v5/campaigns/"+id, "", c)
		r.Header.Set("X-SVC-Request-Id", long)
		res, err := s.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if res.StatusCode != 200 {
			t.Fatal(res.Status)
		}
		if n%100 == 0 && strings.Contains(s.do(200, "GET", "/healthz", "", credentials{}), "degraded") {
			break
		}
	}
	if got := s.do(200, "GET", "/metrics", "", credentials{}); strings.Contains(got, "bugle_log_lines_dropped_total 0\n") {
		t.Error("no dropped line is among the metrics")
	}
	start := time.Now()
	s.ends(cli.ExitDone)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %s to stop", took)
	}
}
