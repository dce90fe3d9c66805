package campaignfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/doc"
	"bugle/engine/doc/yamldoc"
	"bugle/engine/files"
)

// Location is a place in a file. Line and Column are from 1, in characters, and 0 if they are not known.
type Location struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// String returns the location as compilers write it: file:line:column.
func (l Location) String() string {
	switch {
	case l.Line == 0:
		return l.File
	case l.Column == 0:
		return fmt.Sprintf("%s:%d", l.File, l.Line)
	}
	return fmt.Sprintf("%s:%d:%d", l.File, l.Line, l.Column)
}

// Offset returns the byte at the location in a text; its end if there is no such place.
func (l Location) Offset(text string) (at int) {
	for range l.Line - 1 {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	for i := range text[at:] {
		if l.Column--; l.Column <= 0 {
			return at + i
		}
	}
	return len(text)
}

// Source is the text that a campaign was read from. It knows where in its files each value is. The zero Source is of a
// campaign that was read from no file.
type Source struct {
	file  File
	json  func() *doc.Places // where the values are, once somebody asks; nil for YAML
	yaml  func() *yamldoc.Places
	parts []files.Part
}

// Exists reports whether there is a file.
func (s Source) Exists() bool { return s.file.Name != "" }

// File returns the location of the whole file.
func (s Source) File() Location { return Location{File: cli.InputName(s.file.Name)} }

// At returns the location of the value at p: of the file that has its text, if that is another one, else of its field.
func (s Source) At(p doc.Path) Location { return s.In(p, -1) }

// In returns the location of a byte of the text at p; of the whole value if offset is negative.
func (s Source) In(p doc.Path, offset int) Location {
	if !s.Exists() {
		return Location{}
	}
	for _, part := range s.parts {
		if p.Equal(part.Path) {
			l := Location{File: filepath.Join(filepath.Dir(s.file.Name), filepath.FromSlash(part.Name))}
			l.Line, l.Column = doc.LineColumn(part.Text, max(offset, 0))
			return l
		}
	}
	l := s.File()
	switch {
	case s.yaml != nil && offset >= 0:
		l.Line, l.Column = s.yaml().TextPosition(p, offset)
	case s.yaml != nil:
		l.Line, l.Column = s.yaml().Position(p)
	case s.json != nil: // a string is on one line
		l.Line, l.Column = s.json().Position(p)
	}
	return l
}

// Files returns the names of the files that the campaign was read from, its main file first.
func (s Source) Files() []string {
	out := []string{s.file.Name}
	for _, p := range s.parts {
		out = append(out, filepath.Join(filepath.Dir(s.file.Name), filepath.FromSlash(p.Name)))
	}
	return out
}

// Of returns the location of an error of reading the campaign, as far as it is known.
func (s Source) Of(err error) Location {
	l := s.File()
	var syntax *doc.SyntaxError
	var part *files.PartError
	switch {
	case errors.As(err, &syntax):
		l.Line, l.Column = syntax.Line, syntax.Column
	case errors.As(err, &part):
		return s.At(part.Path)
	}
	return l
}
