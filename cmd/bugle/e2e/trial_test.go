//go:build e2e

package e2e

import "testing"

// A periodic email in two languages with an A/B test, for an audience of two actions with conditions of
// their own, made by what the screens say and valid at the first check. The path a new user takes; the
// number of strokes keeps it as short as it is.
func TestTrialOfANewUser(t *testing.T) {
	t.Parallel()
	p := sample(t, 120, 40)
	p.play("n", "?New draft", "Down Enter", "?One-time", "Down Enter", ">Weekly tips", "Enter", "?Connector: add a connector")

	// Connector: taken from what the workspace has.
	p.play("Enter", "?▸ Name", ">demo", "Enter", "?✓ Connector")

	// Content: the grid, one message written, the others filled with it.
	p.play("Escape Down Enter", "?▸ Subject", "M-m", "?+ locale (a)", "a", "?German", ">de", "Enter", "?German       ○ empty",
		"A", "?50%", "Up Left Enter", "?▸ Subject", ">Five tips, {{First", "?> First Name", "Enter", ">friend", "Enter Enter",
		">Bugle", "Enter", ">news@example.com", "Down", ">Hello", "?▸ HTML", "M-l", "?✓ Content")

	// Audience: two actions, each with a condition on its event.
	p.play("Escape", "?3 to do", "Down Down Enter", "?Include opted-out", "Down Enter", "?No filters yet",
		"a 2", ">order shipped once in the last 90 days", "?= Did Order Shipped", "Enter", "?Did Order Shipped at least once in",
		"a 4", ">carr", "?> carrier", "Enter", "?one of ▾", "Enter", ">DHL, UPS", "Enter", "?carrier is DHL",
		"a 2", ">viewed", "?> Product Viewed", "Enter Escape", "?and Did Product Viewed",
		"a 4", ">price", "?Number", "Enter", "?one of ▾", "Space", ">greater", "?> greater than", "Enter", ">20", "Enter", "?price is above 20")

	// Schedule: each second week, from tomorrow.
	p.play("Escape Escape Down Enter", "?Sending time", "Enter Down Enter", "?Start *", "Down", ">tomorrow 9am", "?= ", "Enter Enter", "?▸ Time zone", "?Europe/Berlin",
		"Down Enter", "?Frequency", "Enter Down Down Enter", "?Days of the week", "Down", ">2", "Down Down Enter", "?[ ] Monday", "Space Enter", "?Monday ▾", "?✓ Schedule", "!to do")

	p.play("Escape Escape", "?v validate", "v", "?Ready to publish.")
	t.Logf("%d keystrokes", p.strokes)
	if p.strokes > 225 {
		t.Errorf("it took %d keystrokes", p.strokes)
	}
	p.holds("Weekly tips", `"locales":["de"]`, `"no_of_variations":2`, `"no_of_variations":2`, `"UPS"`, `"WEEKLY"`)
}
