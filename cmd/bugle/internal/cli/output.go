package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unicode/utf16"

	"github.com/charmbracelet/x/ansi"

	"bugle/engine/doc"
	"bugle/engine/message/check"
	"bugle/engine/schema"
	"bugle/engine/visible"
)

// checkedWriter stores the first error of a writer, so that commands do not have to check every write. What a command has
// started may still be writing when the command has ended.
type checkedWriter struct {
	w   io.Writer
	err atomic.Pointer[error] // nil: none
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	if err := c.err.Load(); err != nil {
		return 0, *err
	}
	n, err := c.w.Write(p)
	if err != nil {
		c.err.CompareAndSwap(nil, &err)
	}
	return n, err
}

// failure returns err, the error of a command, or that of the output, which comes first. That the reader has closed the
// output is none.
func (c *checkedWriter) failure(err error) error {
	first := c.err.Load()
	if first == nil || err != nil && !errors.Is(err, *first) {
		return err
	}
	if errors.Is(*first, syscall.EPIPE) {
		return nil
	}
	return fmt.Errorf("cannot write the output: %w", Cause(*first))
}

// FileOf returns the file of a writer.
func FileOf(w io.Writer) (*os.File, bool) {
	if c, ok := w.(*checkedWriter); ok {
		w = c.w
	}
	f, ok := w.(*os.File)
	return f, ok
}

// Cause returns the underlying system error, without the names of the file and the call.
func Cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// workflowCommand matches what a workflow of GitHub takes for a command in the output of a step: two colons at the
// beginning of a line, and ##[ anywhere; others have ##vso[.
var workflowCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^(\s*:)(:)|(##(?:vso)?)(\[)`) })

// Clean removes control sequences from texts of documents and servers. It keeps newlines and tabs. What a workflow would
// take for a command gets a space.
func Clean(s string) string {
	var b strings.Builder
	for r, drawn := range visible.Runes(ansi.Strip(strings.ToValidUTF8(s, "\uFFFD"))) {
		if drawn || r == '\n' || r == '\t' {
			b.WriteRune(r)
		}
	}
	return workflowCommand().ReplaceAllString(b.String(), "$1$3 $2$4")
}

// Line is like [Clean], and puts the text on one line.
func Line(s string) string {
	return strings.Join(strings.FieldsFunc(Clean(s), func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}

// Printer prints the results of commands, for people or as JSON.
type Printer struct {
	Streams
	JSON bool // the persistent flag
}

// PrintJSON prints a value as indented JSON, in which what controls a terminal or a workflow is escaped.
func (p *Printer) PrintJSON(v any) error {
	text, err := indented(v)
	if err == nil {
		_, err = io.WriteString(p.Out, text)
	}
	return err
}

// PrintJSONLine is like [Printer.PrintJSON], on one line.
func (p *Printer) PrintJSONLine(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	_, err = io.WriteString(p.Out, inertJSON(string(b))+"\n")
	return err
}

// inertJSON returns the same JSON with what a terminal or a workflow of GitHub would obey escaped.
func inertJSON(text string) string {
	return strings.NewReplacer("##[", `#\u0023[`, "##vso[", `#\u0023vso[`).Replace(Escaped(text))
}

func indented(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return "", fmt.Errorf("writing JSON: %w", err)
	}
	return inertJSON(b.String()), nil
}

// Done prints what was done: the result as JSON, or a sentence.
func (p *Printer) Done(result any, sentence string) error {
	if p.JSON {
		return p.PrintJSON(result)
	}
	_, err := fmt.Fprintln(p.Out, Line(sentence))
	return err
}

// PrintDoc prints a document as indented JSON, as it is stored.
func (p *Printer) PrintDoc(v doc.Value) error { return p.WriteJSON(string(v.Indent()) + "\n") }

// WriteJSON writes JSON byte for byte, except to a terminal, where control characters are escaped.
func (p *Printer) WriteJSON(text string) error {
	if file, ok := FileOf(p.Out); ok && IsTerminal(file) {
		text = Escaped(text)
	}
	_, err := io.WriteString(p.Out, text)
	return err
}

// plainJSON writes JSON or log lines with control characters escaped.
type plainJSON struct{ w io.Writer }

func (p plainJSON) Write(b []byte) (int, error) {
	if _, err := io.WriteString(p.w, Escaped(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// LogHandler returns a handler that writes log lines to standard error, as text or as JSON.
func (p *Printer) LogHandler() slog.Handler {
	if p.JSON {
		return slog.NewJSONHandler(plainJSON{p.Err}, nil)
	}
	return slog.NewTextHandler(plainJSON{p.Err}, nil) // it does not escape all invisible characters
}

// Escaped returns a text with characters escaped that could control a terminal.
func Escaped(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }) < 0 {
		return text // almost all log lines, which are written for every request
	}
	if !visible.HasHidden(strings.NewReplacer("\n", "", "\t", "").Replace(text)) {
		return text
	}
	var b strings.Builder
	for r, drawn := range visible.Runes(text) {
		if r == '\n' || r == '\t' || drawn {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// Rows prints a table, with columns as wide as their content.
func (p *Printer) Rows(head []string, rows [][]string) error {
	widths := make([]int, len(head))
	all := append([][]string{head}, rows...)
	for _, r := range all {
		for i := range r {
			r[i] = Line(r[i])
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
	_, err := io.WriteString(p.Out, b.String())
	return err
}

// ProblemLine returns a problem as one line that begins with its path.
func ProblemLine(p schema.Problem) string {
	path, kind := p.Path.String(), ""
	if path == "" {
		path = "campaign"
	}
	if p.Severity == schema.Notice {
		kind = "note: "
	}
	return Line(path + ": " + kind + p.Message)
}

// FindingLine returns a finding of a check in one line: the place, what was found, what to do, and the id that it can be
// dismissed by.
func FindingLine(f check.Finding) string {
	place := f.Place()
	if place == "" {
		place = "campaign"
	}
	return Line(place + ": " + f.Text() + ". " + f.Remedy + " [" + f.ID() + "]")
}

// ParseOnOff parses on or off, yes or no, and the values of [strconv.ParseBool].
func ParseOnOff(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "on", "yes":
		return true, nil
	case "off", "no":
		return false, nil
	}
	return strconv.ParseBool(s)
}
