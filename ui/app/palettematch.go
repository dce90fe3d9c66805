package app

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// rank orders commands that match equally well, and sets how well they must match.
type rank int

const (
	rankScreenAction rank = iota // actions of the screen
	rankSection
	rankScreen
	rankField
	rankSetting
	rankGlobal // global actions
	rankOption
	rankCampaign
	rankPrefixOnly // only matched by the beginning of its name
)

// How well words match, the best first.
const (
	matchStart     = iota // the name begins with them
	matchName             // each is the start of a word of the name
	matchText             // each is the start of a word of the name or detail
	matchMidName          // each is somewhere in the name
	matchMidText          // each is somewhere
	matchScattered        // their letters occur in this order, beginning at word starts
	matchNot
)

// maxMatches is how many entries are listed.
const maxMatches = 60

// matchCommands returns the commands that match the words, the best first.
func matchCommands(words string, commands []command) []command {
	type match struct {
		command
		how, at int
	}
	fold := strings.Fields(strings.ToLower(words))
	var found []match
	for i, c := range commands {
		how := matchQuality(fold, c)
		if how < matchNot && (c.rank != rankPrefixOnly || how <= matchName) {
			found = append(found, match{c, how, i})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int {
		return cmp.Or(a.how-b.how, int(a.rank-b.rank), len(a.label)-len(b.label), a.at-b.at)
	})
	out := make([]command, min(len(found), maxMatches))
	for i := range out {
		out[i] = found[i].command
	}
	return out
}

// isAction reports whether a command runs an action or opens a screen. Only those may match by scattered
// letters; there are too many of the others.
func (c command) isAction() bool {
	return c.rank == rankScreenAction || c.rank == rankScreen || c.rank == rankGlobal
}

// matchQuality returns how well lower-case words match a command.
func matchQuality(words []string, c command) int {
	name, text := strings.ToLower(c.label), strings.ToLower(c.label+" "+c.detail)
	switch {
	case strings.HasPrefix(name, strings.Join(words, " ")):
		return matchStart
	case everyWord(words, splitWords(name), strings.HasPrefix):
		return matchName
	case everyWord(words, splitWords(text), strings.HasPrefix):
		return matchText
	case everyWord(words, []string{name}, strings.Contains):
		return matchMidName
	case everyWord(words, []string{text}, strings.Contains):
		return matchMidText
	case c.isAction() && scattered([]rune(strings.Join(words, "")), splitWords(text)):
		return matchScattered
	}
	return matchNot
}

// everyWord reports whether every word matches one of the texts.
func everyWord(words, texts []string, matches func(text, word string) bool) bool {
	return !slices.ContainsFunc(words, func(w string) bool {
		return !slices.ContainsFunc(texts, func(t string) bool { return matches(t, w) })
	})
}

func splitWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// scattered reports whether letters occur in this order in some of the words, each part from the start of a
// word.
func scattered(letters []rune, words []string) bool {
	if len(letters) == 0 {
		return true
	}
	for i, word := range words {
		if !strings.HasPrefix(word, string(letters[0])) {
			continue
		}
		for n := matchedLetters(letters, word); n > 0; n-- {
			if scattered(letters[n:], words[i+1:]) {
				return true
			}
		}
	}
	return false
}

// matchedLetters returns how many of the letters occur in this order in the word.
func matchedLetters(letters []rune, word string) int {
	n := 0
	for _, r := range word {
		if n < len(letters) && letters[n] == r {
			n++
		}
	}
	return n
}
