package doc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// SyntaxError reports why a text is not a document, and where.
type SyntaxError struct {
	Line   int    // from 1
	Column int    // in characters, from 1; 0 if only the line is known
	Offset int64  // in bytes, from 0
	Msg    string // one clause, such as `duplicate object member name "a"`
	// Duplicate and TooDeep mark the two errors that are not about JSON syntax.
	Duplicate, TooDeep bool
}

func (e *SyntaxError) Error() string {
	if e.Column == 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// explainSyntax reads a text that Parse refused again, token by token, and returns the error with its
// position, or nil if there is none.
func explainSyntax(src []byte) error {
	r := explainer{dec: jsontext.NewDecoder(bytes.NewBuffer(src)), src: src}
	if err := r.value(0); err != nil {
		return r.explain(err)
	}
	end := r.dec.InputOffset()
	_, err := r.dec.ReadToken()
	if err == io.EOF {
		return nil
	}
	if err == nil {
		end += int64(len(src[end:]) - len(bytes.TrimLeft(src[end:], " \t\r\n")))
		err = &jsontext.SyntacticError{ByteOffset: end, Err: errors.New("there is data after the end of the document")}
	}
	return r.explain(err)
}

type explainer struct {
	dec *jsontext.Decoder
	src []byte
}

var errTooDeep = fmt.Errorf("nested deeper than %d levels", MaxDepth)

func (r *explainer) value(depth int) error {
	kind := r.dec.PeekKind()
	if kind != '{' && kind != '[' {
		_, err := r.dec.ReadValue()
		return err
	}
	if depth >= MaxDepth {
		return errTooDeep
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	for r.dec.PeekKind() != kind+2 { // the bracket that closes it
		if kind == '{' {
			if _, err := r.dec.ReadValue(); err != nil {
				return err
			}
		}
		if err := r.value(depth + 1); err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

// explain converts an error of the decoder to a SyntaxError with line and column.
func (r *explainer) explain(err error) error {
	e := &SyntaxError{Offset: r.dec.InputOffset()}
	var syn *jsontext.SyntacticError
	switch {
	case errors.As(err, &syn):
		e.Offset, e.Msg = syn.ByteOffset, syn.Err.Error()
		e.Duplicate = errors.Is(err, jsontext.ErrDuplicateName)
		if e.Duplicate {
			e.Msg = "duplicate field name"
			if name := syn.JSONPointer.LastToken(); name != "" {
				e.Msg = fmt.Sprintf("the field %q appears twice in one object", name)
			}
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			e.Offset, e.Msg = int64(len(r.src)), "the document is cut short"
		}
	case errors.Is(err, errTooDeep):
		e.Msg, e.TooDeep = err.Error(), true
	case errors.Is(err, io.EOF):
		e.Msg = "the document is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Offset, e.Msg = int64(len(r.src)), "the document is cut short"
	default:
		e.Msg = err.Error()
	}
	e.Line, e.Column = position(r.src, e.Offset)
	return e
}

func position(src []byte, offset int64) (line, column int) {
	head := src[:min(max(offset, 0), int64(len(src)))]
	line = 1 + bytes.Count(head, []byte("\n"))
	column = 1 + utf8.RuneCount(head[bytes.LastIndexByte(head, '\n')+1:])
	return line, column
}
