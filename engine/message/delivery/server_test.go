package delivery_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset"
	gosasl "github.com/emersion/go-sasl"
	gosmtp "github.com/emersion/go-smtp"

	"bugle/engine/message/delivery"
)

// received is one mail as the server got it.
type received struct {
	from, user string
	to         []string
	encrypted  bool
	raw        []byte
}

type server struct {
	host  string
	port  int
	roots *x509.CertPool

	certificate []byte

	mu          sync.Mutex
	mails       []received
	connections int
}

type serverOptions struct {
	startTLS, implicit bool
	user, password     string
	hold               chan struct{} // DATA waits until it is closed
	holding            chan struct{} // gets a value when DATA waits
}

func startServer(t *testing.T, opts serverOptions) *server {
	t.Helper()
	s := &server{}
	backend := gosmtp.BackendFunc(func(c *gosmtp.Conn) (gosmtp.Session, error) {
		s.mu.Lock()
		s.connections++
		s.mu.Unlock()
		return &session{server: s, conn: c, opts: opts}, nil
	})
	srv := gosmtp.NewServer(backend)
	srv.Domain = "mail.test"
	srv.AllowInsecureAuth = true
	srv.ErrorLog = discard{}
	cert := certificate(t, nil, nil)
	s.roots, s.certificate = x509.NewCertPool(), cert.Certificate[0]
	s.roots.AddCert(cert.Leaf)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{cert}}
	if opts.startTLS {
		srv.TLSConfig = config
	}
	if opts.implicit {
		listener = tls.NewListener(listener, config)
	}
	addr := listener.Addr().(*net.TCPAddr)
	s.host, s.port = addr.IP.String(), addr.Port
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(listener) }()
	// Close alone misses a listener that Serve has not come to yet.
	t.Cleanup(func() { _ = srv.Close(); _ = listener.Close(); <-done })
	return s
}

type discard struct{}

func (discard) Printf(string, ...any) {}
func (discard) Println(...any)        {}

func (s *server) config() delivery.SMTPConfig {
	return delivery.SMTPConfig{Host: s.host, Port: s.port, TLS: delivery.TLSNone, Timeout: 5 * time.Second, TLSConfig: &tls.Config{RootCAs: s.roots}}
}

func (s *server) only(t *testing.T) received {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.mails) != 1 {
		t.Fatalf("the server got %d mails, want 1", len(s.mails))
	}
	return s.mails[0]
}

func (s *server) connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}

type session struct {
	server *server
	conn   *gosmtp.Conn
	opts   serverOptions
	mail   received
}

func (s *session) AuthMechanisms() []string {
	if s.opts.user == "" {
		return nil
	}
	return []string{gosasl.Plain, gosasl.Login}
}

func (s *session) Auth(mech string) (gosasl.Server, error) {
	check := func(user, password string) error {
		if user != s.opts.user || password != s.opts.password {
			return gosmtp.ErrAuthFailed
		}
		s.mail.user = user
		return nil
	}
	if mech == gosasl.Login {
		return &loginServer{check: check}, nil
	}
	return gosasl.NewPlainServer(func(_, user, password string) error { return check(user, password) }), nil
}

type loginServer struct {
	check func(user, password string) error
	user  string
	step  int
}

func (l *loginServer) Next(response []byte) (challenge []byte, done bool, err error) {
	l.step++
	switch l.step {
	case 1:
		return []byte("Username:"), false, nil
	case 2:
		l.user = string(response)
		return []byte("Password:"), false, nil
	}
	return nil, true, l.check(l.user, string(response))
}

func (s *session) Mail(from string, _ *gosmtp.MailOptions) error {
	if s.opts.user != "" && s.mail.user == "" {
		return gosmtp.ErrAuthRequired
	}
	if strings.HasPrefix(from, "banned@") {
		return &gosmtp.SMTPError{Code: 553, EnhancedCode: gosmtp.EnhancedCode{5, 7, 1}, Message: "Sender not allowed"}
	}
	s.mail.from = from
	return nil
}

func (s *session) Rcpt(to string, _ *gosmtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody@") {
		return &gosmtp.SMTPError{Code: 550, EnhancedCode: gosmtp.EnhancedCode{5, 1, 1}, Message: "No such user here"}
	}
	s.mail.to = append(s.mail.to, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if s.opts.hold != nil {
		s.opts.holding <- struct{}{}
		<-s.opts.hold
	}
	if bytes.Contains(raw, []byte("SPAM")) {
		return &gosmtp.SMTPError{Code: 451, EnhancedCode: gosmtp.EnhancedCode{4, 7, 1}, Message: "Try again later"}
	}
	s.mail.raw = raw
	_, s.mail.encrypted = s.conn.TLSConnectionState()
	s.server.mu.Lock()
	s.server.mails = append(s.server.mails, s.mail)
	s.server.mu.Unlock()
	return nil
}

func (s *session) Reset()        { s.mail.from, s.mail.to = "", nil }
func (s *session) Logout() error { return nil }

// certificate returns a certificate for 127.0.0.1, as changed, and signed by that of another or else by itself.
func certificate(t *testing.T, by *tls.Certificate, change func(*x509.Certificate)) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "mail.test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: by == nil, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	if change != nil {
		change(template)
	}
	parent, signer := template, any(key)
	if by != nil {
		parent, signer = by.Leaf, by.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// part is a leaf of a mail, decoded by a library that did not write it.
type part struct {
	kind, disposition, name, body string
}

func leaves(t *testing.T, raw []byte) (message.Header, []part) {
	t.Helper()
	entity, err := message.Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("the mail cannot be parsed: %v", err)
	}
	var parts []part
	err = entity.Walk(func(_ []int, e *message.Entity, err error) error {
		if err != nil {
			return err
		}
		kind, params, err := e.Header.ContentType()
		if err != nil || strings.HasPrefix(kind, "multipart/") {
			return err
		}
		body, err := io.ReadAll(e.Body)
		if err != nil {
			return err
		}
		disposition, dispositionParams, dispositionErr := e.Header.ContentDisposition()
		if dispositionErr != nil {
			disposition = ""
		}
		name := dispositionParams["filename"]
		if name == "" {
			name = params["name"]
		}
		parts = append(parts, part{kind, disposition, name, string(body)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return entity.Header, parts
}

func wantError(t *testing.T, err error, reason delivery.Reason, sentence string) {
	t.Helper()
	var e *delivery.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want *delivery.Error", err)
	}
	if e.Reason != reason || !strings.Contains(e.Error(), sentence) {
		t.Errorf("%s: %q\nwant %s: %q", e.Reason, e.Error(), reason, sentence)
	}
}
