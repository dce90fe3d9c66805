package builder

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/check"
	"bugle/ui/screen"
)

// oneCampaign is a service with one campaign.
type oneCampaign struct {
	engine.Service
	campaign engine.Campaign
}

func (s oneCampaign) Get(context.Context, string) (engine.Campaign, error) { return s.campaign, nil }

// The check begins after the delay, an edit cancels that of the edit before, and the result of a canceled one is not
// shown.
func TestChecksWaitForTheLastEdit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body, err := doc.Parse([]byte(`{"campaign_content": {"content": {"email": {"subject": "Hi", "html_content": "<p>x</p>"}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		at := doc.P("campaign_content", "content", "email", "subject")
		now := time.Now
		svc := oneCampaign{campaign: engine.Campaign{Head: engine.Head{ID: "65f0a1b2c3d4e5f60718293a", Status: catalog.Draft, Channel: catalog.Email}, Body: body}}
		e := edit.New(edit.Config{Service: svc, Now: now}, svc.campaign.ID)
		l, err := e.Load()(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		e.ApplyLoaded(l)
		base := screen.NewBase()
		t.Cleanup(func() { base.Close() })
		w := &warner{edit: e, deps: screen.Deps{Service: svc, Now: now}, tasks: &base, delay: 100 * time.Millisecond, facts: &check.Facts{}}
		type outcome struct {
			result screen.Result
			after  time.Duration
		}
		begun := time.Now()
		start := func(cmd tea.Cmd) <-chan outcome {
			out := make(chan outcome, 1)
			go func() { r := cmd().(screen.Result); out <- outcome{r, time.Since(begun)} }()
			return out
		}
		first := start(w.follow())
		if w.follow() != nil {
			t.Error("what was not edited is checked again")
		}
		time.Sleep(60 * time.Millisecond) // of the test's own clock
		root, err := e.Root().Set(at, doc.NewString("WIN A WHOLE YEAR OF COFFEE"))
		if err != nil {
			t.Fatal(err)
		}
		e.Change(root, at, "")
		second := start(w.follow())
		got := <-first
		if got.result.Done(); got.after != 60*time.Millisecond || len(w.result.Skipped) > 0 {
			t.Errorf("the first check ended after %s with %v", got.after, w.result.Findings)
		}
		got = <-second
		if got.result.Done(); got.after != 160*time.Millisecond || len(w.result.Skipped) == 0 {
			t.Errorf("the second check ended after %s", got.after)
		}
		if list := w.at(at); len(list) != 1 || list[0].Check != "subject-caps" {
			t.Errorf("it found %v", w.result.Findings)
		}
	})
}
