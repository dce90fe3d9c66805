package widget

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"bugle/engine/visible"
)

// Symbols that CleanVisible draws in place of line breaks and tabs.
const (
	newlineMark = "⏎"
	tabMark     = "⇥"
)

// Clean makes text of documents or servers safe to draw on one line. It removes terminal sequences (CSI, OSC,
// DCS and the like, in seven-bit or eight-bit form), control characters, bidirectional controls, invisible
// characters, and characters that combine with their neighbors. Newlines and tabs become spaces, invalid UTF-8
// the replacement character.
func Clean(s string) string { return clean(s, " ", " ") }

// CleanVisible is Clean with newlines and tabs made visible.
func CleanVisible(s string) string { return clean(s, newlineMark, tabMark) }

// CleanLines is Clean for text of several lines: newlines stay, tabs become four spaces.
func CleanLines(s string) string {
	if isPrintableASCII(s) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	lines := strings.Split(strings.ReplaceAll(s, "\r", "\n"), "\n")
	for i, line := range lines {
		lines[i] = clean(line, " ", "    ")
	}
	return strings.Join(lines, "\n")
}

// isPrintableASCII reports whether s is entirely printable ASCII: one cell per byte and nothing to clean.
func isPrintableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// c1Spelling converts the eight-bit controls that start or end a sequence to their seven-bit form, so that the
// whole sequence is removed.
var c1Spelling = strings.NewReplacer(
	"\u0090", "\x1bP", "\u0098", "\x1bX", "\u009b", "\x1b[", "\u009c", "\x1b\\", "\u009d", "\x1b]", "\u009e", "\x1b^", "\u009f", "\x1b_",
	"\r\n", "\n", "\r", "\n",
)

func clean(s, newline, tab string) string {
	if isPrintableASCII(s) {
		return s
	}
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	s = ansi.Strip(c1Spelling.Replace(s))
	var b strings.Builder
	b.Grow(len(s))
	onASCII := true // the current character began with ASCII, or the text has just begun
	for r, drawn := range visible.Runes(s) {
		switch {
		case r >= 0x20 && r <= 0x7e:
			b.WriteRune(r)
			onASCII = true
			continue
		case r == '\n' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			b.WriteString(newline)
		case r == '\t':
			b.WriteString(tab)
		case !drawn || r == emojiSelector:
			continue
		case onASCII && combinesWithPrevious(r) && Width(string(r)) > 0:
			// Libraries and terminals disagree on the width of a combining mark here.
			b.WriteString(dottedCircle)
			b.WriteRune(r)
		case onASCII && combinesWithPrevious(r):
			b.WriteRune(r)
			continue
		default:
			b.WriteRune(r)
		}
		onASCII = strings.HasSuffix(b.String(), " ")
	}
	return isolateEdges(b.String())
}

// emojiSelector widens the character before it on some terminals but not on others.
const emojiSelector = '\ufe0f'

// dottedCircle is the base for a combining mark that has none.
const dottedCircle = "◌"

// combinesWithPrevious reports whether a rune combines with the character before it.
func combinesWithPrevious(r rune) bool {
	if r < 0x300 { // nothing in Latin combines
		return false
	}
	cluster, _ := ansi.FirstGraphemeCluster(" "+string(r), ansi.GraphemeWidth)
	return len(cluster) > 1
}

// combinesWithNext reports whether a rune combines with the character after it.
func combinesWithNext(r rune) bool {
	cluster, _ := ansi.FirstGraphemeCluster(string(r)+" ", ansi.GraphemeWidth)
	return len(cluster) > utf8.RuneLen(r)
}

// isolateEdges keeps text from combining with what is drawn before and after it: a leading mark gets a dotted
// circle, a trailing character that would combine with the next one is removed.
func isolateEdges(s string) string {
	if s == "" || isPrintableASCII(s) {
		return s
	}
	if first, _ := utf8.DecodeRuneInString(s); combinesWithPrevious(first) {
		s = dottedCircle + s
	}
	for s != "" {
		last, size := utf8.DecodeLastRuneInString(s)
		if last < 0x300 || !combinesWithNext(last) {
			break
		}
		s = s[:len(s)-size]
	}
	return s
}
