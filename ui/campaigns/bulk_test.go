package campaigns_test

import (
	"errors"
	"os"
	"path/filepath"
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

// option moves to an entry of the bulk menu.
func option(h *uitest.Harness, n int) {
	h.Press("b", "home")
	for range n {
		h.Press("down")
	}
	h.Press("enter")
}

const (
	addTags, removeTags, export, pausing, resuming, stopping, archiving = 0, 1, 2, 3, 4, 5, 6
)

func TestSelecting(t *testing.T) {
	h, _ := open(t, 80, 24, sample()...)
	h.Press(" ", " ")
	h.Want("2 selected", "✓ Spring sale", "✓ Cart reminder")
	h.Press("up", " ") // no longer the second one
	h.Want("1 selected")
	h.Press("esc")
	h.WantNot("selected ·")
	h.Press("home", " ", "down", "V")
	h.Want("3 selected")
	h.Press("down", "down", "V")
	h.Want("5 selected")
	h.Press("*")
	h.Want("11 selected")
	h.Press("*")
	h.WantNot("selected ·")
	h.Press("*", "/")
	h.Type("sale")
	h.Press("enter")
	h.Want("11 selected · 1 of 11") // hidden campaigns stay selected
}

func TestFailedCampaignsStaySelectedForRetry(t *testing.T) {
	h, f := open(t, 100, 30, sentCampaigns(3)...)
	f.failCampaign(id(2), errors.New("the disk is full"))
	h.Press("*")
	option(h, archiving)
	h.Press("y")
	h.Want("2 campaigns archived. 1 failed.", "Sale B", "the disk is full", "1 selected")
	h.Press("y")
	if !strings.Contains(h.Copied[0], "“Sale B”: the disk is full") {
		t.Errorf("copied %q", h.Copied)
	}
	h.Press("esc")
	h.Want("✓ Sale B", "1 selected · 1 of 1")
	option(h, archiving)
	h.Press("y")
	f.failCampaign(id(2), nil)
	h.Press("r")
	h.Want("1 campaign archived")
	h.WantNot("Sale B", "selected ·")
}

// esc goes from the question to the prompt, to the menu, to the list; the selection is kept.
func TestEscGoesUpOneStepInBulk(t *testing.T) {
	h, _ := open(t, 100, 30, sample()...)
	h.Press(" ", " ")
	option(h, addTags)
	h.Type("vip")
	h.Press("enter")
	h.Want("Tag 2 campaigns?")
	h.Press("esc")
	h.Want("Add tags to 2 campaigns", "vip")
	h.Press("esc")
	h.Want("Choose an action.", "Add tags…")
	h.Press("esc")
	h.WantNot("Choose an action.")
	h.Want("2 selected")
}

func TestBulkTags(t *testing.T) {
	h, f := open(t, 100, 30, sample()...)
	h.Press(" ", " ") // a draft and an active one
	option(h, addTags)
	h.Press("enter")
	h.Want("Enter at least one tag")
	h.Type("vip, sale")
	h.Press("enter")
	h.Want("Tag 2 campaigns?", "Adds the tags vip, sale")
	h.Press("y")
	want := []string{"Save " + id(1) + " [sale spring vip]", "Update " + id(2) + " [lifecycle vip sale]"}
	if got := f.saved(); !slices.Equal(got, want) {
		t.Errorf("asked %q, want %q", got, want)
	}
	h.Want("2 campaigns tagged")
	h.Press("/")
	h.Type("tag:vip")
	h.Want("2 of 11")
	h.Press("enter", "*")
	option(h, removeTags)
	h.Want("sale, vip") // the tags that both have
	h.Press("enter", "y")
	h.Want("2 campaigns untagged", "0 of 11")
}

func TestBulkStatusChanges(t *testing.T) {
	h, f := open(t, 100, 30, sample()...)
	h.Press("*")
	option(h, resuming)
	h.Want("Resume “Weekly digest for readers of the newsletter”?", "10 campaigns will be skipped:")
	h.Press("y")
	if !f.Called("ChangeStatus " + id(3) + " RESUME") {
		t.Errorf("asked %q", f.Calls())
	}
	h.Want("1 campaign resumed")
	h.Press("*")
	option(h, stopping)
	h.Press("enter") // dangerous: Cancel has the focus
	if slices.ContainsFunc(f.Calls(), func(c string) bool { return strings.HasSuffix(c, "STOP") }) {
		t.Error("stopped without a yes")
	}
	option(h, pausing)
	h.Press("esc")
	bare := uitest.New(t, campaigns.New(uitest.Deps(f.WithoutCapabilities()), screen.Route{}), 100, 30)
	bare.Press("/")
	bare.Type("winter")
	bare.Press("enter", "b", "home", "down", "down", "down", "down", "down", "down")
	bare.Want("This service cannot archive")
}

func TestBulkExport(t *testing.T) {
	h, _ := open(t, 100, 30, sample()...)
	folder := filepath.Join(t.TempDir(), "out")
	h.Press(" ", " ")
	option(h, export)
	h.Want("Export 2 campaigns", "folder for the files", "campaigns")
	h.Press("ctrl+u")
	h.Type(folder)
	h.Press("enter")
	h.Want("Export 2 campaigns?")
	h.Press("y")
	h.Want("2 campaigns exported")
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 2 || files[1].Name() != "spring-sale-first-wave-"+id(1)+".json" {
		t.Errorf("the folder has %v, %v", files, err)
	}
	b, _ := os.ReadFile(filepath.Join(folder, "spring-sale-first-wave-"+id(1)+".json"))
	if !strings.Contains(string(b), `"campaign_delivery_type": "ONE_TIME"`) || strings.Contains(string(b), "DRAFT") {
		t.Errorf("the file holds %s", b)
	}
}

func TestViews(t *testing.T) {
	deps := uitest.Deps(newFake(sample()...))
	deps.Prefs = prefs.NewInMemory()
	h := uitest.New(t, campaigns.New(deps, screen.Route{}), 100, 30)
	h.Press("1")
	h.Want("/ status:draft", "2 of 11")
	h.Press("2")
	h.Want("/ is:live")
	h.Press("3")
	h.Want("/ by:ann@example.com")
	h.Press("0")
	h.Want("11 of 11")
	h.Press("/")
	h.Type("tag:sale")
	h.Press("enter", "B", "down", "enter")
	h.FromPalette("save view")
	h.Want("Save view")
	h.Press("enter")
	h.Want("Enter a name")
	h.Type("My sales")
	h.Press("enter")
	h.Want("Press 6 to show it")
	h.Press("0", "B", "enter", "6")
	h.Want("/ tag:sale", "Name ↑")

	// Another start in the same workspace.
	h = uitest.New(t, campaigns.New(deps, screen.Route{}), 100, 30)
	h.Press("w")
	h.Press("6", "w")
	h.Want("My sales")
	deps.Workspace = "OTHER"
	other := uitest.New(t, campaigns.New(deps, screen.Route{}), 100, 30)
	other.Press("w")
	other.WantNot("My sales", "Delete")

	h.Press("7") // save
	h.Type("Drafts")
	h.Press("enter")
	h.Want("A view with this name is built in")
	h.Press("ctrl+u")
	h.Type("My sales")
	h.Press("enter", "w", "8") // delete
	h.Want("Delete a view")
	h.Press("enter", "w")
	h.Want("Deleted the view “My sales”")
	h.WantNot("6 My sales")
}

func TestColumns(t *testing.T) {
	deps := uitest.Deps(newFake(sample()...))
	deps.Prefs = prefs.NewInMemory()
	h := uitest.New(t, campaigns.New(deps, screen.Route{}), 80, 24)
	h.Press("C")
	h.Want("Name, State, Channel")
	h.Press("ctrl+u")
	h.Type("start, when")
	h.Press("enter")
	h.Want("There is no column “when”.")
	h.Press("ctrl+w")
	h.Type("state,updated")
	h.Press("enter")
	h.WantNot("Channel   ", "Type  ")
	h.Want("Start")
	h = uitest.New(t, campaigns.New(deps, screen.Route{}), 80, 24)
	h.WantNot("Channel   ", "Type  ")
	h.Want("Start", "in 2d")
	h.Press("C", "ctrl+u", "enter")
	h.Resize(110, 24)
	h.Want("Channel", "Type")
}
