package status_test

import (
	"net/http"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/uitest"
	"bugle/ui/widget"
)

const id = "65f000000000000000000001"

func campaign(st engine.State, dt engine.DeliveryType) engine.Summary {
	return engine.Summary{Name: "Spring sale", Head: engine.Head{ID: id, Status: st, Channel: catalog.Push, DeliveryType: dt}}
}

// host is a screen that opens the choice for a campaign and records changes.
type host struct {
	screen.Base
	choose  func() tea.Cmd
	changed []string
	w, h    int
}

func (s *host) Title() string    { return "Host" }
func (s *host) Init() tea.Cmd    { return nil }
func (s *host) SetSize(w, h int) { s.w, s.h = w, h }
func (s *host) Typing() bool     { return false }
func (s *host) View() string     { return widget.Fit("", s.w, s.h) }

func (s *host) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(screen.ChangedMsg); ok {
		s.changed = append(s.changed, msg.ID)
	}
	return nil
}

func (s *host) Actions() []screen.Action {
	return []screen.Action{{Keys: []string{"s"}, Label: "status", Run: s.choose}}
}

func open(t *testing.T, service engine.Service, s engine.Summary) (*uitest.Harness, *host) {
	t.Helper()
	hs := &host{Base: screen.NewBase(), choose: func() tea.Cmd { return status.Choose(uitest.Deps(service), s) }}
	h := uitest.New(t, hs, 80, 24)
	h.Press("s")
	return h, hs
}

func TestGoldenChoice(t *testing.T) {
	s := campaign(catalog.Active, catalog.Periodic)
	h, _ := open(t, uitest.NewFake(s), s)
	h.Golden("choice-80x24")
	h.Press("enter")
	h.GoldenSizes("question")
	h.Press("esc")
	s = campaign(catalog.Draft, catalog.OneTime)
	h, _ = open(t, uitest.NewFake(s), s)
	h.Press("enter")
	h.Golden("publish-80x24")
}

func TestActions(t *testing.T) {
	for _, test := range []struct {
		name string
		from engine.State
		dt   engine.DeliveryType
		keys []string
		call string
		says string
	}{
		{"publish", catalog.Draft, catalog.OneTime, []string{"1", "y"}, "Publish " + id + " true", "“Spring sale” is now active"},
		{"stop", catalog.Sending, catalog.OneTime, []string{"2", "y"}, "ChangeStatus " + id + " STOP", "“Spring sale” is now stopped"},
		{"pause", catalog.Active, catalog.Periodic, []string{"3", "enter"}, "ChangeStatus " + id + " PAUSE", "“Spring sale” is now paused"},
		{"resume", catalog.Paused, catalog.Periodic, []string{"4", "y"}, "ChangeStatus " + id + " RESUME", "“Spring sale” is now active"},
		{"archive", catalog.Sent, catalog.OneTime, []string{"5", "y"}, "Archive " + id, "“Spring sale” is now archived"},
		{"restore", catalog.Archived, catalog.OneTime, []string{"6", "y"}, "Restore " + id, "Restored “Spring sale”"},
		{"delete", catalog.Draft, catalog.OneTime, []string{"7", "y"}, "Delete " + id, "Deleted “Spring sale”"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := campaign(test.from, test.dt)
			fake := uitest.NewFake(s)
			h, hs := open(t, fake, s)
			h.Press(test.keys...)
			if !fake.Called(test.call) {
				t.Errorf("asked %q, want %q", fake.Calls(), test.call)
			}
			h.Want(test.says)
			if len(hs.changed) != 1 || hs.changed[0] != id {
				t.Errorf("told of changes to %q", hs.changed)
			}
		})
	}
}

// A sentence names up to three campaigns, and how many more there are.
func TestNames(t *testing.T) {
	var rows []engine.Summary
	for _, want := range []string{"", "“A”", "“A” and “B”", "“A”, “B” and “Untitled Push”", "“A”, “B”, “Untitled Push” and 1 more"} {
		if got := status.Names(rows); got != want {
			t.Errorf("%d campaigns are %q, want %q", len(rows), got, want)
		}
		rows = append(rows, engine.Summary{Name: []string{"A", "B", "", "D", "E"}[len(rows)], Head: engine.Head{Channel: catalog.Push}})
	}
}

// The states can be told apart without colors.
func TestIconsAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range catalog.States {
		icon, _ := status.Icon(s)
		if seen[icon] || widget.Width(icon) != 1 {
			t.Errorf("%s has the icon %q", s, icon)
		}
		seen[icon] = true
	}
}

func TestActionsNeedConfirmation(t *testing.T) {
	for _, keys := range [][]string{{"2", "n"}, {"2", "esc"}, {"2", "enter"}, {"esc"}, {"1"}} {
		s := campaign(catalog.Sending, catalog.OneTime) // enter: a dangerous action starts on Cancel; 1: publish is dimmed
		fake := uitest.NewFake(s)
		h, _ := open(t, fake, s)
		h.Press(keys...)
		if len(fake.Calls()) > 0 {
			t.Errorf("after %q: %q", keys, fake.Calls())
		}
	}
}

func TestDisabledReasons(t *testing.T) {
	s := campaign(catalog.Active, catalog.Periodic)
	h, _ := open(t, uitest.NewFake(s), s)
	h.Press("up") // from Pause to Stop
	h.Want("Not available: You can't stop this campaign", "only one-time campaigns can be stopped;")

	fake := uitest.NewFake(s)
	sent := campaign(catalog.Sent, catalog.OneTime)
	if why := status.DisabledReason(uitest.Deps(fake.WithoutCapabilities()), sent, catalog.Archive); !strings.Contains(why, "can't archive") {
		t.Errorf("a service that cannot archive: %q", why)
	}
	if why := status.DisabledReason(uitest.Deps(fake), sent, catalog.Archive); why != "" {
		t.Errorf("a service that can archive: %q", why)
	}
}

func TestRefusals(t *testing.T) {
	problems := engine.Errorf(engine.Unprocessable, http.StatusUnprocessableEntity, "the campaign has 6 problems")
	for _, target := range []string{"basic_details.name", "scheduling_details.start_time", "c", "d", "e", "f"} {
		problems.Details = append(problems.Details, engine.Detail{Target: target, Message: "is required"})
	}
	s := campaign(catalog.Draft, catalog.OneTime)
	fake := uitest.NewFake(s)
	fake.Fail("Publish", problems)
	h, _ := open(t, fake, s)
	h.Press("1", "y")
	h.Want("Can't publish “Spring sale”: the campaign has 6", "Basics › Campaign name: is required", "Schedule › Start: is required")
	h.WantNot("basic_details", "start_time")
	if got := h.LastRoute(); got.Name != screen.Validate || got.ID != id {
		t.Errorf("opened %+v", got)
	}

	paused := campaign(catalog.Active, catalog.Periodic)
	fake = uitest.NewFake(paused)
	fake.Fail("ChangeStatus", engine.Errorf(engine.Unprocessable, http.StatusUnprocessableEntity, "PAUSE does not apply."))
	h, hs := open(t, fake, paused)
	h.Press("3", "y")
	h.Want("Can't pause “Spring sale”: PAUSE does not apply.")
	if len(hs.changed) != 1 {
		t.Error("a refusal does not make the screens look again")
	}
}
