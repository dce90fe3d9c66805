package plain

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/muesli/cancelreader"

	"bugle/ui/widget"
)

// console prints lines and reads them; nothing printed is changed afterwards. It is used by one goroutine, except for reads.
type console struct {
	in     *bufio.Scanner
	cancel func() bool // ends a read that waits
	out    io.Writer
	err    error  // the first error of out
	prompt string // the prompt that waits for a line
	// echoes reports that the input ends the line of a prompt, because it is a terminal.
	echoes bool
}

// maxLineLength is the maximum length of a line in bytes.
const maxLineLength = 4 << 20

// newConsole returns the console of a reader and a writer. Waiting for a terminal or a pipe can be canceled; for other readers
// it continues until their next line or end.
func newConsole(in io.Reader, out io.Writer, echoes bool) *console {
	c := &console{cancel: func() bool { return false }, out: out, echoes: echoes}
	if can, err := cancelreader.NewReader(in); err == nil {
		in, c.cancel = can, can.Cancel
	}
	c.in = bufio.NewScanner(in)
	c.in.Buffer(nil, maxLineLength)
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

// read returns the next line. A last line without a line end counts too.
func (c *console) read() (string, error) {
	if c.in.Scan() {
		return c.in.Text(), nil
	}
	if errors.Is(c.in.Err(), bufio.ErrTooLong) {
		return "", fmt.Errorf("a line of more than %d million characters was typed", maxLineLength>>20)
	}
	return "", cmp.Or(c.in.Err(), io.EOF)
}
