package campaigns_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/campaigns"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// sentCampaigns returns campaigns that can be archived.
func sentCampaigns(n int) []engine.Summary {
	rows := make([]engine.Summary, n)
	for i := range rows {
		rows[i] = row(i+1, "Sale "+string(rune('A'+i)), catalog.Email, catalog.OneTime, catalog.Sent, time.Duration(i+1)*time.Hour)
	}
	return rows
}

func TestSelecting(t *testing.T) {
	h, _ := open(t, 80, 24, sample()...)
	h.Script(
		"space space", "?2 selected", "?✓ Spring sale", "?✓ Cart reminder",
		"up space", "?1 selected", // no longer the second one
		"esc", "!selected ·", "*", "?11 selected", "*", "!selected ·",
		"* /", ">sale", "enter", "?11 selected · 1 of 11", // hidden campaigns stay selected
	)
}

func TestFailedCampaignsStaySelectedForRetry(t *testing.T) {
	h, f := open(t, 100, 30, sentCampaigns(3)...)
	f.Fail("Archive "+id(2), errors.New("the disk is full"))
	h.Script("* b", "@Archive ", "y", "?2 campaigns archived. 1 failed.", "?Sale B", "?the disk is full", "?1 selected", "y")
	if !strings.Contains(h.Copied[0], "“Sale B”: the disk is full") {
		t.Errorf("copied %q", h.Copied)
	}
	h.Script("esc", "?✓ Sale B", "?1 selected · 1 of 1", "b", "@Archive ", "y")
	f.Fail("Archive "+id(2), nil)
	h.Script("r", "?1 campaign archived", "!Sale B", "!selected ·")
}

// esc goes from the question to the prompt, to the menu, to the list; the selection is kept.
func TestEscGoesUpOneStepInBulk(t *testing.T) {
	h, _ := open(t, 100, 30, sample()...)
	h.Script(
		"space space b", "@Add tags…", ">vip", "enter", "?Tag 2 campaigns?", "esc", "?Add tags to 2 campaigns", "?vip",
		"esc", "?Choose an action.", "?Add tags…",
		"esc", "!Choose an action.", "?2 selected",
	)
}

func TestBulkTags(t *testing.T) {
	p := openProgram(t, "A", "B")
	p.Script(
		"* b", "@Add tags…", "enter", "?Enter at least one tag",
		">vip, sale", "enter", "?Tag 2 campaigns?", "?Adds the tags vip, sale", "y",
	)
	p.wantStored("A", tagsField, `["vip","sale"]`)
	p.Script("* b", "@Remove tags…", "?vip, sale", "enter y", "?2 campaigns untagged") // the tags that both have
	p.wantStored("A", tagsField, ``)
}

func TestBulkStatusChanges(t *testing.T) {
	h, f := open(t, 100, 30, sample()...)
	h.Script("* b", "@Resume", "?Resume “Weekly digest for readers of the newsletter”?", "?10 campaigns will be skipped:", "y")
	if !f.Called("ChangeStatus " + id(3) + " RESUME") {
		t.Errorf("asked %q", f.Calls())
	}
	h.Script("?1 campaign resumed", "* b", "@Stop  ", "enter") // dangerous: Cancel has the focus
	if slices.ContainsFunc(f.Calls(), func(c string) bool { return strings.HasSuffix(c, "STOP") }) {
		t.Error("stopped without a yes")
	}
}

func TestViews(t *testing.T) {
	deps := uitest.Deps(uitest.NewFake(sample()...))
	deps.Prefs = prefs.NewInMemory()
	h := uitest.New(t, campaigns.New(deps, screen.Route{}), 100, 30)
	for _, view := range [][2]string{{"1", "/ status:draft"}, {"2", "/ is:live"}, {"3", "/ by:ann@example.com"}, {"0", "11 of 11"}} {
		h.Press(view[0])
		h.Want(view[1])
	}
	h.Script(
		"/", ">tag:sale", "enter B down enter w 6 enter", "?Save view", "?Enter a name",
		">Drafts", "enter", "?A view with this name is built in",
		"ctrl+u", ">My sales", "enter", "?Press 6 to show it",
		"0 B enter 6", "?/ tag:sale", "?Name ↑",
	)
	h = uitest.New(t, campaigns.New(deps, screen.Route{}), 100, 30) // another start
	h.Script(
		"6", "?/ tag:sale", "?Name ↑",
		"w 8", "?Delete a view", // delete
		"enter w", "?Deleted the view “My sales”", "!6 My sales",
	)
}

func TestColumns(t *testing.T) {
	deps := uitest.Deps(uitest.NewFake(sample()...))
	deps.Prefs = prefs.NewInMemory()
	h := uitest.New(t, campaigns.New(deps, screen.Route{}), 80, 24)
	h.Script(
		"C", "?Name, State, Channel",
		"ctrl+u", ">start, when", "enter", "?There is no column “when”.",
		"ctrl+w", ">state,updated", "enter", "!Channel   ", "!Type  ", "?Start",
	)
	h = uitest.New(t, campaigns.New(deps, screen.Route{}), 80, 24)
	h.Script("!Channel   ", "!Type  ", "?Start", "?in 2d", "C ctrl+u enter")
	h.Resize(110, 24)
	h.Want("Channel", "Type")
}

// blockingService is a service whose Archive blocks until it is canceled.
type blockingService struct{ *uitest.Fake }

func (s blockingService) Archive(ctx context.Context, _, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestCancelKeepsRestSelected(t *testing.T) {
	h := uitest.New(t, campaigns.New(uitest.Deps(blockingService{uitest.NewFake(sentCampaigns(3)...)}), screen.Route{}), 100, 30)
	h.Script("* b", "@Archive ")
	h.Hold()
	h.Press("y")
	h.Until("archiving 0 of 3")
	h.Press("ctrl+c")
	h.Until("Leave and cancel archiving 3 campaigns?")
	h.Press("n", "X")
	h.Until("Canceled: 3 not done.")
	h.Script("?None archived.", "?3 selected", "c ctrl+c", "!Leave and cancel")
}
