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
		from       engine.State
		dt         engine.DeliveryType
		keys, call string
		says       string
	}{
		{catalog.Draft, catalog.OneTime, "1 y", "Publish " + id + " true", "“Spring sale” is now active"},
		{catalog.Sending, catalog.OneTime, "2 y", "ChangeStatus " + id + " STOP", "“Spring sale” is now stopped"},
		{catalog.Active, catalog.Periodic, "3 enter", "ChangeStatus " + id + " PAUSE", "“Spring sale” is now paused"},
		{catalog.Paused, catalog.Periodic, "4 y", "ChangeStatus " + id + " RESUME", "“Spring sale” is now active"},
		{catalog.Sent, catalog.OneTime, "5 y", "Archive " + id, "“Spring sale” is now archived"},
		{catalog.Archived, catalog.OneTime, "6 y", "Restore " + id, "Restored “Spring sale”"},
		{catalog.Draft, catalog.OneTime, "7 y", "Delete " + id, "Deleted “Spring sale”"},
	} {
		s := campaign(test.from, test.dt)
		fake := uitest.NewFake(s)
		h, hs := open(t, fake, s)
		h.Script(test.keys, "?"+test.says)
		if !fake.Called(test.call) {
			t.Errorf("asked %q, want %q", fake.Calls(), test.call)
		}
		if len(hs.changed) != 1 || hs.changed[0] != id {
			t.Errorf("%s: told of changes to %q", test.call, hs.changed)
		}
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
	for _, keys := range []string{"2 n", "2 esc", "2 enter", "esc", "1"} { // 2 starts on Cancel; 1 is not available
		s := campaign(catalog.Sending, catalog.OneTime)
		fake := uitest.NewFake(s)
		h, _ := open(t, fake, s)
		h.Script(keys)
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
	h.Script(
		"1 y", "?Can't publish “Spring sale”: the campaign has 6", "?Basics › Campaign name: is required",
		"?Schedule › Start: is required", "!basic_details", "!start_time",
	)
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

// openPublishQuestion opens the question before publishing a campaign with these components, in a workspace
// with three users, two of them with an address.
func openPublishQuestion(t *testing.T, components string) (*uitest.Harness, *uitest.Service, string) {
	t.Helper()
	svc := uitest.NewService(t, engine.Workspace{})
	svc.PutUsers(
		engine.User{ID: "U0", Attributes: map[string]any{"Nr": 0, engine.AttrEmail: "a@example.com"}},
		engine.User{ID: "U1", Attributes: map[string]any{"Nr": 1, engine.AttrEmail: "b@example.com"}},
		engine.User{ID: "U2", Attributes: map[string]any{"Nr": 2}},
	)
	id := svc.Draft(catalog.Email, catalog.OneTime, components)
	h, _ := open(t, svc, engine.Summarize(svc.Stored(id)))
	h.Press("enter")
	return h, svc, id
}

// wantState fails the test unless the campaign is in that state.
func wantState(t *testing.T, svc *uitest.Service, id string, want engine.State) {
	t.Helper()
	if got := svc.Stored(id).Status; got != want {
		t.Errorf("the campaign is %s, want %s", got, want)
	}
}

const readyDraft = `{"basic_details":{"name":"Roast","content_type":"PROMOTIONAL","subscription_category":"Offers"},
	"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Demo mail"},
	"campaign_content":{"content":{"email":{"subject":"Hi","preview_text":"Twelve blends that are new this spring, and one is back","from_address":"a@example.com",
		"html_content":"<p>x</p><p>Bean Ltd, 1 Main Street, 10115 Berlin</p><a href='https://shop.eu/unsubscribe'>Unsubscribe</a>"}}},
	"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-03-26T08:30:00","timezone":"Europe/Berlin"},
	"segmentation_details":{`

// The question describes what is sent to which users and when in one sentence, and enter means yes.
func TestPublishingAsksWithFacts(t *testing.T) {
	h, svc, id := openPublishQuestion(t, readyDraft+`"is_all_user_campaign":true}}`)
	h.Script("?Send “Roast”?", "?It goes by Email to about 2 of 3 people", "?Thu 26 Mar, 08:30", "?Europe/Berlin (07:30 your time).", "enter")
	wantState(t, svc, id, catalog.Scheduled)
	h, _ = open(t, svc, engine.Summarize(svc.Stored(id)))
	h.Script("2", "?Stop “Roast”", "?about 2 of 3", "?Thu 26 Mar", "?You can't start a stopped campaign", "enter") // the safe answer has the focus
	wantState(t, svc, id, catalog.Scheduled)
}

// Without a time zone, the campaign's or that for display, times are in UTC.
func TestPublishingWithoutATimeZone(t *testing.T) {
	components := strings.Replace(readyDraft, `08:30:00","timezone":"Europe/Berlin"`, `08:30:00+01:00"`, 1) + `"is_all_user_campaign":true}}`
	_, svc, id := openPublishQuestion(t, components)
	deps := uitest.Deps(svc)
	deps.Location = nil
	h := uitest.New(t, &host{Base: screen.NewBase(), choose: func() tea.Cmd { return status.Choose(deps, engine.Summarize(svc.Stored(id))) }}, 100, 24)
	h.Script("s enter", "?on Thu 26 Mar, 07:30")
}

// If no user would be reached, the safe answer has the focus.
func TestPublishingWarns(t *testing.T) {
	h, svc, id := openPublishQuestion(t, readyDraft+`"included_filters":{"filter_operator":"and","filters":[{"filter_type":"user_attributes","data_type":"double","name":"Nr","operator":"greaterThan","value":1}]}}}`)
	h.Script("?Send “Roast”", "?Nobody in its audience can be reached.", "enter")
	wantState(t, svc, id, catalog.Draft)
}

// Of what the checks warn about the first ones are listed, and refuse nothing.
func TestPublishingListsWarnings(t *testing.T) {
	const wrong = `<p>x</p><script>x</script><form></form><link rel='stylesheet' href='https://shop.eu/a.css'><img src='http://shop.eu/a.png'><a href='TODO'>Shop</a>`
	components := strings.Replace(readyDraft, "<p>x</p>", wrong, 1) + `"is_all_user_campaign":true}}`
	h, svc, id := openPublishQuestion(t, strings.Replace(components, "Hi", "A WHOLE YEAR OF COFFEE", 1))
	h.Script("?Send “Roast”", "?! Email › ", "?more warning")
	h.Golden("publish-warnings-80x24")
	h.Press("y")
	wantState(t, svc, id, catalog.Scheduled)
}
