package doc

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Places are the places of the values in a text that [Parse] accepts. It must not be changed.
type Places struct {
	src  []byte
	root *place
}

// place is where a value is in a text.
type place struct {
	at      int64 // of the member's name, or of an element
	members map[string]*place
	elems   []*place
}

// NewPlaces returns the places of the values in a text. Of a text that is not valid, it returns those up to the error.
func NewPlaces(src []byte) *Places {
	s := finder{dec: jsontext.NewDecoder(bytes.NewBuffer(src)), src: src}
	root := &place{at: s.next()}
	s.value(root, 0)
	return &Places{src, root}
}

// Position returns the line and the column (both from 1, in characters) of the value at p: of a member's name, or of an
// element. If there is no such value, it returns the position of the innermost existing value on the path.
func (l *Places) Position(p Path) (line, column int) {
	at := l.root
	for _, s := range p {
		next := at.members[s.Name]
		if s.IsIndex {
			next = nil
			if s.Index < len(at.elems) {
				next = at.elems[s.Index]
			}
		}
		if next == nil {
			break
		}
		at = next
	}
	return position(l.src, at.at)
}

// Position is [Places.Position] of one value.
func Position(src []byte, p Path) (line, column int) { return NewPlaces(src).Position(p) }

// LineColumn returns the line and the column (both from 1, in characters) of a byte offset in a text.
func LineColumn(text string, offset int) (line, column int) {
	return position([]byte(text), int64(offset))
}

// finder reads a text token by token. It is positioned before a value.
type finder struct {
	dec *jsontext.Decoder
	src []byte
}

// next returns the offset of the next token.
func (s finder) next() int64 {
	at := s.dec.InputOffset()
	return at + int64(len(s.src[at:])-len(bytes.TrimLeft(s.src[at:], " \t\r\n,:")))
}

// value reads the next value and the places in it. It returns false at an error.
func (s finder) value(into *place, depth int) bool {
	open := s.dec.PeekKind()
	if open != '{' && open != '[' || depth >= MaxDepth {
		return s.dec.SkipValue() == nil
	}
	if _, err := s.dec.ReadToken(); err != nil {
		return false
	}
	for s.dec.PeekKind() != open+2 { // the bracket that closes it
		child := &place{at: s.next()}
		if open == '[' {
			if s.dec.PeekKind() == 0 {
				return false
			}
			into.elems = append(into.elems, child)
		} else {
			name, err := s.dec.ReadToken()
			if err != nil {
				return false
			}
			if into.members == nil {
				into.members = map[string]*place{}
			}
			into.members[name.String()] = child
		}
		if !s.value(child, depth+1) {
			return false
		}
	}
	_, err := s.dec.ReadToken()
	return err == nil
}

// UnixLines returns a text with lines that end as on Unix, which git and editors change: also a last line with half an end.
func UnixLines(text string) string {
	return strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\r")
}

// LinesLike returns a text whose lines end as those of another one, or as they do if that has several ends.
func LinesLike(was, text string) string {
	switch strings.Count(was, "\r\n") {
	case 0:
		return UnixLines(text)
	case strings.Count(was, "\n"):
		return strings.ReplaceAll(UnixLines(text), "\n", "\r\n")
	}
	return text
}
