package campaigns_test

import (
	"context"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/app"
	"bugle/ui/builder"
	"bugle/ui/campaigns"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// program is the list and the builder, on a workspace with campaigns.
type program struct {
	*uitest.Harness
	t   *testing.T
	svc *uitest.Service
	ids map[string]string // by name
}

// openProgram opens the list of drafts with these names, the last one first.
func openProgram(t *testing.T, names ...string) *program {
	t.Helper()
	p := &program{t: t, svc: uitest.NewService(t, engine.Workspace{}), ids: map[string]string{}}
	for _, name := range names {
		p.svc.SetNow(p.svc.Now().Add(time.Second))
		p.ids[name] = p.svc.Draft(catalog.Push, catalog.EventTriggered, `{"basic_details":{"name":"`+name+`","platforms":["ANDROID"]},
			"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"T","message":"M"}}}}},
			"trigger_condition":{"included_filters":{"filter_operator":"and","filters":[{"filter_type":"actions","action_name":"Order placed","execution":{"type":"atleast","count":1},"executed":true}]}},
			"scheduling_details":{"delivery_type":"ASAP","expiry_time":"2026-06-01T10:00:00"},"segmentation_details":{"is_all_user_campaign":true},"delivery_controls":{"bypass_dnd":false}}`)
	}
	deps := uitest.Deps(p.svc)
	deps.Prefs, deps.Now = prefs.NewInMemory(), p.svc.Now
	p.Harness = uitest.Program(t, app.Options{Deps: deps, First: screen.Route{Name: screen.Campaigns}, Factory: func(deps screen.Deps, r screen.Route) (screen.Screen, error) {
		if r.Name == screen.Builder {
			return builder.New(deps, r), nil
		}
		return campaigns.New(deps, r), nil
	}}, 120, 40)
	return p
}

// wantStored fails the test unless that field of Basics is stored as this JSON.
func (p *program) wantStored(name, field, want string) {
	p.t.Helper()
	if got := string(p.svc.Stored(p.ids[name]).Body.Lookup(doc.P("basic_details", field)).Encode()); got != want {
		p.t.Errorf("%s of %s is %s, want %s", field, name, got, want)
	}
}

// others changes a campaign as somebody else does.
func (p *program) others(name, field, value string) {
	p.t.Helper()
	p.svc.Set(p.ids[name], doc.P("basic_details", field), value)
	p.Send(screen.ChangedMsg{ID: p.ids[name]})
}

// publish publishes a campaign as somebody else does.
func (p *program) publish(name string) {
	p.t.Helper()
	_, err := p.svc.Publish(context.Background(), engine.PublishRequest{ID: p.ids[name], By: "bob@example.com", Console: true})
	p.svc.OK(err)
	p.Send(screen.ChangedMsg{ID: p.ids[name]})
}

const (
	nameField = "name"
	teamField = "team"
	tagsField = "tags"
)

// What was typed in the builder is undone and redone in the list, and in the builder after coming back.
func TestUndoSurvivesTheBuilder(t *testing.T) {
	p := openProgram(t, "Other", "Sale")
	p.Script("enter home enter", ">!")
	p.wantStored("Sale", nameField, `"Sale!"`)
	p.Script("esc esc", "?▌ Sale!", "ctrl+z", "?Undone in “Sale!”: Basics › Campaign name", "?▌ Sale ")
	p.wantStored("Sale", nameField, `"Sale"`)
	p.Script("ctrl+z", "?Nothing to undo", "ctrl+y", "?Redone in “Sale”: Basics › Campaign name", "?▌ Sale!")

	p.Script("enter ctrl+z", "?Undone: Basics › Campaign name", "?▸ Campaign name", "? Typing ")
	p.wantStored("Sale", nameField, `"Sale"`)
	p.Script("ctrl+z", "?Nothing to undo", "esc esc enter ctrl+y", "?Redone: Basics › Campaign name")
	p.wantStored("Sale", nameField, `"Sale!"`)

	p.Script("esc esc down ctrl+z", "?Nothing to undo") // another campaign
	p.wantStored("Sale", nameField, `"Sale!"`)
}

// A search, a filter, a view, the order and the columns are not changes, and undo in the search field is not one of a
// campaign.
func TestUndoLeavesSearchesAlone(t *testing.T) {
	p := openProgram(t, "Other", "Sale")
	p.Script("enter home enter", ">!", "esc esc /", ">sale", "ctrl+z", "?Nothing to undo", "?1 of 2")
	p.wantStored("Sale", nameField, `"Sale!"`)
	p.Script("enter F 1 B down enter C down space esc ctrl+z", "?Undone in “Sale!”: Basics › Campaign name")
	p.wantStored("Sale", nameField, `"Sale"`)
	p.Script("?status:draft", "?Name ↑", "ctrl+z", "?Nothing to undo")
}

// Tags of many campaigns are undone and redone as one change, in the list; in the builder for that campaign alone. What
// a campaign had before stays.
func TestUndoBulkTags(t *testing.T) {
	p := openProgram(t, "A", "B", "C")
	p.Script("space b home enter", ">vip", "enter y", "?1 campaign tagged. Press ctrl+z to undo.")
	p.wantStored("C", tagsField, `["vip"]`)

	p.Script("* b home enter", ">vip, may", "enter y", "?3 campaigns tagged. Press ctrl+z to undo.")
	p.wantStored("C", tagsField, `["vip","may"]`)
	p.wantStored("A", tagsField, `["vip","may"]`)
	p.Script("ctrl+z", "?Undone: 3 campaigns were tagged vip, may")
	p.wantStored("C", tagsField, `["vip"]`)
	p.wantStored("A", tagsField, ``)
	p.Script("ctrl+y", "?Redone: 3 campaigns were tagged vip, may")
	p.wantStored("C", tagsField, `["vip","may"]`)

	p.Send(screen.OpenMsg{Route: screen.Route{Name: screen.Builder, ID: p.ids["B"]}})
	p.Script("ctrl+z", "?Undone: Basics › Tags")
	p.wantStored("B", tagsField, ``)
	p.Script("esc esc ctrl+z", "?Undone: 3 campaigns were tagged vip, may")
	p.wantStored("A", tagsField, ``)
	p.wantStored("B", tagsField, ``)
	p.wantStored("C", tagsField, `["vip"]`)

	p.Script("ctrl+z", "?Undone: “C” was tagged vip")
	p.wantStored("C", tagsField, ``)
	p.Script("ctrl+z", "?Nothing to undo")
}

// What others have changed since stays: another field is merged, and the same field is refused by name.
func TestUndoKeepsChangesOfOthers(t *testing.T) {
	for _, where := range []string{"list", "builder"} {
		p := openProgram(t, "Sale")
		undo := map[string]string{"list": "ctrl+z", "builder": "enter ctrl+z"}[where]
		p.Script("enter home enter", ">!", "esc esc")
		p.others("Sale", teamField, `"Growth"`)
		p.Script(undo, "?Undone", "?Basics › Campaign name")
		p.wantStored("Sale", nameField, `"Sale"`)
		p.wantStored("Sale", teamField, `"Growth"`)
		if where == "builder" {
			p.Press("esc", "esc")
		}

		p.Script("enter home enter", ">?", "esc esc")
		p.others("Sale", nameField, `"Theirs"`)
		p.Script(undo, "?Not undone", "?someone else has changed")
		p.wantStored("Sale", nameField, `"Theirs"`)
		p.Script("ctrl+z", "?Nothing to undo")
		p.wantStored("Sale", nameField, `"Theirs"`)
	}
}

// Undo in the list changes no campaign that is not a draft without a question.
func TestUndoAsksForLiveCampaigns(t *testing.T) {
	p := openProgram(t, "Other", "Sale")
	p.Script("enter home enter", ">!", "esc esc")
	p.publish("Sale")
	p.Script("ctrl+z", "?A change of “Sale!” is undone in the builder. Press", "?enter, then ctrl+z.")
	p.wantStored("Sale", nameField, `"Sale!"`)
	p.Script("enter ctrl+z", "?Undone: Basics › Campaign name", "?not applied")
	p.wantStored("Sale", nameField, `"Sale!"`)
	p.Press("ctrl+y", "esc", "esc")

	p.Script(
		"* b home enter", ">vip", "enter y", "?2 campaigns tagged",
		"ctrl+z", "?Change 2 campaigns?", "?Undoing: 2 campaigns were tagged vip", "n",
	)
	p.wantStored("Sale", tagsField, `["vip"]`)
	p.Script("ctrl+z y", "?Undone: 2 campaigns were tagged vip")
	p.wantStored("Sale", tagsField, ``)
	p.wantStored("Other", tagsField, ``)
}

// A pause is undone by the question of its inverse, wherever it is undone and whatever the list shows, and is then no
// longer in the way of the changes before it.
func TestUndoPause(t *testing.T) {
	p := openProgram(t, "Other", "Sale")
	p.publish("Sale")
	p.Script(
		"/", ">status:active", "enter s 3 enter", "?“Sale” is now paused", "?0 of 2",
		"ctrl+z", "?Resume", "?“Sale”",
		"enter", "?“Sale” is now active", "?1 of 2", "?▌ Sale",
		"ctrl+z", "?Nothing to undo", "ctrl+y enter", "?“Sale” is now paused",
	)
	p.Send(screen.OpenMsg{Route: screen.Route{Name: screen.Builder, ID: p.ids["Sale"]}})
	p.Script("ctrl+z enter", "?“Sale” is now active", "?Active", "ctrl+z", "?Nothing to undo")
}

// An archived campaign is restored after a question, with the cursor on it, and many at once too.
func TestUndoArchive(t *testing.T) {
	h, _ := open(t, 120, 40, sample()...)
	h.Script(
		"@Winter", "s 5 y", "?“Winter clearance” is now archived", "?10 of 10",
		"home ctrl+z", "?Restore", "?“Winter clearance”",
		"enter", "?Restored “Winter clearance”", "?11 of 11",
	)
	wantCursor(t, h, 9, "Winter")
	h.Script("ctrl+y enter", "?“Winter clearance” is now archived", "?10 of 10")

	h, _ = open(t, 120, 40, sentCampaigns(3)...)
	h.Script(
		"* b", "@Archive ", "y", "?3 campaigns archived. Press ctrl+z to undo.",
		"ctrl+z", "?Restore 3 campaigns?", "y", "?3 campaigns restored", "?3 of 3",
		"ctrl+z", "?Nothing to undo",
	)
}

// What cannot be undone is named, without advice that does not work, and does not block undoing earlier changes.
func TestIrreversibleActions(t *testing.T) {
	h, _ := open(t, 120, 40, sample()...)
	h.Script(
		"@Winter", "s 5 y home x y", "?Deleted “Spring sale, first wave”",
		"ctrl+z", "?“Spring sale, first wave” was deleted, which can't be", "!Press",
		"ctrl+z enter", "?Restored “Winter clearance”", "ctrl+z", "?Nothing to undo",
	)
}
