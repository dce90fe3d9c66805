package viewas

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/ui/screen"
)

// Read says who can be chosen.
func (c *Chooser) Read() screen.Page {
	now, _ := c.host.Choice()
	page := screen.Page{Place: c.host.Title, Summary: "Now: " + phrase.Sentence(now.Label()), Warning: c.note,
		Cursor: c.list.At(), Search: func(words string) tea.Cmd {
			c.prompt.SetValue(words)
			c.fill()
			return c.search()
		}}
	if c.values != nil {
		page.Place += ", values"
	}
	open := func(r chooserRow) tea.Cmd { return r.run() }
	page.Parts = []screen.Part{{Rows: c.list.Rows(nil, open)}}
	return page
}

// Read says what the messages come to for everyone in the audience.
func (s *Survey) Read() screen.Page {
	page := screen.Page{Place: "Audience survey"}
	switch {
	case s.running:
	case s.err != nil:
		page.Summary = phrase.Sentence(s.err.Error())
	default:
		page.Parts = []screen.Part{{Rows: s.list.Rows(nil, nil)}}
	}
	return page
}
