package plain

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/muesli/cancelreader"

	"bugle/ui/widget"
)

// console prints lines and reads them; nothing printed is changed afterwards. It is used by one goroutine, except for reads.
type console struct {
	in     *bufio.Reader
	cancel func() bool // ends a read that waits
	out    io.Writer
	err    error  // the first error of out
	prompt string // the prompt that waits for a line
	// echoes reports that the input ends the line of a prompt, because it is a terminal.
	echoes bool
}

// newConsole returns the console of a reader and a writer. Waiting for a terminal or a pipe can be canceled; for other readers
// it continues until their next line or end.
func newConsole(in io.Reader, out io.Writer, echoes bool) *console {
	c := &console{in: bufio.NewReader(in), cancel: func() bool { return false }, out: out, echoes: echoes}
	if can, err := cancelreader.NewReader(in); err == nil {
		c.in, c.cancel = bufio.NewReader(can), can.Cancel
	}
	return c
}

// say prints one or several lines, without the control characters of documents and servers. A prompt that waits is printed
// again.
func (c *console) say(text string) {
	text = strings.TrimSpace(widget.CleanLines(text))
	if text == "" {
		return
	}
	waiting := c.prompt
	if waiting != "" {
		c.write("\n")
	}
	c.write(text + "\n")
	if waiting != "" {
		c.write(waiting)
	}
}

// ask prints a prompt, which the next line answers.
func (c *console) ask(prompt string) {
	c.prompt = widget.Clean(prompt) + " "
	c.write(c.prompt)
}

// answered ends the line of the prompt.
func (c *console) answered(err error) {
	c.prompt = ""
	if !c.echoes || err != nil {
		c.write("\n")
	}
}

func (c *console) write(text string) {
	if c.err == nil {
		_, c.err = io.WriteString(c.out, text)
	}
}

// maxLineLength is the maximum length of a line in bytes.
const maxLineLength = 4 << 20

// read returns the next line. A last line without a line end counts too.
func (c *console) read() (string, error) {
	var b []byte
	for {
		part, err := c.in.ReadSlice('\n')
		b = append(b, part...)
		switch {
		case len(b) > maxLineLength:
			return "", fmt.Errorf("a line of more than %d million characters was typed", maxLineLength>>20)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(b) == 0:
			return "", err
		}
		return strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r"), nil
	}
}
