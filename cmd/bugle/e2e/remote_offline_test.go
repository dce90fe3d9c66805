//go:build e2e

package e2e

import "testing"

// The service goes away and comes back: what was read stays readable, also after a new start, and edits
// wait until they can be applied.
func TestRemoteServiceGoesOffline(t *testing.T) {
	there := newServer(t)
	env := there.profile()
	term := open(t, 100, 30, "", env...)
	term.see("DEMO @ there", "Winter roast launch")
	term.press("Enter")
	term.see("Sections", "Campaign name")
	term.press("Escape")
	term.see("enter open")

	there.stop()
	term.press("r")
	term.see("offline since", "Winter roast launch")
	term.press("Enter")
	term.see("Sections", "Campaign name", "offline since")
	term.press("Enter", "End")
	term.write(" from afar")
	term.see("from afar", "changes not applied")
	term.press("C-s")
	term.see("Cannot apply your changes: the service has been", "your edits")

	// One that was seen in the list alone can be read as well.
	term.press("Escape", "Escape")
	term.see("without applying?")
	term.press("Enter")
	term.see("enter open")
	term.press("Down", "Enter")
	term.see("Sections", "Black Friday countdown", "Campaign name")
	term.press("Escape")
	term.see("enter open")

	// Nothing of it hangs on the running program.
	term.press("q")
	term.see("EXIT=0")
	term.again()
	term.see("offline since", "Winter roast launch")
	term.press("Enter")
	term.see("from afar", "changes not applied")

	there.start()
	term.see("The service is back online.")
	term.gone("offline since")
	term.press("C-s")
	term.see("Applied.")
	term.press("Escape")
	term.see("Winter roast launch from")
}
