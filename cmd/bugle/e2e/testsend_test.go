//go:build e2e

package e2e

import (
	"os/exec"
	"strings"
	"testing"
)

// A test send to two users, and one of them has no attribute for the plan. After that is fixed, the skipped message is sent
// again. The next start has the recipient of the last test; the first one is sent once more, and then with one of the values
// overridden.
func TestSendAgain(t *testing.T) {
	t.Parallel()
	p := sample(t, 120, 40)
	p.find("winter roast", "✓ Connector")
	p.play("Down Down Enter", "?▸ Subject", "C-u", ">For {{UserAttribute['Plan']}} drinkers", "?} drinkers", "!saving", "M-t",
		"?Recipients", ">ann", "!jamal", "?Ann Berger", "Enter", "?1 of 10", ">new@example.net", "Enter", "?2 of 10", "?missing for others",
		"C-s", "?Results", "?1 of 2", "?✓ ann@example.com  Ann Berger  sent", "?○ new@example.net")

	add := exec.Command(binary, "users", "put", "--file", "-")
	add.Env = append(add.Environ(), "BUGLE_DATA="+p.data)
	add.Stdin = strings.NewReader(`{"id": "NEW", "attributes": {"Email (Standard)": "new@example.net", "Plan": "Taster"}}`)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p.play("r", "?✓ new@example.net  sent", "?Results", "Down Down", "?For Taster drinkers")

	p.play("Escape Escape Escape Escape Escape", "q", "?EXIT=0")
	p.again()
	p.play("?Winter roast launch", "t", "?Recipients", "?1 new@example.net")

	p.play("M-H", "?Earlier tests", "Down Enter", "?▌ [ Send", "Enter", "?Results", "?sent  2 of 2")
	p.play("e", "?Personalization", "Tab", "?▌ Plan", ">Gold", "?Gold", "C-s", "?For Gold drinkers")
}
