package builder_test

import (
	"testing"

	"bugle/engine/catalog"
	"bugle/ui/uitest"
)

// Sections, problems and what a field opens can be clicked in every layout.
func TestClicks(t *testing.T) {
	for _, size := range uitest.Sizes {
		b := newTestbed(t, catalog.Email, `{"basic_details":{"name":"Sale"}}`)
		h := b.open(size.W, size.H, "")
		for _, section := range []string{"○ Connector", "– Trigger", "○ Schedule", "· Control group", "· Audience limit"} {
			h.ClickOn(section)
			h.Want("▌ " + section)
		}
		h.Script("ctrl+g", "@Add a message", "?─ Content ─")
		b.open(size.W, size.H, "connector.connector_name").ClickOn("Demo mail")
		b.want("connector.connector_type", `"CUSTOM_SMTP"`)
		b.open(size.W, size.H, "scheduling_details.start_time").Script("f4", "@28", "@28", "enter", "?28 Mar")
	}
}
