//go:build e2e

package e2e

import "testing"

// find opens the campaign that the search finds first.
func (p *player) find(words, part string) {
	p.t.Helper()
	p.play("/", ">"+words, "?1 of 48", "Enter Enter", "?"+part)
}

// The schedule of a periodic campaign, as people say it: from tomorrow at nine, each last Friday; what
// that comes to is listed and stands in the calendar.
func TestScheduleInNaturalLanguage(t *testing.T) {
	t.Parallel()
	p := sample(t, 120, 40)
	p.play("n", "?New draft", "Down Enter", "?One-time", "Down Enter", ">Last Fridays", "Enter", "?Connector: add a connector",
		"Down Down Down Down Enter", "?No start time yet", "?Start *", "Down", ">tomorrow 9am", "?09:00 Europe/Berlin", "?tomorrow", "Enter Enter", "?▸ Time zone", "?Europe/Berlin",
		"Down Enter", "?▸ Frequency", "Enter Down Down Down Enter", "?Weekdays of the month", "Down Down Down Down Down Enter", "Enter", "?▸ Week *",
		"Enter Down Down Down Down Down Enter", "?Last ▾", "Down Enter", "?[ ] Monday", "Down Down Down Down Space Enter", "?Friday ▾", "?✓ Schedule", "?Fri ", "?09:00")
	p.play("Escape Escape Escape Escape", "?v validate", "p", "?esc", "?Calendar")
	p.holds("Last Fridays", `"LAST"`, `"Europe/Berlin"`, `T09:00:00`)
}

// Colors, buttons, links and goals; the whole campaign in the editor; and back to how it was.
func TestDetailsAndHistory(t *testing.T) {
	t.Parallel()
	editor := script(t, t.TempDir(), "editor", `sed -i 's/"Order within a day"/"Order at once"/' "$1"`)
	p := sample(t, 120, 40, "EDITOR="+editor, "VISUAL="+editor)
	p.find("black friday", "✓ Content")
	p.play("Down Enter", "?▸ Android", "Enter", "?▸ Title", "Down Down Down Down Down Down", "?Timer ▾", "Enter", "?type to find", ">styl", "Enter", "?Stylized basic",
		"Down Down Down Down", "?▸ Background", ">#0a7d", ">5f", "?#0a7d5f")

	p.play("C-Home Down Down Down Down Down", "?▸ Buttons", "Enter", "?1              › Shop the sale", "Down", "K", "?1              › Copy code", "C-z", "?1              › Shop the sale", "C-y", "?1              › Copy code")

	p.play("Escape Escape Escape", "?v validate", "Down Down Down Down Down", "?Attribution window", "Enter Down Enter", "?Order within", "Down", "Enter", "?▸ Name", "Escape Escape Escape", "?v validate",
		"Down Down", "?Source *", "?utm_source=northwind")

	p.play("C-k", ">edit the whole campaign", "?edit all", "Enter")
	p.holds("Black Friday", "Order at once")
	p.play("Up Up", "?Attribution window", "H", "?Versions", "?Order at once", "?Order within a day")
	p.play("End", "?Created", "R", "?Restore version", "y", "!Leave as it is", "?○ Content")
	p.play("C-z", "?✓ Content")
	p.holds("Black Friday", "Order at once")
}

// A live campaign: locked fields are marked, other changes wait until they are applied, and the screen shows when they
// take effect.
func TestLiveCampaign(t *testing.T) {
	t.Parallel()
	p := sample(t, 120, 40)
	p.find(`"order confirmation"`, "✓ Connector")
	p.play("Down Down Down", "?Cannot be changed while the campaign is Active.", "Enter", "?▸ Event", "Escape",
		"Home Enter", "?▸ Campaign name", "> two", "?changes not applied", "C-s", "?Apply 1 change to an active campaign", "y", "?Applied. Changes can take up to 30", "Escape", "H", "?3 versions", "?+ Order confirmation two")
}
