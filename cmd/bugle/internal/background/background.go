// Package background detects whether the terminal's background is dark without delaying the program, even if the
// terminal responds late or never. Importing it, before or after any terminal library, also prevents those libraries
// from querying the terminal (see package quiet).
package background

import (
	"bytes"
	"image/color"
	"os"
	"regexp"

	"github.com/charmbracelet/x/ansi"

	_ "bugle/cmd/bugle/internal/background/quiet" // prevents Bubble Tea's init from querying the terminal
)

// Query requests the background color (OSC 11) and then the terminal's type (DA1). Every terminal responds to the
// second, in order, so a response to only the second means that the first is not supported. Write it when the terminal
// is in raw mode; otherwise the responses would be visible.
const Query = "\x1b]11;?\x1b\\\x1b[c"

// The escape at the start of a response may be missing if it was read before the rest.
var (
	colorAnswer = regexp.MustCompile(`\x1b?\]11;(rgba?:[0-9a-fA-F/]+)(?:\x07|\x1b\\)`)
	kindAnswer  = regexp.MustCompile(`\x1b?\[\?[0-9;]*c`)
	unfinished  = regexp.MustCompile(`(?:\x1b\]1?1?|\x1b?\]11;[rgba:0-9a-fA-F/]*\x1b?|\x1b\[\?[0-9;]*)$`)
)

// Input is a terminal's input without the responses to [Query]. Only one goroutine may read from it at a time.
type Input struct {
	*os.File
	found func(dark bool)
	held  []byte // the beginning of a response
	over  bool   // the terminal has responded
}

// NewInput returns an Input that parses the terminal's responses. It calls found from Read, at most once, and never if
// the terminal does not support the query.
func NewInput(terminal *os.File, found func(dark bool)) *Input {
	return &Input{File: terminal, found: found}
}

// Read returns typed input, which may be empty.
func (i *Input) Read(b []byte) (int, error) {
	if i.over || len(b) <= len(i.held) {
		n := copy(b, i.held)
		if i.held = i.held[n:]; n > 0 {
			return n, nil
		}
		return i.File.Read(b)
	}
	kept := copy(b, i.held)
	n, err := i.File.Read(b[kept:])
	i.held = nil
	return i.strip(b[:kept+n]), err
}

// strip removes the responses from b in place, and returns the length of the rest.
func (i *Input) strip(b []byte) int {
	if m := colorAnswer.FindSubmatchIndex(b); m != nil {
		background := ansi.XParseColor(string(b[m[2]:m[3]]))
		b = append(b[:m[0]], b[m[1]:]...)
		if gray, ok := color.GrayModel.Convert(background).(color.Gray); ok {
			i.found(gray.Y < 0x80)
		}
		i.found = func(bool) {}
	}
	if m := kindAnswer.FindIndex(b); m != nil {
		b = append(b[:m[0]], b[m[1]:]...)
		i.over = true
	} else if m := unfinished.FindIndex(b); m != nil {
		i.held = bytes.Clone(b[m[0]:])
		b = b[:m[0]]
	}
	return len(b)
}
