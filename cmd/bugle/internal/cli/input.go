package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"

	"github.com/muesli/cancelreader"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/files"
)

// Exists reports whether a file with that name exists or may exist.
func Exists(name string) bool {
	_, err := os.Stat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// MaxInput is the most bytes to read from a file. A campaign can have engine.MaxBody bytes, and several times as many
// when it is indented.
const MaxInput = 4 * engine.MaxBody

// Stdin is the name of standard input among the arguments.
const Stdin = "-"

// InputName returns the name of an input for errors.
func InputName(name string) string {
	if name == Stdin {
		return "standard input"
	}
	return name
}

// Read returns the contents of a file, or of standard input for "-".
func (s Streams) Read(ctx context.Context, name string) ([]byte, error) {
	if name == Stdin {
		return s.readStdin(ctx)
	}
	b, err := files.Read(name, MaxInput)
	return b, ReadError(name, err)
}

// ReadError returns the error of reading an input with its name.
func ReadError(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, files.ErrTooLarge):
		return engine.Errorf(engine.BadRequest, http.StatusRequestEntityTooLarge,
			"%s is too large: a campaign can be up to %d MiB", InputName(name), engine.MaxBody>>20)
	}
	return fmt.Errorf("cannot read %s: %w", InputName(name), Cause(err))
}

// readStdin reads standard input until the context ends, even if nothing is written to it.
func (s Streams) readStdin(ctx context.Context) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(s.Interruptible(ctx), MaxInput+1))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(b) > MaxInput:
		err = files.ErrTooLarge
	}
	return b, ReadError(Stdin, err)
}

// Interruptible returns standard input, which ends when ctx does, or when it is closed, also while it is read.
func (s Streams) Interruptible(ctx context.Context) io.ReadCloser {
	in, err := cancelreader.NewReader(s.In)
	if err != nil { // a regular file, which does not block
		return io.NopCloser(s.In)
	}
	context.AfterFunc(ctx, func() { in.Cancel() })
	return interruptible{in}
}

// interruptible is a reader whose end is that of the program, at the latest: it is not closed while it may be read.
type interruptible struct{ cancelreader.CancelReader }

// Read implements [io.Reader].
func (i interruptible) Read(p []byte) (int, error) {
	n, err := i.CancelReader.Read(p)
	if errors.Is(err, cancelreader.ErrCanceled) {
		err = io.EOF
	}
	return n, err
}

// Close implements [io.Closer].
func (i interruptible) Close() error {
	i.Cancel()
	return nil
}

// DocumentError reports that an input is not a usable document.
type DocumentError struct{ Err error }

func (e DocumentError) Error() string { return e.Err.Error() }

func (e DocumentError) Unwrap() error { return e.Err }

// ReadText returns the text of a file, or of standard input for "-", in an encoding that [files.Decode] reads.
func (s Streams) ReadText(ctx context.Context, name string) (string, error) {
	b, err := s.Read(ctx, name)
	if err == nil {
		b, err = Decode(name, b)
	}
	return string(b), err
}

// Decode returns the content of an input as UTF-8, from an encoding that [files.Decode] reads.
func Decode(name string, b []byte) ([]byte, error) {
	b, err := files.Decode(b)
	if err != nil {
		return nil, DocumentError{fmt.Errorf("cannot use %s: %w", InputName(name), err)}
	}
	return b, nil
}

// Members returns the fields of an object.
func Members(v doc.Value) []doc.Member {
	var ms []doc.Member
	for name, m := range v.Members() {
		ms = append(ms, doc.M(name, m))
	}
	return ms
}

// Confirm asks a question on the terminal, to which the answer is no by default. Without a terminal it fails, and says to add
// --yes and what for.
func (p *Printer) Confirm(ctx context.Context, question, purpose string) (bool, error) {
	if !p.CanAsk() {
		return false, Misused("use --yes %s", purpose)
	}
	said, err := p.Ask(ctx, question+" [y/N] ")
	return said == "y" || said == "yes", err
}

// CanAsk reports whether somebody can answer a question.
func (p *Printer) CanAsk() bool {
	_, _, ok := p.Terminal()
	return ok && !p.JSON
}

// Agreed is like [Printer.Confirm], but does not ask with yes, the flag --yes, and says so if nothing is to be changed.
func (p *Printer) Agreed(ctx context.Context, yes bool, question, purpose string) (bool, error) {
	if yes {
		return true, nil
	}
	agreed, err := p.Confirm(ctx, question, purpose)
	if err == nil && !agreed {
		fmt.Fprintln(p.Out, "No changes made.")
	}
	return agreed, err
}

// Ask asks a question on the terminal, and returns the answer in lower case.
func (p *Printer) Ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(p.Out, question)
	line := make([]byte, 256) // a read from a terminal returns at most one line
	n, err := p.Interruptible(ctx).Read(line)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("reading the answer: %w", err)
	}
	return strings.ToLower(strings.TrimSpace(string(line[:n]))), ctx.Err()
}
