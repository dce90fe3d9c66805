package app

import (
	"cmp"
	"slices"
	"strings"

	"github.com/junegunn/fzf/src/algo"
	"github.com/junegunn/fzf/src/util"
)

// rank orders commands that match equally well, and sets how they are matched.
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

// maxMatches is how many entries are listed.
const maxMatches = 60

// The scores of fzf come from tables that Init fills; its program does that at its start.
var _ = algo.Init("default")

// matchCommands returns the commands that match the words, the best first. A word in the name counts twice.
func matchCommands(words string, commands []command) []command {
	type match struct {
		command
		score, at int
	}
	var found []match
	for i, c := range commands {
		score := 0
		for word := range strings.FieldsSeq(strings.ToLower(words)) {
			s := max(2*c.score(c.label, word), c.score(c.detail, word))
			if s == 0 {
				score = 0
				break
			}
			score += s
		}
		if score > 0 {
			found = append(found, match{c, score, i})
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(b.score-a.score, int(a.rank-b.rank), len(a.label)-len(b.label), a.at-b.at)
	})
	out := make([]command, min(len(found), maxMatches))
	for i := range out {
		out[i] = found[i].command
	}
	return out
}

// score returns how well a lower-case word matches a text of the command, as fzf sees it; 0 if it does not. Only actions and
// screens match by scattered letters; there are too many of the others.
func (c command) score(text, word string) int {
	match := algo.ExactMatchNaive
	switch c.rank {
	case rankScreenAction, rankScreen, rankGlobal:
		match = algo.FuzzyMatchV2
	case rankPrefixOnly:
		match = algo.PrefixMatch
	}
	chars := util.ToChars([]byte(text))
	result, _ := match(false, true, true, &chars, algo.NormalizeRunes([]rune(word)), false, nil)
	return max(result.Score, 0)
}
