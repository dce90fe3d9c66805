package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"bugle/engine/phrase"
)

// Streams are the standard streams of the program.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// Terminal returns the files of the streams if both are a terminal.
func (s Streams) Terminal() (in, out *os.File, ok bool) {
	in, okIn := s.In.(*os.File)
	out, okOut := FileOf(s.Out)
	return in, out, okIn && okOut && IsTerminal(in) && IsTerminal(out)
}

// Progress shows the progress of long work on standard error, if that is a terminal. A negative number clears it.
func Progress(s Streams, done, noun string) func(n int) {
	file, ok := s.Err.(*os.File)
	if !ok || !IsTerminal(file) {
		return func(int) {}
	}
	last := time.Now()
	drawn := false
	return func(n int) {
		switch {
		case n < 0 && drawn:
			fmt.Fprint(s.Err, "\r\x1b[K")
			drawn = false
		case n >= 0 && time.Since(last) >= 100*time.Millisecond:
			fmt.Fprintf(s.Err, "\r%s %s… (ctrl+c stops)\x1b[K", done, phrase.Count(n, noun))
			last, drawn = time.Now(), true
		}
	}
}
