//go:build e2e

package e2e

import (
	"encoding/json"
	"testing"
)

// The list of campaigns: it starts with a query, is narrowed by a completed word and a filter, sorted, and saved as a
// view that still exists at the next start.
func TestCampaignsAreFound(t *testing.T) {
	t.Parallel()
	p := sample(t, 120, 40)
	p.play("q", "?EXIT=0")
	query := p.start
	p.start = binary + " -q 'status:draft'; echo EXIT=$?; exec cat"
	p.again()
	p.play("?7 of 48", "?/ status:draft")

	p.play("/", "> chan", "?channel:", "Tab", "?google-ads", ">ema", "Tab", "?on Email", "?3 of 48", "Enter")
	p.play("B", "?Default", "Down Enter", "?Name ↑", "C-k", ">save view", "Enter", "?Save view", ">Mails to write", "Enter", "!Save view", "q", "?EXIT=0")

	p.start = query
	p.again()
	p.play("?48 of 48", "w", "?Mails to write", "6", "?3 of 48", "?/ status:draft channel:email", "?Name ↑")
	p.play("Escape", "?48 of 48", "Tab Down Down", "?● Active", "Enter", "?status:")
}

// Bulk actions: campaigns are tagged after one question; a pause partly fails, with a report of which and why; the
// ended campaigns are archived.
func TestCampaignsInBulk(t *testing.T) {
	t.Parallel()
	p := sample(t, 120, 40)
	p.play("Space Space Space", "?3 selected", "b", "?Add tags", "Enter", "?Add tags to 3 campaigns", ">promo", "Enter", "?Tag 3 campaigns?", "y", "?3 campaigns tagged",
		"/", ">tag:promo", "?3 of 48", "Escape")

	p.play("/", ">status:active type:event channel:email", "Enter", "?4 of 48", "B", "?Default", "Down Enter", "?Name ↑", "Home Space Space Space", "?3 selected",
		"b", "?Add tags", "Down Down Enter", "?Pause 3 campaigns?")
	out, err := p.bugle("search", "--status", "ACTIVE", "--name", "Order confirmation", "--json")
	var found struct {
		Campaigns []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil || len(found.Campaigns) != 1 {
		t.Fatalf("%v in %s", err, out)
	}
	if out, err = p.bugle("pause", found.Campaigns[0].ID, "--yes"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p.play("y", "?2 campaigns paused", "?Order confirmation", "?Try again", "Escape")

	p.play("Escape Escape", "/", ">status:sent", "Enter", "?9 of 48", "*", "?9 selected", "b", "?Add tags", "Down Down Down Enter", "?Archive 8 campaigns?", "?SMS campaigns are read", "y",
		"?8 campaigns archived", "/ C-u", ">is:archived", "?Archived 11")
}
