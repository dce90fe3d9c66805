package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
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

// at returns the program on another store, with more variables of the environment.
func (b bugle) at(data string, variables ...string) bugle {
	b.env = maps.Clone(b.env)
	b.env[cli.EnvData] = data
	for pair := range slices.Chunk(variables, 2) {
		b.env[pair[0]] = pair[1]
	}
	return b
}

// dir returns the data folder.
func (b bugle) dir() string { return b.env[cli.EnvData] }

func (b bugle) getenv(name string) string { return b.env[name] }

// try returns the exit code and the output of a command.
func (b bugle) try(stdin string, args ...string) (code int, out, errs string) {
	var stdout, stderr strings.Builder
	code = run(context.Background(), args, b.getenv, cli.Streams{In: strings.NewReader(stdin), Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

// run returns the output of a command, which must exit with code.
func (b bugle) run(code int, stdin string, args ...string) (out, errs string) {
	b.t.Helper()
	got, out, errs := b.try(stdin, args...)
	if got != code {
		b.t.Fatalf("bugle %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, out, errs)
	}
	return out, errs
}

// must returns the output of a command, which must succeed.
func (b bugle) must(args ...string) string {
	b.t.Helper()
	out, _ := b.run(cli.ExitDone, "", args...)
	return out
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

// A test send through a mail server arrives, for each recipient as it is for them.
func TestTestSendThroughSMTP(t *testing.T) {
	t.Parallel()
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
		r, err := mail.CreateReader(bytes.NewReader(box.mail(to)))
		if err != nil {
			t.Fatal(err)
		}
		if subject, err := r.Header.Subject(); err != nil || subject != "Grüße, "+name {
			t.Errorf("subject %q (%v)", subject, err)
		}
	}
	if box.mail("boss@example.com") != nil {
		t.Error("a copy was sent without being asked for")
	}
	b.run(cli.ExitDone, "", "test", id, "--to", "a@example.com", "--with-copies")
	if box.mail("boss@example.com") == nil {
		t.Error("no copy was sent")
	}
	b.mailServer(box, "tls=none", "auth=plain", "user=u", "password_env=BUGLE_TEST_NO_PASSWORD")
	if _, errs := b.run(cli.ExitMisused, "", "test", id, "--to", "b@example.com"); !strings.Contains(errs, "BUGLE_TEST_NO_PASSWORD") {
		t.Errorf("without the password, bugle test wrote %q", errs)
	}
}

// What is sent is byte for byte what the preview shows, the preview text included.
func TestPreviewIsWhatIsSent(t *testing.T) {
	t.Parallel()
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
