// Package background finds out whether the terminal's background is dark. Importing it, before or after
// any terminal library, also keeps those libraries from asking on their own (see package quiet).
package background

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	_ "bugle/cmd/bugle/internal/background/quiet" // keeps Bubble Tea's init from asking
)

// query asks for the background colour (OSC 11) and then for the terminal's kind (DA1). Every terminal
// answers the second one, in order, so one that does not know the first need not be waited out.
const query = "\x1b]11;?\x1b\\\x1b[c"

var (
	colourAnswer = regexp.MustCompile(`\x1b\]11;(?:rgb|rgba):([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})(?:/[0-9a-fA-F]{1,4})?(?:\x07|\x1b\\)`)
	kindAnswer   = regexp.MustCompile(`\x1b\[\?[0-9;]*c`)
)

// Answer is what Detect found out.
type Answer struct {
	// Dark says that the background is dark. It is true when nothing is known: most terminals are.
	Dark bool
	// Known says that the environment or the terminal told.
	Known bool
	// Typed holds what a person typed while the terminal was being asked: bytes that were read and
	// belong to no answer. The caller hands them to the program it starts.
	Typed []byte
}

// Detect finds out whether the background is dark: from COLORFGBG, which some terminals set, or by
// asking the terminal behind in and out and waiting for at most limit. Nothing is asked when either is
// no terminal, or when TERM is "dumb" or not set.
//
// It switches the terminal to raw mode for that time, so call it before a program takes the terminal,
// never beside one. No goroutine of it is left when it returns.
func Detect(getenv func(string) string, in, out *os.File, limit time.Duration) Answer {
	if dark, ok := fromEnvironment(getenv("COLORFGBG")); ok {
		return Answer{Dark: dark, Known: true}
	}
	unknown := Answer{Dark: true}
	if name := getenv("TERM"); name == "" || name == "dumb" || runtime.GOOS == "windows" || limit <= 0 {
		return unknown
	}
	if in == nil || out == nil || !term.IsTerminal(in.Fd()) || !term.IsTerminal(out.Fd()) {
		return unknown
	}
	got, err := ask(in, out, limit)
	answer := parse(got)
	if err != nil && !answer.Known {
		answer.Dark = true
	}
	return answer
}

// fromEnvironment reads COLORFGBG: "foreground;background" or "foreground;default;background", each
// the number of one of the sixteen terminal colours. 0 to 6 and 8 are the dark ones.
func fromEnvironment(value string) (dark, ok bool) {
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

// ask writes the query and gathers what comes until the terminal has answered or limit has passed.
func ask(in, out *os.File, limit time.Duration) (got []byte, err error) {
	state, err := term.MakeRaw(in.Fd())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, term.Restore(in.Fd(), state)) }()

	reader, err := cancelreader.NewReader(in)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()

	if _, err := out.WriteString(query); err != nil {
		return nil, err
	}
	// The goroutine ends with the answer or, cancelled by the timer, with a read error; done waits for it.
	timer := time.AfterFunc(limit, func() { reader.Cancel() })
	defer timer.Stop()
	done := make(chan []byte)
	go func() {
		var all []byte
		chunk := make([]byte, 256)
		for !kindAnswer.Match(all) {
			n, err := reader.Read(chunk)
			all = append(all, chunk[:n]...)
			if err != nil {
				break
			}
		}
		done <- all
	}()
	return <-done, nil
}

// parse separates the terminal's answers from what a person typed.
func parse(got []byte) Answer {
	answer := Answer{Dark: true}
	if m := colourAnswer.FindSubmatch(got); m != nil {
		luminance := 0.2126*channel(m[1]) + 0.7152*channel(m[2]) + 0.0722*channel(m[3])
		answer.Dark, answer.Known = luminance < 0.5, true
		got = bytes.Replace(got, m[0], nil, 1)
	}
	if m := kindAnswer.Find(got); m != nil {
		got = bytes.Replace(got, m, nil, 1)
	}
	if len(got) > 0 {
		answer.Typed = got
	}
	return answer
}

// channel turns one to four hex digits into a share of the most that many digits can say, 0 to 1.
func channel(hex []byte) float64 {
	n, err := strconv.ParseUint(string(hex), 16, 16)
	if err != nil {
		return 0
	}
	return float64(n) / float64(uint64(1)<<(4*len(hex))-1)
}
