package history

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/phrase"
	"bugle/ui/list"
	"bugle/ui/screen"
)

// Read says the versions, or what the open one has changed.
func (s *Screen) Read() screen.Page {
	switch {
	case s.failed != nil:
		return screen.Page{Summary: phrase.Sentence(s.failed.Error())}
	case s.reading():
		return screen.Page{Place: "History, " + list.Spoken(s.heading()),
			Parts: []screen.Part{{Lines: list.SpokenLines(s.pager.Text())}}}
	}
	open := func(engine.Revision) tea.Cmd { return tea.Batch(s.show(), s.focus(paneChanges)) }
	return screen.Page{Summary: phrase.Count(s.list.Len(), "version") + ", the newest first.", Cursor: s.list.At(),
		Parts: []screen.Part{{Rows: s.list.Rows(s.show, open)}}}
}
