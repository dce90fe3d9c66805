// Package userfile reads the users of a workspace from files: CSV, or JSON with one profile a line. It
// reads as it goes, so that a file of a million users needs no more memory than one of ten.
package userfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"bugle/engine"
)

// Format is how a file spells profiles.
type Format string

// The formats.
const (
	CSV       Format = "csv"   // RFC 4180; the first line names the columns
	JSONLines Format = "jsonl" // one JSON object a line, as `bugle workspace put users` reads it
)

// Formats lists the formats.
func Formats() []Format { return []Format{CSV, JSONLines} }

// Detect tells the format of a file by its name, and else by its first bytes: an object is JSON lines.
// It does not consume what it looks at.
func Detect(name string, r *bufio.Reader) Format {
	switch lower := strings.ToLower(name); {
	case strings.HasSuffix(lower, ".csv"), strings.HasSuffix(lower, ".tsv"):
		return CSV
	case strings.HasSuffix(lower, ".jsonl"), strings.HasSuffix(lower, ".ndjson"):
		return JSONLines
	}
	head, _ := r.Peek(512)
	if strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(string(head), bom), " \t\r\n"), "{") {
		return JSONLines
	}
	return CSV
}

// errNotUTF8 refuses text that would be kept as something else than it is.
var errNotUTF8 = errors.New("it is not UTF-8 text; save the file as UTF-8")

// bom is the mark that spreadsheets put before UTF-8.
const bom = "\ufeff"

// LineError says what is wrong with a line. Reading can go on after it, unless it is Fatal.
type LineError struct {
	Line  int // of the file, from 1
	Fatal bool
	Err   error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

// Row is a profile and the line that it stands in.
type Row struct {
	engine.UserRow
	Line int
}

// Read returns the profiles of a file in their order, or a *[LineError] in the place of one. After a fatal
// one, and after an error of r, nothing follows. attributes are those that the workspace knows: they say
// of which type a CSV column is.
func Read(r io.Reader, format Format, attributes []engine.Attribute) iter.Seq2[Row, error] {
	if format == JSONLines {
		return readLines(r)
	}
	return readCSV(r, attributes)
}
