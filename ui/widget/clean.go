package widget

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"bugle/engine/visible"
)

// Marks that CleanVisible draws for what breaks a line or widens it.
const (
	newlineMark = "⏎"
	tabMark     = "⇥"
)

// Clean makes text of documents or servers safe to draw on one line: no terminal sequences (CSI, OSC,
// DCS and the like, in either spelling), no control characters, none that turn the direction of
// writing or that nobody sees, none that join what is drawn beside it. Newlines and tabs become spaces, bytes that are no
// UTF-8 the replacement character.
func Clean(s string) string { return clean(s, " ", " ") }

// CleanVisible is Clean with newlines and tabs made visible, for text in which they matter.
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

// isPrintableASCII reports whether s is printable ASCII throughout: one cell a byte, nothing to clean.
func isPrintableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// c1Spelling returns the eight-bit controls that start or end a sequence their seven-bit spelling, so
// that the sequence goes as a whole.
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
	onASCII := true // the character being written began with ASCII, or the text has just begun
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
			// Libraries and terminals disagree on what a mark with a width of its own takes there.
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

// emojiSelector widens the sign before it on some terminals and not on others.
const emojiSelector = '\ufe0f'

// dottedCircle is what a mark sits on that has no character of its own.
const dottedCircle = "◌"

// combinesWithPrevious reports whether a rune becomes part of the character before it.
func combinesWithPrevious(r rune) bool {
	if r < 0x300 { // none of Latin does
		return false
	}
	cluster, _ := ansi.FirstGraphemeCluster(" "+string(r), ansi.GraphemeWidth)
	return len(cluster) > 1
}

// combinesWithNext reports whether a rune makes the character after it part of itself.
func combinesWithNext(r rune) bool {
	cluster, _ := ansi.FirstGraphemeCluster(string(r)+" ", ansi.GraphemeWidth)
	return len(cluster) > utf8.RuneLen(r)
}

// isolateEdges keeps text from joining what is drawn before and after it: a mark that has nothing to sit
// on gets a dotted circle, a last character that would draw the next one to itself goes.
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
