package app_test

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/ui/app"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// linkedService is a service behind a connection.
type linkedService struct {
	engine.Service
	canceled int
}

func (l *linkedService) Connection() engine.Connection { return engine.Connection{} }
func (l *linkedService) CancelWaits()                  { l.canceled++ }
func (l *linkedService) Quotas() []engine.Quota        { return nil }

func newLinkedWorld(t *testing.T) (*world, *linkedService) {
	t.Helper()
	far := &linkedService{}
	d := newWorld(t, func(o *app.Options) { o.Deps.Service, o.Deps.Workspace = far, "DEMO @ there" })
	d.Resize(100, 24)
	return d, far
}

// wait reports waits, each that long in all and until then.
func (d *world) wait(waits ...engine.Wait) {
	for i := range waits {
		if waits[i].Until.IsZero() {
			waits[i].Until = d.now.Add(waits[i].For)
		}
	}
	d.Send(screen.LinkMsg{Link: engine.Connection{Waits: waits}})
}

// The header shows the connection, shorter where there is less room, and leaves room for the breadcrumb.
func TestHeaderShowsServiceOffline(t *testing.T) {
	d, _ := newLinkedWorld(t)
	offline := screen.LinkMsg{Link: engine.Connection{OfflineSince: d.now.Add(-time.Hour), Reason: "connection refused"}}
	d.Send(offline)
	d.open("Winter roast launch", "")
	for _, c := range []struct {
		width       int
		badge, want string
	}{
		{120, "", "home › Winter roast launch  offline since 09:00"},
		{80, "changes not applied", "› Winter roast  offline since 09:00 changes not applied"},
		{60, "", "… › Winter  offline since 09:00"},
		{40, "", "… ›  offline"},
	} {
		d.pages["Winter roast launch"].badge = c.badge
		d.Resize(c.width, 24)
		line := strings.Join(strings.Fields(d.line(0)), " ")
		for part := range strings.SplitSeq(c.want, "  ") {
			if !strings.Contains(line, part) || widget.Width(d.line(0)) > c.width {
				t.Errorf("in %d cells the header is %q, want %q", c.width, line, part)
			}
		}
	}
	d.Resize(100, 24)
	d.now = d.now.Add(24 * time.Hour)
	d.Want("offline since Sat 14 Mar, 09:00")
	d.Send(screen.LinkMsg{})
	d.WantNot("offline")
}

func TestWaitCountsDownAndIsCanceled(t *testing.T) {
	d, far := newLinkedWorld(t)
	d.wait(engine.Wait{Why: "it", For: 900 * time.Millisecond}) // too short to be shown
	d.WantNot("waiting", "cancel requests")
	d.wait(engine.Wait{Operation: "get", Why: "the service takes 100 get requests per minute", For: 12 * time.Second})
	d.Want("waiting 12s: the service takes 100 get requests per minute", "alt+X cancel requests")
	d.now = d.now.Add(10500 * time.Millisecond)
	d.Want("waiting 2s: ")
	d.Resize(50, 24)
	d.Want("waiting 2s")
	d.Resize(100, 24)

	d.home.typing = true // also while a text field has the keyboard
	d.Press("?", "f1")
	d.Script("?cancel pending requests", "esc alt+X")
	d.Send(screen.AskMsg{Question: screen.Question{Title: "Leave?"}})
	d.Press("alt+X") // also under a question, which may be waiting itself
	d.Script("?Leave?", "esc")
	d.Send(screen.CaptureKeyMsg{Title: "Which key?", Then: func(k string) tea.Cmd { return d.record(k) }})
	d.Press("alt+X") // here it is the answer
	d.wantLog("alt+X")
	d.Send(screen.LinkMsg{})
	d.Script("!waiting", "!cancel requests", "alt+X")
	if far.canceled != 2 {
		t.Errorf("the wait was canceled %d times", far.canceled)
	}

	long := engine.Wait{Why: "it", For: time.Hour}
	d.wait(engine.Wait{Why: "the service asked to wait", For: 2 * time.Minute, Until: d.now.Add(90 * time.Second)}, long)
	d.Want("waiting 1m30s and 1 more: the service asked to wait")
	d.wait(long)
	d.Want("waiting 1h0m0s: it")
}
