package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
	"bugle/store/mem"
	"bugle/ui/app"
	"bugle/ui/filters"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/workspace"
)

// newSampleService returns a workspace with the sample.
func newSampleService(t testing.TB) *local.Service {
	t.Helper()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	if _, err := sample.Install(t.Context(), db, sample.Options{Now: uitest.Now, Author: "ann@example.com"}); err != nil {
		t.Fatal(err)
	}
	s, err := local.Open(db, sample.ID, local.Options{Clock: func() time.Time { return uitest.Now }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// program opens the workspace screens as the program does.
func program(t testing.TB, svc engine.Service, w, h int) *uitest.Harness {
	t.Helper()
	o := app.Options{
		Deps: uitest.Deps(svc), First: screen.Route{Name: screen.Workspace},
		Factory: func(d screen.Deps, r screen.Route) (screen.Screen, error) { return workspace.New(d, r), nil },
	}
	return uitest.Program(t, o, w, h)
}

// openSection opens the records of a section.
func openSection(h *uitest.Harness, title string) {
	h.ClickOn(title)
	h.Press("enter")
}

// harness shows the records of a section of a workspace with the sample.
type harness struct {
	*uitest.Harness
	t   testing.TB
	svc *local.Service
}

func openRecords(t testing.TB, section string) *harness {
	t.Helper()
	svc := newSampleService(t)
	h := &harness{program(t, svc, 100, 30), t, svc}
	openSection(h.Harness, section)
	return h
}

func (h *harness) stored() engine.Workspace {
	h.t.Helper()
	w, err := h.svc.Workspace(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return w
}

// wantTeams expects that the workspace has these teams.
func (h *harness) wantTeams(teams string) {
	h.t.Helper()
	if got := strings.Join(h.stored().Teams, ","); got != teams {
		h.t.Errorf("the teams are %q, want %q", got, teams)
	}
}

// wantName expects that the workspace has that name.
func (h *harness) wantName(name string) {
	h.t.Helper()
	if got := h.stored().Name; got != name {
		h.t.Errorf("the name is %q, want %q", got, name)
	}
}

// Enter in the last field saves a new record, which the list then selects.
func TestAddRecord(t *testing.T) {
	h := openRecords(t, "Teams")
	h.Script(
		"n", "?New team", "?new", "!✗ Required", "enter", "?Not saved: Name: required",
		">Partners", "enter", "?Saved the team Partners.", "?▌ Partners",
	)
	h.wantTeams("Growth,CRM,Store Ops,Product,Partners")
}

func TestChangesAreSavedExplicitly(t *testing.T) {
	h := openRecords(t, "General")
	h.Script("enter", "> shop", "?not saved")
	h.wantName("Demo")
	h.Script(
		"esc", "?Discard unsaved changes?", "n", "?Demo shop",
		"ctrl+z", "?Undone: Name", "!Demo shop", "!not saved",
		"ctrl+y ctrl+s", "?Saved the general settings.", "?saved",
	)
	h.wantName("Demo shop")
	h.Script(">!", "esc d", "!Discard unsaved")
	h.wantName("Demo shop")
}

// What is typed while a slow service saves is kept on top of what it stored, and so is what can be undone.
func TestTypingDuringASaveIsKept(t *testing.T) {
	h := openRecords(t, "General")
	h.Script("enter", "> shop")
	h.Hold()
	h.Script("ctrl+s", ">!")
	h.FinishHeld()
	h.Want("Demo shop!", "not saved", "Saved the general settings.")
	h.wantName("Demo shop")
	h.Script("ctrl+z", "?Demo", "?Undone: Name", "?not saved", "!Demo shop", "ctrl+y")
	h.Hold()
	h.Script("ctrl+s", ">?", "ctrl+s")
	h.FinishHeld()
	h.Script("?Demo shop!?", "?Saved the general settings.", "!not saved", "!changed by someone else")
	h.wantName("Demo shop!?")
}

// Whoever types on after enter in the last field stays, and is not interrupted by a question.
func TestTypingDuringASaveStays(t *testing.T) {
	h := openRecords(t, "Teams")
	h.Script("n", ">Partners")
	h.Hold()
	h.Script("enter", "> and friends")
	h.FinishHeld()
	h.Want("Partners and friends", "not saved")
	h.WantNot("Discard")
	h.Press("enter")
	h.Want("Saved the team Partners and friends.", "▌ Partners and friends")
	h.wantTeams("Growth,CRM,Store Ops,Product,Partners and friends")
}

// Taking another's version keeps what is typed until it arrives, and undo brings back one's own.
func TestTakingTheirsCanBeUndone(t *testing.T) {
	h := openRecords(t, "General")
	h.Script("enter", "> mine")
	if err := h.svc.UpdateWorkspace(t.Context(), func(w *engine.Workspace) error { w.Name = "Theirs"; return nil }); err != nil {
		t.Fatal(err)
	}
	h.Script("ctrl+s t", "?Theirs", "?saved", "!mine", "ctrl+z", "?Demo mine", "?not saved")
}

func TestProblemIsShownAtItsField(t *testing.T) {
	h := openRecords(t, "General")
	h.Script(
		"down enter", ">nowhere", "enter up", "?1 problem", "?Must be a time zone name",
		"ctrl+s", "?Not saved: Time zone: must be a time zone name",
	)
	if got := h.stored().Timezone; got != "Europe/Berlin" {
		t.Errorf("the zone is %q", got)
	}
}

// A name used by campaigns is only changed or deleted after a question that names them.
func TestUsesAreNamed(t *testing.T) {
	h := openRecords(t, "Teams")
	h.Script(
		"down x", "?Delete the team Growth?", "?It is still used in", "?the campaign ", // Growth
		"n enter", ">!", "ctrl+s", "?Rename Growth?", "n",
	)
	h.wantTeams("Growth,CRM,Store Ops,Product")
	h.Script(
		"ctrl+s y", "?Saved the team Growth!.",
		"esc x", "?This cannot be undone.", "!It is still used",
		"y", "?Deleted the team Growth!.",
	)
	h.wantTeams("CRM,Store Ops,Product")
}

func TestSegmentByFilters(t *testing.T) {
	h := openRecords(t, "Segments")
	h.Resize(120, 40)
	h.Script(
		"n", ">Norwegians", "tab tab enter", "?No filters yet",
		"a enter", ">Country", "enter tab", ">Germany", "enter ctrl+s", "?Saved the segment Norwegians.",
	)
	w := h.stored()
	last := w.Segments[len(w.Segments)-1]
	if last.Name != "Norwegians" || last.ID == "" || last.Group().Get("filters").At(0).Get("name").Text() != "Country" {
		t.Fatalf("%+v", last)
	}
	h.Script("esc esc esc t", "?Who matches Norwegians", "?is included:", "/", ">elodie", "?✗", "?is not included:", "?France")
}

// The screen of who matches can be opened to find a user, who is explained at once.
func TestFindingAUserInAnAudience(t *testing.T) {
	r := filters.AudienceRoute("Berlin regulars", audience.SegmentFilters("Berlin regulars"))
	r.Path = r.Path.Child("find")
	h := uitest.New(t, workspace.New(uitest.Deps(newSampleService(t)), r), 120, 40)
	h.Script(">elodie", "?Who matches Berlin regulars", "?Élodie Laurent is not included:")
}

// An empty group that the editor needs is not a change.
func TestViewingFiltersChangesNothing(t *testing.T) {
	h := openRecords(t, "Segments")
	h.Resize(120, 40)
	h.Script("enter tab tab enter esc", "?saved", "!not saved", "esc", "!Discard unsaved changes?")
}

func TestAPIKeyIsShownOnce(t *testing.T) {
	h := openRecords(t, "API keys")
	h.Script("n ctrl+s", "?The new API key", "?This key is shown only once", "y")
	if len(h.Copied) != 1 || len(h.Copied[0]) != 43 {
		t.Fatalf("copied %q", h.Copied)
	}
	h.WantNot(h.Copied[0])
	if n := len(h.stored().Keys); n != 2 {
		t.Errorf("there are %d keys", n)
	}
	h.Press("y")
	if last := h.Copied[len(h.Copied)-1]; strings.Contains(last, "hash") {
		t.Errorf("copied %s", last)
	}
}

func TestFindAndImportUsers(t *testing.T) {
	h := openRecords(t, "Users")
	h.Script("/", ">kasia", "?USER_11", "!USER_10 ", "enter esc", "?USER_10")

	path := filepath.Join(t.TempDir(), "users.csv")
	if err := os.WriteFile(path, []byte("id,City\nUSER_1,Oslo\nNEW,Bergen\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.Script(
		"i", ">"+path+"x", "enter", "?No such file.", "backspace enter", "?What about users who already exist?",
		"enter", "?1 added, 1 changed",
	)
	p, err := h.svc.User(t.Context(), "USER_1")
	if err != nil || p.Attributes["City"] != "Oslo" || p.Attributes["Plan"] == nil {
		t.Errorf("%+v, %v", p.Attributes, err)
	}
	h.Want("NEW")
}

func TestTrials(t *testing.T) {
	h := openRecords(t, "Connectors")
	h.Script(
		"t", "?Send a test message through Demo mail", "?ann@example.com",
		"enter", "?keeps email in the local outbox", "esc esc",
	)
	openSection(h.Harness, "Teams")
	h.Script("t", "?Teams cannot be tested.")
}

// The form of a template's content follows its channel.
func TestTemplateFormFollowsChannel(t *testing.T) {
	h := openRecords(t, "Templates")
	h.Script(
		"n", ">welcome", "tab tab tab enter", "?From address", "?Subject",
		">Hello", "ctrl+s", "?Saved the template welcome. This is version 1",
		">!", "ctrl+s", "?This is version 2",
	)
	item, err := h.svc.ContentItem(t.Context(), engine.ContentRef{Kind: engine.KindTemplate, Name: "welcome"})
	if err != nil || item.Template.Version != 2 {
		t.Errorf("%+v, %v", item.Template, err)
	}
}

func TestDuplicateAndCopyRecord(t *testing.T) {
	h := openRecords(t, "Connectors")
	h.Press("y")
	if len(h.Copied) != 1 || !strings.Contains(h.Copied[0], `"connector_name": "Demo mail"`) {
		t.Errorf("copied %q", h.Copied)
	}
	h.Script("c", "?New connector", "ctrl+s esc")
	if got := h.stored().Connectors; len(got) != 4 || got[3].Provider != engine.ProviderOutbox || got[3].Name == "Demo mail" {
		t.Errorf("%+v", got)
	}
}

// Sections, records, fields and tabs can be clicked in every layout.
func TestClicks(t *testing.T) {
	for _, size := range uitest.Sizes {
		svc := newSampleService(t)
		h := program(t, svc, size.W, size.H)
		h.Script("@Teams", "enter", "@Growth", "@Growth", "?▸ ", "esc esc") // if only one list fits, the records replace it

		openSection(h, "General")
		h.Script(
			"@Time zone", "@Time zone", "?▸ ", "@Name", "?▸ Name",
			"@Time zone", "?▸ Time zone",
			"f1", "?Time zone", "?Example: ", // the help has the documentation of the field
			"esc",
		)
	}
}
