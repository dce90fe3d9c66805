package doc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deeply arrays and objects may nest (gaps.md, Operations).
const MaxDepth = 200

// SyntaxError says why a text is no document, and where.
type SyntaxError struct {
	Line   int    // from 1
	Column int    // in characters, from 1
	Offset int64  // in bytes, from 0
	Msg    string // one clause, such as `duplicate object member name "a"`
	// Duplicate and TooDeep tell the two refusals apart that are no plain syntax.
	Duplicate, TooDeep bool
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// Parse reads one JSON text. Duplicate member names, invalid UTF-8, nesting deeper than
// [MaxDepth] and anything after the value are refused with a *[SyntaxError].
func Parse(b []byte) (Value, error) {
	p := parser{dec: jsontext.NewDecoder(bytes.NewBuffer(b)), src: b}
	v, err := p.value(0)
	if err != nil {
		return Value{}, p.explain(err)
	}
	end := p.dec.InputOffset()
	if _, err := p.dec.ReadToken(); err != io.EOF {
		if err == nil {
			end += int64(len(b[end:]) - len(bytes.TrimLeft(b[end:], " \t\r\n")))
			err = &jsontext.SyntacticError{ByteOffset: end, Err: errors.New("there is more after the end of the document")}
		}
		return Value{}, p.explain(err)
	}
	return v, nil
}

type parser struct {
	dec *jsontext.Decoder
	src []byte
}

var errTooDeep = fmt.Errorf("nested deeper than %d levels", MaxDepth)

func (p *parser) value(depth int) (Value, error) {
	switch p.dec.PeekKind() {
	case '{', '[':
		if depth >= MaxDepth {
			return Value{}, errTooDeep
		}
		open, err := p.dec.ReadToken()
		if err != nil {
			return Value{}, err
		}
		if open.Kind() == '{' {
			return p.object(depth + 1)
		}
		return p.array(depth + 1)
	default:
		return p.scalar()
	}
}

func (p *parser) object(depth int) (Value, error) {
	var members []Member
	for p.dec.PeekKind() != '}' {
		name, err := p.scalar()
		if err != nil {
			return Value{}, err
		}
		v, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		members = append(members, Member{Name: name.n.text, raw: name.n.raw, Value: v})
	}
	_, err := p.dec.ReadToken()
	return Value{object(members)}, err
}

func (p *parser) array(depth int) (Value, error) {
	n := &node{kind: Array}
	for p.dec.PeekKind() != ']' {
		v, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		n.elems = append(n.elems, v)
	}
	_, err := p.dec.ReadToken()
	return Value{n}, err
}

func (p *parser) scalar() (Value, error) {
	raw, err := p.dec.ReadValue()
	if err != nil {
		return Value{}, err
	}
	switch raw.Kind() {
	case 'n':
		return NullValue(), nil
	case 't', 'f':
		return NewBool(raw[0] == 't'), nil
	case '0':
		return Value{&node{kind: Number, raw: string(raw)}}, nil
	}
	n := &node{kind: String, raw: string(raw)}
	if bytes.IndexByte(raw, '\\') < 0 {
		n.text = n.raw[1 : len(n.raw)-1]
		return Value{n}, nil
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return Value{}, err
	}
	n.text = string(text)
	return Value{n}, nil
}

// explain turns what the decoder says into a SyntaxError with line and column.
func (p *parser) explain(err error) error {
	e := &SyntaxError{Offset: p.dec.InputOffset()}
	var syn *jsontext.SyntacticError
	switch {
	case errors.As(err, &syn):
		e.Offset, e.Msg = syn.ByteOffset, syn.Err.Error()
		e.Duplicate = errors.Is(err, jsontext.ErrDuplicateName)
		if e.Duplicate {
			e.Msg = "duplicate member name"
			if name := syn.JSONPointer.LastToken(); name != "" {
				e.Msg = fmt.Sprintf("the name %q stands twice in one object", name)
			}
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			e.Offset, e.Msg = int64(len(p.src)), "the document ends too early"
		}
	case errors.Is(err, errTooDeep):
		e.Msg, e.TooDeep = err.Error(), true
	case errors.Is(err, io.EOF):
		e.Msg = "the document is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Offset, e.Msg = int64(len(p.src)), "the document ends too early"
	default:
		e.Msg = err.Error()
	}
	e.Line, e.Column = position(p.src, e.Offset)
	return e
}

func position(src []byte, offset int64) (line, column int) {
	head := src[:min(max(offset, 0), int64(len(src)))]
	line = 1 + bytes.Count(head, []byte("\n"))
	column = 1 + utf8.RuneCount(head[bytes.LastIndexByte(head, '\n')+1:])
	return line, column
}
