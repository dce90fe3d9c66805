package status_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/service/local"
	"bugle/store/mem"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/uitest"
)

// openPublishQuestion opens the question before publishing a campaign with these components, in a workspace
// with three users, two of them with an address.
func openPublishQuestion(t *testing.T, components string) (*uitest.Harness, *local.Service, string) {
	t.Helper()
	ctx := context.Background()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	_, err := local.CreateWorkspace(ctx, db, engine.Workspace{
		ID: "DEMO", SubscriptionCategories: []string{"Offers"}, Publish: engine.PublishEnabled,
		Connectors: []engine.Connector{{Type: "CUSTOM_SMTP", Name: "Demo mail", Provider: engine.ProviderOutbox}},
	})
	if err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, "DEMO", local.Options{Clock: func() time.Time { return uitest.Now }})
	if err != nil {
		t.Fatal(err)
	}
	for i, address := range []string{"a@example.com", "b@example.com", ""} {
		p := engine.User{ID: fmt.Sprint("U", i), Attributes: map[string]any{"Nr": i}}
		if address != "" {
			p.Attributes[engine.AttrEmail] = address
		}
		if err := svc.PutUser(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	body, err := doc.Parse([]byte(components))
	if err != nil {
		t.Fatal(err)
	}
	made, err := svc.Create(ctx, engine.CreateRequest{Body: engine.NewDraftBody(catalog.Email, catalog.OneTime, "ann@example.com", body)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := svc.Get(ctx, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	h, _ := open(t, svc, engine.Summarize(c))
	h.Press("enter")
	return h, svc, made.ID
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
	if c, err := svc.Get(context.Background(), id); err != nil || c.Status != catalog.Scheduled {
		t.Fatalf("the campaign is %s, %v", c.Status, err)
	}
	c, err := svc.Get(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	h, _ = open(t, svc, engine.Summarize(c))
	h.Press("2")
	h.Want("Stop “Roast”", "about 2 of 3", "Thu 26 Mar", "You can't start a stopped campaign")
	h.Press("enter") // the safe answer has the focus
	if c, err := svc.Get(context.Background(), id); err != nil || c.Status != catalog.Scheduled {
		t.Errorf("the campaign is %s, %v", c.Status, err)
	}
}

// Without a time zone, the campaign's or that for display, times are in UTC.
func TestPublishingWithoutATimeZone(t *testing.T) {
	components := strings.Replace(readyDraft, `08:30:00","timezone":"Europe/Berlin"`, `08:30:00+01:00"`, 1) + `"is_all_user_campaign":true}}`
	_, svc, id := openPublishQuestion(t, components)
	c, err := svc.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	deps := uitest.Deps(svc)
	deps.Location = nil
	h := uitest.New(t, &host{Base: screen.NewBase(), choose: func() tea.Cmd { return status.Choose(deps, engine.Summarize(c)) }}, 100, 24)
	h.Press("s", "enter")
	h.Want("on Thu 26 Mar, 07:30")
}

// If no user would be reached, the safe answer has the focus.
func TestPublishingWarns(t *testing.T) {
	h, svc, id := openPublishQuestion(t, readyDraft+`"included_filters":{"filter_operator":"and","filters":[{"filter_type":"user_attributes","data_type":"double","name":"Nr","operator":"greaterThan","value":1}]}}}`)
	h.Want("Send “Roast”", "Nobody in its audience can be reached.")
	h.Press("enter")
	if c, err := svc.Get(context.Background(), id); err != nil || c.Status != catalog.Draft {
		t.Errorf("enter published it: %s, %v", c.Status, err)
	}
}

// What the checks warn about is listed, and refuses nothing.
func TestPublishingListsWarnings(t *testing.T) {
	components := strings.Replace(readyDraft, "Hi", "A WHOLE YEAR OF COFFEE", 1) + `"is_all_user_campaign":true}}`
	h, svc, id := openPublishQuestion(t, components)
	h.Want("Send “Roast”", "! Email › Subject: ")
	h.Press("y")
	if c, err := svc.Get(context.Background(), id); err != nil || c.Status != catalog.Scheduled {
		t.Errorf("the campaign is %s, %v", c.Status, err)
	}
}

// Of many warnings the first ones are listed.
func TestPublishingListsFewWarnings(t *testing.T) {
	const wrong = `<p>x</p><script>x</script><form></form><link rel='stylesheet' href='https://shop.eu/a.css'><img src='http://shop.eu/a.png'><a href='TODO'>Shop</a>`
	components := strings.Replace(readyDraft, "<p>x</p>", wrong, 1) + `"is_all_user_campaign":true}}`
	h, _, _ := openPublishQuestion(t, strings.Replace(components, "Hi", "A WHOLE YEAR OF COFFEE", 1))
	h.Want("more warning")
	h.Golden("publish-warnings-80x24")
}
