//go:build e2e

package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// The main job, with keys alone, at 80×24: an email from nothing to a test that can be read.
func TestEmailFromNothingToSent(t *testing.T) {
	term := open(t, 80, 24, filepath.Join(t.TempDir(), "data"))
	term.see("Welcome to bugle", "Sample workspace")
	term.press("Enter")
	term.see("Campaigns", "Winter roast launch")

	term.press("n")
	term.see("Channel", "Email")
	term.press("Down", "Enter")
	term.see("One-time")
	term.press("Enter")
	term.write("Spring sale")
	term.press("Enter")
	term.see("Connector: add a connector", "4 to do")

	// What is typed in part is completed from the workspace.
	term.press("Enter")
	term.write("demo")
	term.press("Enter")
	term.see("Demo mail", "✓ Connector", "3 to do")

	term.press("Escape", "Down", "Enter")
	term.see("▸ Subject *")
	term.write("Spring is here, {{UserAttribute['First Name']|default('you')}}")
	term.press("Enter", "Enter", "Enter")
	term.write("news@example.com")
	term.press("Down")
	term.see("▸ HTML")
	term.write("<p>Dear {{UserAttribute['First Name']|default('friend')}}, our beans are <b>20% off</b>.</p>")
	term.see("✓ Content", "2 to do", "off</b>.</p>", "saved")

	// The program is killed in the middle: the text in the field is recovered.
	term.kill()
	term.again()
	term.see("Spring sale")
	term.press("Enter")
	term.see("✓ Content", "2 to do", "Audience")
	out, err := term.bugle("search", "--status", "DRAFT", "--name", "Spring sale", "--json")
	if err != nil || !strings.Contains(out, "Spring sale") {
		t.Errorf("a command beside the terminal program: %v\n%s", err, out)
	}

	term.press("Enter", "Space")
	term.see("All users", "✓ Audience", "1 to do")
	term.press("Escape", "Down", "Enter", "Enter", "Down", "Enter")
	term.see("As soon as possible", "saved")
	term.press("Escape", "v")
	term.see("Ready to publish.")

	term.press("t")
	term.see("Test send", "Recipients")
	term.write("ann")
	term.see("Ann Berger")
	term.press("Enter")
	term.see("1 of 10")
	term.write("someone@example.org")
	term.press("Enter")
	term.see("2 of 10")
	term.press("C-s")
	term.see("› Results", "Email sent", "2 of 2")

	term.press("O")
	term.see("Outbox", "2 messages", "ann@example.com", "Spring is here")
	term.press("/")
	term.write("ann@")
	term.see("1 of 1")
	term.press("Enter", "Enter")
	term.see("Spring is here, Ann", "Dear Ann, our beans are", "20% off")

	term.press("Escape", "q")
	term.see("EXIT=0")
	out, err = term.bugle("search", "--status", "DRAFT", "--name", "Spring sale", "--json")
	if err != nil {
		t.Fatalf("search: %v\n%s", err, out)
	}
	var found struct {
		Campaigns []struct {
			Basic struct{ Name string } `json:"basic_details"`
		}
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil || len(found.Campaigns) != 1 || found.Campaigns[0].Basic.Name != "Spring sale" {
		t.Errorf("search found %s", out)
	}
}

// The same for a push on Android and Web with the timer template.
func TestTimerPushFromNothingToSent(t *testing.T) {
	term := open(t, 80, 24, filepath.Join(t.TempDir(), "data"))
	term.see("Welcome to bugle")
	term.press("Enter")
	term.see("Winter roast launch")
	term.press("n", "Enter", "Enter")
	term.write("Last hours")
	term.press("Enter", "Enter")
	term.see("Choose one or more of")

	term.press("Enter", "Down", "Down", "Tab", "Enter")
	term.see("[ ] Android")
	term.press("Space", "Down", "Down", "Space", "Enter")
	term.see("Android, Web ▾", "✓ Basics")

	term.press("Escape", "Down", "Enter", "Enter")
	term.see("Content › Android", "▸ Title *")
	term.write("Last hours, {{UserAttribute['First Name']|default('friend')}}")
	term.press("Down")
	term.write("The sale ends at midnight.")
	term.press("Down", "Down", "Down", "Down", "Down")
	term.see("▸ Template")
	term.write("timer")
	term.press("Enter")
	term.see("Timer ▾", "Countdown ends")
	term.press("Down")
	term.see("Countdown ends")
	term.write("dur")
	term.press("Enter")
	term.see("Duration ▾")
	term.press("Down", "Down", "Down", "Down")
	term.see("▸ Duration, hours *")
	term.write("2")
	term.press("Down")
	term.write("30")
	term.press("Down", "Enter")
	term.see("Android › Backup")
	term.write("Last hours")
	term.press("Down")
	term.write("The sale ends at midnight.")
	term.press("Escape", "F7")
	term.see("Content › Web", "▸ Title")
	term.press("M-y")
	term.see("The sale ends at midnight.", "Tap opens *")
	term.press("Down", "Down", "Down")
	term.write("https://example.com/sale")
	term.see("✓ Content")

	term.press("Escape", "Escape")
	term.press("Down", "Down", "Enter", "Space")
	term.see("✓ Audience")
	term.press("Escape", "Down", "Enter", "Enter", "Down", "Enter", "Escape", "v")
	term.see("Ready to publish.")

	term.press("t")
	term.see("Recipients")
	term.write("USER_1")
	term.press("Enter")
	term.see("1 of 10")
	term.press("C-s")
	term.see("› Results", "Android sent", "Web sent")
	term.press("O")
	term.see("▌ now")
	term.press("Enter")
	term.see("Last hours, Ann", "The sale ends at midnight.")
}

// Without a terminal, the program prints a summary of the workspace and what to do, and exits.
func TestWithoutATerminal(t *testing.T) {
	term := &terminal{t: t, data: filepath.Join(t.TempDir(), "data")}
	out, err := term.bugle()
	if err != nil || !strings.Contains(out, "bugle init --sample") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A window that is too small, and one that grows again, lose nothing.
func TestSmallWindow(t *testing.T) {
	term := open(t, 20, 5, filepath.Join(t.TempDir(), "data"))
	term.see("bugle needs a window")
	term.tmux("resize-window", "-t", "main", "-x", "120", "-y", "40")
	term.see("Welcome to bugle")
	term.press("Enter")
	term.see("Winter roast launch", "Selected")
}
