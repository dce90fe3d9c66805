//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A key and a theme are changed in Settings, and both persist to the
// next start.
func TestSettingsPersist(t *testing.T) {
	home := t.TempDir()
	term := open(t, 60, 20, filepath.Join(home, "data"), "XDG_STATE_HOME="+home, "XDG_CONFIG_HOME="+home)
	term.see("Welcome to bugle")
	term.press("Enter")
	term.see("Winter roast")

	term.press("F9")
	term.see("Settings", "Focused panel")
	term.press("Down", "Down", "Down", "Down", "Enter")
	term.see("✓ color-blind")
	term.press("Tab", "/")
	term.write("app.palette")
	term.press("Enter", "Enter")
	term.see("Change key")
	term.press("C-p")
	term.see("key ctrl+p.")
	term.press("Escape", "Escape")
	term.see("Winter roast")
	term.press("C-p")
	term.see("Palette", "action, section")
	term.write("outbox")
	term.press("Enter")
	term.see("Campaigns › Outbox")
	term.press("q")
	term.see("EXIT=0")

	keys, err := os.ReadFile(filepath.Join(home, "bugle", "keys.yaml"))
	if err != nil || !strings.Contains(string(keys), "\napp.palette: ctrl+p\n") {
		t.Errorf("the keys are %s, %v", keys, err)
	}
	term.again()
	term.see("Winter roast")
	term.press("C-p")
	term.see("Palette")
	term.press("Escape", "F9")
	term.see("✓ color-blind")
}

// A live campaign: locked fields are marked, other changes wait until they are applied, and the screen shows when they
// take effect.
func TestLiveCampaign(t *testing.T) {
	t.Parallel()
	p := sample(t, 120, 40)
	p.play("/", `>"order confirmation"`, "?1 of 48", "Enter Enter", "?✓ Connector")
	p.play("Down Down Down", "?Cannot be changed while the campaign is Active.", "Enter", "?▸ Event", "Escape",
		"Home Enter", "?▸ Campaign name", "> two", "?changes not applied", "C-s", "?Apply 1 change to an active campaign", "y", "?Applied. Changes can take up to 30", "Escape", "H", "?3 versions", "?+ Order confirmation two")
}
