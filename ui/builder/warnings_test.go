package builder_test

import (
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/screen"
)

// cleanMail has neither problems nor warnings; notes do not count.
const cleanMail = `{"basic_details": {"name": "News", "content_type": "TRANSACTIONAL"}, "connector": {"connector_type": "CUSTOM_SMTP", "connector_name": "Demo mail"},
	"campaign_content": {"content": {"email": {"subject": "Your order", "preview_text": "What we have packed for you today, and when it comes",
	"from_address": "a@example.com", "html_content": "<p>x</p>"}}},
	"scheduling_details": {"delivery_type": "AT_FIXED_TIME", "start_time": "2026-03-20T09:00:00", "timezone": "UTC"},
	"segmentation_details": {"is_all_user_campaign": true}}`

// withUser adds a user, so that audiences are not empty.
func (b *testbed) withUser(attributes map[string]any) *testbed {
	b.t.Helper()
	attributes[engine.AttrEmail] = "a@example.com"
	b.svc.PutUsers(engine.User{ID: "U1", Attributes: attributes})
	return b
}

// Warnings follow each edit: they are counted beside the problems, listed after them, and shown at their field.
func TestWarningsFollowEdits(t *testing.T) {
	h := newTestbed(t, catalog.Email, cleanMail).withUser(map[string]any{}).open(120, 40, subjectAt)
	h.Script("?no problems · saved", "ctrl+u", ">WIN A WHOLE YEAR OF COFFEE", "?1 warning · saved", "?Write it in")
	h.Script("ctrl+g", "?Email › Subject", "esc ctrl+z", "?no problems · saved", "ctrl+y", "?1 warning · saved")
}

// An edited audience is counted again, and so is one for which an expression is new.
func TestEditedAudienceIsCountedAgain(t *testing.T) {
	b := newTestbed(t, catalog.Email, cleanMail) // without users
	h := b.open(120, 40, subjectAt)
	h.Want("1 warning · saved") // nobody gets it
	b.withUser(map[string]any{})
	h.Send(screen.ChangedMsg{})
	// The attribute is unknown, and the user has no value for it.
	h.Script("?no problems · saved", "end", ">{{ UserAttribute['City'] }}", "?2 warnings · saved")
}

// One key adds the filters that values in HTML and in links need, and ctrl+z takes them out again.
func TestFixAddsFilters(t *testing.T) {
	html := `<p>{{user.first_name|default(\"x\")}}</p><a href=\"https://shop.eu/s?city={{ user.city|default('x') }}\">City</a>`
	fixed := `<p>{{user.first_name|default(\"x\")|e}}</p><a href=\"https://shop.eu/s?city={{ user.city|default('x')|urlencode }}\">City</a>`
	b := newTestbed(t, catalog.Email, strings.Replace(cleanMail, "<p>x</p>", html, 1))
	h := b.withUser(map[string]any{"First Name": "M & <Sons>", "City": "New York"}).open(120, 40, subjectAt)
	h.Script("alt+f", "?Fixed: ")
	b.want(htmlAt, `"`+fixed+`"`)
	h.Script("alt+f", "?No warning can be fixed with a key.", "ctrl+z")
	b.want(htmlAt, `"`+html+`"`)
}
