package campaigns

import (
	"fmt"
	"strings"

	"bugle/engine/search/query"
	"bugle/ui/status"
)

// query returns the current query.
func (s *Screen) query() query.Query {
	q, _ := query.Parse(s.bar.text(), s.answer.env(s.now()))
	return q
}

// sorted returns the order of the shown rows.
func (s *Screen) sorted() order {
	if s.answer == nil {
		return order{query.Updated, true}
	}
	return s.answer.sorted()
}

// info counts the shown and the selected campaigns.
func (s *Screen) info(selected int) string {
	if s.answer == nil {
		return ""
	}
	text := fmt.Sprintf("%d of %d", s.answer.result.Len(), s.answer.total)
	if selected > 0 {
		text = fmt.Sprintf("%d selected · %s", selected, text)
	}
	return text
}

// empty explains why there are no rows, and what to do.
func (s *Screen) empty() string {
	none := s.ix.Len() == 0
	switch {
	case s.failed != nil && none:
		return "Can't load campaigns: " + status.Refusal("", s.failed) + "\n\nPress r to reload."
	case !s.loaded && none || s.answer == nil:
		return "Loading campaigns…"
	case none:
		return "No campaigns yet.\n\nPress n to start one."
	case s.answer.query.Empty() && len(s.answer.problems) == 0 && s.loaded:
		return "All campaigns are archived.\n\nPress / and type is:all to see them, or n to start another."
	case !s.loaded:
		return "Nothing found yet. The list is still loading."
	}
	return s.noHitsText()
}

// noHitsText says what is wrong with the search, or that nothing matches it.
func (s *Screen) noHitsText() string {
	text := "No campaigns match “" + strings.TrimSpace(s.answer.text) + "”."
	if p := s.answer.problems; len(p) > 0 {
		text = problemText(p[0])
	} else if len(s.answer.query.Terms) > 1 {
		text += " Try fewer words: no campaign has them all."
	}
	return text + "\n\nPress esc to see all campaigns."
}
