package campaigns

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"bugle/engine/search/query"
	"bugle/ui/status"
)

// finder is the search field with its result.
type finder struct {
	bar      searchBar
	answer   *searchResult
	searches int // counts the searches
	prefs    *listPrefs
	now      func() time.Time // in the display zone
}

// known returns the values that campaigns had at the last search.
func (f *finder) known() knownValues {
	if f.answer == nil {
		return nil
	}
	return f.answer.known
}

// query returns the current query.
func (f *finder) query() query.Query {
	q, _ := query.Parse(f.bar.text(), f.known().env(f.now()))
	return q
}

// sorted returns the order of the shown rows.
func (f *finder) sorted() order {
	if f.answer == nil {
		return order{query.Updated, true}
	}
	return f.answer.sorted()
}

// blockingTerm returns the term whose removal would give most hits; false if no single term is the cause.
func (f *finder) blockingTerm() (blockingTerm, bool) {
	if f.answer == nil || len(f.answer.blocking) == 0 {
		return blockingTerm{}, false
	}
	return slices.MaxFunc(f.answer.blocking, func(a, b blockingTerm) int { return a.hits - b.hits }), true
}

// title returns the list's title, with the sort column if the user chose one.
func (f *finder) title() string {
	if c, ok := columnOf(f.sorted().Key); ok && f.customSort() {
		return "Campaigns by " + strings.ToLower(c.head.Title)
	}
	return "Campaigns"
}

// info counts the shown and the selected campaigns.
func (f *finder) info(selected int) string {
	if f.answer == nil {
		return ""
	}
	text := fmt.Sprintf("%d of %d", f.answer.result.Len(), f.answer.total)
	if selected > 0 {
		text = fmt.Sprintf("%d selected · %s", selected, text)
	}
	return text
}

// footer describes the sort order.
func (f *finder) footer() string {
	o := f.sorted()
	if o.Key == "" {
		return "best match first"
	}
	c, ok := columnOf(o.Key)
	if !ok {
		return ""
	}
	text := "by " + strings.ToLower(c.head.Title)
	switch {
	case c.descending && o.Desc:
		text += ", newest first"
	case c.descending:
		text += ", oldest first"
	case o.Desc:
		text += ", Z to A"
	}
	if f.customSort() {
		text += " · o sort"
	}
	return text
}

// customSort reports whether the user chose the sort order.
func (f *finder) customSort() bool { return f.prefs.settings.Sort.Key != "" || hasSort(f.query()) }

// empty explains why there are no rows, and what to do.
func (f *finder) empty(from *feed) string {
	none := from.source.index().Len() == 0
	switch {
	case from.failed != nil && none:
		return "Can't load campaigns: " + status.Refusal("", from.failed) + "\n\nPress r to try again."
	case !from.loaded && none || f.answer == nil:
		return "Loading campaigns…"
	case none:
		return "No campaigns yet.\n\nPress n to start one."
	case f.answer.query.Empty() && len(f.answer.problems) == 0 && from.loaded:
		return "All campaigns are archived.\n\nPress A to see them, or n to start another."
	case !from.loaded:
		return "Nothing found yet. The list is still loading."
	}
	return f.noHitsText()
}

// noHitsText names the word of the search that excludes everything.
func (f *finder) noHitsText() string {
	text := "No campaigns match “" + strings.TrimSpace(f.answer.text) + "”."
	if p := f.answer.problems; len(p) > 0 {
		text = problemText(p[0])
	}
	word, ok := f.blockingTerm()
	many := len(f.answer.query.Terms) > 1
	switch {
	case ok && many:
		text += fmt.Sprintf("\n\nWithout %s: %s. Press %s to remove it.", word.term, campaignCount(word.hits), f.dropKey())
	case many:
		text += "\n\nTry fewer words: no campaign has them all."
	}
	return text + "\n\nPress esc to see all campaigns."
}

// dropKey returns the key that removes that word, one that the search field does not use.
func (f *finder) dropKey() string {
	if f.bar.prompt.Focused() {
		return "ctrl+x"
	}
	return "backspace"
}
