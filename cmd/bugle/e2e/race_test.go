//go:build e2e

package e2e

import (
	"fmt"
	"testing"
)

// What was just typed is in the test that is opened at once: the draft's own saves are nobody else's.
func TestTestSendWhileTyping(t *testing.T) {
	t.Parallel()
	p := sample(t, 120, 40)
	p.play("/", ">winter roast", "?1 of 48", "Enter Enter", "?✓ Connector")
	for i := range 5 {
		p.play("Home Down Down Enter", "?▸ Subject", "C-u", fmt.Sprintf(">Roast %d for you", i), "M-t", "?Recipients", "?─ Messages ─")
		p.play("!changed elsewhere", "Escape", "?▸ Subject", "Escape", "?v validate")
	}
	p.holds("Winter roast", "Roast 4 for you")
}
