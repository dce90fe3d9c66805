package textfield

import (
	"slices"
	"strings"
	"unicode"

	"bugle/engine/visible"
)

// Widgets drop control characters and rewrite tabs and carriage returns. To keep them, a widget gets
// substitutes from a private use area, each one cell wide, and its result is translated back. Two more areas
// are for general punctuation, which includes bidirectional controls and invisible characters, and for other
// format characters.
const (
	substituteBase        = 0xF0000 // + the character, U+0000 to U+00AD; + 0xFF for U+FFFD
	substitutePunctuation = 0xF0100 // + the character's distance from U+2000
	substituteFormat      = 0xF0200 // + the character's index in formatRunes
	substituteEnd         = 0xF2000
)

// formatRunes are the characters that are invisible, at least in some places (see package visible), and not in
// the other areas, in order.
var formatRunes = func() []rune {
	var out []rune
	for _, table := range []*unicode.RangeTable{unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector} {
		for _, t := range table.R16 {
			for r := rune(t.Lo); r <= rune(t.Hi); r += rune(t.Stride) {
				out = append(out, r)
			}
		}
		for _, t := range table.R32 {
			for r := rune(t.Lo); r <= rune(t.Hi); r += rune(t.Stride) { //nolint:gosec // a character
				out = append(out, r)
			}
		}
	}
	out = slices.DeleteFunc(out, func(r rune) bool { return r < 0x100 || r >= 0x2000 && r < 0x2100 })
	slices.Sort(out)
	return slices.Compact(out)
}()

// encodeHidden returns s with substitutes for hidden characters. Characters of those private use areas in s could not be
// translated back: see [Accepts].
func encodeHidden(s string, keepLines bool) string {
	if !hasHidden(s) {
		return s
	}
	var b strings.Builder
	for r, drawn := range visible.Runes(s) {
		switch {
		case r == '\n' && keepLines || drawn && r != unicode.ReplacementChar:
		case r == unicode.ReplacementChar:
			r = substituteBase + 0xFF
		case r < 0x100:
			r += substituteBase
		case r >= 0x2000 && r < 0x2100:
			r += substitutePunctuation - 0x2000
		default:
			at, _ := slices.BinarySearch(formatRunes, r)
			r = substituteFormat + rune(at) //nolint:gosec // fewer than the area has
		}
		b.WriteRune(r)
	}
	return b.String()
}

// decodeHidden reverses encodeHidden.
func decodeHidden(s string) string {
	if !strings.ContainsFunc(s, isSubstitute) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case !isSubstitute(r):
			return r
		case r == substituteBase+0xFF:
			return unicode.ReplacementChar
		case r >= substituteFormat+rune(len(formatRunes)):
			return r
		case r >= substituteFormat:
			return formatRunes[r-substituteFormat]
		case r >= substitutePunctuation:
			return r - substitutePunctuation + 0x2000
		}
		return r - substituteBase
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
func showSubstitutes(view string) string {
	if !strings.ContainsFunc(view, isSubstitute) {
		return view
	}
	return strings.Map(func(r rune) rune {
		if isSubstitute(r) {
			for _, o := range decodeHidden(string(r)) {
				return symbol(o)
			}
		}
		return r
	}, view)
}

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
