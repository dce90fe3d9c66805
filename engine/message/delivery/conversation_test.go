package delivery_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"bugle/engine/message/delivery"
)

// talker is a mail server that responds with what answer returns: to the greeting (""), to each command, and to the end
// of a message ("."), by the number of the connection. "" ends the connection, and "-" says nothing more.
type talker struct {
	delivery.SMTPConfig
	mu              sync.Mutex
	heard           []string // commands of all connections, without those of the messages
	now, most, made int      // connections
}

func talk(t *testing.T, answer func(conn int, line string) string) *talker {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); close(done) })
	s := &talker{SMTPConfig: delivery.SMTPConfig{
		Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, TLS: delivery.TLSNone, Timeout: 5 * time.Second, BusyWait: time.Millisecond,
	}}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.made++
			s.now++
			s.most = max(s.most, s.now)
			n := s.made
			s.mu.Unlock()
			go func() {
				defer conn.Close()
				last := s.serve(n, conn, answer, done)
				s.mu.Lock()
				s.now--
				s.mu.Unlock()
				_, _ = io.WriteString(conn, last)
			}()
		}
	}()
	return s
}

func (s *talker) serve(n int, conn net.Conn, answer func(int, string) string, done chan struct{}) (last string) {
	lines, data := bufio.NewScanner(conn), false
	for line := ""; ; line = lines.Text() {
		if data && line != "." {
			if !lines.Scan() {
				return ""
			}
			continue
		}
		if s.mu.Lock(); line != "" {
			s.heard = append(s.heard, line)
		}
		s.mu.Unlock()
		response := answer(n, line)
		data = strings.HasPrefix(response, "354")
		switch {
		case response == "-":
			<-done
			return ""
		case response == "":
			return ""
		case strings.HasPrefix(response, "421"), line == "QUIT":
			return response + "\r\n"
		}
		if _, err := io.WriteString(conn, response+"\r\n"); err != nil || !lines.Scan() {
			return ""
		}
	}
}

func (s *talker) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.heard, "\n")
}

// agree is what a server responds that takes everything, with what it offers.
func agree(line, offers string) string {
	switch verb, _, _ := strings.Cut(line, " "); verb {
	case "":
		return "220 mail.test"
	case "EHLO":
		return "250-mail.test\r\n250 " + offers
	case "AUTH":
		return "235 welcome"
	case "DATA":
		return "354 go on"
	case ".":
		return "250 2.0.0 Ok: queued as 4XYZ"
	case "QUIT":
		return "221 bye"
	}
	return "250 ok"
}

// RFC 5321, 4.1.1.2 and 3: strict servers refuse addresses without angle brackets.
func TestEnvelopeOnTheWire(t *testing.T) {
	srv := talk(t, func(_ int, line string) string {
		if verb, _, _ := strings.Cut(line, ":"); (verb == "MAIL FROM" || verb == "RCPT TO") && !regexp.MustCompile(`^[A-Z]+ [A-Z]+:<[^<> ]+@[^<> ]+>( [A-Z0-9=]+)*$`).MatchString(line) {
			return "501 5.5.2 Syntax error"
		}
		return agree(line, "8BITMIME")
	})
	sender := newSMTP(t, srv.SMTPConfig)
	m := mailTo("Ada <ada@example.org>")
	m.Email.Cc = []string{"cc@example.org"}
	receipt, err := sender.Deliver(t.Context(), m)
	if err != nil || !strings.HasSuffix(receipt.Detail, ": 2.0.0 Ok: queued as 4XYZ") {
		t.Fatalf("%+v, %v", receipt, err)
	}
	if err := sender.Ping(t.Context(), "shop@example.com"); err != nil {
		t.Error(err)
	}
	want := `EHLO \S+\.\S+
MAIL FROM:<shop@example.com> BODY=8BITMIME
RCPT TO:<ada@example.org>
RCPT TO:<cc@example.org>
DATA
\.
RSET
MAIL FROM:<shop@example.com> BODY=8BITMIME
RSET
QUIT`
	if got := srv.said(); !regexp.MustCompile("^" + want + "$").MatchString(got) {
		t.Errorf("the server heard\n%s", got)
	}
}

// RFC 5321, 4.1.4.
func TestNameForEHLO(t *testing.T) {
	srv := talk(t, func(_ int, line string) string { return agree(line, "SIZE") })
	host, _ := os.Hostname()
	for name, want := range map[string]string{"": "[127.0.0.1]", "mail.example.com": "mail.example.com"} {
		if name == "" && strings.Contains(host, ".") {
			continue // its own name, then
		}
		srv.heard, srv.LocalName = nil, name
		if err := newSMTP(t, srv.SMTPConfig).Ping(t.Context(), "shop@example.com"); err != nil {
			t.Fatal(err)
		}
		if hello, _, _ := strings.Cut(srv.said(), "\n"); hello != "EHLO "+want {
			t.Errorf("%q: %s", name, hello)
		}
	}
}

// Some servers take three connections from a host, and some end one after a number of messages.
func TestConnections(t *testing.T) {
	perConnection := map[int]int{}
	var mu sync.Mutex
	srv := talk(t, func(conn int, line string) string {
		mu.Lock()
		defer mu.Unlock()
		if line == "." {
			perConnection[conn]++
		}
		if perConnection[conn] == 3 && line == "RSET" {
			return "421 4.7.0 enough messages"
		}
		return agree(line, "SIZE")
	})
	sender := newSMTP(t, srv.SMTPConfig)
	var wait sync.WaitGroup
	for i := range 10 {
		wait.Go(func() {
			if _, err := sender.Deliver(t.Context(), mailTo(fmt.Sprintf("r%d@b.example", i))); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	sender.Close()
	sent, bye := strings.Count(srv.said(), "\n."), strings.Count(srv.said(), "QUIT")
	if sent != 10 || srv.most > 2 || srv.made < 4 || srv.made > 5 || bye == 0 {
		t.Errorf("%d messages over %d connections, %d at once, %d farewells", sent, srv.made, srv.most, bye)
	}
}

// Before anything was sent, an end of the connection or "too many connections" is no failure.
func TestBusyServer(t *testing.T) {
	for name, answer := range map[string]func(conn int, line string) string{
		"421 instead of a greeting": func(conn int, line string) string {
			if conn < 4 {
				return "421 4.7.0 Too many connections from your address"
			}
			return agree(line, "SIZE")
		},
		"421 to the sender": func(conn int, line string) string {
			if conn < 4 && strings.HasPrefix(line, "MAIL") {
				return "421 4.7.0 busy"
			}
			return agree(line, "SIZE")
		},
	} {
		t.Run(name, func(t *testing.T) {
			srv := talk(t, answer)
			var told []string
			ctx := delivery.WithProgress(t.Context(), func(sentence string) {
				if strings.Contains(sentence, "busy") {
					told = append(told, sentence)
				}
			})
			if _, err := newSMTP(t, srv.SMTPConfig).Deliver(ctx, mailTo("a@b.example")); err != nil {
				t.Fatal(err)
			}
			if len(told) != 3 || !strings.HasSuffix(told[2], " is busy. Trying again in 4ms.") {
				t.Errorf("told %q", told)
			}
		})
	}
	for _, quiet := range []string{"421 idle for too long", ""} {
		srv := talk(t, func(conn int, line string) string {
			if line == "RSET" {
				return quiet
			}
			return agree(line, "SIZE")
		})
		sender := newSMTP(t, srv.SMTPConfig)
		for range 3 {
			if _, err := sender.Deliver(t.Context(), mailTo("a@b.example")); err != nil {
				t.Errorf("%q: %v", quiet, err)
			}
		}
	}
	srv := talk(t, func(int, string) string { return "421 4.3.2 shutting down" })
	srv.BusyWait = time.Hour
	_, err := newSMTP(t, srv.SMTPConfig).Deliver(t.Context(), mailTo("a@b.example"))
	wantError(t, err, delivery.Refused, "421 4.3.2 shutting down (temporary, try again in some minutes)")
	srv.BusyWait = time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	ctx = delivery.WithProgress(ctx, func(sentence string) {
		if strings.Contains(sentence, "Trying again in 1m0s") {
			cancel()
		}
	})
	if _, err := newSMTP(t, srv.SMTPConfig).Deliver(ctx, mailTo("a@b.example")); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled while waiting: %v", err)
	}
}

// A server may think about a message for ten times as long as about anything else (RFC 5321, 4.5.3.2.6).
func TestSlowAfterTheEnd(t *testing.T) {
	var told []string
	srv := talk(t, func(_ int, line string) string {
		if line == "." {
			time.Sleep(600 * time.Millisecond) // is what is tested
		}
		return agree(line, "SIZE")
	})
	srv.Timeout = 300 * time.Millisecond
	ctx := delivery.WithProgress(t.Context(), func(sentence string) { told = append(told, sentence) })
	if _, err := newSMTP(t, srv.SMTPConfig).Deliver(ctx, mailTo("a@b.example")); err != nil {
		t.Fatal(err)
	}
	if len(told) == 0 || !strings.HasPrefix(told[len(told)-1], "Waiting for the confirmation of the mail server at 127.0.0.1:") {
		t.Errorf("told %q", told)
	}
}

func TestCancelAtEachStep(t *testing.T) {
	for _, step := range []string{"", "EHLO", "MAIL", "RCPT", "DATA"} {
		ctx, cancel := context.WithCancel(t.Context())
		srv := talk(t, func(_ int, line string) string {
			if verb, _, _ := strings.Cut(line, " "); verb == step {
				cancel()
				return "-"
			}
			return agree(line, "SIZE")
		})
		srv.Timeout = time.Hour
		if _, err := newSMTP(t, srv.SMTPConfig).Deliver(ctx, mailTo("a@b.example")); !errors.Is(err, context.Canceled) || errors.Is(err, delivery.ErrUnknown) {
			t.Errorf("%q: %v", step, err)
		}
	}
}

// Domains have a form that all servers know; only a local part needs SMTPUTF8 (RFC 6531).
func TestInternationalAddresses(t *testing.T) {
	for _, tt := range []struct{ from, to, offers, mail, rcpt, why string }{
		{"shop@käse.example", "ida@bücher.example", "SMTPUTF8", "<shop@xn--kse-qla.example>", "<ida@xn--bcher-kva.example>", ""},
		{"shop@example.com", "ida@bücher.example", "SIZE", "<shop@example.com>", "<ida@xn--bcher-kva.example>", ""},
		{"shop@example.com", "idä@bücher.example", "SMTPUTF8", "<shop@example.com> SMTPUTF8", "<idä@xn--bcher-kva.example>", ""},
		{"shop@example.com", "idä@example.com", "SIZE", "", "", "cannot send to or from idä@example.com, because it does not support SMTPUTF8"},
		{"shop@example.com", "ida@bü cher.example", "SIZE", "", "", "is not an email address"},
		{"shop@example.com", "ida@ü\u0301-.example", "SIZE", "", "", `the domain of the recipient "ida@ü`},
	} {
		srv := talk(t, func(_ int, line string) string { return agree(line, tt.offers) })
		m := mailTo(tt.to)
		m.Email.From = tt.from
		_, err := newSMTP(t, srv.SMTPConfig).Deliver(t.Context(), m)
		if tt.why != "" {
			wantError(t, err, delivery.Invalid, tt.why)
			if strings.Contains(srv.said(), "MAIL") {
				t.Errorf("%s: the server heard\n%s", tt.to, srv.said())
			}
			continue
		}
		if got := srv.said(); err != nil || !strings.Contains(got, "MAIL FROM:"+tt.mail+"\nRCPT TO:"+tt.rcpt+"\n") {
			t.Errorf("%v, the server heard\n%s", err, got)
		}
	}
}

// What RFC 5321 allows, and what it doesn't, before the end of a message and after it.
func TestUnusualResponses(t *testing.T) {
	for name, tt := range map[string]struct{ at, response, why string }{
		"EHLO is unknown":               {"EHLO", "502 5.5.1 command not recognized", ""},
		"greeting of several lines":     {"", "220-mail.test\r\n220-no spam\r\n220 ready", ""},
		"sender in several lines":       {"MAIL", "250-first\r\n250-second\r\n250 third", ""},
		"recipient of another server":   {"RCPT", "251 user not local; will forward", ""},
		"recipient that is not checked": {"RCPT", "252 cannot verify, but will try", ""},
		"farewell with 421":             {"QUIT", "421 4.3.2 busy", ""},
		"no permission for DATA":        {"DATA", "250 ok", "refused the message: 250 ok"},
		"login is required":             {"MAIL", "530 5.7.0 Authentication required", "530 5.7.0 Authentication required"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := talk(t, func(_ int, line string) string {
				if verb, _, _ := strings.Cut(strings.ReplaceAll(line, ":", " "), " "); verb == tt.at {
					return tt.response
				}
				return agree(line, "SIZE")
			})
			sender := newSMTP(t, srv.SMTPConfig)
			_, err := sender.Deliver(t.Context(), mailTo("a@b.example"))
			if delivered := strings.Contains(srv.said(), "\n.\n") || strings.HasSuffix(srv.said(), "\n."); delivered != (tt.why == "") {
				t.Errorf("the server heard\n%s", srv.said())
			}
			if tt.why == "" && err != nil || tt.why != "" && (err == nil || !strings.Contains(err.Error(), tt.why) || errors.Is(err, delivery.ErrUnknown)) {
				t.Errorf("got %v", err)
			}
			sender.Close()
		})
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	on := func(step, response string) func(int, string) string {
		return func(_ int, line string) string {
			if verb, _, _ := strings.Cut(line, " "); verb == step {
				return response
			}
			return agree(line, "SIZE")
		}
	}
	gmail := "550-5.7.26 " + strings.Repeat("This mail has been blocked because the sender is unauthenticated.\r\n550-5.7.26 ", 12) +
		"see\r\n550 5.7.26 https://support.google.com/mail/answer/81126#authentication"
	for name, tt := range map[string]struct {
		answer func(int, string) string
		reason delivery.Reason
		text   string
	}{
		"recipient put off":     {on("RCPT", "451 4.7.1 Greylisted"), delivery.Refused, "451 4.7.1 Greylisted (temporary, try again in some minutes)"},
		"message put off":       {on(".", "452 4.3.1 Mail system full"), delivery.Refused, "452 4.3.1 Mail system full (temporary, try again in some minutes)"},
		"long reply":            {on(".", gmail), delivery.Refused, "https://support.google.com/mail/answer/81126#authentication"},
		"broken in the middle":  {on("RCPT", ""), delivery.Unreachable, " broke (the connection was closed), and nothing was sent; try again in some minutes"},
		"broken at the start":   {on("", ""), delivery.Unreachable, " broke (the connection was closed), and nothing was sent"},
		"not a mail server":     {on("", "SSH-2.0-OpenSSH_9.2"), delivery.Unreachable, "is not a mail server"},
		"login is not possible": {on("AUTH", "454 4.7.0 Temporary authentication failure"), delivery.Auth, "(temporary, try again in some minutes)"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := talk(t, func(n int, line string) string {
				if r := tt.answer(n, line); r != "250-mail.test\r\n250 SIZE" {
					return r
				}
				return agree(line, "AUTH PLAIN")
			})
			srv.Username = "ann"
			_, err := newSMTP(t, srv.SMTPConfig).Deliver(t.Context(), mailTo("a@b.example"))
			wantError(t, err, tt.reason, tt.text)
			if strings.Contains(err.Error(), "cannot reach") {
				t.Errorf("it was reached: %v", err)
			}
		})
	}
}

// Where both wait for the other to speak first, that is found at once.
func TestEncryptionFromTheStart(t *testing.T) {
	srv := startServer(t, serverOptions{implicit: true})
	c := srv.config()
	c.TLS, c.Timeout = delivery.TLSStart, 0
	started := time.Now()
	err := newSMTP(t, c).Ping(t.Context(), "shop@example.com")
	wantError(t, err, delivery.Insecure, "expects TLS from the start; set the connector's encryption to TLS, or its port")
	if took := time.Since(started); took > 15*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestUnknownCertificate(t *testing.T) {
	srv := startServer(t, serverOptions{startTLS: true})
	c := srv.config()
	c.TLS, c.TLSConfig = delivery.TLSStart, nil
	err := newSMTP(t, c).Ping(t.Context(), "shop@example.com")
	wantError(t, err, delivery.Insecure, "Its SHA-256 fingerprint is "+fingerprint(srv.certificate))
	wantError(t, err, delivery.Insecure, "set the connector's certificates (ca_file) to it")
}
