package livepage_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/adrg/xdg"
	"golang.org/x/net/html"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/livepage"
	"bugle/engine/message/render"
	"bugle/engine/service/local"
	"bugle/store/mem"
	"bugle/ui/uitest"
)

// mail returns the source of an email.
func mail(subject, body string) livepage.Source {
	return func(context.Context) (livepage.Message, error) {
		return livepage.Message{Title: "Roast", Mail: &render.Mail{Subject: render.Text{{Text: subject}}}, HTML: body}, nil
	}
}

func start(t *testing.T, source livepage.Source) *livepage.Server {
	t.Helper()
	s, err := livepage.Start(source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// get returns the answer to a request.
func get(t *testing.T, r *http.Request) (*http.Response, string) {
	t.Helper()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(b)
}

func request(t *testing.T, method, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Another host name, another path and another method are refused, and every answer has the headers that keep it in.
func TestOnlyTheAddressOfThePageIsServed(t *testing.T) {
	s := start(t, mail("Hi", "<p>x</p>"))
	root := s.URL()[:strings.Index(s.URL()[7:], "/")+7]
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		url    string
		method string
		want   int
	}{
		{"page", nil, s.URL(), http.MethodGet, 200},
		{"style", nil, s.URL() + "page.css", http.MethodGet, 200},
		{"script", nil, s.URL() + "page.js", http.MethodGet, 200},
		{"message", nil, s.URL() + "message", http.MethodGet, 200},
		{"head", nil, s.URL() + "head", http.MethodGet, 200},
		{"no path", nil, root + "/", http.MethodGet, 404},
		{"a wrong path", nil, root + "/" + strings.Repeat("A", 26) + "/message", http.MethodGet, 404},
		{"a file that is not served", nil, s.URL() + "message.html", http.MethodGet, 404},
		{"another method", nil, s.URL(), http.MethodPost, 405},
		{"another name", func(r *http.Request) { r.Host = "evil.example" }, s.URL(), http.MethodGet, 421},
		{"localhost", func(r *http.Request) { r.Host = strings.Replace(r.Host, "127.0.0.1", "localhost", 1) }, s.URL(), http.MethodGet, 421},
	} {
		r := request(t, c.method, c.url)
		if c.change != nil {
			c.change(r)
		}
		answer, _ := get(t, r)
		if answer.StatusCode != c.want {
			t.Errorf("%s: %s, want %d", c.name, answer.Status, c.want)
		}
		for header, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'"} {
			if got := answer.Header.Get(header); !strings.Contains(got, want) {
				t.Errorf("%s: %s is %q", c.name, header, got)
			}
		}
	}
}

func TestMessageIsIsolated(t *testing.T) {
	s := start(t, mail("Hi", `<img src="https://shop.eu/a.png">`))
	answer, _ := get(t, request(t, http.MethodGet, s.URL()+"message"))
	if got := answer.Header.Get("Content-Security-Policy"); !strings.HasPrefix(got, "sandbox allow-popups") || strings.Contains(got, "allow-scripts") || strings.Contains(got, "allow-same-origin") || !strings.Contains(got, "img-src data:;") {
		t.Errorf("the policy is %s", got)
	}
	answer, _ = get(t, request(t, http.MethodGet, s.URL()+"message?images=remote"))
	if got := answer.Header.Get("Content-Security-Policy"); !strings.HasPrefix(got, "sandbox allow-popups") || !strings.Contains(got, "img-src data: http: https:;") {
		t.Errorf("with images, the policy is %s", got)
	}
}

// added is what stands at the beginning of the head of a message.
const added = `<base target="_blank"/><meta content="off" http-equiv="x-dns-prefetch-control"/><meta content="light dark" name="color-scheme"/>`

// What makes a browser connect by itself is left out, and everything else stays.
func TestWhatIsLeftOut(t *testing.T) {
	const head, end = `<html><head>` + added + `</head><body>`, `</body></html>`
	for in, want := range map[string]string{
		`<p>a & b</P >`: head + `<p>a &amp; b</p>` + end,
		`<!DOCTYPE html><HTML><Head><title>x</title></Head><body>y</body></HTML>`:   `<!DOCTYPE html><html><head>` + added + `<title>x</title></head><body>y` + end,
		`<!-- [if mso]><x><![endif] -->text<!--[if !mso]><!--> too<!--<![endif]-->`: head + `text too` + end,
		`<head><link rel=preconnect href=//e.eu><LINK REL="stylesheet" href="a.css"><base href=x><meta name=viewport content=y><meta name=referrer content=unsafe-url>`: `<html><head>` + added +
			`<meta name="viewport" content="y"/></head><body>` + end,
		`<noscript><link rel=preconnect href=//e.eu><b>x</b></noscript>y`:                          `<html><head>` + added + `</head><body><b>x</b>y` + end,
		`y<noscript>&lt;link rel=preconnect href=//e.eu></noscript>`:                               head + `y&lt;link rel=preconnect href=//e.eu&gt;` + end,
		`<svg><title><link rel=preconnect href=//e.eu></title><style><link href=x></style></svg>z`: head + `<svg><title></title><style></style></svg>z` + end,
		`<xmp><link rel=preconnect></xmp><plaintext></plaintext><b>`:                               head + `<pre>&lt;link rel=preconnect&gt;</pre><pre>&lt;/plaintext&gt;&lt;b&gt;</pre>` + end,
		`<p><iframe src="//e.eu" srcdoc=y class=x><b></iframe><OBJECT data=x>z</OBJECT>`:           head + `<p><iframe></iframe><object>z</object></p>` + end,
		`<a href=x ping=y target=_top onclick=z referrerpolicy=unsafe-url>a</a>`:                   head + `<a href="x">a</a>` + end,
		`<style><!-- a { content: "<b>" } @media (width<=9px) {} --></style>c`:                     `<html><head>` + added + `<style> a { content: "\3c b>" } @media (width<=9px) {} --></style></head><body>c` + end,
		`<template shadowrootmode=open><link href=x><b>x</b></template>`:                           `<html><head>` + added + `<template shadowrootmode="open"><b>x</b></template></head><body>` + end,
		`a < b <`:          head + `a &lt; b &lt;` + end,
		`<p title="broken`: head + end,
	} {
		s := start(t, mail("Hi", in))
		if _, got := get(t, request(t, http.MethodGet, s.URL()+"message")); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", in, got, want)
		}
	}
	s := start(t, mail("Hi", strings.Repeat("<div>", 2000)))
	if answer, got := get(t, request(t, http.MethodGet, s.URL()+"message")); answer.StatusCode != http.StatusServiceUnavailable || !strings.Contains(got, "its HTML cannot be read") {
		t.Errorf("%s: %s", answer.Status, got)
	}
}

// Other users of this machine see the arguments of a browser: that is the name of a file which only this user can read, and
// which is there until the page ends.
func TestOpensPrivateFile(t *testing.T) {
	seen := t.TempDir() // by browsers from snap and flatpak, which do not see TMPDIR
	t.Setenv("XDG_DOWNLOAD_DIR", seen)
	xdg.Reload()
	t.Cleanup(xdg.Reload)
	s, err := livepage.Start(mail("Hi", "<p>x</p>"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := s.Open(t.Context(), func(_ context.Context, file string) error {
			if runtime.GOOS == "linux" && filepath.Dir(filepath.Dir(file)) != seen {
				t.Errorf("a browser may not see %s", file)
			}
			if strings.Contains(file, "127.0.0.1") || uitest.LedTo(t, file) != s.URL() {
				t.Errorf("%s leads to %s", file, uitest.LedTo(t, file))
			}
			return errors.New("no browser")
		})
		if err == nil || err.Error() != "no browser" {
			t.Error(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Open(t.Context(), func(context.Context, string) error { return nil }); err == nil {
		t.Error("a page that has ended is opened")
	}
	if left, err := os.ReadDir(seen); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}

// The page shows the body that is sent, as a browser reads it, with what keeps it in its frame.
func TestPageShowsWhatIsSent(t *testing.T) {
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	_, err := local.CreateWorkspace(t.Context(), db, engine.Workspace{ID: "DEMO", Connectors: []engine.Connector{{Type: "CUSTOM_SMTP", Name: "Post", Provider: engine.ProviderOutbox}}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := local.Open(db, "DEMO", local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	body, err := doc.Parse([]byte(`{"channel": "EMAIL", "campaign_delivery_type": "ONE_TIME", "created_by": "ann@example.com",
		"basic_details": {"name": "Roast", "content_type": "TRANSACTIONAL"}, "connector": {"connector_type": "CUSTOM_SMTP", "connector_name": "Post"},
		"campaign_content": {"content": {"email": {"subject": "x", "from_address": "shop@example.com", "sender_name": "Shop", "preview_text": "Until Sunday",
			"html_content": "<html><head><title>x</title></head>\r\n<style>p > b { color: red }</style><body class=\"a\">\r\n<!--[if !mso]><!--><table><tr><td background=\"https://shop.eu/a.png\">&copy; <img src=\"cid:1\" alt=\"\"></table><!--<![endif]--><p>Hello</p></body></html>"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.Create(t.Context(), engine.CreateRequest{Call: engine.NewCall(), Body: body})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Test(t.Context(), engine.TestRequest{Body: engine.DraftTest(made.ID, engine.TestSend{Identifier: "EMAIL", Values: []string{"ann@example.com"}})}); err != nil {
		t.Fatal(err)
	}
	sent, err := s.Outbox(t.Context(), 1)
	if err != nil || len(sent) != 1 || !strings.Contains(sent[0].Email.HTML, "Until Sunday") {
		t.Fatalf("sent %+v, %v", sent, err)
	}
	c, err := s.Get(t.Context(), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	var m livepage.Messages
	page := start(t, m.Source(livepage.Campaign{Service: s, Campaign: c}))
	if _, got := get(t, request(t, http.MethodGet, page.URL()+"message")); strings.Replace(got, added, "", 1) != asRead(t, sent[0].Email.HTML) {
		t.Errorf("shown %q\nsent  %q", got, sent[0].Email.HTML)
	}
}

// asRead returns HTML as a browser reads it, without comments.
func asRead(t *testing.T, text string) string {
	t.Helper()
	page, err := html.Parse(strings.NewReader(regexp.MustCompile(`<!-.*?-->`).ReplaceAllString(text, "")))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := html.Render(&out, page); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestEventsTellOfChangesAndTheEnd(t *testing.T) {
	s, err := livepage.Start(mail("Hi", "<p>one</p>"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request(t, http.MethodGet, s.URL()+"events"))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	next := func() (out string) {
		for lines.Scan() && lines.Text() != "" {
			out += lines.Text() + "\n"
		}
		return out
	}
	if got := next(); got != "data: 1\n" {
		t.Errorf("the first event is %q", got)
	}
	s.Show(mail("Hi", "<p>two</p>"))
	if got := next(); got != "data: 2\n" {
		t.Errorf("after a change, the event is %q", got)
	}
	if _, body := get(t, request(t, http.MethodGet, s.URL()+"message")); !strings.Contains(body, "two") {
		t.Errorf("the message is %s", body)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := next(); got != "event: end\ndata: end\n" {
		t.Errorf("the last event is %q", got)
	}
	if _, err := http.Get(s.URL()); err == nil {
		t.Error("it serves after the end")
	}
}

// A message is made once for all requests, and only when it is asked for.
func TestMessageIsMadeOnce(t *testing.T) {
	made := 0
	s := start(t, func(context.Context) (livepage.Message, error) {
		made++
		return livepage.Message{Title: "Roast", Note: "Nothing."}, nil
	})
	if made != 0 {
		t.Error("it is made before anybody asks")
	}
	for _, name := range []string{"head", "message", "message?images=remote"} {
		get(t, request(t, http.MethodGet, s.URL()+name))
	}
	if made != 1 {
		t.Errorf("it was made %d times", made)
	}
}

func TestFailureIsShown(t *testing.T) {
	s := start(t, func(context.Context) (livepage.Message, error) {
		return livepage.Message{}, errors.New("the service does not answer")
	})
	answer, body := get(t, request(t, http.MethodGet, s.URL()+"head"))
	if answer.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "the service does not answer") {
		t.Errorf("%s: %s", answer.Status, body)
	}
}
