package widget

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
)

// Truncate shortens s to at most w cells, ending in "…" if something was cut. It never splits a grapheme
// cluster.
func Truncate(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if isPrintableASCII(s) {
		if len(s) <= w {
			return s
		}
		return s[:w-1] + "…"
	}
	if Width(s) <= w { // which takes a tenth of the time to see
		return s
	}
	return cut(s, w, "…")
}

// cut is Truncate with the given tail.
func cut(s string, w int, tail string) string {
	if w <= 0 {
		return ""
	}
	out := ansi.Truncate(s, w, tail)
	// The library measures some clusters by their runes when it cuts and as a whole when it counts.
	for limit := w - 1; ansi.StringWidth(out) > w && limit >= 0; limit-- {
		out = ansi.Truncate(s, limit, tail)
	}
	return out
}

// TruncateLeft drops the first n cells of s. A wide character that is cut in half becomes spaces, so that the
// rest stays aligned.
func TruncateLeft(s string, n int) string {
	if n <= 0 {
		return s
	}
	total := Width(s)
	if n >= total {
		return ""
	}
	if isPrintableASCII(s) {
		return s[n:]
	}
	out := ansi.TruncateLeft(s, n, "")
	for drop := n + 1; ansi.StringWidth(out) > total-n && drop <= total; drop++ {
		out = ansi.TruncateLeft(s, drop, "")
	}
	if gap := total - n - ansi.StringWidth(out); gap > 0 {
		return spaces(gap) + out
	}
	return out
}

// PadRight makes s exactly w cells wide, truncated or padded with spaces.
func PadRight(s string, w int) string {
	s = Truncate(s, w)
	return s + spaces(w-Width(s))
}

// PadLeft is PadRight with s at the right.
func PadLeft(s string, w int) string {
	s = Truncate(s, w)
	return spaces(w-Width(s)) + s
}

// noBreak replaces the dashes of a flag while lines are wrapped, so that --theme stays whole.
const noBreak = "\u2011\u2011"

// Wrap breaks s into lines of at most w cells, between words if possible. Terminal sequences are kept. It
// returns at least one line; existing line breaks are kept.
func Wrap(s string, w int) []string {
	if w <= 0 {
		return []string{""}
	}
	flags := strings.Contains(s, "--")
	if flags {
		s = strings.ReplaceAll(s, "--", noBreak)
	}
	lines := strings.Split(ansi.Wrap(s, w, ""), "\n")
	for i, line := range lines {
		if flags {
			line = strings.ReplaceAll(line, noBreak, "--")
			lines[i] = line
		}
		if isPrintableASCII(line) && len(line) <= w {
			continue
		}
		lines[i] = cut(isolateEdges(line), w, "")
	}
	return lines
}

// WrapStyled cleans a text, breaks it into lines of at most w cells, and styles each, because styles do not span lines.
func WrapStyled(style lipgloss.Style, text string, w int) []string {
	return WrapIndented(style, text, w, 0)
}

// WrapIndented is WrapStyled with lines that are indented by some cells, which count.
func WrapIndented(style lipgloss.Style, text string, w, indent int) []string {
	lines := Wrap(Clean(text), max(w-indent, 1))
	for i, line := range lines {
		lines[i] = spaces(indent) + style.Render(line)
	}
	return lines
}

// WrapLines cleans a text of several lines and wraps each.
func WrapLines(text string, w int) []string {
	var lines []string
	for line := range strings.SplitSeq(CleanLines(text), "\n") {
		lines = append(lines, Wrap(line, w)...)
	}
	return lines
}

// Styled styles each line, because styles do not span lines.
func Styled(style lipgloss.Style, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = style.Render(line)
	}
	return out
}

// WrapMax is Wrap for plain text, limited to n lines. If there is more, the last line ends with " …".
func WrapMax(s string, w, n int) []string {
	n = max(n, 1)
	lines := Wrap(Truncate(s, (n+1)*max(w, 1)), w)
	if len(lines) > n {
		lines = append(lines[:n-1], Truncate(strings.TrimRight(lines[n-1], " ")+" …", w))
	}
	return lines
}

// Fit makes a block exactly w cells wide and h lines high: lines are cut or padded, missing ones added.
func Fit(block string, w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	lines := strings.Split(block, "\n")
	out := make([]string, h)
	for i := range out {
		if i < len(lines) {
			out[i] = fitLine(lines[i], w)
		} else {
			out[i] = spaces(w)
		}
	}
	return strings.Join(out, "\n")
}

// fitLine is PadRight without an ellipsis.
func fitLine(s string, w int) string {
	width := Width(s)
	if width > w {
		s = cut(s, w, "")
		width = Width(s)
	}
	padded := s + spaces(w-width)
	if width < w && s != "" && s[len(s)-1] >= utf8.RuneSelf {
		padded += spaces(w - Width(padded)) // some characters are drawn with the next one, also with a blank
	}
	return padded
}

const blanks = "                                                                                                                                "

// spaces returns n spaces; none if n is not positive.
func spaces(n int) string {
	switch {
	case n <= 0:
		return ""
	case n <= len(blanks):
		return blanks[:n]
	default:
		return strings.Repeat(" ", n)
	}
}
