package app

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
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
	rankOther // a field of another campaign
	rankExact // found by the beginning of its own name only
)

// How well words match, the best first.
const (
	matchStart     = iota // the name begins with them
	matchName             // each begins a word of the name
	matchText             // each begins a word of the name or of the text after it
	matchMidName          // each is somewhere in the name
	matchMidText          // each is somewhere
	matchScattered        // their letters come in this order, from the beginnings of words on
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
	fold := strings.Fields(strings.ToLower(words))
	var found []match
	for i, c := range commands {
		how := howWell(fold, c)
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

// howWell reports how words in lower case match a command.
func howWell(words []string, c command) int {
	name, text := strings.ToLower(c.label), strings.ToLower(c.label+" "+c.detail)
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
	case c.act() && scattered([]rune(strings.Join(words, "")), wordsOf(text)):
		return matchScattered
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

// scattered reports whether letters come in this order in some of the words, in each from its beginning on.
func scattered(letters []rune, words []string) bool {
	if len(letters) == 0 {
		return true
	}
	for i, word := range words {
		if !strings.HasPrefix(word, string(letters[0])) {
			continue
		}
		for n := within(letters, word); n > 0; n-- {
			if scattered(letters[n:], words[i+1:]) {
				return true
			}
		}
	}
	return false
}

// within returns how many of the letters come in this order in the word.
func within(letters []rune, word string) int {
	n := 0
	for _, r := range word {
		if n < len(letters) && letters[n] == r {
			n++
		}
	}
	return n
}
