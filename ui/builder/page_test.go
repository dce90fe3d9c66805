package builder_test

import (
	"strings"
	"testing"

	"bugle/engine/catalog"
)

// Enter on HTML opens it at the size of the pane, from its beginning; there it begins a line. The message stays beside it, esc
// returns to the field, and ctrl+z takes back what was typed.
func TestHTMLHasItsOwnPage(t *testing.T) {
	lines := strings.Repeat(`<p>A line of the letter</p>\n`, 60)
	b := newTestbed(t, catalog.Email, `{"campaign_content":{"content":{"email":{"subject":"Hi","html_content":"`+lines+`"}}}}`)
	h := b.open(80, 24, htmlAt)
	h.Script("enter", "?─ Content › HTML ─", "? Typing ", "?enter new line")
	h.Script(">Dear", "enter", ">all,")
	b.want(htmlAt, `"Dear\nall,`+lines+`"`)
	h.Golden("html-80x24")
	h.Resize(120, 40)
	h.Script("?Content › HTML", "?─ Preview ─", "?Dear all,", "alt+p esc", "? Typing ", "?Content › HTML")
	h.WantFits()
	h.Script("ctrl+z", "?Content › HTML", "esc", "?▸ HTML", "?Subject *")
	b.want(htmlAt, `"`+lines+`"`)
}
