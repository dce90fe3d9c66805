package builder_test

import (
	"context"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/builder"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

const personalMail = `{"basic_details":{"name":"News","content_type":"TRANSACTIONAL"},
	"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Demo mail"},
	"segmentation_details":{"is_all_user_campaign":true},
	"campaign_content":{"content":{"email":{"subject":"Hi {{UserAttribute['First Name']}}","from_address":"a@example.com","html_content":"<p>Shop in {{UserAttribute['City']}} today</p>"}}}}`

// withPeople is a testbed with three users, of whom Ben has no city.
func withPeople(t testing.TB, components string) *testbed {
	t.Helper()
	b := newTestbed(t, catalog.Email, components)
	for _, u := range []engine.User{
		{ID: "USER_1", Attributes: map[string]any{"First Name": "Ada", engine.AttrEmail: "ada@example.com", "City": "Oslo"}},
		{ID: "USER_2", Attributes: map[string]any{"First Name": "Ben", engine.AttrEmail: "ben@example.com"}},
		{ID: "USER_3", Attributes: map[string]any{"First Name": "Cleo", engine.AttrEmail: "cleo@example.com", "City": "Rome"}},
	} {
		if err := b.svc.PutUser(context.Background(), u); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// previewOf opens the campaign at its preview.
func (b *testbed) previewOf(deps screen.Deps, w, h int) *uitest.Harness {
	return uitest.New(b.t, builder.New(deps, screen.Route{Name: screen.Builder, ID: b.id, Preview: true}), w, h)
}

// The preview shows the message as the user who was searched for, as the others of the audience, and as nobody.
func TestViewAs(t *testing.T) {
	b := withPeople(t, personalMail)
	h := b.previewOf(uitest.Deps(b.svc), 180, 45)
	h.Want("{{UserAttribute['First Name']}}")
	h.Press("u")
	h.Want("View as", "next user", "Nobody", "As written")
	h.Resize(80, 24)
	h.Golden("viewas-chooser-80x24")
	h.Resize(180, 45)
	h.Type("ben")
	h.Press("enter")
	h.WantNot("View as")
	h.Want("As Ben", "Hi Ben", "1 value missing", "the user has no")
	h.WantFits()
	h.Resize(80, 24)
	h.Golden("viewas-missing-80x24")
	h.Resize(180, 45)
	h.Press("u")
	h.Resize(80, 24)
	h.Resize(180, 45)
	if n := strings.Count(h.Text(), "As Ben"); n != 1 {
		t.Errorf("the preview is shown %d times:\n%s", n, h.Text())
	}
	h.Press("alt+.")
	h.Want("Now: Cleo", "Hi Cleo", "nothing missing")
	h.Press("alt+.")
	h.Want("This is the last user in the audience.")
	h.Press("alt+,", "alt+,")
	h.Want("Now: Ada", "Hi Ada")
	h.Press("ctrl+r")
	h.WantNot("Looking through")
	h.Type("nobody")
	h.Press("enter")
	h.Want("As nobody", "2 values missing")
	h.Press("u")
	h.Type("written")
	h.Press("enter")
	h.WantNot("As nobody", "missing")
	h.Want("{{UserAttribute['First Name']}}")
}

// Typing in the form changes what the person sees, and enter in the preview leads to the expression without a value.
func TestViewAsFollowsTyping(t *testing.T) {
	b := withPeople(t, personalMail)
	h := b.previewOf(uitest.Deps(b.svc), 180, 45)
	h.Press("u")
	h.Type("ben")
	h.Press("enter", "enter")
	h.Type("x")
	if got := b.value("campaign_content.content.email.html_content"); !strings.Contains(got, "x") {
		t.Errorf("enter led elsewhere: the HTML is %s\n%s", got, h.Text())
	}
	h.Press("ctrl+z")
	if h.Text(); !strings.Contains(b.value("campaign_content.content.email.subject"), "Hi") {
		t.Error("the subject was changed")
	}
	h.Press("alt+u")
	h.Type("cleo")
	h.Press("enter")
	h.Want("As Cleo", "nothing missing")
}

// Who was chosen is remembered for the campaign.
func TestViewAsIsRemembered(t *testing.T) {
	b := withPeople(t, personalMail)
	deps := uitest.Deps(b.svc)
	deps.Workspace, deps.Prefs = "DEMO", prefs.NewInMemory()
	h := b.previewOf(deps, 180, 45)
	h.Press("u")
	h.Type("cleo")
	h.Press("enter")
	again := b.previewOf(deps, 180, 45)
	again.Want("As Cleo", "Hi Cleo")
	if err := b.svc.DeleteUser(context.Background(), "USER_3"); err != nil {
		t.Fatal(err)
	}
	gone := b.previewOf(deps, 180, 45)
	gone.Want("As Cleo", "There is no user")
}

// The values of the event come from the last one seen.
func TestViewAsShowsTheLastEvent(t *testing.T) {
	b := withPeople(t, personalMail)
	b.create(catalog.Email, catalog.EventTriggered, `{"basic_details":{"name":"News","content_type":"TRANSACTIONAL"},
		"trigger_condition":{"included_filters":{"filter_operator":"and","filters":[{"filter_type":"actions","action_name":"Bought"}]}},
		"campaign_content":{"content":{"email":{"subject":"{{EventAttribute['product']}} for {{UserAttribute['First Name']}}","from_address":"a@example.com","html_content":"<p>x</p>"}}}}`)
	u, err := b.svc.User(context.Background(), "USER_1")
	if err != nil {
		t.Fatal(err)
	}
	u.Events = []engine.Event{{Name: "Bought", At: uitest.Now, Attributes: map[string]any{"product": "Boots"}}}
	if err := b.svc.PutUser(context.Background(), u); err != nil {
		t.Fatal(err)
	}
	h := b.previewOf(uitest.Deps(b.svc), 180, 45)
	h.Press("u")
	h.Type("ada")
	h.Press("enter")
	h.Want("Boots for Ada")
}

// Whatever the section is about, the message is beside the form while one looks at it as somebody.
func TestViewAsFromEverySection(t *testing.T) {
	b := withPeople(t, personalMail)
	h := b.open(120, 40, "segmentation_details")
	h.Want("─ Audience ─")
	h.Press("esc", "u")
	h.Want("View as", "─ Preview ─")
	h.Type("ben")
	h.Press("enter")
	h.Want("As Ben", "Hi Ben")
	h.Press("down")
	h.Press("up")
	h.Want("╮╭─ Audience ─", "users ·")
}

// The caption says in which locale a message is shown, and why.
func TestViewAsNamesTheLocale(t *testing.T) {
	b := withPeople(t, `{"basic_details":{"name":"News"},"segmentation_details":{"is_all_user_campaign":true},
		"campaign_content":{"locales":["de"],"content":{"default":{"variation_1":{"email":{"subject":"Hi"}}},"de":{"variation_1":{"email":{"subject":"Hallo"}}}}}}`)
	h := b.open(120, 40, "segmentation_details")
	h.Press("esc", "u")
	h.Type("ben")
	h.Press("enter")
	h.Want("As Ben · Default", "Which locale they get is decided")
	h = b.open(120, 40, "campaign_content", "content", "de", "variation_1", "email")
	h.Press("alt+u")
	h.Type("ben")
	h.Press("enter")
	h.Want("As Ben · German", "Hallo")
	h.Press("alt+S")
	h.Want("Audience survey")
}

// The survey says for how many users a value is missing, and leads to the expression.
func TestSurvey(t *testing.T) {
	b := withPeople(t, personalMail)
	h := b.previewOf(uitest.Deps(b.svc), 180, 45)
	h.Press("S")
	h.Want("Audience survey", "In the audience", "{{UserAttribute['City']}}: the user has no attribute City", "USER_2", "Longest texts")
	h.Resize(80, 24)
	h.Golden("survey-80x24")
	h.Resize(180, 45)
	h.Press("enter")
	h.WantNot("Audience survey")
	h.Want("▸ HTML")
}

// A service that does not show its users offers nobody, and says so.
func TestViewAsRemote(t *testing.T) {
	b := withPeople(t, personalMail)
	deps := uitest.Deps(struct{ engine.Service }{b.svc})
	deps.FallbackCopies = nil
	h := b.previewOf(deps, 180, 45)
	h.Press("u")
	h.Want("This service does not show its users.", "Nobody", "As written")
	h.WantNot("next user", "Ada")
	h.Press("enter")
	h.Want("As nobody", "2 values missing")
	if why := h.DisabledReason("S"); !strings.Contains(why, "does not show its users") {
		t.Errorf("the audience can be surveyed: %q", why)
	}
}

// A campaign without a message has nothing to show, whoever looks.
func TestViewAsWithoutMessages(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"basic_details": {"name": "Empty"}}`)
	before := string(b.stored().Body.Encode())
	h := b.previewOf(uitest.Deps(b.svc), 180, 45)
	h.Press("u")
	h.WantFits()
	h.Type("nobody")
	h.Press("enter")
	h.Want("Add a message")
	h.WantFits()
	if got := string(b.stored().Body.Encode()); got != before {
		t.Errorf("looking wrote %s", got)
	}
}
