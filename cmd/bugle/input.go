package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/muesli/cancelreader"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/service/local"
)

// maxInput is how much of a file is read. A campaign can have local.MaxBody bytes, and a few times that when it is
// indented for people.
const maxInput = 4 * local.MaxBody

// stdin is the name of standard input among the arguments.
const stdin = "-"

func inputName(name string) string {
	if name == stdin {
		return "standard input"
	}
	return name
}

// read returns the contents of a file, or of standard input for "-".
func (s streams) read(ctx context.Context, name string) ([]byte, error) {
	if name == stdin {
		return s.readStdin(ctx)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, cause(err))
	}
	defer func() { _ = file.Close() }()
	return readAll(file, name)
}

// readStdin reads standard input, and ends with the context even if nothing is written to it. A regular file needs
// no waiting.
func (s streams) readStdin(ctx context.Context) ([]byte, error) {
	in, err := cancelreader.NewReader(s.in)
	if err != nil {
		return readAll(s.in, stdin)
	}
	defer func() { _ = in.Close() }()
	defer context.AfterFunc(ctx, func() { in.Cancel() })()
	b, err := readAll(in, stdin)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return b, err
}

func readAll(r io.Reader, name string) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", inputName(name), cause(err))
	}
	if len(b) > maxInput {
		return nil, engine.Errorf(engine.BadRequest, http.StatusRequestEntityTooLarge,
			"%s is too large: a campaign can be up to %d MiB", inputName(name), local.MaxBody>>20)
	}
	return b, nil
}

// documentError reports why an input is not a document to work with.
type documentError struct{ err error }

func (e documentError) Error() string { return e.err.Error() }
func (e documentError) Unwrap() error { return e.err }

// document reads an object from a file, in YAML if its name says so and in JSON otherwise, or from standard input,
// in either. A byte order mark is skipped.
func (s streams) document(ctx context.Context, name string) (doc.Value, error) {
	b, err := s.read(ctx, name)
	if err != nil {
		return doc.Value{}, err
	}
	b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	if isYAML(name) || name == stdin && !looksLikeJSON(b) {
		return yamlDocument(name, b)
	}
	v, err := doc.Parse(b)
	var syntax *doc.SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.TooDeep, errors.As(err, &syntax) && syntax.Duplicate:
		return doc.Value{}, documentError{fmt.Errorf("cannot use %s: %w", inputName(name), err)}
	case err != nil:
		return doc.Value{}, documentError{fmt.Errorf("%s is not valid JSON: %w", inputName(name), err)}
	case v.Kind() != doc.Object:
		return doc.Value{}, documentError{fmt.Errorf("%s must be a JSON object, not %s", inputName(name), article(v.Kind()))}
	}
	return v, nil
}

func article(k doc.Kind) string {
	switch k {
	case doc.Null, doc.Absent:
		return k.String()
	case doc.Array, doc.Object:
		return "an " + k.String()
	}
	return "a " + k.String()
}

// looksLikeJSON reports whether a text begins as a JSON object or array does, or is empty. Everything else is YAML.
func looksLikeJSON(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) == 0 || b[0] == '{' || b[0] == '['
}
