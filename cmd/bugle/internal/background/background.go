// Package background finds out whether the terminal's background is dark, beside the program that draws
// on it: nothing waits for a terminal that answers late or never. Importing it, before or after any
// terminal library, also keeps those libraries from asking on their own (see package quiet).
package background

import (
	"bytes"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	_ "bugle/cmd/bugle/internal/background/quiet" // keeps Bubble Tea's init from asking
)

// Query asks for the background color (OSC 11) and then for the terminal's kind (DA1). Every terminal
// answers the second one, in order, so one that does not know the first is known by that. It is to be
// written when the terminal is in raw mode: what it answers would be shown otherwise.
const Query = "\x1b]11;?\x1b\\\x1b[c"

// The escape that an answer begins with is not in the text where it was read before the rest.
var (
	colorAnswer = regexp.MustCompile(`\x1b?\]11;(?:rgb|rgba):([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})(?:/[0-9a-fA-F]{1,4})?(?:\x07|\x1b\\)`)
	kindAnswer  = regexp.MustCompile(`\x1b?\[\?[0-9;]*c`)
	unfinished  = regexp.MustCompile(`(?:\x1b\]1?1?|\x1b?\]11;[rgba:0-9a-fA-F/]*\x1b?|\x1b\[\?[0-9;]*)$`)
)

// FromEnvironment reads COLORFGBG, which some terminals set: "foreground;background" or
// "foreground;default;background", each the number of one of the sixteen terminal colors. 0 to 6 and 8
// are the dark ones.
func FromEnvironment(getenv func(string) string) (dark, known bool) {
	value := getenv("COLORFGBG")
	i := strings.LastIndexByte(value, ';')
	if i < 0 {
		return false, false
	}
	n, err := strconv.Atoi(value[i+1:])
	if err != nil || n < 0 || n > 15 {
		return false, false
	}
	return n <= 6 || n == 8, true
}

// Askable reports whether the terminal may be asked: not where TERM is "dumb" or not set.
func Askable(getenv func(string) string) bool {
	name := getenv("TERM")
	return name != "" && name != "dumb" && runtime.GOOS != "windows"
}

// Input is a terminal's input, without what the terminal answers to [Query]: everything else that is
// read is what a person typed, and stays. It may be read by one goroutine at a time.
type Input struct {
	*os.File
	found func(dark bool)
	held  []byte // the beginning of an answer
	over  bool   // the terminal has answered
}

// NewInput listens to the answers of a terminal. told is called from within Read, once at most; not at
// all where the terminal does not know the question.
func NewInput(terminal *os.File, found func(dark bool)) *Input {
	return &Input{File: terminal, found: found}
}

// Read returns what was typed, which may be nothing.
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

// strip cuts the answers out of b, which it changes, and gives how long the rest is.
func (i *Input) strip(b []byte) int {
	if m := colorAnswer.FindSubmatchIndex(b); m != nil {
		part := func(n int) float64 { return channel(b[m[2*n]:m[2*n+1]]) }
		dark := 0.2126*part(1)+0.7152*part(2)+0.0722*part(3) < 0.5
		b = append(b[:m[0]], b[m[1]:]...)
		i.found(dark)
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

// channel turns one to four hex digits into a share of the most that many digits can say, 0 to 1.
func channel(hex []byte) float64 {
	n, err := strconv.ParseUint(string(hex), 16, 16)
	if err != nil {
		return 0
	}
	return float64(n) / float64(uint64(1)<<(4*len(hex))-1)
}
