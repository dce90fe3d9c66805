package doc

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Position returns the line and the column (both from 1, in characters) of the value at p in a text that
// [Parse] accepts: of a member's name, or of an element. If there is no such value, it returns the position
// of the innermost existing value on the path.
func Position(src []byte, p Path) (line, column int) {
	s := finder{dec: jsontext.NewDecoder(bytes.NewBuffer(src)), src: src}
	at := s.next()
	for _, step := range p {
		found, ok := s.find(step)
		if !ok {
			break
		}
		at = found
	}
	return position(src, at)
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

// find moves into the value to a member or element, and returns its offset.
func (s finder) find(step Step) (int64, bool) {
	open := jsontext.Kind('{')
	if step.IsIndex {
		open = '['
	}
	if s.dec.PeekKind() != open {
		return 0, false
	}
	if _, err := s.dec.ReadToken(); err != nil {
		return 0, false
	}
	for i := 0; s.dec.PeekKind() != open+2; i++ { // the bracket that closes it
		at, here := s.next(), i == step.Index
		if !step.IsIndex {
			name, err := s.dec.ReadToken()
			if err != nil {
				return 0, false
			}
			here = name.String() == step.Name
		}
		if here {
			return at, true
		}
		if err := s.dec.SkipValue(); err != nil {
			return 0, false
		}
	}
	return 0, false
}
