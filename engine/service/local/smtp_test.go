package local_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"bugle/engine"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/gatewaytest"
	"bugle/engine/service/local"
)

// postOffice is a mail server that keeps what it gets.
type postOffice struct {
	mu       sync.Mutex
	mails    []received
	sessions int
}

type received struct {
	from string
	to   []string
	data []byte
}

func (p *postOffice) NewSession(*smtp.Conn) (smtp.Session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions++
	return &session{office: p}, nil
}

type session struct {
	office *postOffice
	mail   received
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error { s.mail.from = from; return nil }

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "refused") {
		return &smtp.SMTPError{Code: 550, Message: "no such mailbox"}
	}
	s.mail.to = append(s.mail.to, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	s.mail.data = b
	s.office.mu.Lock()
	defer s.office.mu.Unlock()
	s.office.mails = append(s.office.mails, s.mail)
	return err
}

func (s *session) Reset()        { s.mail = received{} }
func (s *session) Logout() error { return nil }

func openPostOffice(t *testing.T) (*postOffice, *engine.SMTP) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	office := &postOffice{}
	server := smtp.NewServer(office)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(l)
	}()
	t.Cleanup(func() {
		server.Close()
		l.Close()
		<-ended
	})
	return office, &engine.SMTP{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, TLS: "none", Auth: "none"}
}

func TestMailThroughSMTP(t *testing.T) {
	var fetched atomic.Int32
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fetched.Add(1)
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "terms for "+r.URL.Query().Get("for"))
	}))
	t.Cleanup(files.Close)
	office, server := openPostOffice(t)
	b := newBench(t, local.Options{Fetcher: &delivery.Fetcher{AllowPrivate: true}}, func(w *engine.Workspace) {
		w.Connectors[0].Provider, w.Connectors[0].SMTP = engine.ProviderSMTP, server
	})
	id := b.create(`{%s,%s}`, emailHead, strings.Replace(emailParts, `"sender_name":"Shop",`,
		`"sender_name":"Käse & Shop","preview_text":"for {{user.first_name}}","reply_to_address":"help@example.com","cc_ids":["cc@example.com"],"bcc_ids":["bcc@example.com"],
		"attachments":[{"file_type":"PERSONALIZED_ATTACHMENT","url":"`+files.URL+`/terms.txt?for={{user.first_name}}"}],`, 1))
	out := b.test(parse(t, `{"draft_id":"%s","personalization_details":{"user_attributes":{"First Name":"Zoë"}},"test_campaign_meta":{"identifier":"EMAIL","identifier_values":["ida@example.com","refused@example.com"]}}`, id))
	contains(t, show(out), "FAILED refused@example.com: the mail server at 127.0.0.1:", "no such mailbox")
	if out.Message != "Sent 1 of 2 messages; 1 failed." {
		t.Error(out.Message)
	}
	contains(t, out.Data["EMAIL_default_variation_1"].Detail, "ida@example.com: accepted by 127.0.0.1:", ": 2.0.0 OK: queued")

	if len(office.mails) != 1 {
		t.Fatalf("%d mails", len(office.mails))
	}
	got := office.mails[0]
	if got.from != "shop@example.com" || strings.Join(got.to, " ") != "ida@example.com" {
		t.Errorf("envelope from %s to %v", got.from, got.to)
	}
	m, err := mail.ReadMessage(bytes.NewReader(got.data))
	b.ok(err)
	word := new(mime.WordDecoder)
	for name, want := range map[string]string{
		"Subject": "Hi Zoë", "To": "<ida@example.com>", "Cc": "", "Bcc": "",
		"X-Bugle-Test": "campaign=" + id + "; revision=1; message=EMAIL_default_variation_1", "List-Unsubscribe": "", "List-Unsubscribe-Post": "", "Reply-To": "<help@example.com>",
	} {
		if have, err := word.DecodeHeader(m.Header.Get(name)); err != nil || have != want {
			t.Errorf("%s: got %q, want %q (%v)", name, have, want, err)
		}
	}
	if from, err := mail.ParseAddress(m.Header.Get("From")); err != nil || from.Name != "Käse & Shop" || from.Address != "shop@example.com" {
		t.Errorf("From: %v, %v", from, err)
	}
	parts := mailParts(t, m.Header.Get("Content-Type"), m.Body)
	contains(t, parts["text/plain"], "Hello Zoë", "Bye, Zoë")
	contains(t, parts["text/html"], "<p>Hello Zoë</p>", "for Zoë")
	if strings.Contains(parts["text/plain"], "<p>") {
		t.Errorf("the text part is HTML: %s", parts["text/plain"])
	}
	contains(t, parts["terms.txt"], "terms for Zoë")

	if n := fetched.Load(); n != 1 {
		t.Errorf("one attachment of two mails was fetched %d times", n)
	}

	// What left through the server can be read in the outbox as well.
	msgs, err := b.Outbox(b.ctx, 0)
	b.ok(err)
	if kept := msgs[0].Email.Headers; len(msgs) != 1 || kept["X-Bugle-Test"] != m.Header.Get("X-Bugle-Test") || kept["Message-ID"] != m.Header.Get("Message-ID") || kept["Message-ID"] == "" {
		t.Errorf("its headers are %q", kept)
	}
	if len(msgs) != 1 || msgs[0].Email.Subject != "Hi Zoë" || strings.Join(msgs[0].Email.Attachments, " ") != "terms.txt" {
		t.Errorf("%+v", msgs)
	}
}

// Copies are sent when they are asked for, and never by a request of the API.
func TestCopiesOnlyWhenAskedFor(t *testing.T) {
	office, server := openPostOffice(t)
	b := newBench(t, local.Options{}, func(w *engine.Workspace) {
		w.Connectors[0].Provider, w.Connectors[0].SMTP = engine.ProviderSMTP, server
	})
	id := b.create(`{%s,%s}`, emailHead, strings.Replace(emailParts, `"sender_name":"Shop",`,
		`"sender_name":"Shop","cc_ids":["boss@example.com"],"bcc_ids":["audit@example.com"],`, 1))
	ask := engine.TestRequest{Body: parse(t, `{"draft_id":"%s","personalization_details":{"user_attributes":{"First Name":"Zoë"}},"test_campaign_meta":{"identifier":"EMAIL","identifier_values":["a@example.com","b@example.com"]}}`, id)}
	for _, tt := range []struct {
		copies bool
		want   string
	}{{false, "a@example.com b@example.com"}, {true, "a@example.com audit@example.com audit@example.com b@example.com boss@example.com boss@example.com"}} {
		office.mails, ask.Copies = nil, tt.copies
		_, err := b.Test(b.ctx, ask)
		b.ok(err)
		var got []string
		for _, m := range office.mails {
			got = append(got, m.to...)
			if has := bytes.Contains(m.data, []byte("\r\nCc: <boss@example.com>\r\n")); has != tt.copies {
				t.Errorf("with copies %t: %s", tt.copies, m.data)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != tt.want {
			t.Errorf("with copies %t, sent to %v, want %s", tt.copies, got, tt.want)
		}
	}
}

// The link by which people unsubscribe stands in the header, as headers have it (RFC 2369).
func TestListUnsubscribe(t *testing.T) {
	office, server := openPostOffice(t)
	b := newBench(t, local.Options{}, func(w *engine.Workspace) {
		w.Connectors[0].Provider, w.Connectors[0].SMTP = engine.ProviderSMTP, server
	})
	for href, want := range map[string]string{
		"https://shop.eu/unsubscribe?u={{user.first_name}}": "<https://shop.eu/unsubscribe?u=Zo%C3%AB>",
		"mailto:leave@shop.eu?subject=unsubscribe":          "<mailto:leave@shop.eu?subject=unsubscribe>",
		"https://käse.example/unsubscribe":                  "<https://xn--kse-qla.example/unsubscribe>",
		"javascript:unsubscribe()":                          "",
		"https://shop.eu/shoes":                             "",
	} {
		office.mails = nil
		id := b.create(`{%s,%s}`, emailHead, strings.Replace(emailParts, "<p>", "<p><a href='"+href+"'>Here</a> ", 1))
		b.test(parse(t, `{"draft_id":"%s","personalization_details":{"user_attributes":{"First Name":"Zoë"}},"test_campaign_meta":{"identifier":"EMAIL","identifier_values":["ida@example.com"]}}`, id))
		m, err := mail.ReadMessage(bytes.NewReader(office.mails[0].data))
		b.ok(err)
		if got := m.Header.Get("List-Unsubscribe"); got != want || m.Header["List-Unsubscribe-Post"] != nil {
			t.Errorf("%s: %q, want %q", href, got, want)
		}
	}
}

// A mail server takes a few connections from a host.
func TestTenRecipientsOverTwoConnections(t *testing.T) {
	office, server := openPostOffice(t)
	b := newBench(t, local.Options{}, func(w *engine.Workspace) {
		w.Connectors[0].Provider, w.Connectors[0].SMTP = engine.ProviderSMTP, server
	})
	var to []string
	for i := range 10 {
		to = append(to, fmt.Sprintf(`"r%d@example.com"`, i))
	}
	out := b.test(inlineEmail(t, strings.Join(to, ","), `"personalization_details":{"user_attributes":{"First Name":"Ida"}},`))
	if out.Message != "Sent 10 messages." || len(office.mails) != 10 || office.sessions > 2 {
		t.Errorf("%s %d mails over %d connections", out.Message, len(office.mails), office.sessions)
	}
}

// mailParts gives the parts of a mail by content type, attachments by file name.
func mailParts(t *testing.T, contentType string, body io.Reader) map[string]string {
	t.Helper()
	out := map[string]string{}
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil || !strings.HasPrefix(kind, "multipart/") {
		t.Fatalf("%s: %v", contentType, err)
	}
	r := multipart.NewReader(body, params["boundary"])
	for {
		p, err := r.NextRawPart()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		kind, _, _ := mime.ParseMediaType(p.Header.Get("Content-Type"))
		if strings.HasPrefix(kind, "multipart/") {
			for name, text := range mailParts(t, p.Header.Get("Content-Type"), p) {
				out[name] = text
			}
			continue
		}
		var src io.Reader = p
		if p.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
			src = quotedprintable.NewReader(p)
		}
		text, err := io.ReadAll(src)
		if err != nil {
			t.Fatal(err)
		}
		if name := p.FileName(); name != "" {
			kind = name
		}
		out[kind] = string(text)
	}
}

func TestConnectorThatCannotCarry(t *testing.T) {
	b := newBench(t, local.Options{}, func(w *engine.Workspace) {
		w.Connectors[0].Provider = engine.ProviderSMTP
		w.Connectors[0].SMTP = &engine.SMTP{Host: "mail.example.com", User: "u", PasswordEnv: "BUGLE_TEST_PASSWORD_THAT_NOBODY_SETS"}
	})
	_, err := b.Test(b.ctx, engine.TestRequest{Body: inlineEmail(t, `"a@example.com"`, "")})
	contains(t, refused(t, err, engine.ValidationFailed, 400).Message, "set the environment variable BUGLE_TEST_PASSWORD_THAT_NOBODY_SETS")
}

// A message of which a part cannot be computed is not sent; the failure names the expression.
func TestAFailingFilterIsNotSent(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.create(`{%s,%s}`, emailHead, strings.Replace(emailParts, `Hi {{UserAttribute['First Name']}}`, `Hi {{ '%s and %s'|format(user.first_name) }}`, 1))
	out := b.test(parse(t, `{"draft_id":"%s","personalization_details":{"user_attributes":{"First Name":"Zoë"}},"test_campaign_meta":{"identifier":"EMAIL","identifier_values":["ida@example.com"]}}`, id))
	contains(t, show(out), "FAILED", "'%s and %s'|format(user.first_name)", "more placeholders than arguments")
	if mails, err := b.Outbox(b.ctx, 10); err != nil || len(mails) > 0 {
		t.Errorf("%d mails, %v", len(mails), err)
	}
}

// A test send says the same of an attachment's host that is not known and of one that is within this network;
// the log has the causes, and of neither address what follows the question mark.
func TestAttachmentErrorsHideTheNetwork(t *testing.T) {
	gatewaytest.FakeDNS(t, map[string]string{"known.internal.": "10.0.0.1"})
	var log bytes.Buffer
	b := newBench(t, local.Options{Fetcher: &delivery.Fetcher{Timeout: 400 * time.Millisecond}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	said := map[string]bool{}
	for _, host := range []string{"known.internal", "unknown.internal"} {
		id := b.create(`{%s,%s}`, emailHead, strings.Replace(emailParts, `"sender_name":"Shop",`,
			`"sender_name":"Shop","attachments":[{"file_type":"PERSONALIZED_ATTACHMENT","url":"http://`+host+`/x?key=secret"}],`, 1))
		out := b.test(parse(t, `{"draft_id":"%s","personalization_details":{"user_attributes":{"First Name":"Zoë"}},"test_campaign_meta":{"identifier":"EMAIL","identifier_values":["ida@example.com"]}}`, id))
		said[strings.ReplaceAll(show(out), host, "HOST")] = true
		contains(t, show(out), "the attachment http://"+host+"/x cannot be fetched: its address is not public, or does not respond")
	}
	if len(said) != 1 {
		t.Errorf("different answers: %v", said)
	}
	contains(t, log.String(), "the address is not public", "no such host")
	if strings.Contains(log.String(), "secret") {
		t.Errorf("the log holds the query:\n%s", &log)
	}
}
