package forms

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"bugle/forms/textfield"
)

// oneLine returns s as one line without control sequences.
func oneLine(s string) string { return textfield.OneLine(s) }

// cutLine cuts a line, which may be styled, to w cells.
func cutLine(line string, w int) string {
	if ansi.StringWidth(line) <= w {
		return line
	}
	return ansi.Truncate(line, max(w, 0), "…")
}

// firstRunes returns the first n characters of s without reading the rest.
func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// wrapMax wraps a plain text to at most n lines of w cells. If there is more, the last line ends with an
// ellipsis after a whole word.
func wrapMax(text string, w, n int) []string {
	w = max(w, 1)
	lines := strings.Split(ansi.Wrap(firstRunes(text, w*(n+1)), w, ""), "\n")
	if len(lines) <= n {
		return lines
	}
	last := strings.TrimRight(lines[n-1], " ")
	for ansi.StringWidth(last) > w-2 {
		at := strings.LastIndexByte(last, ' ')
		if at <= 0 {
			last = ansi.Truncate(last, w-2, "")
			break
		}
		last = strings.TrimRight(last[:at], " ")
	}
	if strings.HasSuffix(last, "-") { // in the middle of a word that may be split here
		return append(lines[:n-1], last+"…")
	}
	return append(lines[:n-1], last+" …")
}
