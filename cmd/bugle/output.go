package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"unicode/utf16"

	"github.com/charmbracelet/x/ansi"

	"bugle/engine/doc"
	"bugle/engine/visible"
)

// checkedWriter remembers the first error of a writer, so that no command has to look after
// every line that it writes.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	c.err = err
	return n, err
}

// failure says what became of the output; nil where its reader had enough of it.
func (c *checkedWriter) failure() error {
	if c.err == nil || errors.Is(c.err, syscall.EPIPE) {
		return nil
	}
	return fmt.Errorf("the output cannot be written: %w", cause(c.err))
}

// fileOf gives the file that a writer writes to.
func fileOf(w io.Writer) (*os.File, bool) {
	if c, ok := w.(*checkedWriter); ok {
		w = c.w
	}
	f, ok := w.(*os.File)
	return f, ok
}

// cause gives what the system said, without the name of the file and of the call.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// clean keeps what came from documents and servers from controlling the terminal. Lines and
// tabs stay.
func clean(s string) string {
	var b strings.Builder
	for r, drawn := range visible.Runes(ansi.Strip(strings.ToValidUTF8(s, "\uFFFD"))) {
		if drawn || r == '\n' || r == '\t' {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// line is clean for a text that must stay on one line.
func line(s string) string {
	return strings.Join(strings.FieldsFunc(clean(s), func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}

// printJSON writes a value as JSON for people.
func (f *factory) printJSON(v any) error {
	text, err := indented(v)
	if err != nil {
		return err
	}
	return f.writeJSON(text)
}

func indented(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return "", fmt.Errorf("writing JSON: %w", err)
	}
	return b.String(), nil
}

// printDoc writes a document as JSON for people.
func (f *factory) printDoc(v doc.Value) error { return f.writeJSON(string(v.Indent()) + "\n") }

// writeJSON writes JSON byte for byte, except to a terminal: there, what would control it is
// written as an escape, which means the same.
func (f *factory) writeJSON(text string) error {
	if file, ok := fileOf(f.out); ok && isTerminal(file) {
		text = escaped(text)
	}
	_, err := io.WriteString(f.out, text)
	return err
}

// plainJSON writes JSON, or lines of a log, with what would control a terminal as an escape.
type plainJSON struct{ w io.Writer }

func (p plainJSON) Write(b []byte) (int, error) {
	if _, err := io.WriteString(p.w, escaped(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

func escaped(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }) < 0 {
		return text // nearly all of the lines of a log, which come with every request
	}
	if !visible.Hides(strings.ReplaceAll(text, "\n", "")) {
		return text
	}
	var b strings.Builder
	for r, drawn := range visible.Runes(text) {
		if r == '\n' || drawn {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// rows writes a table, its columns as wide as what a terminal shows in them.
func (f *factory) rows(head []string, rows [][]string) error {
	widths := make([]int, len(head))
	all := append([][]string{head}, rows...)
	for _, r := range all {
		for i := range r {
			r[i] = line(r[i])
			widths[i] = max(widths[i], ansi.StringWidth(r[i]))
		}
	}
	var b strings.Builder
	for _, r := range all {
		var l strings.Builder
		for i, cell := range r {
			l.WriteString(cell)
			l.WriteString(strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2))
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	_, err := io.WriteString(f.out, b.String())
	return err
}
