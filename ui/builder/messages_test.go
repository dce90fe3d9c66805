package builder_test

import (
	"testing"

	"bugle/engine/catalog"
)

// Of several messages there is no form of them all: what is typed into its fields would be another message, beside them.
func TestSeveralMessagesAreAGrid(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"basic_details":{"name":"News"},"campaign_content":{"locales":["de"],
		"content":{"default":{"variation_1":{"email":{"subject":"Hi"}}},"de":{"variation_1":{"email":{"subject":"Hallo"}}}}}}`)
	h := b.open(120, 40, "campaign_content")
	for range 2 {
		h.Want("+ locale (a)")
		h.WantNot("Subject")
		h.Press("alt+m")
	}
}
