package app

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/sahilm/fuzzy"
)

// rank orders what words find equally well, and says how well they must match.
type rank int

const (
	rankHere rank = iota // actions of the screen
	rankSection
	rankScreen
	rankField
	rankSetting
	rankAlways // actions that every screen has
	rankOption
	rankCampaign
	rankExact // found by the beginning of its own name only
)

// How well words match, the best first.
const (
	matchStart     = iota // the name begins with them
	matchName             // each begins a word of the name
	matchText             // each begins a word of the name or of the text after it
	matchMidName          // each is somewhere in the name
	matchMidText          // each is somewhere
	matchScattered        // their letters come in this order
	matchNot
)

// mostMatches is how many entries are listed.
const mostMatches = 60

// matching returns the commands that the words find, the best first.
func matching(words string, commands []command) []command {
	type match struct {
		command
		how, at int
	}
	scattered := map[int]bool{}
	texts := make([]string, len(commands))
	for i, c := range commands {
		texts[i] = c.text()
	}
	for _, m := range fuzzy.Find(words, texts) {
		scattered[m.Index] = true
	}
	fold := strings.Fields(strings.ToLower(words))
	var found []match
	for i, c := range commands {
		how := howWell(fold, c)
		if how == matchNot && scattered[i] && c.act() {
			how = matchScattered
		}
		if how < matchNot && (c.rank != rankExact || how <= matchName) {
			found = append(found, match{c, how, i})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int {
		return cmp.Or(a.how-b.how, int(a.rank-b.rank), len(a.label)-len(b.label), a.at-b.at)
	})
	out := make([]command, min(len(found), mostMatches))
	for i := range out {
		out[i] = found[i].command
	}
	return out
}

// act reports whether a command does something or opens a screen: of the many other things that there are, those
// with the same letters somewhere are no help.
func (c command) act() bool {
	return c.rank == rankHere || c.rank == rankScreen || c.rank == rankAlways
}

// howWell reports how words in lower case match a command, letters in any order left out.
func howWell(words []string, c command) int {
	name, text := strings.ToLower(c.label), strings.ToLower(c.text())
	switch {
	case strings.HasPrefix(name, strings.Join(words, " ")):
		return matchStart
	case each(words, wordsOf(name), strings.HasPrefix):
		return matchName
	case each(words, wordsOf(text), strings.HasPrefix):
		return matchText
	case each(words, []string{name}, strings.Contains):
		return matchMidName
	case each(words, []string{text}, strings.Contains):
		return matchMidText
	}
	return matchNot
}

// each reports whether every word matches one of the texts.
func each(words, texts []string, matches func(text, word string) bool) bool {
	return !slices.ContainsFunc(words, func(w string) bool {
		return !slices.ContainsFunc(texts, func(t string) bool { return matches(t, w) })
	})
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
