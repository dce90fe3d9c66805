package widget

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Truncate cuts s to at most w cells, with "…" where something was cut. It never cuts through a
// character that takes several code points or cells.
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
	return cut(s, w, "…")
}

// cut is Truncate with a tail of the caller's.
func cut(s string, w int, tail string) string {
	if w <= 0 {
		return ""
	}
	out := ansi.Truncate(s, w, tail)
	// The library measures some characters by their parts when it cuts and as a whole when it counts.
	for limit := w - 1; ansi.StringWidth(out) > w && limit >= 0; limit-- {
		out = ansi.Truncate(s, limit, tail)
	}
	return out
}

// TruncateLeft drops the first n cells of s. A wide character that the cut goes through becomes
// spaces, so that what follows stays where it was.
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

// PadRight makes s exactly w cells wide: cut, or filled up with spaces.
func PadRight(s string, w int) string {
	s = Truncate(s, w)
	return s + spaces(w-Width(s))
}

// PadLeft is PadRight with s at the right.
func PadLeft(s string, w int) string {
	s = Truncate(s, w)
	return spaces(w-Width(s)) + s
}

// noBreak stands for the dashes of a flag while lines are broken: --theme stays whole.
const noBreak = "\u2011\u2011"

// Wrap breaks s into lines of at most w cells, between words where it can. Terminal sequences in it stay.
// It returns at least one line; the lines of s are kept apart.
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

// WrapMax is Wrap for a plain text, in at most n lines: where there is more, the last one ends with
// " …", after a whole word where it has more than one.
func WrapMax(s string, w, n int) []string {
	n = max(n, 1)
	lines := Wrap(Truncate(s, (n+1)*max(w, 1)), w)
	if len(lines) <= n {
		return lines
	}
	last := strings.TrimRight(lines[n-1], " ")
	for Width(last) > w-2 {
		at := strings.LastIndexByte(last, ' ')
		if at <= 0 {
			return append(lines[:n-1], Truncate(last+"…", w))
		}
		last = strings.TrimRight(last[:at], " ")
	}
	if strings.HasSuffix(last, "-") { // in the middle of a word, where such a word may be parted
		return append(lines[:n-1], last+"…")
	}
	return append(lines[:n-1], last+" …")
}

// TruncateWords is Truncate for a plain text of several words: it is cut after a whole one, but where
// that would leave less than half of the cells filled.
func TruncateWords(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	if line := WrapMax(s, w, 1)[0]; Width(line)*2 > w {
		return line
	}
	return Truncate(s, w)
}

// Fit makes a block exactly w cells wide and h lines high: lines are cut or filled, missing ones added.
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

// fitLine is PadRight without the sign that something was cut.
func fitLine(s string, w int) string {
	width := Width(s)
	if width > w {
		s = cut(s, w, "")
		width = Width(s)
	}
	return s + spaces(w-width)
}

const blanks = "                                                                                                                                "

// spaces returns n spaces; none when n is not positive.
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
