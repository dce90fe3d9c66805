// Package gatewaytest provides fake push gateways for tests. They use the protocols of the real ones, check
// credentials like those, and return the responses that a test sets.
package gatewaytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Response is a response of a gateway that does not accept a message.
type Response struct {
	Status int
	Header map[string]string
	Body   string
}

// Received is a message that a gateway accepted.
type Received struct {
	To      string // the device's token, or the path of the subscription
	Header  http.Header
	Payload []byte // decrypted
	Conn    string // the address of the connection it came from
}

// recorder is the common part of the fake gateways: accepted messages and prepared responses.
type recorder struct {
	mu        sync.Mutex
	messages  []Received
	queue     []Response
	always    *Response
	requests  int
	onRequest func(*http.Request)
}

// Messages returns the accepted messages.
func (d *recorder) Messages() []Received {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]Received(nil), d.messages...)
}

// Requests returns the number of authenticated requests.
func (d *recorder) Requests() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.requests
}

// Respond sets the responses to the next requests, one each.
func (d *recorder) Respond(answers ...Response) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queue = append(d.queue, answers...)
}

// RespondAlways sets the response to all requests.
func (d *recorder) RespondAlways(a Response) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.always = &a
}

// OnRequest calls fn in each request before it is answered.
func (d *recorder) OnRequest(fn func(*http.Request)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.onRequest = fn
}

// take writes the prepared response, or records the message and returns true.
func (d *recorder) take(w http.ResponseWriter, r *http.Request, m Received) bool {
	d.mu.Lock()
	gate := d.onRequest
	d.requests++
	d.mu.Unlock()
	if gate != nil {
		if gate(r); r.Context().Err() != nil {
			return false // nobody waits for the answer any more
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	answer := d.always
	if len(d.queue) > 0 {
		answer, d.queue = &d.queue[0], d.queue[1:]
	}
	if answer != nil {
		writeResponse(w, *answer)
		return false
	}
	m.Header, m.Conn = r.Header.Clone(), r.RemoteAddr
	d.messages = append(d.messages, m)
	return true
}

func writeResponse(w http.ResponseWriter, a Response) {
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write([]byte(a.Body))
}

// start runs a TLS server, with HTTP/2 if enabled, until the test ends.
func start(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that a test breaks off
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// roots returns the server's certificate as a pool and as a PEM file.
func roots(t testing.TB, s *httptest.Server) (*x509.CertPool, string) {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	file := filepath.Join(t.TempDir(), "ca.pem")
	b := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return pool, file
}

func rsaKey(t testing.TB) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 1024) // short, and quick to make
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func ecKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// pkcs8 returns a private key in PEM.
func pkcs8(t testing.TB, key any) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}
