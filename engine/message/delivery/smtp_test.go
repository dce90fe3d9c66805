package delivery_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine/message/delivery"
)

func mailTo(to string) delivery.Message {
	return delivery.Message{Key: "EMAIL_default_variation_1", Recipient: to, Email: &delivery.Email{
		From: "shop@example.com", To: to, Subject: "Hello", HTML: "<p>Hi</p>",
	}}
}

func newSMTP(t *testing.T, config delivery.SMTPConfig) *delivery.SMTP {
	t.Helper()
	s, err := delivery.NewSMTP(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestDeliver(t *testing.T) {
	srv := startServer(t, serverOptions{})
	pdf := bytes.Repeat([]byte{0, 1, 2, '\n', '.', '\r', 255}, 500)
	receipt, err := newSMTP(t, srv.config()).Deliver(t.Context(), delivery.Message{Email: &delivery.Email{
		From: "shop@example.com", FromName: "Björns Läden, Inc.", ReplyTo: "Help Desk <help@example.com>",
		To: "Ada <ada@example.org>", Cc: []string{"cc1@example.org", "cc2@example.org"}, Bcc: []string{"secret@example.org", "ada@example.org"},
		Subject:     "Grüße aus Øslo – 30 % on everything that you have ever looked at 🎉 and more besides",
		HTML:        "<html><body class=\"x\"><h1>Hej Ada</h1>\n.\n<p>Look <a href=\"https://example.com/a?b=1&amp;c=2\">here</a>, " + strings.Repeat("långt ", 300) + "</p></body></html>",
		Attachments: []delivery.Attachment{{Name: "Rechnung März.pdf", ContentType: "application/pdf", Data: pdf}, {Name: "../../etc/passwd", Data: []byte("x")}},
		Headers:     map[string]string{"List-Unsubscribe": "<https://example.com/u>", "X-Campaign": "Frühling"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := srv.only(t)
	if got.from != "shop@example.com" || !slices.Equal(got.to, []string{"ada@example.org", "cc1@example.org", "cc2@example.org", "secret@example.org"}) {
		t.Errorf("envelope %s → %v", got.from, got.to)
	}
	checkWire(t, got.raw)

	header, parts := leaves(t, got.raw)
	text := func(name string) string {
		v, err := header.Text(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return v
	}
	for name, want := range map[string]string{
		"Subject": "Grüße aus Øslo – 30 % on everything that you have ever looked at 🎉 and more besides",
		"From":    "Björns Läden, Inc. <shop@example.com>", "To": `Ada <ada@example.org>`, "Cc": "<cc1@example.org>, <cc2@example.org>",
		"Reply-To": `Help Desk <help@example.com>`, "List-Unsubscribe": "<https://example.com/u>", "X-Campaign": "Frühling", "Bcc": "", "Mime-Version": "1.0",
	} {
		if got := strings.ReplaceAll(text(name), `"Björns Läden, Inc."`, "Björns Läden, Inc."); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if bytes.Contains(got.raw, []byte("secret@")) {
		t.Error("a bcc address stands in the mail")
	}
	if id := text("Message-Id"); id != "<"+receipt.ID+">" || !strings.HasSuffix(receipt.ID, "@example.com") {
		t.Errorf("Message-ID %s, receipt %+v", id, receipt)
	}
	if date, err := time.Parse(time.RFC1123Z, text("Date")); err != nil || time.Since(date).Abs() > time.Minute {
		t.Errorf("Date %q", text("Date"))
	}
	if !strings.HasPrefix(receipt.Detail, "accepted by "+srv.host) {
		t.Errorf("detail %q", receipt.Detail)
	}
	if len(parts) != 4 {
		t.Fatalf("%d parts: %+v", len(parts), parts)
	}
	if parts[0].kind != "text/plain" || !strings.HasPrefix(strings.ReplaceAll(parts[0].body, "\r\n", "\n"), "Hej Ada\n\n.\n\nLook here (https://example.com/a?b=1&c=2), långt") {
		t.Errorf("text part %s: %.100q", parts[0].kind, parts[0].body)
	}
	if want := `<body class="x"><h1>Hej Ada</h1>`; parts[1].kind != "text/html" || !strings.Contains(parts[1].body, want) {
		t.Errorf("HTML part %s: %.200q", parts[1].kind, parts[1].body)
	}
	if parts[2] != (part{"application/pdf", "attachment", "Rechnung März.pdf", string(pdf)}) {
		t.Errorf("attachment %s %s %q, %d bytes", parts[2].kind, parts[2].disposition, parts[2].name, len(parts[2].body))
	}
	if parts[3] != (part{"application/octet-stream", "attachment", "passwd", "x"}) {
		t.Errorf("attachment %+v", parts[3])
	}
}

// checkWire holds the mail against RFC 5322: CRLF ends every line, none is
// longer than 998 characters, headers are ASCII.
func checkWire(t *testing.T, raw []byte) {
	t.Helper()
	if bare := regexp.MustCompile(`[^\r]\n|\r[^\n]`).Find(raw); bare != nil {
		t.Errorf("a bare line end: %q", bare)
	}
	for _, line := range bytes.Split(raw, []byte("\r\n")) {
		if len(line) > 998 {
			t.Errorf("a line of %d characters", len(line))
		}
	}
	header, _, _ := bytes.Cut(raw, []byte("\r\n\r\n"))
	for _, c := range header {
		if c > 126 {
			t.Fatalf("the header is not ASCII: %q", header)
		}
	}
}

func TestDeliverTextOnly(t *testing.T) {
	srv := startServer(t, serverOptions{})
	m := mailTo("a@b.example")
	m.Email.HTML, m.Email.Text = "", "line one\n.\nline three €\n"
	if _, err := newSMTP(t, srv.config()).Deliver(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	checkWire(t, srv.only(t).raw)
	_, parts := leaves(t, srv.only(t).raw)
	if len(parts) != 1 || parts[0].kind != "text/plain" || strings.ReplaceAll(parts[0].body, "\r\n", "\n") != m.Email.Text {
		t.Errorf("parts %+v", parts)
	}
}

// The same headers have the same result each time.
func TestHeadersInOrder(t *testing.T) {
	srv := startServer(t, serverOptions{})
	m := mailTo("a@b.example")
	for range 20 {
		m.Email.Headers = map[string]string{"X-B: c": "", "Bcc": "c", "X-A": "b\n"}
		_, err := newSMTP(t, srv.config()).Deliver(t.Context(), m)
		wantError(t, err, delivery.Invalid, "the header Bcc is set automatically")
		m.Email.Headers = map[string]string{"X-A": "one", "x-a": "two"}
		_, err = newSMTP(t, srv.config()).Deliver(t.Context(), m)
		wantError(t, err, delivery.Invalid, "the header X-A is set twice")
	}
}

func TestInjection(t *testing.T) {
	srv := startServer(t, serverOptions{})
	tests := []struct {
		name, sentence string
		change         func(*delivery.Email)
	}{
		{"subject", "the subject has a line break", func(e *delivery.Email) { e.Subject = "x\r\nBcc: all@example.com" }},
		{"subject, LF", "the subject has a line break", func(e *delivery.Email) { e.Subject = "x\nBcc: all@example.com" }},
		{"recipient", "the recipient has a line break", func(e *delivery.Email) { e.To = "a@b.example\r\nRCPT TO:<c@d.example>" }},
		{"sender", "the sender has a line break", func(e *delivery.Email) { e.From = "a@b.example\r\n" }},
		{"sender name", "the sender name has a line break", func(e *delivery.Email) { e.FromName = "a\r\nX: y" }},
		{"reply-to", "the reply-to address has a line break", func(e *delivery.Email) { e.ReplyTo = "a@b.example\n" }},
		{"cc", "the cc address has a line break", func(e *delivery.Email) { e.Cc = []string{"a@b.example\n"} }},
		{"bcc", "the bcc address has a line break", func(e *delivery.Email) { e.Bcc = []string{"a@b.example\r"} }},
		{"header value", "the header X-A has a line break", func(e *delivery.Email) { e.Headers = map[string]string{"X-A": "b\r\nBcc: x"} }},
		{"header name", "is not a valid header name", func(e *delivery.Email) { e.Headers = map[string]string{"X-A: b": "c"} }},
		{"header name in other letters", `"X-Grüße" is not a valid header name`, func(e *delivery.Email) { e.Headers = map[string]string{"X-Grüße": ""} }},
		{"header of ours", "the header Bcc is set automatically", func(e *delivery.Email) { e.Headers = map[string]string{"BCC": "c"} }},
		{"file name", "the name of an attachment has a line break", func(e *delivery.Email) { e.Attachments = []delivery.Attachment{{Name: "a\r\nb"}} }},
		{"content type", "the content type of an attachment has a line break", func(e *delivery.Email) { e.Attachments = []delivery.Attachment{{ContentType: "a\r\nb"}} }},
		{"no recipient", `the recipient "" is not an email address`, func(e *delivery.Email) { e.To = "" }},
		{"no sender", `the sender "" is not an email address`, func(e *delivery.Email) { e.From = "" }},
		{"two recipients", "is not an email address", func(e *delivery.Email) { e.To = "a@b.example, c@d.example" }},
		{"recipient with an invisible character", "is not safe in email headers", func(e *delivery.Email) { e.To = "\ufeffann@b.example" }},
		{"recipient that ends early", "is not safe in email headers", func(e *delivery.Email) { e.To = `"victim@c.example> NOTIFY=NEVER"@b.example` }},
		{"sender that ends early", "is not safe in email headers", func(e *delivery.Email) { e.From = `"a@c.example> SIZE=1"@b.example` }},
		{"cc that ends early", "is not safe in email headers", func(e *delivery.Email) { e.Cc = []string{`"x\"y"@b.example`} }},
		{"bad cc", `the cc address "nobody" is not an email address`, func(e *delivery.Email) { e.Cc = []string{"nobody"} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := mailTo("a@b.example")
			tt.change(m.Email)
			_, err := newSMTP(t, srv.config()).Deliver(t.Context(), m)
			wantError(t, err, delivery.Invalid, tt.sentence)
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("the error itself has a line break: %q", err)
			}
		})
	}
	if n := srv.connected(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

func TestRefusals(t *testing.T) {
	srv := startServer(t, serverOptions{})
	sender := newSMTP(t, srv.config())
	at := fmt.Sprintf("the mail server at %s:%d ", srv.host, srv.port)

	_, err := sender.Deliver(t.Context(), mailTo("nobody@b.example"))
	wantError(t, err, delivery.Refused, at+"refused the recipient nobody@b.example: 550 5.1.1 No such user here")

	m := mailTo("a@b.example")
	m.Email.Bcc = []string{"nobody@c.example"}
	_, err = sender.Deliver(t.Context(), m)
	wantError(t, err, delivery.Refused, at+"refused the recipient nobody@c.example: 550")

	m = mailTo("a@b.example")
	m.Email.From = "banned@example.com"
	_, err = sender.Deliver(t.Context(), m)
	wantError(t, err, delivery.Refused, at+"refused the sender banned@example.com: 553 5.7.1 Sender not allowed")

	m = mailTo("a@b.example")
	m.Email.Subject = "SPAM"
	_, err = sender.Deliver(t.Context(), m)
	wantError(t, err, delivery.Refused, at+"refused the message: 451 4.7.1 Try again later")
	var e *delivery.Error
	if errors.As(err, &e) && !e.Temporary {
		t.Error("a 451 is temporary")
	}
	if len(srv.mails) != 0 {
		t.Errorf("the server took %d mails", len(srv.mails))
	}

	_, err = sender.Deliver(t.Context(), delivery.Message{Key: "WEB_default_variation_1", Push: &delivery.Push{}})
	wantError(t, err, delivery.Invalid, "the message WEB_default_variation_1 is not an email")
}

func TestEncryption(t *testing.T) {
	starttls := startServer(t, serverOptions{startTLS: true})
	implicit := startServer(t, serverOptions{implicit: true, user: "u", password: "p"})
	plain := startServer(t, serverOptions{})
	with := func(s *server, mode delivery.TLSMode, change func(*delivery.SMTPConfig)) *delivery.SMTP {
		c := s.config()
		c.TLS = mode
		if change != nil {
			change(&c)
		}
		return newSMTP(t, c)
	}
	login := func(c *delivery.SMTPConfig) { c.Username, c.Password = "u", "p" }
	untrusting := func(c *delivery.SMTPConfig) { c.TLSConfig = nil }

	if _, err := with(starttls, delivery.TLSStart, nil).Deliver(t.Context(), mailTo("a@b.example")); err != nil || !starttls.only(t).encrypted {
		t.Errorf("starttls: %v", err)
	}
	if _, err := with(implicit, delivery.TLSImplicit, login).Deliver(t.Context(), mailTo("a@b.example")); err != nil || implicit.only(t).user != "u" {
		t.Errorf("tls: %v", err)
	}
	if _, err := with(plain, delivery.TLSOpportunistic, nil).Deliver(t.Context(), mailTo("a@b.example")); err != nil || plain.only(t).encrypted {
		t.Errorf("opportunistic without TLS: %v", err)
	}
	if err := with(starttls, delivery.TLSOpportunistic, untrusting).Ping(t.Context(), "shop@example.com"); err == nil {
		t.Error("opportunistic took a certificate that nobody vouches for")
	}
	wantError(t, with(starttls, delivery.TLSStart, untrusting).Ping(t.Context(), "shop@example.com"), delivery.Insecure, "is not trusted")
	wantError(t, with(implicit, delivery.TLSImplicit, untrusting).Ping(t.Context(), "shop@example.com"), delivery.Insecure, "is not trusted")
	wantError(t, with(plain, delivery.TLSStart, nil).Ping(t.Context(), "shop@example.com"), delivery.Insecure, "does not support STARTTLS; set the connector's encryption to TLS")
	wantError(t, with(plain, delivery.TLSImplicit, nil).Ping(t.Context(), "shop@example.com"), delivery.Insecure, "does not use TLS on this port")
	if err := with(starttls, delivery.TLSStart, func(c *delivery.SMTPConfig) { c.TLSConfig = &tls.Config{InsecureSkipVerify: true} }).Ping(t.Context(), "shop@example.com"); err != nil {
		t.Errorf("certificate not checked on request: %v", err)
	}
}

func TestAuth(t *testing.T) {
	srv := startServer(t, serverOptions{startTLS: true, user: "ann", password: "right"})
	for _, mode := range []delivery.AuthMode{"", delivery.AuthAuto, delivery.AuthPlain, delivery.AuthLogin} {
		c := srv.config()
		c.TLS, c.Auth, c.Username, c.Password = delivery.TLSStart, mode, "ann", "right"
		if _, err := newSMTP(t, c).Deliver(t.Context(), mailTo("a@b.example")); err != nil {
			t.Errorf("auth %q: %v", mode, err)
		}
		c.Password = "wrong-secret"
		err := newSMTP(t, c).Ping(t.Context(), "shop@example.com")
		wantError(t, err, delivery.Auth, "refused the user name or password of the connector: 535 5.7.8 Authentication failed")
		if strings.Contains(err.Error(), "wrong-secret") {
			t.Error("the password stands in the error")
		}
	}
	c := srv.config()
	c.TLS, c.Auth, c.Username = delivery.TLSStart, delivery.AuthCRAMMD5, "ann"
	wantError(t, newSMTP(t, c).Ping(t.Context(), "shop@example.com"), delivery.Auth, "does not support the authentication cram-md5, but PLAIN LOGIN; choose")
	open := startServer(t, serverOptions{})
	c = open.config()
	c.Auth, c.Username = delivery.AuthPlain, "ann"
	wantError(t, newSMTP(t, c).Ping(t.Context(), "shop@example.com"), delivery.Auth, "offers no login on this connection; set the connector's encryption to STARTTLS or TLS, or its login to none")
}

func TestPasswordStaysOffTheWire(t *testing.T) {
	srv := startServer(t, serverOptions{user: "ann", password: "right"})
	c := srv.config()
	c.Auth, c.Username, c.Password = delivery.AuthPlain, "ann", "right"
	if err := newSMTP(t, c).Ping(t.Context(), "shop@example.com"); err != nil {
		t.Errorf("this computer talks to itself, plain is allowed: %v", err)
	}
	// Spelled this way the address is not taken for this computer: what a
	// remote server without TLS looks like.
	c.Host = "::ffff:127.0.0.1"
	for _, c.Auth = range []delivery.AuthMode{delivery.AuthPlain, delivery.AuthAuto} {
		wantError(t, newSMTP(t, c).Ping(t.Context(), "shop@example.com"), delivery.Insecure, "offers the login with PLAIN LOGIN, which needs TLS, so the password was not sent; set the connector's encryption to")
	}
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().(*net.TCPAddr)
	l.Close()
	config := delivery.SMTPConfig{Host: "127.0.0.1", Port: closed.Port, TLS: delivery.TLSNone, Timeout: 5 * time.Second}
	_, err = newSMTP(t, config).Deliver(t.Context(), mailTo("a@b.example"))
	wantError(t, err, delivery.Unreachable, fmt.Sprintf("cannot reach the mail server at 127.0.0.1:%d: connection refused; check host and port of the connector", closed.Port))

	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	config.Port, config.Timeout = silent.Addr().(*net.TCPAddr).Port, 50*time.Millisecond
	wantError(t, newSMTP(t, config).Ping(t.Context(), "shop@example.com"), delivery.Unreachable, "did not respond within 50ms")

	go func() {
		if c, err := silent.Accept(); err == nil {
			c.Close()
		}
		for {
			c, err := silent.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("554 go\x1b[31m away\r\n"))
			c.Close()
		}
	}()
	config.Timeout = 5 * time.Second
	sender := newSMTP(t, config)
	for range 3 {
		if err = sender.Ping(t.Context(), "shop@example.com"); err != nil && strings.Contains(err.Error(), "554") {
			break
		}
	}
	wantError(t, err, delivery.Refused, "refused the connection: 554 go [31m away")
}

// scripted is a mail server that reads one command after the other and responds with the next text: empty ends the
// connection, and "-" says nothing more. The end of the message is the last command.
func scripted(t *testing.T, responses ...string) delivery.SMTPConfig {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); close(done) })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "220 mail.test\r\n")
		lines := bufio.NewScanner(conn)
		for i, response := range responses {
			for lines.Scan() && i == 4 && lines.Text() != "." {
				if response == "cut" {
					return
				}
			}
			if response == "-" {
				<-done
			}
			if response == "" || response == "-" {
				return
			}
			_, _ = io.WriteString(conn, response+"\r\n")
		}
	}()
	return delivery.SMTPConfig{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, TLS: delivery.TLSNone, Timeout: 200 * time.Millisecond}
}

// Before the end of the message nothing was accepted. After it, only a refusal means that.
func TestWhetherItMayHaveBeenDelivered(t *testing.T) {
	begin := []string{"250 mail.test", "250 sender", "250 recipient", "354 go on"}
	for name, tt := range map[string]struct {
		responses []string
		maybe     bool
		why       string
	}{
		"sender refused":           {[]string{"250 mail.test", "550 no"}, false, "refused the sender"},
		"lost before the data":     {begin[:2], false, "the connection was closed"},
		"data refused":             {[]string{"250 mail.test", "250 a", "250 b", "554 no"}, false, "refused the message: 554 no"},
		"no response to DATA":      {append(begin[:3:3], "-"), false, "did not respond within"},
		"lost amid the data":       {append(begin[:4:4], "cut"), false, ""},
		"message refused":          {append(begin[:4:4], "550 spam"), false, "refused the message: 550 spam"},
		"message put off":          {append(begin[:4:4], "451 later"), false, "refused the message: 451 later"},
		"service ends":             {append(begin[:4:4], "421 bye"), false, "refused the message: 421 bye"},
		"lost after the data":      {append(begin[:4:4], ""), true, "(the connection was closed)"},
		"silent after the data":    {append(begin[:4:4], "-"), true, "(no response in time)"},
		"half a response":          {append(begin[:4:4], "250-queued"), true, ""},
		"not a response":           {append(begin[:4:4], "hello"), true, ""},
		"a response of other kind": {append(begin[:4:4], "354 more"), true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := mailTo("a@b.example")
			if name == "lost amid the data" {
				m.Email.Attachments = []delivery.Attachment{{Name: "a.bin", Data: make([]byte, 8<<20)}}
			}
			_, err := newSMTP(t, scripted(t, tt.responses...)).Deliver(t.Context(), m)
			if err == nil || strings.Contains(err.Error(), "it may have been delivered; look before you repeat") != tt.maybe || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	opts := serverOptions{hold: make(chan struct{}), holding: make(chan struct{}, 1)}
	srv := startServer(t, opts)
	defer close(opts.hold)
	config := srv.config()
	config.Timeout = time.Hour // it must be the context that ends the wait
	sender := newSMTP(t, config)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-opts.holding; cancel() }()
	delivered := make(chan error, 1)
	go func() {
		_, err := sender.Deliver(ctx, mailTo("a@b.example"))
		delivered <- err
	}()
	select {
	case err := <-delivered:
		if !errors.Is(err, context.Canceled) || !strings.HasSuffix(err.Error(), "(the test was canceled): it may have been delivered; look before you repeat") {
			t.Errorf("canceled while the server thinks: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("still waiting for the server after the context ended")
	}
	if _, err := sender.Deliver(ctx, mailTo("a@b.example")); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled before: %v", err)
	}
}

func TestSMTPConfig(t *testing.T) {
	for _, tt := range []struct {
		config   delivery.SMTPConfig
		sentence string
	}{
		{delivery.SMTPConfig{}, `host "" is not a valid host name`},
		{delivery.SMTPConfig{Host: "smtp://x"}, "is not a valid host name"},
		{delivery.SMTPConfig{Host: "x", Port: 70000}, "must be between 1 and 65535"},
		{delivery.SMTPConfig{Host: "x", TLS: "ssl"}, `unknown TLS mode "ssl"`},
		{delivery.SMTPConfig{Host: "x", Auth: "oauth"}, `unknown authentication "oauth"`},
		{delivery.SMTPConfig{Host: "x", Auth: "plain"}, "needs a user name"},
		{delivery.SMTPConfig{Host: "x", LocalName: "a\r\nb"}, "name for EHLO"},
	} {
		_, err := delivery.NewSMTP(tt.config)
		wantError(t, err, delivery.Invalid, tt.sentence)
	}
}
