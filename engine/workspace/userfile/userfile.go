// Package userfile reads users from CSV and JSON Lines files. It streams, so a file with a million users
// needs no more memory than one with ten.
package userfile

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"bugle/engine"
	"bugle/engine/files"
)

// Format is a file format.
type Format string

// The formats.
const (
	CSV       Format = "csv"   // RFC 4180; the first line names the columns
	JSONLines Format = "jsonl" // one JSON object per line, as for `bugle users put`
)

// Formats returns all formats.
func Formats() []Format { return []Format{CSV, JSONLines} }

// Detect returns the format of a file based on its name or else its first bytes: an object or a list means JSON Lines.
// It does not consume the bytes.
func Detect(name string, r *bufio.Reader) Format {
	switch lower := strings.ToLower(name); {
	case strings.HasSuffix(lower, ".csv"), strings.HasSuffix(lower, ".tsv"):
		return CSV
	case strings.HasSuffix(lower, ".jsonl"), strings.HasSuffix(lower, ".ndjson"):
		return JSONLines
	}
	head, _ := r.Peek(512)
	text, _ := io.ReadAll(files.NewTextReader(bytes.NewReader(head))) // as far as it goes
	if text = bytes.TrimLeft(text, " \t\r\n"); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		return JSONLines
	}
	return CSV
}

// legible returns why a part of a file is not text as somebody wrote it, or nil.
func legible(text string) error {
	switch {
	case !files.IsText(text):
		return files.ErrNotText
	case files.IsMisread(text), strings.ContainsRune(text, utf8.RuneError):
		return files.ErrMisread
	}
	return nil
}

// LineError is a problem with a line. Unless it is Fatal, reading can continue.
type LineError struct {
	Line  int // of the file, from 1
	Fatal bool
	Err   error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

// Row is a user with the line number.
type Row struct {
	engine.UserRow
	Line int
}

// Read returns the users in a file in order, which is a text as [files.NewTextReader] reads it. For an invalid line it returns a *[LineError] instead. It stops
// after a fatal one and after an error of r. The attributes of the workspace define the types of values, and the names that a
// column can have been meant to have.
func Read(r io.Reader, format Format, w engine.Workspace) iter.Seq2[Row, error] {
	r = files.NewTextReader(r)
	if format == JSONLines {
		return readLines(r, w)
	}
	return readCSV(r, w)
}
