// Package visible finds characters in untrusted text that a terminal would interpret instead of drawing, that
// change the writing direction, or that are invisible. The screens, the forms and the commands use it.
package visible

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Runes returns the characters of s, each with whether it is drawn as itself. Not drawn are control characters,
// newlines and tabs among them, and what Unicode calls format characters and default ignorable: overrides,
// isolates and marks of writing direction, tags, annotations, fillers, spaces of no width.
//
// Some of them are part of what is seen, and are reported as drawn where they are:
//   - one joiner (U+200C, U+200D) after a character of a script or an emoji, not after Latin;
//   - one variation selector after a character that has variants;
//   - the tags of a subdivision's flag: three to six small letters and digits between U+1F3F4 and U+E007F.
func Runes(s string) iter.Seq2[rune, bool] {
	return func(yield func(rune, bool) bool) {
		var base, last rune // the character that a joiner or a selector belongs to, and the last that is drawn
		flag := 0           // where the tags of the flag being read end
		for i, r := range s {
			drawn := true
			switch {
			case r >= ' ' && r <= '~':
				base = r
			case i < flag:
			case isJoiner(r):
				drawn = base >= firstMark && !isJoiner(last)
			case unicode.Is(unicode.Variation_Selector, r):
				drawn = hasVariants(base, r) && !unicode.Is(unicode.Variation_Selector, last)
			case !mayBeDrawn(r):
				drawn = false
				if unicode.IsSpace(r) { // where a space is drawn instead, a joiner has nothing to join
					base = ' '
				}
			default:
				if base = r; r == blackFlag {
					flag = flagEnd(s, i+utf8.RuneLen(r))
				}
			}
			if !yield(r, drawn) {
				return
			}
			if drawn {
				last = r
			}
		}
	}
}

// IsBlank reports whether nothing of s is seen: it is empty, or has blanks and characters that are not drawn alone.
func IsBlank(s string) bool {
	for r, drawn := range Runes(s) {
		if drawn && !unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// HasHidden reports whether s contains a character that is not drawn as itself.
func HasHidden(s string) bool {
	for _, drawn := range Runes(s) {
		if !drawn {
			return true
		}
	}
	return false
}

// HasBlank reports whether s contains a blank or a character that is not drawn as itself: it is no address then.
func HasBlank(s string) bool { return strings.ContainsFunc(s, unicode.IsSpace) || HasHidden(s) }

const (
	firstMark = 0x300 // none of Latin, as it is usually written, comes after it
	blackFlag = 0x1F3F4
	firstTag  = 0xE0000 // + an ASCII character
	lastTag   = 0xE007F
)

func isJoiner(r rune) bool { return r == 0x200C || r == 0x200D }

// hasVariants reports whether a variation selector may follow base.
func hasVariants(base, selector rune) bool {
	switch {
	case selector >= 0xE0100:
		return unicode.Is(unicode.Han, base)
	case selector < 0x2000:
		return unicode.Is(unicode.Mongolian, base)
	}
	return base >= 0xA9 || base >= '0' && base <= '9' || base == '#' || base == '*'
}

func mayBeDrawn(r rune) bool {
	return !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// flagEnd returns the end of the tag sequence at an offset of s, or 0 if it is not a valid flag.
func flagEnd(s string, at int) int {
	n := 0
	for i, r := range s[at:] {
		switch c := r - firstTag; {
		case r == lastTag && n >= 3 && n <= 6:
			return at + i + utf8.RuneLen(r)
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			n++
		default:
			return 0
		}
	}
	return 0
}
