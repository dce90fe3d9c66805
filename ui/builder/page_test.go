package builder_test

import (
	"strings"
	"testing"

	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// Enter on HTML opens it at the size of the pane, from its beginning; there it begins a line. The message stays beside it, esc
// returns to the field, and ctrl+z takes back what was typed.
func TestHTMLHasItsOwnPage(t *testing.T) {
	var html strings.Builder
	for range 60 {
		html.WriteString("<p>A line of the letter</p>\\n")
	}
	b := newTestbed(t, catalog.Email, `{"campaign_content":{"content":{"email":{"subject":"Hi","html_content":"`+html.String()+`"}}}}`)
	at := doc.P("campaign_content", "content", "email", catalog.EmailHTML)
	before := b.stored().Body.Lookup(at).Text()
	h := b.open(80, 24, "campaign_content", "content", "email", catalog.EmailHTML)
	h.Press("enter")
	h.Want("─ Content › HTML ─", " Typing ", "enter new line")
	if lines, _, _ := pane(h, 1); !strings.HasPrefix(lines[0], "<p>A line") || !strings.HasPrefix(lines[19], "<p>A line") {
		t.Errorf("the page does not begin at the beginning, or does not fill the pane:\n%s", h.Text())
	}
	h.Type("Dear")
	h.Press("enter")
	h.Type("all,")
	if got, want := b.stored().Body.Lookup(at).Text(), "Dear\nall,"+before; got != want {
		t.Errorf("the store has %.40q", got)
	}
	h.Golden("html-80x24")
	h.Resize(120, 40)
	h.Want("Content › HTML", "─ Preview ─", "Dear all,")
	h.WantFits()
	h.Press("alt+p", "esc")
	h.Want(" Typing ", "Content › HTML")
	h.Press("ctrl+z")
	if got := b.stored().Body.Lookup(at).Text(); got != before {
		t.Errorf("undo left %.40q", got)
	}
	h.Want("Content › HTML")
	h.Press("esc")
	h.Want("▸ HTML", "Subject *")
}
