package builder_test

import (
	"testing"

	"bugle/engine/catalog"
)

// A name that was not accepted is discarded with a word when another place is opened.
func TestDiscardedNameIsSaid(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"utm_params":{"utm_source":"news","utm_medium":"email"}}`)
	h := b.open(120, 40, "utm_params")
	h.Press("ctrl+end", "enter")
	h.Type("utm_x")
	h.ClickOn("Audience")
	h.Want("Discarded “utm_x”.")
}
