package delivery

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

// conversation is a connection to a mail server, for one message after the other.
type conversation struct {
	s      *SMTP
	conn   *paced // nil when it is closed
	client *smtp.Client
	ready  bool          // the server has greeted and accepted the login
	limit  time.Duration // of the last step
}

// paced is a connection with a deadline for all that is read next, and a limit for each block that is written.
type paced struct {
	net.Conn
	block time.Duration
	greet bool // what is read next is a greeting, not encrypted
}

// Read refuses what does not begin like a greeting: the library would wait for more lines of an SSH server's.
func (p *paced) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	if p.greet && n > 0 && (b[0] < '2' || b[0] > '5') {
		return 0, textproto.ProtocolError("it says " + string(b[:n]))
	}
	p.greet = p.greet && n == 0
	return n, err
}

func (p *paced) Write(b []byte) (int, error) {
	_ = p.SetWriteDeadline(time.Now().Add(p.block)) // fails where the write does
	return p.Conn.Write(b)
}

func (p *paced) expect(within time.Duration) { _ = p.SetReadDeadline(time.Now().Add(within)) }

// step runs one step of the conversation, and tells who waits for what if it takes long.
func (c *conversation) step(ctx context.Context, limit time.Duration, what string, do func() error) error {
	limit = c.s.limit(limit)
	c.limit = limit
	c.conn.expect(limit)
	told := make(chan struct{})
	slow := time.AfterFunc(min(limit/30, 2*time.Second), func() {
		defer close(told)
		report(ctx, "Waiting for %s of the mail server at %s, for up to %s.", what, c.s.server, limit)
	})
	defer func() {
		if !slow.Stop() {
			<-told // nothing is reported after the end
		}
	}()
	return do()
}

// begin opens the conversation, or goes on with it, and names the sender.
func (c *conversation) begin(ctx context.Context, env envelope) error {
	if c.conn == nil {
		if err := c.dial(ctx); err != nil {
			return err
		}
	}
	return c.during(ctx, func() (err error) {
		if c.ready {
			err = c.reset(ctx)
		} else {
			err = c.greet(ctx)
		}
		if err != nil {
			return err
		}
		if known, _ := c.client.Extension("SMTPUTF8"); env.utf8 != "" && !known {
			return refuse("the mail server at %s cannot send to or from %s, because it does not support SMTPUTF8; use an address whose part before the @ has only ASCII characters", c.s.server, clip(env.utf8))
		}
		c.client.SkipSMTPUTF8(env.utf8 == "")
		err = c.step(ctx, envelopeWait, "the response to the sender", func() error { return c.client.Mail("<" + env.from + ">") })
		return c.s.refused(c, err, "the sender "+env.from)
	})
}

func (c *conversation) reset(ctx context.Context) error {
	return c.s.explain(c, c.step(ctx, greetWait, "the response to RSET", c.client.Reset))
}

func (c *conversation) dial(ctx context.Context) error {
	limit := c.s.limit(connectWait)
	short, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(short, "tcp", c.s.server)
	if err != nil {
		c.limit = limit
		return c.s.unreachable(err, limit)
	}
	c.conn = &paced{conn, c.s.limit(blockWait), c.s.config.TLS != TLSImplicit}
	return nil
}

// during calls do, which ends when ctx does. After an error that leaves the state of the connection open, it closes it.
func (c *conversation) during(ctx context.Context, do func() error) error {
	conn := c.conn
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	err := do()
	var e *Error
	known := errors.As(err, &e) && (e.Reason == Refused || e.Reason == Invalid) && !busy(err)
	if !stop() || !c.ready || err != nil && !known {
		c.close()
	}
	return err
}

func (c *conversation) close() {
	c.conn.Close()
	c.conn, c.client, c.ready = nil, nil, false
}

// greet waits for the server's greeting, encrypts and logs in.
func (c *conversation) greet(ctx context.Context) error {
	s := c.s
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn, tlsExpected := net.Conn(c.conn), new(atomic.Bool)
	err := c.step(ctx, greetWait, "the greeting", func() (err error) {
		if s.config.TLS == TLSImplicit {
			encrypted := tls.Client(conn, s.tlsConfig())
			conn = encrypted
			if err = encrypted.Handshake(); err != nil {
				return err
			}
		} else {
			// A server that expects TLS waits, too.
			probe := time.AfterFunc(c.limit/60, func() {
				if s.speaksTLS(ctx) {
					tlsExpected.Store(true)
					conn.Close()
				}
			})
			defer probe.Stop()
		}
		c.client, err = smtp.NewClient(conn, s.config.Host)
		return err
	})
	if tlsExpected.Load() {
		return &Error{Reason: Insecure, Err: err, Message: "the mail server at " + s.server + " expects TLS from the start; set the connector's encryption to TLS, or its port to one for STARTTLS, such as 587"}
	}
	if err != nil {
		return s.explain(c, err)
	}
	err = c.step(ctx, greetWait, "the login", c.introduce)
	c.ready = err == nil
	return s.explain(c, err)
}

// introduce says hello, encrypts and logs in.
func (c *conversation) introduce() error {
	s, client := c.s, c.client
	name := cmp.Or(s.config.LocalName, localName(c.conn.LocalAddr()))
	if err := client.Hello(name); err != nil {
		if answer := (*textproto.Error)(nil); errors.As(err, &answer) && answer.Code >= 500 {
			return &Error{Reason: Refused, Err: err, Message: fmt.Sprintf("the mail server at %s refused the name of this computer, %s: %s; set the connector's name for EHLO", s.server, name, reply(answer))}
		}
		return err
	}
	if offered, _ := client.Extension("STARTTLS"); s.config.TLS == TLSStart && !offered {
		return errNoSTARTTLS
	} else if offered && (s.config.TLS == TLSStart || s.config.TLS == TLSOpportunistic) {
		if err := client.StartTLS(s.tlsConfig()); err != nil {
			return err
		}
	}
	if s.config.Auth == AuthNone {
		return nil
	}
	_, offered := client.Extension("AUTH")
	login := s.login(client, strings.Fields(strings.ToUpper(offered)))
	if login == nil {
		return &loginError{offered, nil}
	}
	if err := client.Auth(login); err != nil {
		return &loginError{offered, err}
	}
	return nil
}

// login returns the best of the methods that the server offers and the settings allow, or nil.
func (s *SMTP) login(client *smtp.Client, offered []string) smtp.Auth {
	user, password := s.config.Username, s.config.Password
	state, err := client.GetTLSConnectionState()
	for _, method := range []string{"SCRAM-SHA-256-PLUS", "SCRAM-SHA-256", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-1", "CRAM-MD5", "PLAIN", "LOGIN"} {
		if !slices.Contains(offered, method) || s.config.Auth != AuthAuto && !strings.EqualFold(method, string(s.config.Auth)) || err != nil && strings.HasSuffix(method, "-PLUS") {
			continue
		}
		switch method {
		case "SCRAM-SHA-256-PLUS":
			return smtp.ScramSHA256PlusAuth(user, password, state)
		case "SCRAM-SHA-256":
			return smtp.ScramSHA256Auth(user, password)
		case "SCRAM-SHA-1-PLUS":
			return smtp.ScramSHA1PlusAuth(user, password, state)
		case "SCRAM-SHA-1":
			return smtp.ScramSHA1Auth(user, password)
		case "CRAM-MD5":
			return smtp.CRAMMD5Auth(user, password)
		case "PLAIN":
			return smtp.PlainAuth("", user, password, s.config.Host, false)
		default:
			return smtp.LoginAuth(user, password, s.config.Host, false)
		}
	}
	return nil
}

func (s *SMTP) tlsConfig() *tls.Config {
	config := &tls.Config{}
	if s.config.TLSConfig != nil {
		config = s.config.TLSConfig.Clone()
	}
	if config.ServerName == "" {
		config.ServerName = s.config.Host
	}
	config.MinVersion = max(config.MinVersion, tls.VersionTLS12)
	return config
}

// speaksTLS reports whether the server accepts TLS on a new connection. Nothing else is sent over it. On port 25, servers
// that let unknown clients wait for their greeting take it for a sign of spam.
func (s *SMTP) speaksTLS(ctx context.Context) bool {
	if s.config.Port == 25 {
		return false
	}
	conn, err := (&tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}).DialContext(ctx, "tcp", s.server)
	if err == nil {
		conn.Close()
	}
	return err == nil
}

// localName returns what EHLO says (RFC 5321, 4.1.4): the full name of this computer, or else its address.
func localName(addr net.Addr) string {
	if name := hostName(); name != "" {
		return name
	}
	ip := net.IPv4(127, 0, 0, 1)
	if tcp, ok := addr.(*net.TCPAddr); ok {
		ip = tcp.IP
	}
	if ip.To4() == nil {
		return "[IPv6:" + ip.String() + "]"
	}
	return "[" + ip.String() + "]"
}

// hostName returns the fully qualified name of this computer, or "" if it has none that others could know.
var hostName = sync.OnceValue(func() string {
	name, err := os.Hostname()
	if err == nil && !strings.Contains(name, ".") {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		name, err = net.DefaultResolver.LookupCNAME(ctx, name) // from the hosts file, as a rule
	}
	name = strings.TrimSuffix(name, ".")
	_, domain, _ := strings.Cut(name, ".")
	invalid := strings.ContainsFunc(name, func(c rune) bool {
		return c != '.' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	})
	if err != nil || invalid || domain == "" || slices.Contains([]string{"local", "localdomain", "localhost"}, domain[strings.LastIndexByte(domain, '.')+1:]) {
		return ""
	}
	return name
})

// transfer sends a message and returns the server's response.
func (c *conversation) transfer(ctx context.Context, msg *message, env envelope) (response string, err error) {
	for _, to := range env.recipients {
		err := c.step(ctx, envelopeWait, "the response to the recipient", func() error { return c.client.Rcpt("<" + to + ">") })
		if err != nil {
			return "", c.s.refused(c, err, "the recipient "+to)
		}
	}
	var data *smtp.DataCloser
	err = c.step(ctx, dataWait, "the response to DATA", func() error {
		w, err := c.client.Data()
		if err == nil {
			data = w.(*smtp.DataCloser)
		}
		return err
	})
	if err != nil {
		return "", c.s.refused(c, err, "the message")
	}
	if _, err = data.Write(msg.data); err == nil {
		err = data.WriteCloser.Close() // without the wait for the response
	}
	if err != nil { // without its end, no server accepts it
		return "", c.s.explain(c, err)
	}
	err = c.step(ctx, endWait, "the confirmation", func() (err error) {
		_, response, err = c.client.Text.ReadResponse(250)
		return err
	})
	if answer := (*textproto.Error)(nil); errors.As(err, &answer) && answer.Code >= 400 {
		return "", c.s.refused(c, err, "the message")
	}
	if err != nil {
		return "", Unconfirmed("the mail server at "+c.s.server, err)
	}
	return response, nil
}
