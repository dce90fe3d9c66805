package textfield_test

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"bugle/forms/textfield"
	"bugle/themes"
)

var fields = map[string]func(*themes.Theme, string) *textfield.Field{"line": textfield.New, "area": textfield.NewArea}

// A text comes back byte for byte, and what is inserted stands at the cursor, wherever that is.
func TestTextIsKept(t *testing.T) {
	for name, field := range fields {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"a\tb", "one\r\ntwo\rthree\n", "\x1b[31mred", "👩\u200d👩\u200d👧 é 日本語", "\n\n"})).Draw(t, "text")
				if !textfield.Accepts(text) {
					return
				}
				f := field(themes.Plain(), "")
				f.Focus()
				f.SetText(text)
				f.SetSize(rapid.IntRange(1, 40).Draw(t, "width"), rapid.IntRange(1, 9).Draw(t, "height"))
				if f.Text() != text {
					t.Fatalf("%q became %q", text, f.Text())
				}
				for range rapid.IntRange(0, 8).Draw(t, "moves") {
					f.Key(tea.KeyMsg{Type: rapid.SampledFrom([]tea.KeyType{tea.KeyLeft, tea.KeyRight, tea.KeyHome, tea.KeyEnd, tea.KeyUp, tea.KeyDown}).Draw(t, "key")})
					f.View()
				}
				before, after := f.Split()
				if before+after != text {
					t.Fatalf("%q is %q and %q", text, before, after)
				}
				more := rapid.SampledFrom([]string{"x", "\t", "é", "e\u0301", "\u202e", "two words"}).Draw(t, "more")
				f.Insert(more)
				if f.Text() != before+more+after {
					t.Fatalf("%q in %q and %q gives %q", more, before, after, f.Text())
				}
				f.Delete(len([]rune(more)))
				if now, _ := f.Split(); f.Text() != text || now != before {
					t.Fatalf("deleted again, %q is %q", text, f.Text())
				}
			})
		})
	}
}

// A text with characters that the field could not keep changes nothing.
func TestUnacceptableTextIsRefused(t *testing.T) {
	f := textfield.New(themes.Plain(), "")
	f.Focus()
	f.SetText("a")
	for _, text := range []string{"\U000F0009", "\xff"} {
		if f.Insert(text); textfield.Accepts(text) || f.Text() != "a" {
			t.Errorf("%q is accepted: %q", text, f.Text())
		}
	}
}
