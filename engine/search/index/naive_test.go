package index_test

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/search/query"
)

// naive answers a query row by row, with no index. It is written from what the language means.
type naive struct {
	rows []engine.Summary
	q    query.Query
	now  time.Time
}

// matches reports whether a row is found; terms of the query word lifted do not count.
func (n naive) matches(row engine.Summary, lifted query.Key) bool {
	row.Head = engine.HeadAt(row, n.now)
	for _, w := range n.q.Words() {
		if n.word(row, w) == w.Not {
			return false
		}
	}
	archived := lifted == query.Status
	single := map[query.Key]bool{} // of the terms of one query word that a row has one value for, any
	for _, t := range n.q.Filters() {
		key := t.Key
		if t.Key == query.Is {
			if t.Values[0].Text == query.IsAll || hasAll(t) {
				archived = archived || !t.Not
				continue
			}
			if live := slices.ContainsFunc(t.Values, func(v query.Value) bool { return v.Text == query.IsLive }); !live || t.Not {
				key = query.Status
			} else if slices.ContainsFunc(t.Values, func(v query.Value) bool { return v.Text == query.IsArchived }) {
				archived = true
			}
		}
		holds := n.term(row, t)
		switch {
		case t.Not && holds:
			return false
		case t.Not:
		case key == query.Status:
			archived = true
			single[key] = single[key] || holds || lifted == key
		case slices.Contains([]query.Key{query.Channel, query.Type, query.By, query.Team}, key):
			single[key] = single[key] || holds || lifted == key
		case !holds && lifted != key:
			return false
		}
	}
	for _, ok := range single {
		if !ok {
			return false
		}
	}
	return archived || row.Status != catalog.Archived
}

func hasAll(t query.Term) bool {
	return slices.ContainsFunc(t.Values, func(v query.Value) bool { return v.Text == query.IsAll })
}

func (n naive) term(row engine.Summary, t query.Term) bool {
	return slices.ContainsFunc(t.Values, func(v query.Value) bool {
		is := func(wire string) bool { return query.Wire(t.Key, v.Text) == wire }
		at := func(when time.Time) bool {
			from, to, _ := query.Range(v.Text, n.now)
			return !when.IsZero() && !when.Before(from) && (to.IsZero() || when.Before(to))
		}
		switch t.Key {
		case query.Status:
			return is(string(row.Status))
		case query.Channel:
			return is(string(row.Channel))
		case query.Type:
			return is(string(row.DeliveryType))
		case query.Platform:
			return slices.ContainsFunc(row.Platforms, is)
		case query.Is:
			return v.Text == query.IsArchived && row.Status == catalog.Archived || v.Text == query.IsLive && row.Status.Live()
		case query.Tag:
			return n.meant(row.Tags, v, func(r engine.Summary) []string { return r.Tags })
		case query.By:
			return n.meant([]string{row.CreatedBy}, v, func(r engine.Summary) []string { return []string{r.CreatedBy} })
		case query.Team:
			return n.meant([]string{row.Team}, v, func(r engine.Summary) []string { return []string{r.Team} })
		case query.Updated:
			return at(row.UpdatedAt)
		case query.Created:
			return at(row.CreatedAt)
		case query.Start:
			return at(row.Start)
		}
		return false
	})
}

// meant: a value that is the same, and only where no row has one, those with a word that begins so.
func (n naive) meant(has []string, v query.Value, of func(engine.Summary) []string) bool {
	same := func(s string) bool { return s != "" && query.Same(s, v.Text) }
	if slices.ContainsFunc(n.rows, func(r engine.Summary) bool { return slices.ContainsFunc(of(r), same) }) {
		return slices.ContainsFunc(has, same)
	}
	return slices.ContainsFunc(has, func(s string) bool { return s != "" && query.Matches(s, v.Text, v.Quoted) })
}

// namedBy returns the state, the channel and the type that a word names; "none" for none. It remembers words: rows are many.
func namedBy(word string) [3]string {
	if known, ok := named.Load(word); ok {
		return known.([3]string)
	}
	is := [3]string{"none", "none", "none"}
	for i, key := range []query.Key{query.Status, query.Channel, query.Type} {
		if wire, ok := query.Named(key, word); ok {
			is[i] = wire
		}
	}
	named.Store(word, is)
	return is
}

var named sync.Map // of words to what they name

func (n naive) word(row engine.Summary, w query.Word) bool {
	if row.ID == w.Text {
		return true
	}
	if is := namedBy(w.Text); is[0] == string(row.Status) || is[1] == string(row.Channel) || is[2] == string(row.DeliveryType) {
		return true
	}
	want := query.Fold(w.Text)
	for _, s := range append([]string{row.Name, row.Team, row.CreatedBy}, row.Tags...) {
		s = query.Fold(s)
		if strings.Contains(s, want) || !w.Exact && !w.Not && len([]rune(want)) >= 3 && letters([]rune(s), []rune(want), -1, reachOf(want)) {
			return true
		}
	}
	return false
}

// reachOf: words of three letters are matched by initials, longer ones by letters close by.
func reachOf(word string) int {
	if len([]rune(word)) == 3 {
		return 0
	}
	return 4
}

// letters reports whether the letters of a word stand in a text behind the place last: the first at
// the start of a word, the others at one or at most four further on.
func letters(text, word []rune, last, reach int) bool {
	if len(word) == 0 {
		return true
	}
	for i := last + 1; i < len(text); i++ {
		start := i == 0 || !(unicode.IsLetter(text[i-1]) || unicode.IsNumber(text[i-1]) || unicode.IsMark(text[i-1]))
		if text[i] == word[0] && (start || last >= 0 && i-last <= reach) && letters(text, word[1:], i, reach) {
			return true
		}
	}
	return false
}

// values returns what a row has in a facet.
func (n naive) values(row engine.Summary, k query.Key) []string {
	row.Head = engine.HeadAt(row, n.now)
	switch k {
	case query.Status:
		return []string{string(row.Status)}
	case query.Channel:
		return []string{string(row.Channel)}
	case query.Type:
		return []string{string(row.DeliveryType)}
	case query.By:
		return []string{row.CreatedBy}
	case query.Team:
		return []string{row.Team}
	case query.Platform:
		return row.Platforms
	}
	return row.Tags
}
