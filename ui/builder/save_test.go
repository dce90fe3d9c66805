package builder_test

import (
	"context"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/builder"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// Undo goes to what it changes, wherever the user is. A paste is always a step of its own.
func TestUndoGoesToChange(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"basic_details": {"name": "Old"}}`)
	h := b.open(80, 24, "basic_details", "name")
	for _, text := range []string{" and new", " and blue"} {
		h.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true})
	}
	h.Type("!")
	h.Press("esc", "end", "enter", "ctrl+g") // the problems, from the last section
	for _, want := range []string{"Old and new and blue", "Old and new", "Old"} {
		h.Press("ctrl+z")
		if got := b.value("basic_details.name"); got != `"`+want+`"` {
			t.Errorf("the name is %s, want %q", got, want)
		}
		h.Want("Undone: Basics › Campaign name", "─ Basics ─", "▸ Campaign name", " Typing ")
	}
	h.Press("ctrl+y")
	h.Want("Redone: Basics › Campaign name")
	h.WantNot("Undone")
}

// A save by another client in between opens a question, and neither version is lost.
func TestConflict(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"basic_details":{"name":"Mine"}}`)
	h := b.open(80, 24, "basic_details", "name")
	ctx := context.Background()
	c := b.stored()
	theirs := engine.WithName(c.Body, "Theirs")
	if _, err := b.svc.Save(ctx, engine.SaveRequest{ID: b.id, Revision: c.Revision, Body: theirs, By: "bob@example.com"}); err != nil {
		t.Fatal(err)
	}
	h.Type("!")
	h.Want("“Mine!” was changed elsewhere")
	h.Press("k")
	if got := b.value("basic_details.name"); got != `"Mine!"` {
		t.Errorf("keep mine left %s", got)
	}
	revs, err := b.svc.Revisions(ctx, b.id)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, r := range revs {
		old, err := b.svc.Revision(ctx, b.id, r.N)
		if err != nil {
			t.Fatal(err)
		}
		found = found || engine.CampaignName(old.Body) == "Theirs"
	}
	if !found {
		t.Error("their version is not in the history")
	}
}

// A state change elsewhere is shown beside pending edits, and the edits are kept.
func TestStateChangeKeepsPendingEdits(t *testing.T) {
	b := newTestbed(t, catalog.Email, liveMail)
	ctx := context.Background()
	b.publish(false)
	h := b.open(120, 40, "basic_details", "name")
	h.Type("!")
	h.Want("Scheduled · changes not applied", "News!")
	h.Press("ctrl+c")
	h.Want("Leave “News!” without applying?")
	h.Press("n")
	if _, err := b.svc.ChangeStatus(ctx, engine.StatusRequest{ID: b.id, Action: catalog.Stop}); err != nil {
		t.Fatal(err)
	}
	h.Send(screen.ChangedMsg{ID: b.id})
	h.Want("Stopped · changes not applied", "News!")
	h.Press("ctrl+z")
	h.Want("! This campaign is Stopped")
	h.Want("News!")
}

// plainService is a service with only the ten operations: it cannot store unfinished edits.
type plainService struct{ engine.Service }

func tree(t testing.TB, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestBodyFromRouteIsOneChange(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"basic_details":{"name":"Now"}}`)
	old := tree(t, `{"basic_details":{"name":"Before"}}`)
	h := uitest.New(t, builder.New(uitest.Deps(b.svc), screen.Route{Name: screen.Builder, ID: b.id, Doc: old}), 120, 40)
	h.Want("Before", "saved")
	if got := b.value("basic_details.name"); got != `"Before"` {
		t.Errorf("saved %s", got)
	}
	h.Press("ctrl+z")
	h.Want("Now")
	if got := b.value("basic_details.name"); got != `"Now"` {
		t.Errorf("undo left %s", got)
	}
}
