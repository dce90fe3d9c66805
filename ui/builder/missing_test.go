package builder_test

import (
	"strings"
	"testing"

	"bugle/engine/catalog"
)

// One key goes from problem to problem, into empty sections too. A skipped field is visited again after the others.
func TestNextProblem(t *testing.T) {
	h := newTestbed(t, catalog.Push, `{"basic_details":{"name":"Sale"}}`).open(80, 24, "")
	h.Script("alt+n", "?▸ Platforms", "enter space down space enter")
	h.Script("alt+n", "?▸ iOS devices", "enter down enter")
	h.Script("alt+n", "?Android", "?▸ Title", ">Sale")
	h.Script("alt+n", "?▸ Message", ">Today")
	h.Script("alt+n", "?▸ Title", "alt+y") // iOS from Android
	h.Script("alt+n", "?▸ Send to", "space")
	h.Script("alt+n", "?▸ Sending time", "enter down enter", "?As soon as possible")
	h.Script("alt+n", "?Nothing is missing.", "?▸ Sending time")

	mail := strings.Replace(strings.Replace(liveMail, `"Hi"`, `""`, 1), "2026", "soon", 1)
	h = newTestbed(t, catalog.Email, mail).open(120, 40, "")
	h.Script("alt+n", "?▸ Subject", "alt+n", "?▸ Start", "alt+n", "?▸ Subject")
}
