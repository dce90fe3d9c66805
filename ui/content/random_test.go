package content_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"bugle/engine/catalog"
)

// Undo restores the original document byte for byte after any keys.
func TestUndoRestoresDocument(t *testing.T) {
	keys := []string{
		"up", "down", "left", "right", "tab", "enter", "esc", "a", "A", "x", "y", "d", "=", "alt+y", "%", "4", "0", "backspace",
		"f5", "f6", "alt+m", "alt+l", "home", "end", "ctrl+x",
	}
	edited := 0
	for seed := range uint64(6) {
		for ch, body := range map[catalog.Channel]string{catalog.Email: mail, catalog.Push: push} {
			random := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // the same keys each time
			b := newTestbed(t, ch, body)
			before := b.stored()
			h := b.open(80, 24)
			var pressed []string
			for range 80 {
				pressed = append(pressed, keys[random.IntN(len(keys))])
			}
			h.Press(pressed...)
			if b.stored().Revision != before.Revision {
				edited++
			}
			if h.Quit || len(h.Opened) > 0 {
				t.Fatalf("%v left the builder", pressed)
			}
			for range 8 { // close everything that is open
				if h.Press("esc"); strings.Contains(h.Text(), "? help") {
					break
				}
			}
			for range 200 {
				if strings.Contains(h.Text(), "Nothing more to undo") {
					break
				}
				h.Press("ctrl+z")
			}
			if got, want := string(b.stored().Body.Encode()), string(before.Body.Encode()); got != want {
				t.Fatalf("after %v undo leads to\n%s\nnot to\n%s\n%s", pressed, got, want, h.Text())
			}
		}
	}
	if edited < 8 {
		t.Errorf("only %d of 12 runs changed anything", edited)
	}
}
