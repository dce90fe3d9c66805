package delivery

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"time"
)

// TLSMode says how a connection to a mail server is encrypted.
type TLSMode string

const (
	TLSNone          TLSMode = "none"
	TLSStart         TLSMode = "starttls"      // STARTTLS, required
	TLSOpportunistic TLSMode = "opportunistic" // STARTTLS if the server offers it
	TLSImplicit      TLSMode = "tls"           // TLS from the first byte
)

// AuthMode is an authentication method of a mail server.
type AuthMode string

const (
	AuthNone    AuthMode = "none"
	AuthPlain   AuthMode = "plain"
	AuthLogin   AuthMode = "login"
	AuthCRAMMD5 AuthMode = "cram-md5"
	AuthAuto    AuthMode = "auto" // the best method that the server offers
)

// How long each step may take. A server may work on a message once it has all of it, and a person waits for its greeting.
const (
	connectWait  = 30 * time.Second
	greetWait    = time.Minute      // RFC 5321, 4.5.3.2 allows five; also for what precedes the message
	envelopeWait = 5 * time.Minute  // RFC 5321, 4.5.3.2.2 and 3
	dataWait     = 2 * time.Minute  // 4.5.3.2.4
	blockWait    = 3 * time.Minute  // 4.5.3.2.5
	endWait      = 10 * time.Minute // 4.5.3.2.6
	quitWait     = 2 * time.Second
	busyWait     = 5 * time.Second // before a busy server is asked again, then twice as long
	busyTime     = 2 * time.Minute // in all
)

// MaxConnections is how many connections an [SMTP] has at once, because servers limit them.
const MaxConnections = 2

// SMTPConfig configures a mail server.
type SMTPConfig struct {
	Host               string
	Port               int      // 0 is 465 for tls and 587 otherwise
	TLS                TLSMode  // "" is starttls
	Auth               AuthMode // "" is auto with a user name, none without
	Username, Password string
	LocalName          string        // sent in EHLO; "" is the name of this computer, or its address
	Timeout            time.Duration // of the greeting, the other steps have theirs in proportion; 0 is a minute
	BusyWait           time.Duration // before a busy server is asked again; 0 is 5 seconds
	TLSConfig          *tls.Config   // nil trusts the system's certificates
}

// SMTP is a [Sender] that sends through a mail server, over at most [MaxConnections] connections, which stay open until
// Close. It is safe for concurrent use, and can be used after Close.
type SMTP struct {
	config SMTPConfig
	server string // host:port
	// Each conversation is in one of the two, or in use.
	open, closed chan *conversation
}

// NewSMTP checks the settings without connecting.
func NewSMTP(config SMTPConfig) (*SMTP, error) {
	if config.TLS == "" {
		config.TLS = TLSStart
	}
	if config.Auth == "" {
		config.Auth = AuthAuto
	}
	if config.Auth == AuthAuto && config.Username == "" {
		config.Auth = AuthNone
	}
	config.BusyWait = cmp.Or(config.BusyWait, busyWait)
	switch config.TLS {
	case TLSNone, TLSStart, TLSOpportunistic, TLSImplicit:
	default:
		return nil, refuse("unknown TLS mode %q of the connector; use none, starttls, opportunistic or tls", config.TLS)
	}
	switch config.Auth {
	case AuthNone, AuthPlain, AuthLogin, AuthCRAMMD5, AuthAuto:
	default:
		return nil, refuse("unknown authentication %q of the connector; use none, plain, login, cram-md5 or auto", config.Auth)
	}
	if config.Port == 0 {
		config.Port = 587
		if config.TLS == TLSImplicit {
			config.Port = 465
		}
	}
	switch {
	case config.Host == "" || strings.ContainsAny(config.Host, " \t\r\n/"):
		return nil, refuse("the connector's host %q is not a valid host name", clip(config.Host))
	case config.Port < 1 || config.Port > 65535:
		return nil, refuse("the connector's port must be between 1 and 65535, not %d", config.Port)
	case config.Auth != AuthNone && config.Username == "":
		return nil, refuse("the connector's authentication %s needs a user name", config.Auth)
	case strings.ContainsFunc(config.LocalName, func(c rune) bool { return c <= ' ' || c > '~' }):
		return nil, refuse("the connector's name for EHLO %q is not a valid host name; write it as host.example.com", clip(config.LocalName))
	}
	s := &SMTP{config: config, server: net.JoinHostPort(config.Host, strconv.Itoa(config.Port))}
	s.open, s.closed = make(chan *conversation, MaxConnections), make(chan *conversation, MaxConnections)
	for range MaxConnections {
		s.closed <- &conversation{s: s}
	}
	return s, nil
}

// Deliver sends m to its recipient and those in cc and bcc. If the server refuses one of them, no one
// receives it.
func (s *SMTP) Deliver(ctx context.Context, m Message) (Receipt, error) {
	if m.Email == nil {
		return Receipt{}, refuse("the message %s is not an email, so a mail server cannot send it", m.Key)
	}
	msg, env, err := compose(m.Email)
	if err != nil {
		return Receipt{}, err
	}
	response := ""
	err = s.converse(ctx, env, func(c *conversation) (err error) {
		response, err = c.transfer(ctx, msg, env)
		return err
	})
	if err != nil {
		return Receipt{}, err
	}
	return Receipt{ID: msg.id, Detail: fmt.Sprintf("accepted by %s: %s", s.server, SanitizeText(response))}, nil
}

// Ping connects, encrypts, logs in and names the sender like Deliver, but sends nothing.
func (s *SMTP) Ping(ctx context.Context, from string) error {
	sender, err := address("sender", from)
	if err != nil {
		return err
	}
	env := envelope{from: sender.Address}
	defer s.Close()
	return s.converse(ctx, env, func(c *conversation) error { return c.reset(ctx) })
}

// Close ends the connections that are not in use.
func (s *SMTP) Close() error {
	for {
		select {
		case c := <-s.open:
			c.conn.expect(s.limit(quitWait))
			_ = c.client.Quit() // a failing farewell changes nothing
			c.close()
			s.closed <- c
		default:
			return nil
		}
	}
}

func (s *SMTP) limit(d time.Duration) time.Duration {
	return time.Duration(float64(d) / float64(greetWait) * float64(cmp.Or(s.config.Timeout, greetWait)))
}

// converse calls do in a conversation in which the server has accepted the sender. As long as the server is too busy for
// that (421), when nothing was sent, it tries again.
func (s *SMTP) converse(ctx context.Context, env envelope, do func(*conversation) error) error {
	c, err := s.take(ctx)
	if err != nil {
		return WasCanceled(s.server, err)
	}
	defer func() { s.release(c) }()
	for wait, left := s.config.BusyWait, busyTime; ; wait *= 2 {
		used := c.conn != nil
		if err = c.begin(ctx, env); err == nil {
			err = c.during(ctx, func() error { return do(c) })
			break
		}
		if used && c.conn == nil && ctx.Err() == nil {
			continue // a server may end a connection between two messages
		}
		if left -= wait; !busy(err) || left < 0 || ctx.Err() != nil {
			break
		}
		report(ctx, "The mail server at %s is busy. Trying again in %s.", s.server, wait)
		select {
		case <-time.After(wait):
		case other := <-s.open: // has room for one more message
			s.release(c)
			c = other
		case <-ctx.Done():
		}
	}
	switch ended := ctx.Err(); {
	case ended == nil || err == nil:
		return err
	case errors.Is(err, ErrUnknown):
		return Unconfirmed("the mail server at "+s.server, ended)
	default:
		return WasCanceled(s.server, ended)
	}
}

// take waits for a conversation, if possible one that is open.
func (s *SMTP) take(ctx context.Context) (*conversation, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case c := <-s.open:
		return c, nil
	default:
	}
	select {
	case c := <-s.open:
		return c, nil
	case c := <-s.closed:
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *SMTP) release(c *conversation) {
	if c.conn == nil {
		s.closed <- c
	} else {
		s.open <- c
	}
}

// busy reports whether a server has no time now, and ended the connection (RFC 5321, 4.2.3).
func busy(err error) bool {
	var answer *textproto.Error
	return errors.As(err, &answer) && answer.Code == 421
}
