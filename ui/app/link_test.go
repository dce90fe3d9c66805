package app

import (
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// linkedService is a service behind a connection whose state a test sets.
type linkedService struct {
	engine.Service
	state  engine.Connection
	quotas []engine.Quota
	ended  int
}

func (l *linkedService) Connection() engine.Connection { return l.state }
func (l *linkedService) CancelWaits()                  { l.ended++ }
func (l *linkedService) Quotas() []engine.Quota        { return l.quotas }

// newOfflineHarness returns a harness with a service that can go offline.
func newOfflineHarness(t *testing.T) (*harness, *linkedService) {
	t.Helper()
	d, far := newHarness(t), &linkedService{}
	d.model.opts.Deps.Service, d.model.opts.Deps.Workspace = far, "DEMO @ there"
	d.model.link = linkStatus{deps: d.model.opts.Deps}
	d.model.resize(100, 24)
	return d, far
}

func (d *harness) headerLine() string { return firstLine(d.model.View()) }

func TestHeaderShowsServiceOffline(t *testing.T) {
	d, _ := newOfflineHarness(t)
	d.send(screen.LinkMsg{Link: engine.Connection{OfflineSince: d.now.Add(-time.Hour), Reason: "connection refused"}})
	d.want("offline since 09:00 · cached data")
	for width, want := range map[int]string{120: " · cached data", 60: "offline since 09:00", 40: "offline"} {
		d.model.resize(width, 24)
		line := d.headerLine()
		if !strings.Contains(line, want) || !strings.Contains(line, "home") || widget.Width(line) != width {
			t.Errorf("in %d cells the header is %q", width, line)
		}
	}
	d.model.resize(100, 24)
	d.now = d.now.Add(24 * time.Hour)
	d.want("offline since Sat 14 Mar, 09:00")
	d.send(screen.LinkMsg{})
	d.wantNot("offline")
}

func TestHeaderMakesRoomForBadge(t *testing.T) {
	d, _ := newOfflineHarness(t)
	b := &badgePage{page: page{Base: screen.NewBase(), title: "Winter roast launch", harness: d}, badge: "changes not applied"}
	d.model.push(b, screen.Route{})
	d.send(screen.LinkMsg{Link: engine.Connection{OfflineSince: d.now}})
	for width, want := range map[int]string{80: "offline since 10:00  changes not applied", 120: "offline since 10:00 · cached data  changes not applied"} {
		d.model.resize(width, 24)
		if line := strings.TrimRight(d.headerLine(), " "); !strings.HasSuffix(line, want) || !strings.Contains(line, "› Winter roast") {
			t.Errorf("in %d cells the header is %q", width, line)
		}
	}
}

func TestWaitCountsDownAndIsCanceled(t *testing.T) {
	d, far := newOfflineHarness(t)
	wait := engine.Wait{Operation: "get", Why: "the service takes 100 get requests per minute", For: 12 * time.Second, Until: d.now.Add(12 * time.Second)}
	d.send(screen.LinkMsg{Link: engine.Connection{Waits: []engine.Wait{wait}}})
	d.want("waiting 12s: the service takes 100 get requests per minute", "ctrl+l cancel requests")
	d.now = d.now.Add(10500 * time.Millisecond)
	d.send(RunMsg{d.model.link.tick})
	d.want("waiting 2s: ")
	if !d.model.link.ticking {
		t.Error("nobody counts down")
	}
	d.model.resize(60, 24)
	d.want("waiting 2s: the service takes …")
	d.model.resize(40, 24)
	d.want("waiting 2s")
	d.model.resize(100, 24)

	d.pages["home"].typing = true // also while a text field has the keyboard
	d.press("?", "f1")
	d.want("cancel pending requests")
	d.press("esc", "ctrl+l")
	if far.ended != 1 {
		t.Errorf("the wait was ended %d times", far.ended)
	}
	d.send(screen.LinkMsg{})
	d.wantNot("waiting", "ctrl+l")
	d.press("ctrl+l")
	if far.ended != 1 {
		t.Error("what does not wait is ended")
	}
	d.send(RunMsg{d.model.link.tick})
	if d.model.link.ticking {
		t.Error("it ticks for nothing")
	}
}

func TestShortWaitIsNotShown(t *testing.T) {
	d, _ := newOfflineHarness(t)
	d.send(screen.LinkMsg{Link: engine.Connection{Waits: []engine.Wait{{Why: "it", For: 900 * time.Millisecond, Until: d.now.Add(900 * time.Millisecond)}}}})
	d.wantNot("waiting", "ctrl+l")
	long := engine.Wait{Why: "it", For: time.Hour, Until: d.now.Add(time.Hour)}
	d.send(screen.LinkMsg{Link: engine.Connection{Waits: []engine.Wait{{Why: "the service asked to wait", For: 2 * time.Minute, Until: d.now.Add(90 * time.Second)}, long}}})
	d.want("waiting 1m 30s and 1 more: the service asked to wait")
	d.send(screen.LinkMsg{Link: engine.Connection{Waits: []engine.Wait{long}}})
	d.want("waiting 1h 00m: it")
}

func TestHeaderShowsLowQuota(t *testing.T) {
	d, far := newOfflineHarness(t)
	far.quotas = []engine.Quota{
		{Operation: "get", Limit: 10, Window: time.Second, Remaining: 0},
		{Operation: "get", Limit: 100, Window: time.Minute, Remaining: 11},
		{Limit: 25, Window: time.Hour, Remaining: 3},
	}
	d.send(screen.Result{})
	d.wantNot(" left per ")
	far.quotas[1].Remaining, far.quotas[2].Remaining = 9, 1
	d.send(screen.Result{})
	d.want("new campaigns: 1 of 25 left per hour")
	far.quotas[2].Remaining = 25
	d.send(RunMsg{d.model.link.tick})
	d.want("get: 9 of 100 left per minute")
	d.send(screen.LinkMsg{Link: engine.Connection{OfflineSince: d.now}})
	d.want("offline since")
}

// badgePage is a page with a badge.
type badgePage struct {
	page
	badge string
}

func (b *badgePage) Badge() (string, themes.Tone) { return b.badge, themes.ToneWarning }
