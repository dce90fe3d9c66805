package livepage_test

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"bugle/engine/message/chromiumtest"
)

// site is another server, which remembers what was asked of it and who connected.
type site struct {
	*httptest.Server
	mu        sync.Mutex
	asked     map[string]int
	kinds     map[string]bool // what each request was for, and the page that it names
	connected int
}

func newSite(t *testing.T) *site {
	s := &site{asked: map[string]int{}, kinds: map[string]bool{}}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked[r.URL.Path]++
		s.kinds[r.Header.Get("Sec-Fetch-Dest")+" "+r.Header.Get("Referer")] = true
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>`)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.connected++
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// fill puts the address of the site into a text.
func (s *site) fill(text string) string {
	return strings.NewReplacer("SITE", s.URL, "HOST", s.Listener.Addr().String()).Replace(text)
}

func (s *site) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

// purposes returns what the requests were for, and after a blank the page that they named.
func (s *site) purposes() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.kinds)
}

func (s *site) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connected
}

// hostile is an email that tries everything to reach another server and the page around it.
const hostile = `<!doctype html><html><head>
	<link rel="preconnect" href="SITE"><link rel="dns-prefetch" href="SITE"><link rel="prefetch" href="SITE/prefetch">
	<link rel="stylesheet" href="SITE/sheet.css"><meta http-equiv="refresh" content="0;url=SITE/refresh"><base href="SITE/">
	<style>@import url(SITE/import.css); @font-face { font-family: x; src: url(SITE/font) } p { font-family: x; background: url(SITE/background) }
	@media (prefers-color-scheme: dark) { b { background: url(SITE/dark) } }</style></head>
	<body onload="parent.document.title='taken'"><script>top.location='SITE/script'; parent.postMessage('x','*')</script>
	<p>one</p><b>dark</b><img src="SITE/image" onerror="top.location='SITE/onerror'"><iframe src="SITE/frame"></iframe><object data="SITE/object"></object>
	<video src="SITE/video" autoplay></video><svg><image href="SITE/svg"/></svg><form action="SITE/form"><input autofocus onfocus="this.form.submit()"></form></body></html>`

// In a real browser, an email loads nothing from anywhere before the click, and nothing but images after it; it follows
// changes, shows dark colors, and says when the end has come.
func TestInChromium(t *testing.T) {
	other := newSite(t)
	body := other.fill(hostile)
	s := start(t, mail("Hi", body))
	c := chromiumtest.Start(t, s.URL())
	subject := `document.getElementById("subject")?.textContent`
	shown := func(want string) func() bool { return func() bool { return c.Eval(subject) == want } }
	c.Until("the message is shown", shown("Hi"))
	// Both frames have loaded once the page has seen their load events, which later ones are counted from.
	c.Eval(`window.loads = 0; for (const f of document.querySelectorAll("iframe")) f.addEventListener("load", () => window.loads++)`)
	loaded := func(n int) func() bool {
		return func() bool { return c.Eval("window.loads") >= fmt.Sprint(n) }
	}

	s.Show(mail("Changed", body+" "))
	c.Until("the page follows a change", shown("Changed"))
	c.Until("the frames are loaded again", loaded(2))
	if n := other.connections(); n != 0 {
		t.Errorf("before the click, another server was connected to %d times: %v", n, other.asked)
	}
	if got := c.Eval("document.title"); got != "Roast" {
		t.Errorf("the message has changed the title to %s", got)
	}
	if got := c.Eval(`document.getElementById("wide").contentDocument === null`); got != "true" {
		t.Error("the message shares the origin of the page")
	}
	widths := c.Eval(`document.getElementById("wide").clientWidth + " " + document.getElementById("narrow").clientWidth`)
	var wide, narrow int
	if _, err := fmt.Sscan(widths, &wide, &narrow); err != nil || narrow != 375 || wide < 600 {
		t.Errorf("the widths are %s", widths)
	}

	c.Eval(`document.getElementById("images").click()`)
	c.Until("images are loaded", func() bool { return other.count("/image") > 0 && other.count("/background") > 0 })
	if other.count("/dark") != 0 {
		t.Error("dark colors are shown before they are asked for")
	}
	c.Eval(`document.getElementById("dark").click()`)
	c.Until("dark colors are shown", func() bool { return other.count("/dark") > 0 })
	other.mu.Lock()
	for path := range other.asked {
		switch path {
		case "/image", "/background", "/dark", "/svg":
		default:
			t.Errorf("the message loads %s", path)
		}
	}
	other.mu.Unlock()
	if got := c.Eval("location.href"); got != s.URL() {
		t.Errorf("the message has left for %s", got)
	}

	if err := s.Close(); err != nil {
		t.Error(err)
	}
	c.Until("the page says that the end has come", func() bool {
		return strings.Contains(c.Eval(`document.getElementById("state").textContent`), "no longer follows")
	})
}
