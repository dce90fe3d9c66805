package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-message/mail"
	gosmtp "github.com/emersion/go-smtp"

	"bugle/cmd/bugle/internal/cli"
)

// mailbox is a mail server that keeps what it gets.
type mailbox struct {
	addr string

	mu    sync.Mutex
	mails map[string][]byte // by recipient
}

func startMailbox(t *testing.T) *mailbox {
	t.Helper()
	box := &mailbox{mails: map[string][]byte{}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	box.addr = listener.Addr().String()
	server := gosmtp.NewServer(gosmtp.BackendFunc(func(*gosmtp.Conn) (gosmtp.Session, error) { return &delivered{box: box}, nil }))
	server.Domain = "mail.test"
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		_ = listener.Close()
		if err := <-done; err != nil && !errors.Is(err, gosmtp.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			t.Errorf("the mail server ended: %v", err)
		}
	})
	return box
}

type delivered struct {
	box *mailbox
	to  []string
}

func (d *delivered) Mail(string, *gosmtp.MailOptions) error { return nil }

func (d *delivered) Rcpt(to string, _ *gosmtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody@") {
		return &gosmtp.SMTPError{Code: 550, Message: "no such user"}
	}
	d.to = append(d.to, to)
	return nil
}

func (d *delivered) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	d.box.mu.Lock()
	defer d.box.mu.Unlock()
	for _, to := range d.to {
		d.box.mails[to] = b
	}
	if err != nil {
		return err
	}
	return &gosmtp.SMTPError{Code: 250, EnhancedCode: gosmtp.EnhancedCode{2, 0, 0}, Message: "queued for " + d.to[0]}
}

func (d *delivered) Reset() { d.to = nil }

func (d *delivered) Logout() error { return nil }

// bugle is the program in this process, on a store of its own.
type bugle struct {
	t   *testing.T
	env map[string]string
}

func newBugle(t *testing.T) bugle {
	return bugle{t: t, env: map[string]string{cli.EnvData: t.TempDir(), cli.EnvAuthor: "ann@example.com", "XDG_CONFIG_HOME": t.TempDir(), "XDG_STATE_HOME": t.TempDir()}}
}

// run returns the output of a command, which must exit with code.
func (b bugle) run(code int, stdin string, args ...string) (out, errs string) {
	b.t.Helper()
	var stdout, stderr bytes.Buffer
	got := run(context.Background(), args, func(name string) string { return b.env[name] },
		cli.Streams{In: strings.NewReader(stdin), Out: &stdout, Err: &stderr})
	if got != code {
		b.t.Fatalf("bugle %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, stdout.String(), stderr.String())
	}
	return stdout.String(), stderr.String()
}

// create returns the id of a new draft.
func (b bugle) create(body string) string {
	b.t.Helper()
	out, _ := b.run(cli.ExitDone, body, "create", "-", "--json")
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		b.t.Fatal(err)
	}
	return made.ID
}

const smtpDraft = `{"channel": "EMAIL", "campaign_delivery_type": "ONE_TIME", "basic_details": {"name": "Spring sale"},
 "connector": {"connector_type": "CUSTOM_SMTP", "connector_name": "Post"},
 "campaign_content": {"content": {"email": {
   "subject": "Grüße, {{UserAttribute['First Name']|default('friend')}}", "sender_name": "The Shop", "from_address": "shop@example.com",
   "reply_to_address": "help@example.com", "cc_ids": ["boss@example.com"],
   "html_content": "<p>Hello <b>{{UserAttribute['First Name']|default('friend')}}</b>, <a href=\"https://example.com/sale\">the sale</a> is on.</p>"}}}}`

// mailServer makes the workspace send email through a mailbox, with these fields of SMTP.
func (b bugle) mailServer(box *mailbox, fields ...string) {
	b.t.Helper()
	host, port, err := net.SplitHostPort(box.addr)
	if err != nil {
		b.t.Fatal(err)
	}
	args := []string{"connectors", "put", "Post", "provider=smtp", "smtp.host=" + host, "smtp.port=" + port}
	for _, f := range fields {
		args = append(args, "smtp."+f)
	}
	b.run(cli.ExitDone, "", args...)
}

// A test send through a mail server arrives, headers and both parts right.
func TestTestSendThroughSMTP(t *testing.T) {
	box, b := startMailbox(t), newBugle(t)
	b.run(cli.ExitDone, "", "init")
	b.mailServer(box, "tls=none", "auth=none")
	b.run(cli.ExitDone, `{"id": "U1", "attributes": {"First Name": "Jörg", "Email (Standard)": "a@example.com"}}`, "users", "put", "--file", "-")
	id := b.create(smtpDraft)

	out, errs := b.run(cli.ExitDone, "", "test", id, "--to", "a@example.com", "--to", "b@example.com")
	said := func(to string) string {
		return "  " + to + ": accepted by " + box.addr + ": 2.0.0 queued for " + to + "\n"
	}
	if want := "Email sent\n" + said("a@example.com") + said("b@example.com") + "Sent 2 messages.\n"; out != want || errs != "" {
		t.Fatalf("bugle test wrote %q and %q, want %q", out, errs, want)
	}
	for to, name := range map[string]string{"a@example.com": "Jörg", "b@example.com": "friend"} {
		checkMail(t, box.mail(to), to, name, nil)
	}
	if box.mail("boss@example.com") != nil {
		t.Error("a copy was sent without being asked for")
	}
	b.run(cli.ExitDone, "", "test", id, "--to", "a@example.com", "--with-copies")
	checkMail(t, box.mail("boss@example.com"), "a@example.com", "Jörg", []*mail.Address{{Address: "boss@example.com"}})
}

// What is sent is byte for byte what the preview shows, the preview text included.
func TestPreviewIsWhatIsSent(t *testing.T) {
	box, b := startMailbox(t), newBugle(t)
	b.run(cli.ExitDone, "", "init")
	b.mailServer(box, "tls=none", "auth=none")
	b.run(cli.ExitDone, `{"id": "U1", "attributes": {"First Name": "Jörg", "Email (Standard)": "a@example.com"}}`, "users", "put", "--file", "-")
	for _, html := range []string{
		`<p>Hello {{user.first_name}}</p>`,
		`<!DOCTYPE html>\r\n<html><head><style>/* <body> */</style></head>\r\n<body>\r\n<p>.</p>\n.\n` + strings.Repeat("long ", 300) + `</body></html>\n`,
		`<html><head></head><!-- the <body> follows --><body><p>Hello</p></body></html>`,
		`<html><body><span class='preheader' style='display:none'>Placeholder</span><p>= Hello =20 \t </p></body></html>`,
	} {
		id := b.create(strings.NewReplacer(`"html_content": "<p>Hello <b>{{UserAttribute['First Name']|default('friend')}}</b>, <a href=\"https://example.com/sale\">the sale</a> is on.</p>"`,
			`"preview_text": "Until Sunday for {{user.first_name}} & all", "html_content": "`+html+`"`).Replace(smtpDraft))
		shown, _ := b.run(cli.ExitDone, "", "preview", id, "--email", "a@example.com", "--html")
		b.run(cli.ExitDone, "", "test", id, "--to", "a@example.com")
		r, err := mail.CreateReader(bytes.NewReader(box.mail("a@example.com")))
		if err != nil {
			t.Fatal(err)
		}
		var sent []byte
		for part, err := r.NextPart(); !errors.Is(err, io.EOF); part, err = r.NextPart() {
			if err != nil {
				t.Fatal(err)
			}
			if sent, err = io.ReadAll(part.Body); err != nil { // of the last part
				t.Fatal(err)
			}
		}
		// In a mail, lines end with CRLF (RFC 2046, 4.1.1).
		if got := strings.ReplaceAll(string(sent), "\r\n", "\n"); got != shown {
			t.Errorf("sent  %q\nshown %q", got, shown)
		}
		if strings.Contains(shown, "Until Sunday for Jörg &amp; all") == strings.Contains(shown, "Placeholder") {
			t.Errorf("the preview text is not there once: %s", shown)
		}
	}
}

// mail returns the last mail to a recipient; nil if there is none.
func (b *mailbox) mail(to string) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mails[to]
}

func checkMail(t *testing.T, raw []byte, to, name string, cc []*mail.Address) {
	t.Helper()
	r, err := mail.CreateReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("the mail to %s: %v\n%s", to, err, raw)
	}
	if subject, err := r.Header.Subject(); err != nil || subject != "Grüße, "+name {
		t.Errorf("subject %q (%v)", subject, err)
	}
	for field, want := range map[string]mail.Address{
		"From": {Name: "The Shop", Address: "shop@example.com"}, "To": {Address: to},
		"Reply-To": {Address: "help@example.com"},
	} {
		list, err := r.Header.AddressList(field)
		if err != nil || len(list) != 1 || *list[0] != want {
			t.Errorf("%s: %v (%v), want %v", field, list, err, want)
		}
	}
	if got, err := r.Header.AddressList("Cc"); err != nil || fmt.Sprint(got) != fmt.Sprint(cc) {
		t.Errorf("Cc: %v (%v), want %v", got, err, cc)
	}
	if date, err := r.Header.Date(); err != nil || date.IsZero() {
		t.Errorf("date %v (%v)", date, err)
	}
	if id, err := r.Header.MessageID(); err != nil || id == "" {
		t.Errorf("message id %q (%v)", id, err)
	}
	checkParts(t, r, name)
}

func checkParts(t *testing.T, r *mail.Reader, name string) {
	t.Helper()
	var types []string
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		inline, ok := part.Header.(*mail.InlineHeader)
		if !ok {
			t.Fatalf("a part that is no text: %v", part.Header)
		}
		kind, _, _ := inline.ContentType()
		types = append(types, kind)
		body, err := io.ReadAll(part.Body)
		if err != nil {
			t.Fatal(err)
		}
		want := "<p>Hello <b>" + name + "</b>, <a href=\"https://example.com/sale\">the sale</a> is on.</p>"
		if kind == "text/plain" {
			want = "https://example.com/sale"
			if strings.Contains(string(body), "<b>") || !strings.Contains(string(body), "Hello "+name) {
				t.Errorf("the text is %q", body)
			}
		}
		if !strings.Contains(string(body), want) {
			t.Errorf("%s: %q does not hold %q", kind, body, want)
		}
	}
	if !slices.Equal(types, []string{"text/plain", "text/html"}) {
		t.Errorf("the parts are %v", types)
	}
}

// A recipient that the server refuses fails the key, and the other one still gets the mail.
func TestTestSendRefusedBySMTP(t *testing.T) {
	box, b := startMailbox(t), newBugle(t)
	b.run(cli.ExitDone, "", "init")
	b.mailServer(box, "tls=none", "auth=none")
	id := b.create(smtpDraft)
	out, _ := b.run(cli.ExitFailed, "", "test", id, "--to", "nobody@example.com", "--to", "b@example.com")
	if !strings.HasPrefix(out, "Email failed: nobody@example.com: ") || !strings.Contains(out, "no such user") {
		t.Errorf("bugle test wrote %q", out)
	}
	box.mu.Lock()
	defer box.mu.Unlock()
	if box.mails["b@example.com"] == nil {
		t.Error("the other recipient got nothing")
	}
}

// A server that encrypts nothing is not spoken to where the connector wants encryption, and a
// password that is not there is named.
func TestTestSendUnsupportedBySMTP(t *testing.T) {
	box, b := startMailbox(t), newBugle(t)
	b.run(cli.ExitDone, "", "init")
	b.mailServer(box, "tls=starttls", "auth=none")
	id := b.create(smtpDraft)
	out, _ := b.run(cli.ExitFailed, "", "test", id, "--to", "b@example.com")
	if !strings.Contains(out, "Email failed") || !strings.Contains(strings.ToLower(out), "starttls") {
		t.Errorf("bugle test wrote %q", out)
	}
	b.mailServer(box, "auth=plain", "user=u", "password_env=BUGLE_TEST_NO_PASSWORD")
	if _, errs := b.run(cli.ExitMisused, "", "test", id, "--to", "b@example.com"); !strings.Contains(errs, "BUGLE_TEST_NO_PASSWORD") {
		t.Errorf("bugle test wrote %q", errs)
	}
	box.mu.Lock()
	defer box.mu.Unlock()
	if len(box.mails) > 0 {
		t.Errorf("mails arrived: %v", box.mails)
	}
}
