package viewas_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/render"
	"bugle/themes"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/viewas"
)

// bench has a resolver whose tasks the test runs when it wants to.
type bench struct {
	t    *testing.T
	svc  *uitest.Service
	base screen.Base
	*viewas.Resolver
	config    viewas.Config
	workspace engine.Workspace
}

func newBench(t *testing.T, w engine.Workspace) *bench {
	t.Helper()
	svc := uitest.NewService(t, w)
	svc.PutUsers(
		engine.User{ID: "USER_1", Attributes: map[string]any{"First Name": "Ada"}},
		engine.User{ID: "USER_2", Attributes: map[string]any{"First Name": "Ben"}},
	)
	b := &bench{t: t, svc: svc, base: screen.NewBase(), workspace: w}
	t.Cleanup(func() { b.base.Close() })
	b.config = viewas.Config{
		Service: svc, Campaign: "c1", Prefs: prefs.NewInMemory(), Tasks: &b.base,
	}
	b.Resolver = viewas.NewResolver(b.config)
	return b
}

// as chooses a user.
func (b *bench) as(id string) tea.Cmd {
	b.t.Helper()
	u, err := b.svc.User(context.Background(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.Choose(viewas.ChoiceOf(u), &u)
}

// source returns an email with that subject.
func (b *bench) source(subject string) viewas.Source {
	return viewas.Source{Channel: catalog.Email, Workspace: b.workspace, Document: doc.NewObject(doc.M("campaign_content",
		doc.NewObject(doc.M("content", doc.NewObject(doc.M("email", doc.NewObject(doc.M("subject", doc.NewString(subject)))))))))}
}

// run runs the tasks of a command, and returns their results without delivering them.
func run(cmd tea.Cmd) (out []screen.Result) {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			out = append(out, run(c)...)
		}
	case screen.Result:
		out = append(out, msg)
	}
	return out
}

// deliver delivers results.
func deliver(results []screen.Result) {
	for _, r := range results {
		r.Done()
	}
}

// subject returns the subject as it is drawn; empty if nothing was resolved.
func (b *bench) subject() string {
	r := b.Result()
	if r == nil {
		return ""
	}
	root, o := r.Drawn(render.Options{})
	views, _ := render.FirstViews(catalog.Email, root, o)
	return views[0].Mail.Subject.String()
}

// wantShown expects whose message is drawn, its subject, and who is shown next.
func (b *bench) wantShown(name, subject, next string, busy bool) {
	b.t.Helper()
	c := b.Caption(engine.TestKey{})
	if got := b.subject(); got != subject || c.Name != name || c.Next != next || c.Busy != busy || len(c.Missing) > 0 {
		b.t.Errorf("the subject is %q, and the caption is %+v", got, c)
	}
}

// Results arrive in any order: only that of the newest request is drawn.
func TestOnlyNewestResultIsTaken(t *testing.T) {
	b := newBench(t, engine.Workspace{})
	if first := b.Resolve(b.source("Hi {{UserAttribute['First Name']}}"), nil); first != nil {
		t.Error("messages as written are resolved")
	}
	asAda, asBen := run(b.as("USER_1")), run(b.as("USER_2"))
	edited := run(b.Resolve(b.source("Dear {{UserAttribute['First Name']}}"), nil))
	deliver(asAda)
	deliver(asBen)
	b.wantShown("Ben", "", "", true)
	deliver(edited)
	deliver(asAda)
	b.wantShown("Ben", "Dear Ben", "", false)
	again := run(b.as("USER_1"))
	b.wantShown("Ben", "Dear Ben", "Ada", true)
	deliver(again)
	b.wantShown("Ada", "Dear Ada", "", false)
}

// Content APIs are called when the person is chosen and on request, and not while the user types.
func TestContentAPIsAreNotCalledWhileTyping(t *testing.T) {
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		fmt.Fprint(w, `{"sky": "blue"}`)
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	b := newBench(t, engine.Workspace{ContentAPIs: engine.ContentPolicy{Hosts: []string{host}, Private: true}})
	if _, err := b.svc.PutContent(t.Context(), engine.ContentItem{API: &engine.ContentAPI{Name: "weather", URL: server.URL}}); err != nil {
		t.Fatal(err)
	}
	b.Resolve(b.source("Sky: {{ContentApi.weather().sky}}"), nil)
	deliver(run(b.Choose(viewas.Nobody(), nil)))
	if got := b.subject(); got != "Sky: blue" || calls.Load() != 1 {
		t.Fatalf("the subject is %q after %d calls", got, calls.Load())
	}
	deliver(run(b.Resolve(b.source("The sky: {{ContentApi.weather().sky}}"), nil)))
	c := b.Caption(engine.TestKey{})
	if _, missing := c.Named(); calls.Load() != 1 || missing || len(c.Missing) != 1 {
		t.Errorf("typing made %d calls, and the caption is %+v", calls.Load(), c)
	}
	deliver(run(b.Refresh()))
	if got := b.subject(); got != "The sky: blue" || calls.Load() != 2 {
		t.Errorf("the subject is %q after %d calls", got, calls.Load())
	}
}

// slowAudience is a service whose audience never ends.
type slowAudience struct {
	*uitest.Service
	seen chan struct{} // closed once some thousand users were seen
}

func (s *slowAudience) StreamAudience(ctx context.Context, _ engine.AudienceRequest) iter.Seq2[engine.User, error] {
	return func(yield func(engine.User, error) bool) {
		for i := range 5000 {
			yield(engine.User{ID: fmt.Sprint("U", i), Attributes: map[string]any{engine.AttrEmail: "u@example.com"}}, nil)
		}
		close(s.seen)
		<-ctx.Done()
		yield(engine.User{}, ctx.Err())
	}
}

// A survey that is canceled shows what it found until then, and is closed by the next esc.
func TestSurveyIsCanceled(t *testing.T) {
	b := newBench(t, engine.Workspace{})
	slow := &slowAudience{b.svc, make(chan struct{})}
	source := func() viewas.Source { return b.source("Hi {{UserAttribute['First Name']}}") }
	s := viewas.NewSurvey(viewas.Config{Service: slow, Tasks: &b.base}, themes.Plain(), source, nil)
	batch := s.Start()().(tea.BatchMsg)
	ended := make(chan struct{})
	go func() { batch[0](); close(ended) }()
	<-slow.seen
	if view := s.View(80, 24); !strings.Contains(view, "Resolving the messages") || s.Actions()[0].Label != "cancel" {
		t.Errorf("while it runs it shows:\n%s", view)
	}
	s.Back()
	for next := batch[1]; next != nil; {
		r := next().(screen.Result)
		r.Done()
		next = r.Next()
	}
	<-ended
	if view := s.View(80, 24); s.Closed() || !strings.Contains(view, "until the survey was canceled") || !strings.Contains(view, "⚠ {{UserAttribute['First Name']}}") {
		t.Errorf("canceled it shows:\n%s", view)
	}
	if s.Back(); !s.Closed() {
		t.Error("the second esc does not close it")
	}
}

// The newest choice is remembered whichever is written last, and what is read afterwards does not replace it.
func TestNewestChoiceIsRemembered(t *testing.T) {
	b := newBench(t, engine.Workspace{})
	ada, ben := b.as("USER_1"), b.as("USER_2")
	run(ben)
	run(ada)
	again := viewas.NewResolver(b.config)
	deliver(run(again.Init()))
	if got := again.Choice().Name; got != "Ben" {
		t.Errorf("it remembers %q", got)
	}
	again = viewas.NewResolver(b.config)
	read := run(again.Init())
	run(again.Choose(viewas.Choice{}, nil)) // as written
	deliver(read)
	if got := again.Choice(); !got.AsWritten() {
		t.Errorf("what was remembered replaces the choice: %+v", got)
	}
}
