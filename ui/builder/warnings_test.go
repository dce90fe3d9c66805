package builder_test

import (
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/screen"
)

// cleanMail has neither problems nor warnings; notes do not count.
const cleanMail = `{"basic_details": {"name": "News", "content_type": "TRANSACTIONAL"}, "connector": {"connector_type": "CUSTOM_SMTP", "connector_name": "Demo mail"},
	"campaign_content": {"content": {"email": {"subject": "Your order", "preview_text": "What we have packed for you today, and when it comes",
	"from_address": "a@example.com", "html_content": "<p>x</p>"}}},
	"scheduling_details": {"delivery_type": "AT_FIXED_TIME", "start_time": "2026-03-20T09:00:00", "timezone": "UTC"},
	"segmentation_details": {"is_all_user_campaign": true}}`

// withUser adds a user, so that audiences are not empty.
func (b *testbed) withUser() *testbed {
	b.t.Helper()
	if err := b.svc.PutUser(b.t.Context(), engine.User{ID: "U1", Attributes: map[string]any{engine.AttrEmail: "a@example.com"}}); err != nil {
		b.t.Fatal(err)
	}
	return b
}

// Warnings follow each edit: they are counted beside the problems, listed after them, and shown at their field.
func TestWarningsFollowEdits(t *testing.T) {
	b := newTestbed(t, catalog.Email, cleanMail).withUser()
	h := b.open(120, 40, "campaign_content", "content", "email", "subject")
	h.Want("no problems · saved")
	h.Press("ctrl+u")
	h.Type("WIN A WHOLE YEAR OF COFFEE")
	h.Want("1 warning · saved", "Write it in")
	h.Press("ctrl+g")
	h.Want("Email › Subject")
	h.Press("esc", "ctrl+z")
	h.Want("no problems · saved")
	h.Press("ctrl+y")
	h.Want("1 warning · saved")
}

// An edited audience is counted again, and so is one for which an expression is new.
func TestEditedAudienceIsCountedAgain(t *testing.T) {
	b := newTestbed(t, catalog.Email, cleanMail) // without users
	h := b.open(120, 40, "campaign_content", "content", "email", "subject")
	h.Want("1 warning · saved") // nobody gets it
	b.withUser()
	h.Send(screen.ChangedMsg{})
	h.Want("no problems · saved")
	h.Press("end")
	h.Type(" {{ UserAttribute['City'] }}")
	h.Want("2 warnings · saved") // the attribute is unknown, and the user has no value for it
}

// One key adds the filters that values in HTML and in links need, and ctrl+z takes them out again.
func TestFixAddsFilters(t *testing.T) {
	html := `<p>{{user.first_name|default(\"x\")}}</p><a href=\"https://shop.eu/s?city={{ user.city|default('x') }}\">City</a>`
	fixed := `<p>{{user.first_name|default("x")|e}}</p><a href="https://shop.eu/s?city={{ user.city|default('x')|urlencode }}">City</a>`
	b := newTestbed(t, catalog.Email, strings.Replace(cleanMail, "<p>x</p>", html, 1))
	user := engine.User{ID: "U1", Attributes: map[string]any{engine.AttrEmail: "a@example.com", "First Name": "M & <Sons>", "City": "New York"}}
	if err := b.svc.PutUser(t.Context(), user); err != nil {
		t.Fatal(err)
	}
	at := doc.P("campaign_content", "content", "email", catalog.EmailHTML)
	h := b.open(120, 40, "campaign_content", "content", "email", "subject")
	h.Press("alt+f")
	h.Want("Fixed: ")
	if got := b.stored().Body.Lookup(at).Text(); got != fixed {
		t.Errorf("stored %s", got)
	}
	h.Press("alt+f")
	h.Want("No warning can be fixed with a key.")
	h.Press("ctrl+z")
	if got := b.stored().Body.Lookup(at).Text(); got == fixed {
		t.Error("ctrl+z left the filters")
	}
}
