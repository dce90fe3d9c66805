package welcome

import (
	"strings"

	"bugle/ui/list"
	"bugle/ui/screen"
)

// Read says the two ways to begin.
func (s *Screen) Read() screen.Page {
	rows := list.ItemRows(&s.list, nil)
	for i := range rows {
		rows[i].State, _, _ = strings.Cut(descriptions[i], " Press ")
	}
	page := screen.Page{Summary: "There is no workspace here yet. What do you want to start with?",
		Parts: []screen.Part{{Rows: rows}}}
	if s.failed != nil {
		page.Summary = s.failed.Error()
	}
	return page
}
