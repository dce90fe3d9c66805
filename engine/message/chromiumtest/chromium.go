// Package chromiumtest steers a real browser in tests of what browsers make of messages.
package chromiumtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// needChromium is the variable that makes tests fail, not skip, where no Chromium is installed.
const needChromium = "BUGLE_NEED_CHROMIUM"

// Browser is a Chromium that the test steers through the pipe of its debugging protocol.
type Browser struct {
	t     *testing.T
	to    *os.File
	from  *bufio.Reader
	last  int
	tab   string
	limit time.Time
	told  map[string]json.RawMessage // the last event of each method
}

// Start starts a browser at a page. It skips the test where none is installed.
func Start(t *testing.T, url string) *Browser {
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
	c := &Browser{t: t, to: to, from: bufio.NewReader(from), limit: time.Now().Add(patience), told: map[string]json.RawMessage{}}
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
	c.Until("the page is open", func() bool {
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

func (c *Browser) send(session, method string, params any) {
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
func (c *Browser) call(session, method string, params, out any) bool {
	c.t.Helper()
	c.send(session, method, params)
	for {
		b, err := c.from.ReadBytes(0)
		if err != nil {
			c.t.Fatalf("Chromium does not answer %s: %v", method, err)
		}
		var m struct {
			ID             int
			Method         string
			Params, Result json.RawMessage
			Error          *struct{ Message string }
		}
		if err := json.Unmarshal(b[:len(b)-1], &m); err != nil {
			c.t.Fatal(err)
		}
		switch {
		case m.Method != "":
			c.told[m.Method] = m.Params
		case m.ID != c.last:
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

// Call calls a method of the debugging protocol for the page.
func (c *Browser) Call(method string, params any) {
	c.t.Helper()
	c.call(c.tab, method, params, nil)
}

// Event parses the last event of a method, and reports whether there was one.
func (c *Browser) Event(method string, out any) bool {
	c.t.Helper()
	b, ok := c.told[method]
	if ok {
		if err := json.Unmarshal(b, out); err != nil {
			c.t.Fatal(err)
		}
	}
	return ok
}

// Eval returns the value of an expression in the page, as text.
func (c *Browser) Eval(expression string) string {
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

// Until waits for a condition of the browser, which draws when it likes.
func (c *Browser) Until(what string, met func() bool) {
	c.t.Helper()
	for !met() {
		if time.Now().After(c.limit) {
			c.t.Fatalf("waited in vain until %s", what)
		}
		if c.tab != "" { // one frame of the page
			c.Eval("new Promise(done => setTimeout(done, 20))")
		}
	}
}
