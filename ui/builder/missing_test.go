package builder_test

import (
	"testing"

	"bugle/engine/catalog"
	"bugle/ui/uitest"
)

// One key goes from problem to problem, into empty sections too.
func TestNextProblem(t *testing.T) {
	for _, size := range uitest.Sizes {
		b := newTestbed(t, catalog.Push, `{"basic_details":{"name":"Sale"}}`)
		h := b.open(size.W, size.H)
		h.Press("alt+n")
		h.Want("▸ Platforms")
		h.Press("enter", " ", "down", " ", "enter")
		h.Press("alt+n")
		h.Want("▸ iOS devices")
		h.Press("enter", "down", "enter")
		h.Press("alt+n")
		h.Want("Android", "▸ Title")
		h.Type("Sale")
		h.Press("alt+n")
		h.Want("▸ Message")
		h.Type("Today")
		h.Press("alt+n")
		h.Want("▸ Title")
		h.Press("alt+y")
		h.Press("alt+n")
		h.Want("▸ Send to")
		h.Press(" ")
		h.Press("alt+n")
		h.Want("▸ Sending time")
		h.Press("enter", "down", "enter")
		h.Want("As soon as possible")
		h.Press("alt+n")
		h.Want("Nothing is missing.", "▸ Sending time")
	}
}

// A skipped field is visited again after the others.
func TestNextProblemWrapsAround(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"basic_details":{"name":"Sale"},"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Demo mail"},"segmentation_details":{"is_all_user_campaign":true}}`)
	h := b.open(120, 40)
	h.Press("alt+n")
	h.Want("▸ Subject")
	h.Press("alt+n")
	h.Want("▸ Sending time")
	h.Press("alt+n")
	h.Want("▸ Subject")
}
