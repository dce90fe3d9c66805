package campaigns

import (
	"fmt"
	"strings"

	"bugle/ui/status"
)

// empty says why there are no rows, and what to do.
func (s *Screen) empty() string {
	none := s.source.index().Len() == 0
	switch {
	case s.failed != nil && none:
		return "Can't load campaigns: " + status.Refusal(s.failed) + "\n\nPress r to try again."
	case !s.loaded && none || s.answer == nil:
		return "Loading campaigns…"
	case none:
		return "No campaigns yet.\n\nPress n to start one."
	case s.answer.query.Empty() && s.loaded:
		return "All campaigns are archived.\n\nPress A to see them, or n to start another."
	case !s.loaded:
		return "Nothing found yet. The list is still loading."
	}
	return s.noHits()
}

// noHits says which word of the search keeps everything out.
func (s *Screen) noHits() string {
	text := "No campaigns match “" + strings.TrimSpace(s.answer.text) + "”."
	if p := s.answer.problems; len(p) > 0 {
		text = problemText(p[0]) + "\n" + text
	}
	word, ok := s.culprit()
	many := len(s.answer.query.Terms) > 1
	switch {
	case ok && many:
		text += fmt.Sprintf("\n\nWithout %s: %s. Press %s to remove it.", word.term, campaignsOf(word.finds), s.dropKey())
	case many:
		text += "\n\nTry fewer words: no campaign has them all."
	}
	return text + "\n\nPress esc to see all campaigns."
}

// dropKey is the key that drops a word: one that the search does not take for itself.
func (s *Screen) dropKey() string {
	if s.bar.prompt.Focused() {
		return "ctrl+x"
	}
	return "backspace"
}
