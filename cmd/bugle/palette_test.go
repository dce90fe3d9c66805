package main

import (
	"testing"

	"bugle/ui/screen"
)

// The palette leads to sections, fields, values, campaigns and settings by the words for them, from every screen.
func TestPaletteFindsEverything(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		route, words, first string // expected first row of the list
		shows               string // once it is chosen
		search              string // of the list of campaigns before
	}{
		{route: screen.Campaigns, words: "schedule", first: "▌ Schedule", shows: "▏ ✓ Schedule"},
		{route: screen.Builder, words: "schedule", first: "▌ Schedule", shows: "▏ ✓ Schedule"},
		{route: screen.Validate, words: "audience", first: "▌ Audience", shows: "▏ ✓ Audience"},
		{route: screen.TestSend, words: "subject", first: "▌ Subject", shows: "▸ Subject"},
		{route: screen.History, words: "subject", first: "▌ Subject", shows: "▸ Subject"},
		{route: screen.Campaigns, search: "channel:push status:draft", words: "title", first: "▌ Title", shows: "▸ Title"},
		{route: screen.Campaigns, search: "channel:push status:draft", words: "ios", first: "▌ iOS", shows: "iOS"},
		{route: screen.Builder, words: "promotional", first: "▌ Promotional", shows: "▸ Content type"},
		{route: screen.Outbox, words: "connectors", first: "▌ Connectors", shows: "Connectors"},
		{route: screen.Campaigns, words: "winter roast", first: "▌ Winter roast launch", shows: "Campaigns › Winter roast launch"},
		{route: screen.Campaigns, words: "keys", first: "▌ Keys", shows: "Settings"},
		{route: screen.Campaigns, words: "time zone", first: "▌ Time zone", shows: "▸ Time zone"},
		{route: screen.Campaigns, words: "valid", first: "▌ validate", shows: "Validate"},
	} {
		h := onSample(t, c.route)
		h.Send(screen.ThemeMsg{}) // the plain one
		if c.search != "" {
			h.Press("/")
			h.Type(c.search)
			h.Press("enter")
		}
		h.Press("ctrl+k")
		h.Type(c.words)
		h.Want(c.first)
		h.WantNot("suspend")
		h.Press("enter")
		h.Want(c.shows)
		if t.Failed() {
			t.Fatalf("%q on %s", c.words, c.route)
		}
	}
}

// A field that is found on the list belongs to the selected campaign, which its row names.
func TestPaletteNamesCampaignOfField(t *testing.T) {
	t.Parallel()
	h := onSample(t, screen.Campaigns)
	h.Send(screen.ThemeMsg{})
	h.Press("/")
	h.Type("winter roast launch")
	h.Press("enter", "ctrl+k")
	h.Type("tags")
	h.Want("· Winter roast launch")
	h.Press("esc", "ctrl+k")
	h.Type("winter roast launch") // finds the campaign, not all of its fields
	h.WantNot(" section ", " field ")
	h.Press("esc", "enter", "ctrl+k")
	h.Type("tags")
	h.WantNot("· Winter roast launch") // the builder shows which campaign it is
}
