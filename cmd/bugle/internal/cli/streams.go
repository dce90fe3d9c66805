package cli

import (
	"io"
	"os"
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
