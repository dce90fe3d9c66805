package builder_test

import (
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
	b.svc.PutUsers(
		engine.User{ID: "USER_1", Attributes: map[string]any{"First Name": "Ada", engine.AttrEmail: "ada@example.com", "City": "Oslo"}},
		engine.User{ID: "USER_2", Attributes: map[string]any{"First Name": "Ben", engine.AttrEmail: "ben@example.com"}},
		engine.User{ID: "USER_3", Attributes: map[string]any{"First Name": "Cleo", engine.AttrEmail: "cleo@example.com", "City": "Rome"}},
	)
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
	h.Script("?{{UserAttribute['First Name']}}", "u", "?View as", "?next user", "?Nobody", "?As written")
	h.Resize(80, 24)
	h.Golden("viewas-chooser-80x24")
	h.Resize(180, 45)
	h.Script(">ben", "enter", "!View as", "?As Ben", "?Hi Ben", "?1 value missing", "?the user has no")
	h.WantFits()
	h.Resize(80, 24)
	h.Golden("viewas-missing-80x24")
	h.Resize(180, 45)
	h.Script("u", "alt+.", "?Now: Cleo", "?Hi Cleo", "?nothing missing", "alt+.", "?This is the last user in the audience.")
	h.Script("alt+, alt+,", "?Now: Ada", "?Hi Ada", "ctrl+r", "!Looking through")
	h.Script(">nobody", "enter", "?As nobody", "?2 values missing")
	h.Script("u", ">written", "enter", "!As nobody", "!missing", "?{{UserAttribute['First Name']}}")
}

// Typing in the form changes what the person sees, and enter in the preview leads to the expression without a value.
func TestViewAsFollowsTyping(t *testing.T) {
	b := withPeople(t, personalMail)
	h := b.previewOf(uitest.Deps(b.svc), 180, 45)
	h.Script("u", ">ben", "enter enter", "?▸ HTML", ">x", "?As Ben")
	if got := b.text(htmlAt); !strings.Contains(got, "x") {
		t.Errorf("enter led elsewhere: the HTML is %s", got)
	}
	h.Script("alt+u", ">cleo", "enter", "?As Cleo", "?nothing missing")
}

// Who was chosen is remembered for the campaign.
func TestViewAsIsRemembered(t *testing.T) {
	b := withPeople(t, personalMail)
	deps := uitest.Deps(b.svc)
	deps.Workspace, deps.Prefs = "DEMO", prefs.NewInMemory()
	b.previewOf(deps, 180, 45).Script("u", ">cleo", "enter")
	b.previewOf(deps, 180, 45).Script("?As Cleo", "?Hi Cleo")
	b.svc.OK(b.svc.DeleteUser(t.Context(), "USER_3"))
	b.previewOf(deps, 180, 45).Script("?As Cleo", "?There is no user")
}

// The values of the event come from the last one seen.
func TestViewAsShowsTheLastEvent(t *testing.T) {
	b := withPeople(t, personalMail)
	b.create(catalog.Email, catalog.EventTriggered, `{"basic_details":{"name":"News","content_type":"TRANSACTIONAL"},
		"trigger_condition":{"included_filters":{"filter_operator":"and","filters":[{"filter_type":"actions","action_name":"Bought"}]}},
		"campaign_content":{"content":{"email":{"subject":"{{EventAttribute['product']}} for {{UserAttribute['First Name']}}","from_address":"a@example.com","html_content":"<p>x</p>"}}}}`)
	u, err := b.svc.User(t.Context(), "USER_1")
	b.svc.OK(err)
	u.Events = []engine.Event{{Name: "Bought", At: uitest.Now, Attributes: map[string]any{"product": "Boots"}}}
	b.svc.PutUsers(u)
	b.previewOf(uitest.Deps(b.svc), 180, 45).Script("u", ">ada", "enter", "?Boots for Ada")
}

// Whatever the section is about, the message is beside the form while one looks at it as somebody.
func TestViewAsFromEverySection(t *testing.T) {
	h := withPeople(t, personalMail).open(120, 40, "segmentation_details")
	h.Script("?─ Audience ─", "esc u", "?View as", "?─ Preview ─", ">ben", "enter", "?As Ben", "?Hi Ben")
	h.Script("down up", "?╮╭─ Audience ─", "?users ·")
}

// The caption says in which locale a message is shown, and why.
func TestViewAsNamesTheLocale(t *testing.T) {
	b := withPeople(t, `{"basic_details":{"name":"News"},"segmentation_details":{"is_all_user_campaign":true},
		"campaign_content":{"locales":["de"],"content":{"default":{"variation_1":{"email":{"subject":"Hi"}}},"de":{"variation_1":{"email":{"subject":"Hallo"}}}}}}`)
	b.open(120, 40, "").Script("u", ">ben", "enter", "?As Ben · Default", "?Which locale they get is decided")
	b.open(120, 40, "campaign_content.content.de.variation_1.email").Script("alt+u", ">ben", "enter", "?As Ben · German", "?Hallo")
}

// The survey says for how many users a value is missing, and leads to the expression.
func TestSurvey(t *testing.T) {
	b := withPeople(t, personalMail)
	h := b.previewOf(uitest.Deps(b.svc), 180, 45)
	h.Script("S", "?Audience survey", "?In the audience", "?{{UserAttribute['City']}}: the user has no attribute City", "?USER_2", "?Longest texts")
	h.Resize(80, 24)
	h.Golden("survey-80x24")
	h.Script("enter", "!Audience survey", "?▸ HTML")
}

// A service that does not show its users offers nobody, and says so.
func TestViewAsRemote(t *testing.T) {
	b := withPeople(t, personalMail)
	deps := uitest.Deps(plainService{b.svc})
	deps.FallbackCopies = nil
	h := b.previewOf(deps, 180, 45)
	h.Script("u", "?This service does not show its users.", "?Nobody", "?As written", "!next user", "!Ada")
	h.Script("enter", "?As nobody", "?2 values missing")
	if why := h.DisabledReason("S"); !strings.Contains(why, "does not show its users") {
		t.Errorf("the audience can be surveyed: %q", why)
	}
}
