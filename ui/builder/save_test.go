package builder_test

import (
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/screen"
)

// Undo goes to what it changes, wherever the user is. A paste is always a step of its own.
func TestUndoGoesToChange(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"basic_details": {"name": "Old"}}`)
	h := b.open(80, 24, nameAt)
	h.Send(pasted(" and new"), pasted(" and blue"))
	h.Script(">!", "esc end enter ctrl+g") // the problems, from the last section
	for _, want := range []string{"Old and new and blue", "Old and new", "Old"} {
		h.Script("ctrl+z", "?Undone: Basics › Campaign name", "?─ Basics ─", "?▸ Campaign name", "? Typing ")
		b.want(nameAt, `"`+want+`"`)
	}
	h.Script("ctrl+y", "?Redone: Basics › Campaign name", "!Undone")
}

// A save by another client in between opens a question, and neither version is lost.
func TestConflict(t *testing.T) {
	for key, want := range map[string]string{"k": "Mine!", "t": "Theirs"} {
		b := newTestbed(t, catalog.Email, `{"basic_details":{"name":"Mine"}}`)
		h := b.open(80, 24, nameAt)
		b.svc.Set(b.id, b.at(nameAt).Path, `"Theirs"`)
		h.Script(">!", "?“Mine!” was changed elsewhere", key, "?"+want)
		b.want(nameAt, `"`+want+`"`)
		second, err := b.svc.Revision(t.Context(), b.id, 2)
		b.svc.OK(err)
		if got := engine.CampaignName(second.Body); got != "Theirs" {
			t.Errorf("the history has %q", got)
		}
	}
}

// A state change elsewhere is shown beside pending edits, and the edits are kept.
func TestStateChangeKeepsPendingEdits(t *testing.T) {
	b := live(t, false)
	h := b.open(120, 40, nameAt)
	h.Script(">!", "?Scheduled · changes not applied", "?News!", "ctrl+c", "?Leave “News!” without applying?", "n")
	_, err := b.svc.ChangeStatus(t.Context(), engine.StatusRequest{ID: b.id, Action: catalog.Stop})
	b.svc.OK(err)
	h.Send(screen.ChangedMsg{ID: b.id})
	h.Script("?Stopped · changes not applied", "?News!", "ctrl+z", "?! This campaign is Stopped", "?News!")
}

// A change by somebody else is said, and what is below the form stays there.
func TestChangeElsewhereIsSaid(t *testing.T) {
	b := newTestbed(t, catalog.Email, liveMail)
	h := b.open(60, 20, "basic_details")
	h.Script("enter", "?─ Preview ─", ">!")
	b.svc.Set(b.id, b.at(nameAt).Path, `"Theirs"`)
	h.Send(screen.ChangedMsg{ID: b.id})
	h.Script("?Theirs", "?─ Preview ─", "?bob@example.com has changed this campaign")
}

// What every campaign of a kind needs stands where it is looked for, and follows from what was typed.
func TestStartsThatFollow(t *testing.T) {
	b := newWorkspace(t).create(catalog.Push, catalog.LocationTriggered, `{}`)
	h := b.open(80, 24, "trigger_condition")
	h.Script("?▸ Geofence", "enter", "?Basics › Geofence", ">Shop")
	b.want("basic_details.geofences.name", `"Shop"`)

	b.create(catalog.Email, catalog.Periodic, `{"scheduling_details":{"timezone":"Europe/Berlin","periodic_details":{"sending_frequency":"WEEKLY"}}}`)
	h = b.open(80, 24, "scheduling_details.start_time")
	h.Script(">28 nov 2026 9am", "enter", "?Weekly · Saturday", "ctrl+z", "!Saturday")
}
