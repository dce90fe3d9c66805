//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// Two terminals and commands work on one folder: what one changes the others show, and when the one
// that has the store is killed the other goes on, with what was typed.
func TestTwoTerminalsOnOneFolder(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	first := open(t, 80, 24, data)
	first.see("Welcome to bugle")
	first.press("Enter")
	first.see("Winter roast launch")
	second := open(t, 80, 24, data)
	second.see("Winter roast launch", "has the store open")

	if out, err := second.bugle("create", "--channel", "PUSH", "--name", "From a command"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	first.see("From a command")
	second.see("From a command")

	first.press("Enter")
	first.see("Parts", "Campaign name")
	first.press("Enter")
	first.write(" typed here")
	first.see("typed here", "saved")
	first.killFirst()
	second.see("this one")
	out, err := second.bugle("search", "--status", "DRAFT", "--name", "typed here")
	if err != nil || !strings.Contains(out, "typed here") {
		t.Errorf("after the kill: %v\n%s", err, out)
	}
	second.press("r", "Home", "Enter")
	second.see("typed here")
	second.press("Enter", "End")
	second.write(" and there")
	second.see("and there", "saved")
}
