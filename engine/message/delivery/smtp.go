package delivery

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
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

const smtpTimeout = 30 * time.Second

// SMTPConfig configures a mail server.
type SMTPConfig struct {
	Host               string
	Port               int      // 0 is 465 for tls and 587 otherwise
	TLS                TLSMode  // "" is starttls
	Auth               AuthMode // "" is auto with a user name, none without
	Username, Password string
	LocalName          string        // sent in EHLO; "" is localhost
	Timeout            time.Duration // per step of the dialogue; 0 is 30 seconds
	TLSConfig          *tls.Config   // nil trusts the system's certificates
}

// SMTP is a [Sender] that sends through a mail server, with one connection per email. It is safe for
// concurrent use.
type SMTP struct {
	config SMTPConfig
	server string // host:port
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
	if config.Timeout == 0 {
		config.Timeout = smtpTimeout
	}
	if config.LocalName == "" {
		config.LocalName = "localhost"
	}
	switch config.TLS {
	case TLSNone, TLSStart, TLSOpportunistic, TLSImplicit:
	default:
		return nil, refuse("unknown TLS mode %q of the connector; use none, starttls, opportunistic or tls", config.TLS)
	}
	if _, ok := authTypes[config.Auth]; !ok {
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
	case strings.ContainsAny(config.LocalName, "\r\n "):
		return nil, refuse("the connector's local name %q is not a valid host name", clip(config.LocalName))
	}
	return &SMTP{config: config, server: net.JoinHostPort(config.Host, strconv.Itoa(config.Port))}, nil
}

var authTypes = map[AuthMode]gomail.SMTPAuthType{
	AuthNone: gomail.SMTPAuthNoAuth, AuthPlain: gomail.SMTPAuthPlain, AuthLogin: gomail.SMTPAuthLogin,
	AuthCRAMMD5: gomail.SMTPAuthCramMD5, AuthAuto: gomail.SMTPAuthAutoDiscover,
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
	err = s.dialogue(ctx, func(client *smtp.Client) error {
		response, err = s.transfer(client, msg, env)
		return err
	})
	if err != nil {
		return Receipt{}, err
	}
	return Receipt{ID: msg.id, Detail: fmt.Sprintf("accepted by %s: %s", s.server, SanitizeText(response))}, nil
}

// Ping connects, encrypts and logs in like Deliver, but sends nothing.
func (s *SMTP) Ping(ctx context.Context) error {
	return s.dialogue(ctx, func(client *smtp.Client) error {
		if err := client.Noop(); err != nil {
			return s.explain(err)
		}
		return nil
	})
}

// dialogue opens a connection, calls do, and closes the connection. When ctx ends, it closes the connection
// immediately.
func (s *SMTP) dialogue(ctx context.Context, do func(*smtp.Client) error) error {
	if err := ctx.Err(); err != nil {
		return WasCanceled(s.server, err)
	}
	var conn net.Conn
	unbind := func() bool { return true }
	client, err := s.newClient(func(dialCtx context.Context, network, _ string) (net.Conn, error) {
		// The address the library returns lacks the brackets of an IPv6 one.
		raw, err := (&net.Dialer{}).DialContext(dialCtx, network, s.server)
		if err != nil {
			return nil, err
		}
		conn = raw
		unbind = context.AfterFunc(ctx, func() { raw.Close() })
		return s.encrypt(dialCtx, raw)
	})
	if err != nil {
		return refuse("the connector's settings do not work: %v", err)
	}
	defer func() {
		if unbind(); conn != nil {
			conn.Close()
		}
	}()
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err == nil {
		err = session.UpdateDeadline(s.config.Timeout)
	}
	if err != nil {
		err = s.explain(err)
	} else if err = do(session); err == nil {
		// The mail is with the server by now; a failing farewell changes nothing.
		_ = session.Quit()
		return nil
	}
	switch ended := ctx.Err(); {
	case ended == nil:
		return err
	case errors.Is(err, ErrUnknown):
		return Unconfirmed("the mail server at "+s.server, ended)
	default:
		return WasCanceled(s.server, ended)
	}
}

func (s *SMTP) newClient(dial gomail.DialContextFunc) (*gomail.Client, error) {
	policy := map[TLSMode]gomail.TLSPolicy{
		TLSNone: gomail.NoTLS, TLSStart: gomail.TLSMandatory, TLSOpportunistic: gomail.TLSOpportunistic,
		// The connection that dial returns is encrypted already, and such a
		// server does not offer STARTTLS: the client only takes note of it.
		TLSImplicit: gomail.TLSOpportunistic,
	}[s.config.TLS]
	options := []gomail.Option{
		gomail.WithPort(s.config.Port), gomail.WithTLSPolicy(policy), gomail.WithTLSConfig(s.tlsConfig()),
		gomail.WithTimeout(s.config.Timeout), gomail.WithHELO(s.config.LocalName), gomail.WithDialContextFunc(dial),
	}
	if s.config.Auth != AuthNone {
		options = append(options, gomail.WithSMTPAuth(authTypes[s.config.Auth]),
			gomail.WithUsername(s.config.Username), gomail.WithPassword(s.config.Password))
	}
	return gomail.NewClient(s.config.Host, options...)
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

func (s *SMTP) encrypt(ctx context.Context, raw net.Conn) (net.Conn, error) {
	if s.config.TLS != TLSImplicit {
		return raw, nil
	}
	conn := tls.Client(raw, s.tlsConfig())
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, fmt.Errorf("handshake: %w", err)
	}
	return conn, nil
}

func (s *SMTP) transfer(client *smtp.Client, msg *message, env envelope) (response string, err error) {
	if err := client.Mail(env.from); err != nil {
		return "", s.refused(err, "the sender "+env.from)
	}
	for _, to := range env.recipients {
		if err := client.Rcpt(to); err != nil {
			return "", s.refused(err, "the recipient "+to)
		}
	}
	w, err := client.Data()
	if err != nil {
		return "", s.refused(err, "the message")
	}
	if _, err := w.Write(msg.data); err != nil { // without its end, no server accepts it
		return "", s.explain(err)
	}
	if err := w.Close(); err != nil {
		if answer := (*textproto.Error)(nil); errors.As(err, &answer) && answer.Code >= 400 {
			return "", s.refused(err, "the message")
		}
		return "", Unconfirmed("the mail server at "+s.server, err)
	}
	if data, ok := w.(*smtp.DataCloser); ok {
		response = data.ServerResponse()
	}
	return response, nil
}

func (s *SMTP) refused(err error, what string) error {
	var answer *textproto.Error
	if !errors.As(err, &answer) {
		return s.explain(err)
	}
	e := &Error{Reason: Refused, Temporary: answer.Code < 500, Err: err}
	e.Message = fmt.Sprintf("the mail server at %s refused %s: %s", s.server, what, reply(answer))
	return e
}

// explain describes a connection error in a sentence.
func (s *SMTP) explain(err error) error {
	e := &Error{Err: err}
	var answer *textproto.Error
	var unknown x509.UnknownAuthorityError
	var badName x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var timeout net.Error
	text := err.Error()
	switch {
	case errors.As(err, &unknown), errors.As(err, &badName), errors.As(err, &invalid):
		e.Reason = Insecure
		e.Message = fmt.Sprintf("the certificate of the mail server at %s is not trusted: %s", s.server, RootCause(err))
	case errors.As(err, &record):
		e.Reason = Insecure
		e.Message = fmt.Sprintf("the mail server at %s does not use TLS on this port; set the connector's TLS to starttls, or check its port", s.server)
	case strings.Contains(text, "does not support STARTTLS"):
		e.Reason = Insecure
		e.Message = fmt.Sprintf("the mail server at %s does not support STARTTLS; set the connector's TLS to tls, opportunistic or none", s.server)
	case errors.Is(err, smtp.ErrUnencrypted):
		e.Reason = Insecure
		e.Message = fmt.Sprintf("the connection to %s is not encrypted, so the password was not sent; set the connector's TLS to starttls or tls", s.server)
	case strings.Contains(text, "SMTP AUTH failed") && errors.As(err, &answer):
		e.Reason, e.Temporary = Auth, answer.Code < 500
		e.Message = fmt.Sprintf("the mail server at %s refused the user name or password of the connector: %s", s.server, reply(answer))
	case authUnsupported(err):
		e.Reason = Auth
		e.Message = fmt.Sprintf("the mail server at %s does not support the authentication %s; choose another one for the connector", s.server, s.config.Auth)
	case errors.As(err, &answer):
		e.Reason, e.Temporary = Refused, answer.Code < 500
		e.Message = fmt.Sprintf("the mail server at %s refused the connection: %s", s.server, reply(answer))
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		e.Reason, e.Temporary = Unreachable, true
		e.Message = fmt.Sprintf("the mail server at %s did not respond within %s; check host, port and TLS of the connector", s.server, s.config.Timeout)
	default:
		e.Reason, e.Temporary = Unreachable, true
		e.Message = fmt.Sprintf("cannot reach the mail server at %s: %s; check host and port of the connector", s.server, RootCause(err))
	}
	return e
}

func authUnsupported(err error) bool {
	for _, known := range []error{gomail.ErrPlainAuthNotSupported, gomail.ErrLoginAuthNotSupported, gomail.ErrCramMD5AuthNotSupported, gomail.ErrNoSupportedAuthDiscovered} {
		if errors.Is(err, known) {
			return true
		}
	}
	return strings.Contains(err.Error(), "does not support SMTP AUTH")
}

// RootCause returns the innermost error that the user can act on.
func RootCause(err error) string {
	var dns *net.DNSError
	var errno syscall.Errno
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "unknown host " + dns.Name
	case errors.As(err, &errno):
		return errno.Error()
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	if text := err.Error(); text != "EOF" {
		return SanitizeText(text)
	}
	return "the connection was closed"
}

func reply(answer *textproto.Error) string {
	return SanitizeText(fmt.Sprintf("%d %s", answer.Code, answer.Msg))
}

// SanitizeText returns a server's text as one line without control characters, cut to a reasonable length.
func SanitizeText(s string) string {
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c >= 0x7f && c < 0xa0 {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, "?"))
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}
