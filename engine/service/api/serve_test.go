package api_test

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bugle/engine/service/api"
)

// certificate writes a certificate for 127.0.0.1 and its key, and gives a client that trusts it.
func certificate(t *testing.T) (cert, key string, client *http.Client) {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(srv.Close)
	pair := srv.TLS.Certificates[0]
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, b *pem.Block) string {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, pem.EncodeToMemory(b), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write("cert.pem", &pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}), write("key.pem", &pem.Block{Type: "PRIVATE KEY", Bytes: der}), srv.Client()
}

func TestListen(t *testing.T) {
	cert, key, _ := certificate(t)
	for _, tt := range []struct {
		addr  string
		with  api.Transport
		wrong string
	}{
		{"127.0.0.1:0", api.Transport{}, ""},
		{"localhost:0", api.Transport{}, ""},
		{"0.0.0.0:0", api.Transport{}, "--tls-cert"},
		{":0", api.Transport{}, "--insecure"},
		{"192.0.2.1:0", api.Transport{}, "--tls-key"},
		{":0", api.Transport{Insecure: true}, ""},
		{":0", api.Transport{CertFile: cert, KeyFile: key}, ""},
		{"127.0.0.1:0", api.Transport{CertFile: cert}, "--tls-key"},
		{"127.0.0.1:0", api.Transport{CertFile: cert, KeyFile: cert}, "the certificate and its key"},
		{"127.0.0.1:0", api.Transport{CertFile: "nowhere", KeyFile: key}, "nowhere"},
		{"127.0.0.1", api.Transport{}, "HOST:PORT"},
		{"127.0.0.1:http-or-so", api.Transport{}, "cannot resolve"},
	} {
		ln, err := api.Listen(tt.addr, tt.with)
		if err == nil {
			ln.Close()
		}
		if (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("%s, %+v: %v, want %q", tt.addr, tt.with, err, tt.wrong)
		}
	}
	taken, err := api.Listen("127.0.0.1:0", api.Transport{})
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if _, err := api.Listen(taken.Addr().String(), api.Transport{}); err == nil || !strings.Contains(err.Error(), taken.Addr().String()) {
		t.Errorf("an address that is taken: %v", err)
	}
}

// serve runs Serve on a free port until stop, and gives what it says then.
func serve(t *testing.T, h http.Handler, tr api.Transport, o api.ServeOptions) (addr string, stop context.CancelFunc, ended chan error) {
	t.Helper()
	ln, err := api.Listen("127.0.0.1:0", tr)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended = make(chan error, 1)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		ended <- api.Serve(ctx, ln, h, o)
	}()
	t.Cleanup(func() { cancel(); <-gone })
	return ln.Addr().String(), cancel, ended
}

func TestServeTLS(t *testing.T) {
	cert, key, client := certificate(t)
	b := newBench(t)
	addr, stop, ended := serve(t, b, api.Transport{CertFile: cert, KeyFile: key}, api.ServeOptions{})
	resp, err := client.Get("https://" + addr + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 || resp.ProtoMajor != 2 {
		t.Errorf("%d over %s", resp.StatusCode, resp.Proto)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// held is a handler that works until it is let go, or its context ends.
type held struct{ started, release chan struct{} }

func (h held) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.started <- struct{}{}
	select {
	case <-h.release:
		fmt.Fprint(w, "done")
	case <-r.Context().Done():
	}
}

// A request that was accepted before the stop is answered; afterwards nobody is let in.
func TestServeStopsGracefully(t *testing.T) {
	h := held{make(chan struct{}), make(chan struct{})}
	addr, stop, ended := serve(t, h, api.Transport{}, api.ServeOptions{})
	type got struct {
		body string
		err  error
	}
	answers := make(chan got)
	go func() {
		resp, err := http.Get("http://" + addr)
		if err != nil {
			answers <- got{err: err}
			return
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		answers <- got{string(b), err}
	}()
	<-h.started
	stop()
	for {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			break // the stop has begun
		}
		c.Close()
	}
	select {
	case err := <-ended:
		t.Fatalf("stopped with a request running: %v", err)
	default:
	}
	close(h.release)
	if a := <-answers; a.err != nil || a.body != "done" {
		t.Errorf("%q, %v", a.body, a.err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// What does not end within the grace is told to, a write too, and the error says so.
func TestServeCutsOff(t *testing.T) {
	b, mail, id := heldBench(t)
	addr, stop, ended := serve(t, b, api.Transport{}, api.ServeOptions{Grace: 50 * time.Millisecond})
	r := request(t.Context(), "POST", campaigns+"/test", `{"draft_id":"`+id+`",`+idaTo+`}`)
	r.RequestURI, r.URL.Scheme, r.URL.Host = "", "http", addr
	go func() {
		if resp, err := http.DefaultClient.Do(r); err == nil {
			resp.Body.Close()
		}
	}()
	<-mail.started
	stop()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "canceled 1 requests") {
		t.Errorf("%v", err)
	}
	// The send has ended, and is written down.
	tests, err := b.svc["TEST"].Tests(t.Context(), id, 0)
	if err != nil || len(tests) != 1 || tests[0].Result.Data["EMAIL_default_variation_1"].Status != "FAILED" {
		t.Errorf("%+v, %v", tests, err)
	}
}

func TestServeWithoutAListener(t *testing.T) {
	ln, err := api.Listen("127.0.0.1:0", api.Transport{})
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	if err := api.Serve(t.Context(), ln, http.NotFoundHandler(), api.ServeOptions{}); err == nil {
		t.Error("no error")
	}
}

func TestServeLimitsHeaders(t *testing.T) {
	addr, _, _ := serve(t, newBench(t), api.Transport{}, api.ServeOptions{})
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+addr+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Long", strings.Repeat("x", 100<<10))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d", resp.StatusCode)
	}
}

// pipes is a listener whose connections are made in memory, so that time can be a test's own.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p pipes) Close() error {
	defer func() { _ = recover() }() // net/http closes its listeners more than once
	close(p)
	return nil
}

func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "pipe"} }

// Clients that do not finish what they began are let go.
func TestServeLetsSlowClientsGo(t *testing.T) {
	for _, tt := range []struct {
		name, sends string
		within      time.Duration
	}{
		{"no header", "GET /healthz HTTP/1.1\r\nHost: x\r\n", 10 * time.Second},
		{"no body", "POST /v5/campaigns HTTP/1.1\r\nHost: x\r\nAuthorization: Basic VEVTVDprZXktb2YtYWxsLXNjb3Blcw==\r\nContent-Length: 10\r\n\r\n{", time.Minute},
		{"no further request", "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n", 2 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				ln := make(pipes)
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- api.Serve(ctx, ln, b, api.ServeOptions{}) }()
				client, server := net.Pipe()
				ln <- server
				start := time.Now()
				go func() { _, _ = io.WriteString(client, tt.sends) }()
				if _, err := io.Copy(io.Discard, client); err != nil {
					t.Error(err)
				}
				if took := time.Since(start); took > tt.within+time.Second {
					t.Errorf("let go after %s, want %s", took, tt.within)
				}
				client.Close()
				stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Whole and half requests that two readers could understand differently are refused.
func TestServeRefusesAmbiguousRequests(t *testing.T) {
	addr, _, _ := serve(t, newBench(t), api.Transport{}, api.ServeOptions{})
	for name, raw := range map[string]string{
		"two lengths":         "POST /v5/campaigns HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
		"an unknown encoding": "POST /v5/campaigns HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
		"a bad header":        "GET /healthz HTTP/1.1\r\nHost: x\r\nX-A : b\r\n\r\n",
		"no host":             "GET /healthz HTTP/1.1\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := io.WriteString(c, raw); err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(c)
			if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 400") && !strings.HasPrefix(string(got), "HTTP/1.1 501") {
				t.Errorf("%.60s, %v", got, err)
			}
		})
	}
}
