// Package enginetest is the conformance suite for [engine.Service]: the ten operations as CONTRACT.md
// describes them. It runs against the local service and against every transport to it.
package enginetest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
)

// Home is what the suite needs of the place where the campaigns are, besides the service under test:
// engine/service/local has it all.
type Home interface {
	engine.WorkspaceStore
	engine.ContentStore
	engine.OutboxReader
	engine.CampaignManager
	engine.TestHistory
}

// Env is one service, with a workspace of its own that is as [Workspace] and [Users] say.
type Env struct {
	Service engine.Service
	Home    Home
	Clock   *Clock // the clock of the service
}

// Clock is a time that only a test moves. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that stands at a Sunday noon, in UTC.
func NewClock() *Clock { return &Clock{now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the time on.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Run runs the suite. Each test opens its own environment, and cleans up through t.
func Run(t *testing.T, open func(t *testing.T) Env) {
	for _, test := range []struct {
		name string
		run  func(*bench)
	}{
		{"create", testCreate}, {"create/refused", testCreateRefused}, {"create/request_id", testCreateRequestID},
		{"get/missing", testMissing}, {"lossless", testLossless}, {"ended", testEnded},
		{"update", testUpdate}, {"update/refused", testUpdateRefused}, {"update/locks", testLocks}, {"update/versions", testVersions},
		{"validate", testValidate}, {"publish", testPublish}, {"publish/refused", testPublishRefused}, {"publish/beta", testPublishBeta},
		{"status", testStatus}, {"status/refused", testStatusRefused},
		{"search", testSearch}, {"search/pages", testPages}, {"search/refused", testPagingRefused},
		{"meta", testMeta}, {"meta/reachability", testReachability},
		{"test/draft", testTestDraft}, {"test/inline", testTestInline}, {"test/failures", testTestFailures}, {"test/refused", testTestRefused},
		{"preview", testPreview}, {"preview/content", testPreviewContent}, {"preview/refused", testPreviewRefused},
		{"once", testOnce}, {"once/conflict", testKeyConflict}, {"once/refused", testKeyRefused}, {"once/forgets", testKeyLife}, {"once/crowd", testCrowd},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.run(&bench{T: t, Env: open(t), ctx: t.Context()})
		})
	}
}

// bench is one environment under test.
type bench struct {
	*testing.T
	Env
	ctx context.Context
}

func (b *bench) parse(s string, args ...any) doc.Value {
	b.Helper()
	if len(args) > 0 {
		s = fmt.Sprintf(s, args...)
	}
	v, err := doc.Parse([]byte(s))
	if err != nil {
		b.Fatalf("%s: %v", s, err)
	}
	return v
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// create makes a draft and returns its id.
func (b *bench) create(body string, args ...any) string {
	b.Helper()
	out, err := b.Service.Create(b.ctx, engine.CreateRequest{Body: b.parse(body, args...)})
	b.ok(err)
	return out.ID
}

func (b *bench) get(id string) engine.Campaign {
	b.Helper()
	c, err := b.Service.Get(b.ctx, id)
	b.ok(err)
	return c
}

// record returns a campaign as the API shows it.
func (b *bench) record(id string) string {
	b.Helper()
	return string(b.get(id).Record().Encode())
}

func (b *bench) publish(id string) {
	b.Helper()
	_, err := b.Service.Publish(b.ctx, engine.PublishRequest{ID: id, By: author})
	b.ok(err)
}

func (b *bench) act(id string, a engine.Action) {
	b.Helper()
	_, err := b.Service.ChangeStatus(b.ctx, engine.StatusRequest{ID: id, Action: a, By: author})
	b.ok(err)
}

func (b *bench) settings(change func(*engine.Workspace)) {
	b.Helper()
	b.ok(b.Home.UpdateWorkspace(b.ctx, func(w *engine.Workspace) error { change(w); return nil }))
}

// outbox returns what test sends delivered, oldest first, as "KEY RECIPIENT: text".
func (b *bench) outbox() []string {
	b.Helper()
	sent, err := b.Home.Outbox(b.ctx, 0)
	b.ok(err)
	var out []string
	for i := len(sent) - 1; i >= 0; i-- {
		d, says := sent[i], ""
		if d.Email != nil {
			says = d.Email.Subject
		} else if d.Push != nil {
			says = d.Push.Title
		}
		out = append(out, fmt.Sprintf("%s %s: %s", d.Key, d.Recipient, says))
	}
	return out
}

// refused checks that err is a refusal of that code and HTTP status, and returns it.
func (b *bench) refused(err error, code engine.Code, http int) *engine.Error {
	b.Helper()
	e := engine.AsError(err)
	if e == nil {
		b.Fatalf("got %v, want a refusal with %s", err, code)
	}
	if e.Code != code || e.HTTP != http {
		b.Fatalf("got %s %d, want %s %d: %v", e.Code, e.HTTP, code, http, e)
	}
	if e.Message == "" {
		b.Error("a refusal without a message")
	}
	return e
}

// about checks that a refusal's details name these places and no others, in their order.
func (b *bench) about(e *engine.Error, targets ...string) {
	b.Helper()
	var got []string
	for _, d := range e.Details {
		got = append(got, d.Target)
		if d.Message == "" {
			b.Errorf("nothing is said of %s", d.Target)
		}
	}
	if strings.Join(got, " ") != strings.Join(targets, " ") {
		b.Errorf("details of %q, want %q", got, targets)
	}
}

func (b *bench) equal(what string, got, want any) {
	b.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		b.Errorf("%s:\ngot  %s\nwant %s", what, g, w)
	}
}
