package livepage_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// needChromium is the variable that makes tests fail, not skip, where no Chromium is installed.
const needChromium = "BUGLE_NEED_CHROMIUM"

// chromium is a browser that the test steers through the pipe of its debugging protocol.
type chromium struct {
	t     *testing.T
	to    *os.File
	from  *bufio.Reader
	last  int
	tab   string
	limit time.Time
}

// startChromium starts a browser at a page. It skips the test where none is installed.
func startChromium(t *testing.T, url string) *chromium {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		if os.Getenv(needChromium) != "" {
			t.Fatalf("there is no Chromium, and %s is set", needChromium)
		}
		t.Skip("no Chromium is installed")
	}
	theirIn, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// In a container there are neither user namespaces for its sandbox nor much shared memory.
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir(), "--window-size=1400,900", url)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	const patience = 60 * time.Second
	c := &chromium{t: t, to: to, from: bufio.NewReader(from), limit: time.Now().Add(patience)}
	_ = from.SetReadDeadline(c.limit)
	t.Cleanup(func() {
		c.send("", "Browser.close", nil)
		to.Close()
		done := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // how it ends does not matter
		done.Stop()
		from.Close()
	})
	var targets struct {
		TargetInfos []struct{ TargetID, Type, URL string }
	}
	c.until("the page is open", func() bool {
		c.call("", "Target.getTargets", nil, &targets)
		for _, target := range targets.TargetInfos {
			if target.Type == "page" && target.URL == url {
				var attached struct{ SessionID string }
				c.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
				c.tab = attached.SessionID
				c.call(c.tab, "Runtime.enable", nil, nil)
				return true
			}
		}
		return false
	})
	return c
}

func (c *chromium) send(session, method string, params any) {
	c.last++
	m := map[string]any{"id": c.last, "method": method}
	if params != nil {
		m["params"] = params
	}
	if session != "" {
		m["sessionId"] = session
	}
	b, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	_, _ = c.to.Write(append(b, 0)) // a browser that has ended does not answer either
}

// call calls a method of the browser, and waits for its answer. It returns false if a page has nothing to run it in, as
// while it loads.
func (c *chromium) call(session, method string, params, out any) bool {
	c.t.Helper()
	c.send(session, method, params)
	for {
		b, err := c.from.ReadBytes(0)
		if err != nil {
			c.t.Fatalf("Chromium does not answer %s: %v", method, err)
		}
		var m struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(b[:len(b)-1], &m); err != nil {
			c.t.Fatal(err)
		}
		switch {
		case m.ID != c.last: // an event
		case m.Error != nil && strings.Contains(m.Error.Message, "context"):
			return false
		case m.Error != nil:
			c.t.Fatalf("%s: %s", method, m.Error.Message)
		default:
			if out != nil {
				if err := json.Unmarshal(m.Result, out); err != nil {
					c.t.Fatal(err)
				}
			}
			return true
		}
	}
}

// eval returns the value of an expression in the page, as text.
func (c *chromium) eval(expression string) string {
	c.t.Helper()
	var out struct {
		Result           struct{ Value any }
		ExceptionDetails *struct{ Text string }
	}
	if !c.call(c.tab, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true}, &out) {
		return "" // between two pages
	}
	if out.ExceptionDetails != nil {
		c.t.Fatalf("%s: %s", expression, out.ExceptionDetails.Text)
	}
	return fmt.Sprint(out.Result.Value)
}

// until waits for a condition of the browser, which draws when it likes.
func (c *chromium) until(what string, met func() bool) {
	c.t.Helper()
	for !met() {
		if time.Now().After(c.limit) {
			c.t.Fatalf("waited in vain until %s", what)
		}
		if c.tab != "" { // one frame of the page
			c.eval("new Promise(done => setTimeout(done, 20))")
		}
	}
}

// site is another server, which remembers what was asked of it and who connected.
type site struct {
	*httptest.Server
	mu        sync.Mutex
	asked     map[string]int
	connected int
}

func newSite(t *testing.T) *site {
	s := &site{asked: map[string]int{}}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked[r.URL.Path]++
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

func (s *site) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
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
	body := strings.ReplaceAll(hostile, "SITE", other.URL)
	s := start(t, mail("Hi", body))
	c := startChromium(t, s.URL())
	subject := `document.getElementById("subject")?.textContent`
	shown := func(want string) func() bool { return func() bool { return c.eval(subject) == want } }
	c.until("the message is shown", shown("Hi"))
	// Both frames have loaded once the page has seen their load events, which later ones are counted from.
	c.eval(`window.loads = 0; for (const f of document.querySelectorAll("iframe")) f.addEventListener("load", () => window.loads++)`)
	loaded := func(n int) func() bool {
		return func() bool { return c.eval("window.loads") >= fmt.Sprint(n) }
	}

	s.Show(mail("Changed", body+" "))
	c.until("the page follows a change", shown("Changed"))
	c.until("the frames are loaded again", loaded(2))
	if n := other.connections(); n != 0 {
		t.Errorf("before the click, another server was connected to %d times: %v", n, other.asked)
	}
	if got := c.eval("document.title"); got != "Roast" {
		t.Errorf("the message has changed the title to %s", got)
	}
	if got := c.eval(`document.getElementById("wide").contentDocument === null`); got != "true" {
		t.Error("the message shares the origin of the page")
	}
	widths := c.eval(`document.getElementById("wide").clientWidth + " " + document.getElementById("narrow").clientWidth`)
	var wide, narrow int
	if _, err := fmt.Sscan(widths, &wide, &narrow); err != nil || narrow != 375 || wide < 600 {
		t.Errorf("the widths are %s", widths)
	}

	c.eval(`document.getElementById("images").click()`)
	c.until("images are loaded", func() bool { return other.count("/image") > 0 && other.count("/background") > 0 })
	if other.count("/dark") != 0 {
		t.Error("dark colors are shown before they are asked for")
	}
	c.eval(`document.getElementById("dark").click()`)
	c.until("dark colors are shown", func() bool { return other.count("/dark") > 0 })
	other.mu.Lock()
	for path := range other.asked {
		switch path {
		case "/image", "/background", "/dark", "/svg":
		default:
			t.Errorf("the message loads %s", path)
		}
	}
	other.mu.Unlock()
	if got := c.eval("location.href"); got != s.URL() {
		t.Errorf("the message has left for %s", got)
	}

	if err := s.Close(); err != nil {
		t.Error(err)
	}
	c.until("the page says that the end has come", func() bool {
		return strings.Contains(c.eval(`document.getElementById("state").textContent`), "no longer follows")
	})
}
