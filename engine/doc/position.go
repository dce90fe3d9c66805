package doc

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Position returns the line and the column, both from 1 and in characters, at which what p leads to
// begins in a text that [Parse] takes: the name of a member, or an element. Where p leads to nothing
// it is the innermost value on the way that is there.
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

// finder reads a text token by token. It stands before a value.
type finder struct {
	dec *jsontext.Decoder
	src []byte
}

// next returns the offset at which the next token begins.
func (s finder) next() int64 {
	at := s.dec.InputOffset()
	return at + int64(len(s.src[at:])-len(bytes.TrimLeft(s.src[at:], " \t\r\n,:")))
}

// find goes into the value, up to the member or element, and returns where that begins.
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
