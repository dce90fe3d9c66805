package delivery

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

var errNoSTARTTLS = errors.New("STARTTLS is not supported")

// loginError is a login that failed, or was not possible with what the server offers.
type loginError struct {
	offered string
	err     error // nil: nothing suitable is offered
}

func (e *loginError) Error() string { return "the login failed" }
func (e *loginError) Unwrap() error { return e.err }

// refused describes the server's refusal of something, unless err is nil.
func (s *SMTP) refused(c *conversation, err error, what string) error {
	var answer *textproto.Error
	if !errors.As(err, &answer) {
		return s.explain(c, err)
	}
	e := &Error{Reason: Refused, Temporary: answer.Code < 500, Err: err}
	e.Message = fmt.Sprintf("the mail server at %s refused %s: %s", s.server, what, reply(answer))
	return e
}

func (s *SMTP) unreachable(err error, limit time.Duration) error {
	cause := RootCause(err)
	if timedOut(err) {
		cause = "no response within " + limit.String()
	}
	return &Error{Reason: Unreachable, Temporary: true, Err: err,
		Message: fmt.Sprintf("cannot reach the mail server at %s: %s; check host and port of the connector", s.server, cause)}
}

func timedOut(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout() || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded)
}

// explain describes an error before the end of the message in a sentence, unless err is nil.
func (s *SMTP) explain(c *conversation, err error) error {
	if known := (*Error)(nil); err == nil || errors.As(err, &known) {
		return err
	}
	e := &Error{Err: err}
	var answer *textproto.Error
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var login *loginError
	var protocol textproto.ProtocolError
	errors.As(err, &answer)
	switch {
	case errors.As(err, &certificate):
		e.Reason, e.Message = Insecure, s.untrusted(certificate)
	case errors.As(err, &record):
		e.Reason = Insecure
		e.Message = fmt.Sprintf("the mail server at %s does not use TLS on this port; set the connector's encryption to STARTTLS, or its port to one for TLS, such as 465", s.server)
	case errors.Is(err, errNoSTARTTLS):
		e.Reason = Insecure
		e.Message = fmt.Sprintf("the mail server at %s does not support STARTTLS; set the connector's encryption to TLS, if available or none", s.server)
	case errors.As(err, &login):
		s.explainLogin(e, login, answer)
	case answer != nil:
		e.Reason, e.Temporary = Refused, answer.Code < 500
		e.Message = fmt.Sprintf("the mail server at %s refused the connection: %s", s.server, reply(answer))
	case errors.As(err, &protocol):
		e.Reason = Unreachable
		e.Message = fmt.Sprintf("what responds at %s is not a mail server (%s); check host and port of the connector", s.server, SanitizeText(err.Error()))
	case timedOut(err):
		e.Reason, e.Temporary = Unreachable, true
		e.Message = fmt.Sprintf("the mail server at %s did not respond within %s; check host, port and encryption of the connector, or try again in some minutes", s.server, c.limit)
	default:
		e.Reason, e.Temporary = Unreachable, true
		e.Message = fmt.Sprintf("the connection to the mail server at %s broke (%s), and nothing was sent; try again in some minutes", s.server, RootCause(err))
	}
	return e
}

func (s *SMTP) explainLogin(e *Error, login *loginError, answer *textproto.Error) {
	e.Reason = Auth
	switch {
	case errors.Is(login.err, smtp.ErrUnencrypted):
		e.Reason = Insecure
		e.Message = fmt.Sprintf("the mail server at %s offers the login with %s, which needs TLS, so the password was not sent; set the connector's encryption to STARTTLS or TLS", s.server, SanitizeText(login.offered))
	case answer != nil:
		e.Temporary = answer.Code < 500
		e.Message = fmt.Sprintf("the mail server at %s refused the user name or password of the connector: %s", s.server, reply(answer))
	case login.err != nil:
		e.Message = fmt.Sprintf("the login at the mail server at %s failed: %s", s.server, RootCause(login.err))
	case login.offered == "":
		e.Message = fmt.Sprintf("the mail server at %s offers no login on this connection; set the connector's encryption to STARTTLS or TLS, or its login to none", s.server)
	default:
		e.Message = fmt.Sprintf("the mail server at %s does not support the authentication %s, but %s; choose another one for the connector", s.server, s.config.Auth, SanitizeText(login.offered))
	}
}

// untrusted describes why a certificate is not trusted, and how to trust one that no public authority issued.
func (s *SMTP) untrusted(err *tls.CertificateVerificationError) string {
	text := fmt.Sprintf("the certificate of the mail server at %s is not trusted: %s", s.server, RootCause(err))
	if unknown := (x509.UnknownAuthorityError{}); !errors.As(err, &unknown) || len(err.UnverifiedCertificates) == 0 {
		return text
	}
	leaf := err.UnverifiedCertificates[0]
	print := strings.ReplaceAll(fmt.Sprintf("% X", sha256.Sum256(leaf.Raw)), " ", ":")
	return fmt.Sprintf("the certificate of the mail server at %s is not trusted, because this computer does not know who issued it (%s). Its SHA-256 fingerprint is %s. If that is the right one, save the issuer's certificate as a PEM file, and set the connector's certificates (ca_file) to it",
		s.server, SanitizeText(leaf.Issuer.String()), print)
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
	switch text := err.Error(); text {
	case "EOF", "unexpected EOF":
		return "the connection was closed"
	default:
		return SanitizeText(text)
	}
}

// reply returns a server's response, and what it means if that is good news.
func reply(answer *textproto.Error) string {
	text := SanitizeText(fmt.Sprintf("%d %s", answer.Code, answer.Msg))
	if answer.Code >= 400 && answer.Code < 500 {
		text += " (temporary, try again in some minutes)"
	}
	return text
}

// maxText bounds a server's text. Mail servers explain a refusal in up to ten lines, with the link at the end.
const maxText = 2000

// SanitizeText returns a server's text as one line without control characters, cut to a reasonable length.
func SanitizeText(s string) string {
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c >= 0x7f && c < 0xa0 {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, "?"))
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > maxText {
		return string(r[:maxText]) + "…"
	}
	return s
}
