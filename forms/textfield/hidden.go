package textfield

import (
	"slices"
	"strings"
	"unicode"

	"bugle/engine/visible"
)

// The models of Bubbles drop control characters and rewrite tabs and carriage returns. To keep them, a model gets
// substitutes from a private use area, each one cell wide, and its result is translated back.
const (
	substituteBase = 0xF0000 // + the index in hiddenRunes
	substituteEnd  = 0xF2000
)

// hiddenRunes are the characters that are invisible, at least in some places (see package visible), in order: controls,
// general punctuation, which has bidirectional controls and spaces of no width, and what Unicode calls invisible.
var hiddenRunes = func() []rune {
	out := []rune{unicode.ReplacementChar}
	add := func(from, to, step rune) {
		for r := from; r <= to; r += step {
			out = append(out, r)
		}
	}
	add(0, 0x1F, 1)
	add(0x7F, 0xAD, 1)
	add(0x2000, 0x20FF, 1)
	for _, table := range []*unicode.RangeTable{unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector} {
		for _, t := range table.R16 {
			add(rune(t.Lo), rune(t.Hi), rune(t.Stride))
		}
		for _, t := range table.R32 {
			add(rune(t.Lo), rune(t.Hi), rune(t.Stride)) //nolint:gosec // characters
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}()

// encodeHidden returns s with substitutes for hidden characters. Characters of the private use area in s could not be
// translated back: see [Accepts].
func encodeHidden(s string, keepLines bool) string {
	if !hasHidden(s) {
		return s
	}
	var b strings.Builder
	for r, drawn := range visible.Runes(s) {
		hidden := (!drawn || r == unicode.ReplacementChar) && !(r == '\n' && keepLines)
		if at, listed := slices.BinarySearch(hiddenRunes, r); hidden && listed {
			r = substituteBase + rune(at) //nolint:gosec // fewer than the area has
		}
		b.WriteRune(r)
	}
	return b.String()
}

// decodeHidden reverses encodeHidden.
func decodeHidden(s string) string { return substitute(s, func(r rune) rune { return r }) }

// substitute replaces the substitutes in s by what a function makes of the hidden character.
func substitute(s string, as func(hidden rune) rune) string {
	if !strings.ContainsFunc(s, isSubstitute) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if i := int(r) - substituteBase; isSubstitute(r) && i < len(hiddenRunes) {
			return as(hiddenRunes[i])
		}
		return r
	}, s)
}

func isSubstitute(r rune) bool { return r >= substituteBase && r < substituteEnd }

// hasHidden reports whether s contains control characters or invisible ones.
func hasHidden(s string) bool {
	return strings.ContainsRune(s, unicode.ReplacementChar) || visible.HasHidden(s)
}

// symbol returns the one-cell symbol that is drawn for a hidden character.
func symbol(r rune) rune {
	switch {
	case r == '\n':
		return '↵'
	case r == '\t':
		return '⇥'
	case r < 0x20:
		return 0x2400 + r
	case r == 0x7F:
		return 0x2421
	case r == unicode.ReplacementChar:
		return r
	}
	return '·'
}

// showSubstitutes replaces the substitutes in a view by symbols.
func showSubstitutes(view string) string { return substitute(view, symbol) }

// OneLine returns s as one line without control sequences.
func OneLine(s string) string {
	if !hasHidden(s) {
		return s
	}
	var b strings.Builder
	for r, drawn := range visible.Runes(s) {
		if !drawn {
			r = symbol(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
