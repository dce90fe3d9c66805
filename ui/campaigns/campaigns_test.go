package campaigns_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/campaigns"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// id returns the ID of the n-th campaign.
func id(n int) string { return fmt.Sprintf("65f0000000000000%08x", n) }

func row(n int, name string, ch engine.Channel, dt engine.DeliveryType, st engine.State, ago time.Duration) engine.Summary {
	at := uitest.Now.Add(-ago)
	return engine.Summary{
		Name: name,
		Head: engine.Head{
			ID: id(n), CampaignID: id(n), Status: st, Channel: ch, DeliveryType: dt, UpdatedAt: at, CreatedAt: at.Add(-24 * time.Hour),
			CreatedBy: []string{"ann@example.com", "bob@example.com", "cleo@example.com"}[n%3], UpdatedBy: "ann@example.com",
		},
	}
}

// sample returns a typical workspace, the last changed campaign first.
func sample() []engine.Summary {
	rows := []engine.Summary{
		row(1, "Spring sale, first wave", catalog.Push, catalog.OneTime, catalog.Draft, 30*time.Second),
		row(2, "Cart reminder after an hour", catalog.Push, catalog.EventTriggered, catalog.Active, 12*time.Minute),
		row(3, "Weekly digest for readers of the newsletter", catalog.Email, catalog.Periodic, catalog.Paused, 3*time.Hour),
		row(4, "Price drop on what you looked at", catalog.Push, catalog.BusinessEventTriggered, catalog.Active, 26*time.Hour),
		row(5, "", catalog.Email, catalog.OneTime, catalog.Draft, 2*24*time.Hour),
		row(6, "Black Friday 世界 teaser", catalog.Email, catalog.OneTime, catalog.Scheduled, 4*24*time.Hour),
		row(7, "Near the flagship store", catalog.Push, catalog.LocationTriggered, catalog.Stopped, 9*24*time.Hour),
		row(8, "One-time code", catalog.SMS, catalog.EventTriggered, catalog.Active, 20*24*time.Hour),
		row(9, "Winter clearance", catalog.Email, catalog.OneTime, catalog.Sent, 70*24*time.Hour),
		row(10, "Order shipped", catalog.WhatsApp, catalog.EventTriggered, catalog.Active, 400*24*time.Hour),
		row(11, "Match of the day", catalog.Push, catalog.BroadcastLiveActivity, catalog.Sending, 401*24*time.Hour),
		row(12, "Easter 2024", catalog.Email, catalog.OneTime, catalog.Archived, 700*24*time.Hour),
	}
	rows[0].Tags, rows[0].Team, rows[0].Platforms = []string{"sale", "spring"}, "Growth", []string{"ANDROID", "WEB"}
	rows[0].Start = uitest.Now.Add(48 * time.Hour)
	rows[0].RejectionComment = "The second button leads to last year's page."
	rows[1].Tags, rows[1].Team, rows[1].Platforms = []string{"lifecycle"}, "Retention", []string{"ANDROID", "IOS"}
	rows[2].Tags, rows[2].Team = []string{"newsletter"}, "Editors"
	rows[5].Start, rows[5].End = uitest.Now.Add(240*time.Hour), uitest.Now.Add(250*time.Hour)
	rows[6].Name += "\x1b[31m\x1b]0;gotcha\x07"
	return rows
}

func open(t *testing.T, w, h int, rows ...engine.Summary) (*uitest.Harness, *uitest.Fake) {
	t.Helper()
	f := uitest.NewFake(rows...)
	return uitest.New(t, campaigns.New(uitest.Deps(f), screen.Route{}), w, h), f
}

func TestGolden(t *testing.T) {
	h, f := open(t, 80, 24, sample()...)
	h.GoldenSizes("list")
	h.Resize(80, 24)
	h.Press("tab")
	h.Golden("facets-80x24")
	h.Press("esc", "w")
	h.Golden("views-80x24")
	h.Press("esc", "C")
	h.Golden("columns-80x24")
	h.Script("esc esc /")
	h.Golden("searching-80x24")
	h.Script(">status:s", "down")
	h.Golden("completing-80x24")
	h.Script("esc esc /", ">sale is:al", "tab", ">stat:x")
	h.Golden("mistaken-80x24")
	h.Script("esc /", ">spring status:paused")
	h.Golden("nothing-80x24")
	h.Press("esc", "*", "b")
	h.Golden("bulk-80x24")
	h.Press("esc", "esc")
	f.Fail("Archive "+id(9), errors.New("the disk is full"))
	f.Fail("Archive "+id(7), engine.Errorf(engine.Internal, 500, "something broke on the way, and it will take a while until somebody looks at it"))
	h.Script("* b", "@Archive ")
	h.Golden("question-80x24")
	h.Press("enter")
	h.Golden("report-80x24")
	h.Press("esc")
	h.Golden("selected-80x24")
	empty, _ := open(t, 80, 24)
	empty.Golden("empty-80x24")
}

func TestRoutes(t *testing.T) {
	for key, want := range map[string]screen.Route{
		"enter": {Name: screen.Builder, ID: id(1)}, "p": {Name: screen.Builder, ID: id(1), Preview: true}, "n": {Name: screen.NewDraft}, "t": {Name: screen.TestSend, ID: id(1)},
		"v": {Name: screen.Validate, ID: id(1)}, "O": {Name: screen.Outbox},
	} {
		h, _ := open(t, 80, 24, sample()...)
		h.Press(key)
		if got := h.LastRoute(); got.Name != want.Name || got.ID != want.ID {
			t.Errorf("%s opened %+v, want %+v", key, got, want)
		}
	}
}

func TestCountsBesideTheTable(t *testing.T) {
	h, _ := open(t, 120, 40, sample()...)
	h.Script(
		"tab enter", "?2 of 11", "?/ status:draft", "?✓", // Draft
		"down enter", "?3 of 11", "?/ status:draft,scheduled", // or Scheduled
		"esc esc", "?11 of 11",
	)
	h.Resize(80, 24)
	h.WantNot("─ Filters")
}

// Names take precedence over side panes and minor columns. The focused filters take precedence over the
// details.
func TestNameColumnWidth(t *testing.T) {
	const long = "Sunday letter 24: Why we roast on Mondays"
	rows := append(sample(), row(13, long, catalog.Email, catalog.Periodic, catalog.Sent, time.Hour))
	h, _ := open(t, 120, 40, rows...)
	for width := 112; width <= 220; width++ {
		h.Resize(width, 40)
		h.Want(long, "Channel", "Updated")
	}
	h.Resize(120, 40)
	h.Script("?─ Selected", "?F  ALL │ Draft", "!─ Filters", "tab")
	h.Want("─ Filters", long)
	h.Script("!─ Selected", "esc")
	h.Resize(140, 40)
	h.Want("─ Filters", "─ Selected")
	for size, want := range map[int]string{60: "Sunday letter 24: Why we roas…", 80: "Sunday letter 24: Why we roast on Mon…"} {
		h.Resize(size, 24)
		h.Want(want, "Updated ↓")
	}
}

func TestSorting(t *testing.T) {
	first := func(h *uitest.Harness, names ...string) {
		t.Helper()
		text := h.Text()
		for i := 1; i < len(names); i++ {
			if strings.Index(text, names[i-1]) > strings.Index(text, names[i]) {
				t.Errorf("%q stands below %q:\n%s", names[i-1], names[i], text)
			}
		}
	}
	h, _ := open(t, 80, 24, sample()...)
	first(h, "Spring sale", "Cart reminder", "Match of the day")
	h.Script("B down enter", "?Name ↑")
	first(h, "Black Friday", "Cart reminder", "Weekly digest")
	h.Script("B down enter", "?Name ↓")
	first(h, "Weekly digest", "Cart reminder", "Black Friday")
	h.Script("/", ">sort:-start ")
	first(h, "Black Friday", "Spring sale", "Cart reminder")
	h.Script("enter B enter", "?Updated ↓", "!sort:-start") // the default order again
	wide, _ := open(t, 220, 30, sample()...)
	wide.Script("@Tags", "?can't be sorted by “Tags”")
}

// The cursor stays on its campaign, whatever happens to the list.
func TestCursorStaysOnCampaign(t *testing.T) {
	h, f := open(t, 80, 24, sample()...)
	for _, keys := range [][]string{{"down down"}, {"B down enter"}, {"/", ">digest", "enter"}} { // moved, sorted, searched
		h.Script(keys...)
		wantCursor(t, h, 3, "Weekly digest")
	}
	h.Script("esc", "@Scheduled 1") // it is hidden
	wantCursor(t, h, 6, "Black Friday")
	h.Press("0")
	wantCursor(t, h, 3, "Weekly digest")
	f.UpdateRows(func(rows []engine.Summary) []engine.Summary {
		return append([]engine.Summary{row(99, "Newcomer", catalog.Push, catalog.OneTime, catalog.Draft, 0)}, rows...)
	})
	h.Send(screen.ChangedMsg{ID: id(99)})
	h.Script("?Newcomer", "?12 of 12")
	wantCursor(t, h, 3, "Weekly digest")
	h.Press("B", "enter") // by last change again
	f.UpdateRows(func(rows []engine.Summary) []engine.Summary { return append(rows[:3], rows[4:]...) })
	h.Press("r")
	wantCursor(t, h, 4, "Price drop") // deleted elsewhere: the one in its place
}

func TestFailedLoadKeepsRows(t *testing.T) {
	h, fake := open(t, 80, 24, sample()...)
	fake.Fail("List", errors.New("the store is closed"))
	h.Script("r", "?Can't load campaigns: the store is closed", "?Spring sale", "?can't load")
	fake.Fail("List", nil)
	h.Script("r", "!can't load")

	broken := uitest.NewFake()
	broken.Fail("List", &engine.Error{
		Code: engine.ValidationFailed, HTTP: 400, Message: "The request is not right.", Service: "api.example.com",
		Details: []engine.Detail{{Target: "campaign_fields.status", Message: "is not one of ours"}, {Message: "ask the help desk"}},
	})
	h = uitest.New(t, campaigns.New(uitest.Deps(broken), screen.Route{}), 80, 24)
	h.Want("The request is not right.", "campaign_fields.status: is not one of ours", "ask the help desk", "Press r to reload")
	h.Press("F") // there are no states
	h.Want("Press r to reload")
}

// tab focuses the filters and the details at every size; z zooms the focused pane.
func TestPaneFocusAndZoom(t *testing.T) {
	for _, size := range uitest.Sizes {
		h, _ := open(t, size.W, size.H, sample()...)
		h.Script(
			"tab", "?─ Filters", "?◔ Scheduled", "?tab details",
			"z", "?─ Filters", "!─ Campaigns", "!─ Selected",
			"esc z shift+tab z", "?─ Selected", "?Rejected", "!─ Campaigns", "z esc",
		)
		wantCursor(t, h, 1, "Spring sale")
	}
	h, _ := open(t, 80, 24, sample()...)
	h.Script("shift+tab", "@Price drop", "!─ Selected") // beside the details
	if h.Press("y"); h.Copied[0] != id(4) {
		t.Errorf("a click beside the details chose %v", h.Copied)
	}
	h.WantFits()
	h.Press("z")
	h.WantFits()
}

// Everything clickable works at every window size.
func TestEveryClick(t *testing.T) {
	for _, size := range uitest.Sizes {
		fresh := func() (*uitest.Harness, *uitest.Fake) { return open(t, size.W, size.H, sample()...) }
		h, _ := fresh()
		h.ClickOn("  Winter clearance")
		wantCursor(t, h, 9, "Winter")
		h.ClickOn("▌ Winter clearance")
		if h.LastRoute().Name != screen.Builder || h.LastRoute().ID != id(9) {
			t.Errorf("%d×%d: a second click opens %+v", size.W, size.H, h.LastRoute())
		}

		h, _ = fresh() // the headers and the counts
		h.Script(
			"@Name", "?Name ↑", "@Name ↑", "?Name ↓", "@State      ", "?State ↑",
			"@Sending 1", "?SENDING 1", "?/ status:sending",
			"@status:sending", "?Typing", // the search
			">sta", "@start:", "?start:_", "?Typing", "@Use “", "?Keys",
		)

		h, _ = fresh() // the filters
		h.Script("tab", "@◔ Scheduled", "?/ status:scheduled", "?1 of 11")
		if size.W > 60 {
			h.Script("@Black Friday", "!─ Filters") // outside the menu
			wantCursor(t, h, 6, "Black Friday")
		} else {
			h.Press("esc")
		}
		h.Script("shift+tab", "?─ Selected")
		h.Wheel(size.W-6, size.H/2, true)

		h, f := fresh() // the bulk menu, and the report of its action
		f.Fail("Archive "+id(9), errors.New("the disk is full"))
		f.Fail("Archive "+id(7), errors.New("something broke"))
		h.Script(
			"* b", "@Archive", "@▌ Archive 2", "?Not all campaigns are archived", "?omething broke",
			"?he disk is full", "@Close", "!Not all campaigns are archived",
		)
	}
}
