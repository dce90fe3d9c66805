package status_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/uitest"
)

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
	h.Want("Send “Roast”?", "It goes by "+catalog.Email.Label()+" to about 2 of 3 people", "Thu 26 Mar, 08:30", "Europe/Berlin (07:30 your time).")
	h.Press("enter")
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
	h.Press("s", "enter")
	h.Want("on Thu 26 Mar, 07:30")
}

// If no user would be reached, the safe answer has the focus.
func TestPublishingWarns(t *testing.T) {
	h, svc, id := openPublishQuestion(t, readyDraft+`"included_filters":{"filter_operator":"and","filters":[{"filter_type":"user_attributes","data_type":"double","name":"Nr","operator":"greaterThan","value":1}]}}}`)
	h.Want("Send “Roast”", "Nobody in its audience can be reached.")
	h.Press("enter")
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
