package doc

import (
	"bytes"
	"strings"
	"unicode/utf8"

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
	value   int64
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
	at, _ := l.find(p)
	return position(l.src, at.at)
}

// TextPosition returns the position of a byte of the text of the string at p, or that of the value if it is not such a
// string.
func (l *Places) TextPosition(p Path, offset int) (line, column int) {
	at, ok := l.find(p)
	if !ok || int(at.value) >= len(l.src) || l.src[at.value] != '"' {
		return position(l.src, at.at)
	}
	i, raw := 1, l.src[at.value:]
	for left := offset; left > 0 && i < len(raw) && raw[i] != '"'; {
		n, decoded := 1, 1
		if raw[i] == '\\' {
			n, decoded = escape(raw[i:])
		}
		i, left = i+n, left-decoded
	}
	return position(l.src, at.value+int64(i))
}

// escape returns how many bytes an escape has, and how many the character that it stands for.
func escape(raw []byte) (n, decoded int) {
	n = 2
	if len(raw) > 1 && raw[1] == 'u' {
		n = 6
		if len(raw) >= 12 && raw[6] == '\\' && strings.ContainsRune("dD", rune(raw[2])) && strings.ContainsRune("89abAB", rune(raw[3])) {
			n = 12 // a surrogate pair
		}
	}
	n = min(n, len(raw))
	text, err := jsontext.AppendUnquote(nil, append(append([]byte{'"'}, raw[:n]...), '"'))
	if err != nil {
		return n, utf8.RuneLen(utf8.RuneError)
	}
	return n, len(text)
}

// find returns the place of the value at p, or of the innermost existing value on the path and false.
func (l *Places) find(p Path) (*place, bool) {
	at := l.root
	for _, s := range p {
		var next *place
		if !s.IsIndex {
			next = at.members[s.Name]
		} else if s.Index < len(at.elems) {
			next = at.elems[s.Index]
		}
		if next == nil {
			return at, false
		}
		at = next
	}
	return at, true
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
	into.value = s.next()
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
