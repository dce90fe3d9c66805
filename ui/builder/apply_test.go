package builder_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/app"
	"bugle/ui/builder"
	"bugle/ui/campaigns"
	"bugle/ui/newdraft"
	"bugle/ui/screen"
	"bugle/ui/testsend"
	"bugle/ui/uitest"
	"bugle/ui/validate"
)

// program opens a route in a program with the screens around the builder.
func (b *testbed) program(first screen.Route) *uitest.Harness {
	b.t.Helper()
	factory := func(deps screen.Deps, r screen.Route) (screen.Screen, error) {
		switch r.Name {
		case screen.Campaigns:
			return campaigns.New(deps, r), nil
		case screen.NewDraft:
			return newdraft.New(deps, r), nil
		case screen.Validate:
			return validate.New(deps, r), nil
		case screen.TestSend:
			return testsend.New(deps, r), nil
		}
		return builder.New(deps, r), nil
	}
	return uitest.Program(b.t, app.Options{Deps: uitest.Deps(b.svc), First: first, Factory: factory}, 120, 40)
}

// live returns a testbed with a campaign that is published; started reports that its start has come since then.
func live(t *testing.T, started bool) *testbed {
	t.Helper()
	b := newTestbed(t, catalog.Email, liveMail)
	b.publish(started)
	return b
}

// Applying changes asks first: how many changes, to what, and how many people it reaches. The safe answer is highlighted.
func TestApplyingAsksWithFacts(t *testing.T) {
	b := live(t, false)
	for i := range 12 {
		u := engine.User{ID: fmt.Sprint("U", i), Attributes: map[string]any{}}
		if i < 3 {
			u.Attributes[engine.AttrEmail] = fmt.Sprintf("u%d@example.com", i)
		}
		b.svc.PutUsers(u)
	}
	h := b.program(b.at(subjectAt))
	h.Script(">!", "ctrl+s", "?Apply 1 change to a scheduled campaign that reaches about 3", "?of 12 people?", "?“News”", "?not been sent yet")
	h.Resize(80, 24)
	h.Golden("apply-80x24")
	h.Script("esc", ">?", "ctrl+s enter", "?changes not applied") // on Cancel
	b.want(subjectAt, `"Hi"`)
	h.Script("ctrl+s y", "?Applied.")
	b.want(subjectAt, `"Hi!?"`)
	h.Script("ctrl+s", "!Apply 0") // nothing is left
}

// What publishing would refuse is not applied: the problems are shown, and lead to their fields.
func TestInvalidIsNotApplied(t *testing.T) {
	b := live(t, true)
	h := b.program(b.at(subjectAt))
	h.Script("backspace backspace", ">{{nope", "ctrl+s")
	h.Script("?Your changes cannot be applied yet: 1 problem", "?Subject", "!Applied", "!email.subject", "!Apply 1 change")
	b.want(subjectAt, `"Hi"`)
	h.Script("enter ctrl+u", ">New", "ctrl+s y", "?Applied.") // in the problem's field
	b.want(subjectAt, `"New"`)
}

// A start in the past is refused until the campaign has started, and does not stand in the way afterwards. Restoring an
// earlier version is a change like any other.
func TestStartInThePast(t *testing.T) {
	earlier := strings.Replace(liveMail, "News", "Old news", 1)
	b := live(t, false)
	h := b.program(screen.Route{Name: screen.Builder, ID: b.id, Doc: tree(t, strings.Replace(earlier, "2026-03-20", "2026-03-13", 1))})
	h.Script("?changes not applied", "ctrl+s", "?Your changes cannot be applied yet: 1 problem", "?The start is in the past")
	b.want(nameAt, `"News"`)
	b = live(t, true)
	h = b.program(screen.Route{Name: screen.Builder, ID: b.id, Doc: tree(t, earlier)})
	h.Script("?changes not applied", "ctrl+s y", "?Applied.")
	b.want(nameAt, `"Old news"`)
}

// Two valid changes that make no valid campaign together are not applied, though the other one came during the question.
func TestMergedChangesAreChecked(t *testing.T) {
	const android = `{"android":{"template_type":"BASIC","basic_details":{"title":"Hi","message":"There"}}`
	const both = `{"basic_details":{"name":"News","platforms":["ANDROID"]},
		"campaign_content":{"content":{"push":` + android + `,"web":{"template_type":"BASIC","basic_details":{"title":"Hi","message":"There","redirect_url":"https://shop.eu"}}}}},
		"segmentation_details":{"is_all_user_campaign":true},
		"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-03-20T09:00:00Z"}}`
	b := newTestbed(t, catalog.Push, both)
	b.publish(false)
	h := b.program(screen.Route{Name: screen.Builder, ID: b.id, Doc: tree(t, strings.Replace(both, `["ANDROID"]`, `["ANDROID","WEB"]`, 1))})
	h.Script("ctrl+s", "?Apply 1 change")
	b.update(`{"campaign_content":{"content":{"push":` + android + `}}}}`)
	h.Script("y", "?Your changes cannot be applied yet: 1 problem")
	b.want("basic_details.platforms", `["ANDROID"]`)
}

// Publishing a draft with problems shows them at once, and they lead to their fields.
func TestPublishingShowsProblems(t *testing.T) {
	b := newTestbed(t, catalog.Email, strings.Replace(liveMail, `"Hi"`, `""`, 1))
	h := b.program(b.at(nameAt))
	h.Script("esc s enter", "?Not ready to publish: 1 problem", "?Subject", "!subject:", "!▌ Cancel")
	h.Script("s enter", "?Not ready to publish: 1 problem", "enter", "?▸ Subject", "? Typing ") // from here, too
}

// What was asked about a state is not done in another one.
func TestStateChangesDuringTheQuestion(t *testing.T) {
	b := live(t, false)
	h := b.program(b.at(subjectAt))
	h.Script(">!", "ctrl+s", "?Apply 1 change to a scheduled campaign")
	b.svc.SetNow(afterStart)
	h.Script("y", "?the campaign is sending")
	b.want(subjectAt, `"Hi"`)
}

// What is typed while changes are applied stays, pending on top of them, also after leaving and coming back.
func TestTypingWhileChangesAreApplied(t *testing.T) {
	for _, versions := range []bool{false, true} {
		b := newTestbed(t, catalog.Email, liveMail)
		b.svc.OK(b.svc.UpdateWorkspace(t.Context(), func(w *engine.Workspace) error { w.Versioning = versions; return nil }))
		b.publish(true)
		h := b.program(b.at(subjectAt))
		h.Script(">!", "ctrl+s")
		h.Hold()
		h.Script("y", ">?")
		h.FinishHeld()
		h.Want("Hi!?", "changes not applied")
		h.Send(app.EndMsg{Saved: make(chan struct{})})
		b.followVersion()
		b.want(subjectAt, `"Hi!"`)
		h = b.program(b.at(subjectAt))
		h.Script("?Hi!?", "?changes not applied", "ctrl+s y", "!not applied")
		b.followVersion()
		b.want(subjectAt, `"Hi!?"`)
	}
}

// followVersion makes the testbed about the version of the campaign that is live.
func (b *testbed) followVersion() {
	b.t.Helper()
	all, err := b.svc.Search(context.Background(), engine.SearchRequest{Page: 1, Limit: 10})
	b.svc.OK(err)
	for _, c := range all {
		if c.Status != catalog.Stopped {
			b.id = c.ID
			return
		}
	}
	b.t.Fatal("no campaign is live")
}
