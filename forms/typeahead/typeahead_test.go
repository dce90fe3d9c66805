package typeahead_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"bugle/forms/typeahead"
	"bugle/themes"
)

// A line is never wider than w for any text and cursor, and a click on a character moves the cursor before it.
func TestLineFits(t *testing.T) {
	for _, text := range []string{"", "abcdefghijklmnopqrstuvwxyz", "世界世界世界世界世界世界", "a👩‍👩‍👧b👩‍👩‍👧c👩‍👩‍👧de\u0301fghij", "a\x1b[31mb\u202ec"} {
		for w := 1; w < 40; w++ {
			for at := range len([]rune(text)) + 1 {
				l := typeahead.Line{Text: text, Cursor: at, Placeholder: "type something here"}
				if got := ansi.StringWidth(l.View(themes.Plain(), w)); got > max(w, 2) {
					t.Fatalf("%q with the cursor at %d takes %d of %d cells: %q", text, at, got, w, l.View(themes.Plain(), w))
				}
			}
		}
	}
	l := typeahead.Line{Text: "abcdefghijklmnopqrstuvwxyz", Cursor: 20}
	view := ansi.Strip(l.View(themes.Plain(), 12))
	for _, c := range "nopqrs" {
		if x := len([]rune(view[:strings.IndexRune(view, c)])); string([]rune(l.Text)[l.At(x, 12)]) != string(c) {
			t.Errorf("a click on %c of %q puts the cursor before %c", c, view, []rune(l.Text)[l.At(x, 12)])
		}
	}
}

func TestBestMatchIsHighlighted(t *testing.T) {
	items := typeahead.Items([]string{"Repurchase", "Product Viewed", "First Purchase", "Purchase_Completed"})
	for text, want := range map[string]string{"purch": "Purchase_Completed", "PRO": "Product Viewed", "purchase comp": "Purchase_Completed", "view": "Product Viewed", "repurchase": "Repurchase"} {
		var l typeahead.List
		l.Show(typeahead.Options{Items: typeahead.Match(items, text), Text: text, Typed: true, Free: true})
		if r, _ := l.Highlighted(); r.Value != want {
			t.Errorf("%q highlights %q", text, r.Value)
		}
	}
}
