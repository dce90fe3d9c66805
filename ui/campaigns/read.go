package campaigns

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Read says how many campaigns there are, and the rows of the table.
func (s *Screen) Read() screen.Page {
	page := screen.Page{Summary: s.spokenSummary(), Search: s.searchWords, Parts: []screen.Part{{Rows: spokenRows{s}}}}
	if _, ok := s.selected(); ok {
		page.Cursor = s.grid.Cursor + 1
	}
	return page
}

// spokenSummary says what the table shows, and what is wrong with the search.
func (s *Screen) spokenSummary() string {
	out := []string{phrase.Count(s.grid.Len(), "campaign") + "."}
	if text := s.bar.text(); text != "" {
		out[0] = fmt.Sprintf("%s match “%s”. %s", phrase.Count(s.grid.Len(), "campaign"), widget.Clean(text),
			phrase.Sentence(s.bar.explain))
		if p, wrong := s.bar.problem(); wrong {
			out[0] = problemText(p)
		}
	}
	if s.grid.Len() == 0 {
		out = append(out, s.empty())
	}
	if n := len(s.selection); n > 0 {
		out = append(out, fmt.Sprintf("%d selected.", n))
	}
	if s.failed != nil {
		out = append(out, "The list could not be loaded: "+phrase.Sentence(s.failed.Error()))
	}
	return strings.Join(out, " ")
}

// searchWords searches for words, as they are typed into the search.
func (s *Screen) searchWords(words string) tea.Cmd {
	return s.searchFor(words, cursorTop)
}

// spokenRows are the rows of the table in words.
type spokenRows struct{ s *Screen }

// Len returns the number of campaigns.
func (r spokenRows) Len() int { return r.s.grid.Len() }

// Row returns a campaign in words.
func (r spokenRows) Row(i int) screen.Row {
	sum, ok := r.s.grid.at(i)
	if !ok {
		return screen.Row{}
	}
	state := strings.Join([]string{sum.Channel.Label(), strings.ToLower(sum.DeliveryType.Label()),
		strings.ToLower(sum.Status.Label())}, ", ")
	if r.s.selection[sum.ID] {
		state += ", selected"
	}
	return screen.Row{Text: widget.Clean(sum.Title()), State: state, Select: func() tea.Cmd {
		r.s.focusPane(paneTable)
		r.s.grid.Select(i)
		r.s.moved()
		return nil
	}}
}
