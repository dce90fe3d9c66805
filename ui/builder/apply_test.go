package builder_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/app"
	"bugle/ui/builder"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/validate"
)

// program opens a route in a program with a builder and its problems.
func (b *testbed) program(first screen.Route) *uitest.Harness {
	return uitest.Program(b.t, app.Options{
		Deps: uitest.Deps(b.svc), First: first,
		Factory: func(deps screen.Deps, r screen.Route) (screen.Screen, error) {
			if r.Name == screen.Validate {
				return validate.New(deps, r), nil
			}
			return builder.New(deps, r), nil
		},
	}, 120, 40)
}

// at returns the route of a place of the campaign.
func (b *testbed) at(path string) screen.Route {
	p, err := doc.ParsePath(path)
	if err != nil {
		b.t.Fatal(err)
	}
	return screen.Route{Name: screen.Builder, ID: b.id, Path: p}
}

// publish publishes the campaign; starts reports that its start has come since then.
func (b *testbed) publish(started bool) {
	b.t.Helper()
	if _, err := b.svc.Publish(context.Background(), engine.PublishRequest{ID: b.id, Console: true}); err != nil {
		b.t.Fatal(err)
	}
	if started {
		b.now = time.Date(2026, 3, 20, 9, 0, 1, 0, time.UTC)
	}
}

// update changes the campaign as another program would.
func (b *testbed) update(components string) {
	b.t.Helper()
	if _, err := b.svc.Update(context.Background(), engine.UpdateRequest{ID: b.id, Body: engine.WithUpdater(tree(b.t, components), "bob@example.com")}); err != nil {
		b.t.Fatal(err)
	}
}

const (
	nameAt    = "basic_details.name"
	subjectAt = "campaign_content.content.email.subject"
)

// Applying changes asks first: how many changes, to what, and how many people it reaches. The safe answer is highlighted.
func TestApplyingAsksWithFacts(t *testing.T) {
	b := newTestbed(t, catalog.Email, liveMail)
	for i := range 12 {
		u := engine.User{ID: fmt.Sprint("U", i), Attributes: map[string]any{}}
		if i < 3 {
			u.Attributes[engine.AttrEmail] = fmt.Sprintf("u%d@example.com", i)
		}
		if err := b.svc.PutUser(context.Background(), u); err != nil {
			t.Fatal(err)
		}
	}
	b.publish(false)
	h := b.program(b.at(subjectAt))
	h.Type("!")
	h.Press("ctrl+s")
	h.Want("Apply 1 change to a scheduled campaign that reaches about 3", "of 12 people?", "“News”", "not been sent yet")
	h.Resize(80, 24)
	h.Golden("apply-80x24")
	h.Press("esc")
	h.Type("?")
	h.Press("ctrl+s", "enter") // on Cancel
	if got := b.value(subjectAt); got != `"Hi"` {
		t.Fatalf("enter applied %s", got)
	}
	h.Want("changes not applied")
	h.Press("ctrl+s", "y")
	h.Want("Applied.")
	if got := b.value(subjectAt); got != `"Hi!?"` {
		t.Errorf("stored is %s", got)
	}
	h.Press("ctrl+s") // nothing is left
	h.WantNot("Apply 0")
}

// Where nobody knows how many people a campaign reaches, the question does not pretend to.
func TestApplyingWithUnknownReach(t *testing.T) {
	b := newTestbed(t, catalog.Email, liveMail)
	b.publish(true)
	h := uitest.New(t, builder.New(uitest.Deps(plainService{b.svc}), screen.Route{ID: b.id, Path: doc.P("basic_details", "name")}), 120, 40)
	h.Type("!")
	h.Press("ctrl+s")
	h.Want("Apply 1 change to a sending campaign that reaches an unknown", "number of people?")
}

// What publishing would refuse is not applied: the problems are shown, and lead to their fields.
func TestInvalidIsNotApplied(t *testing.T) {
	for _, text := range []string{"", "Hello {{nope"} {
		for _, started := range []bool{false, true} {
			b := newTestbed(t, catalog.Email, liveMail)
			b.publish(started)
			h := b.program(b.at(subjectAt))
			h.Press("backspace", "backspace")
			h.Type(text)
			h.Press("ctrl+s")
			h.Want("Your changes cannot be applied yet: 1 problem", "Subject")
			h.WantNot("Applied", "subject:", "email.subject", "Apply 1 change")
			if got := b.value(subjectAt); got != `"Hi"` {
				t.Fatalf("applied %s", got)
			}
			h.Press("enter", "end") // the problem's field
			for range len(text) {
				h.Press("backspace")
			}
			h.Type("New")
			h.Press("ctrl+s", "y")
			h.Want("Applied.")
			if got := b.value(subjectAt); got != `"New"` {
				t.Errorf("stored is %s", got)
			}
		}
	}
}

// A start in the past is refused until the campaign has started, and does not stand in the way afterwards. Restoring an
// earlier version is a change like any other.
func TestStartInThePast(t *testing.T) {
	for _, started := range []bool{false, true} {
		b := newTestbed(t, catalog.Email, liveMail)
		b.publish(started)
		earlier := strings.Replace(liveMail, "News", "Old news", 1)
		if !started {
			earlier = strings.Replace(earlier, "2026-03-20", "2026-03-13", 1)
		}
		h := b.program(screen.Route{Name: screen.Builder, ID: b.id, Doc: tree(t, earlier)})
		h.Want("changes not applied")
		h.Press("ctrl+s")
		if started {
			h.Press("y")
			h.Want("Applied.")
		} else {
			h.Want("Your changes cannot be applied yet: 1 problem", "The start is in the past")
		}
		if got, want := b.value(nameAt), map[bool]string{false: `"News"`, true: `"Old news"`}[started]; got != want {
			t.Errorf("started: %v: stored is %s", started, got)
		}
	}
}

const livePush = `{"basic_details":{"name":"News","platforms":["ANDROID"]},
	"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"Hi","message":"There"}},
		"web":{"template_type":"BASIC","basic_details":{"title":"Hi","message":"There","redirect_url":"https://shop.eu"}}}}},
	"segmentation_details":{"is_all_user_campaign":true},
	"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-03-20T09:00:00Z"}}`

// Two valid changes that make no valid campaign together are not applied, whenever the other one came.
func TestMergedChangesAreChecked(t *testing.T) {
	const withoutWeb = `{"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"Hi","message":"There"}}}}}}`
	for _, late := range []bool{false, true} {
		b := newTestbed(t, catalog.Push, livePush)
		b.publish(false)
		h := b.program(screen.Route{Name: screen.Builder, ID: b.id, Doc: tree(t, strings.Replace(livePush, `["ANDROID"]`, `["ANDROID","WEB"]`, 1))})
		if !late {
			b.update(withoutWeb)
		}
		h.Press("ctrl+s")
		if late {
			h.Want("Apply 1 change")
			b.update(withoutWeb)
			h.Press("y")
		}
		h.Want("Your changes cannot be applied yet: 1 problem")
		if got := b.value("basic_details.platforms"); got != `["ANDROID"]` {
			t.Errorf("late: %v: applied %s", late, got)
		}
	}
}

// Publishing a draft with problems shows them at once.
func TestPublishingShowsProblems(t *testing.T) {
	b := newTestbed(t, catalog.Email, strings.Replace(liveMail, `"Hi"`, `""`, 1))
	h := b.program(b.at(nameAt))
	h.Press("esc", "s", "enter")
	h.Want("Not ready to publish: 1 problem", "Subject")
	h.WantNot("subject:", "▌ Cancel")
	h.Press("s", "enter") // from here, too
	h.Want("Not ready to publish: 1 problem")
	h.Press("enter")
	h.Want("▸ Subject", " Typing ")
}

// What was asked about a state is not done in another one.
func TestStateChangesDuringTheQuestion(t *testing.T) {
	b := newTestbed(t, catalog.Email, liveMail)
	b.publish(false)
	h := b.program(b.at(subjectAt))
	h.Type("!")
	h.Press("ctrl+s")
	h.Want("Apply 1 change to a scheduled campaign")
	b.now = time.Date(2026, 3, 20, 9, 0, 1, 0, time.UTC) // its start
	h.Press("y")
	h.Want("the campaign is sending")
	if got := b.current().Body.Lookup(b.at(subjectAt).Path).Text(); got != "Hi" {
		t.Errorf("applied is %q", got)
	}
}

// What is typed while changes are applied stays, pending on top of them, also after leaving and coming back.
func TestTypingWhileChangesAreApplied(t *testing.T) {
	for _, versions := range []bool{false, true} {
		b := newTestbed(t, catalog.Email, liveMail)
		if err := b.svc.UpdateWorkspace(t.Context(), func(w *engine.Workspace) error { w.Versioning = versions; return nil }); err != nil {
			t.Fatal(err)
		}
		b.publish(true)
		h := b.program(b.at(subjectAt))
		h.Type("!")
		h.Press("ctrl+s")
		h.Hold()
		h.Press("y")
		h.Type("?")
		h.FinishHeld()
		h.Want("Hi!?", "changes not applied")
		if got := b.current().Body.Lookup(b.at(subjectAt).Path).Text(); got != "Hi!" {
			t.Errorf("applied is %q", got)
		}
		h.Send(app.EndMsg{Saved: make(chan struct{})})
		b.id = b.current().ID
		h = b.program(b.at(subjectAt))
		h.Want("Hi!?", "changes not applied")
		h.Press("ctrl+s", "y")
		if got := b.current().Body.Lookup(b.at(subjectAt).Path).Text(); got != "Hi!?" {
			t.Errorf("applied is %q", got)
		}
		h.WantNot("not applied")
	}
}

// current returns the campaign that is live.
func (b *testbed) current() engine.Campaign {
	b.t.Helper()
	all, err := b.svc.Search(context.Background(), engine.SearchRequest{Page: 1, Limit: 10})
	for _, c := range all {
		if c.Status != catalog.Stopped {
			return c
		}
	}
	b.t.Fatalf("no campaign is live: %v", err)
	return engine.Campaign{}
}
