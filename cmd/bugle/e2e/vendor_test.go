//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"bugle/engine/service/remote/vendortest"
)

// A session against a server of another vendor, which refuses each request that its description does
// not allow: list, search, edit, send, validate, test, and a change of state.
func TestOtherVendor(t *testing.T) {
	server := vendortest.Start(t)
	config := t.TempDir()
	env := []string{"XDG_CONFIG_HOME=" + config, "XDG_STATE_HOME=" + filepath.Join(config, "state"), "REMOTE_KEY=k"}
	add := exec.Command(binary, "remote", "add", "acme", "--url", server.URL, "--workspace-id", vendortest.Workspace,
		"--key-env", "REMOTE_KEY", "--dialect", vendortest.DialectFile(t), "--author", "ann@example.com", "--use")
	add.Env = append(os.Environ(), env...)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	term := open(t, 100, 30, "", env...)
	term.see("ACME1 @ acme", "Acme summer sale", "Boots are back", "Parcel on its way")

	// Two sections of a draft, one of which the vendor spells otherwise in its answers.
	term.press("/")
	term.write("created:2024 summer")
	term.see("1 of ", "Acme summer sale")
	term.press("Enter", "Enter")
	term.see("› Acme summer sale", "Basics", "Schedule")
	term.press("Home", "Enter")
	term.see("▸ Campaign name")
	term.write(" again")
	term.see("changes not applied")
	term.press("C-s")
	term.see("Applied.")
	term.press("Escape", "Down", "Down", "Down", "Down", "Down", "Enter")
	term.see("▸ Sending time")
	term.press("Down", "Down")
	term.see("▸ End")
	term.write("1 jan 2032 10:00")
	term.press("Tab")
	term.see("changes not applied")
	term.press("C-s")
	term.see("Applied.")

	// What the vendor misses is shown at our own field.
	term.press("Escape", "v")
	term.see("1 problem", "Optimizer duration", "Acme wants two days")
	term.press("Escape", "Escape")
	term.see("enter open")

	term.press("t")
	term.see("Test send", "Recipients")
	term.write("ann@acme.example")
	term.press("Enter")
	term.see("1 of 10")
	term.press("C-s")
	term.see("› Results", "✓ Email", "✗ Email", "Acme has no such mailbox")
	term.press("Escape", "Escape")
	term.see("enter open")

	term.press("/", "C-u")
	term.write("boots")
	term.see("1 of ", "Boots are back")
	term.press("Enter", "s")
	term.see("Pause")
	term.press("Enter")
	term.see("Pause “")
	term.press("y")
	term.see("“Boots are back” is now paused")
}
