package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// Typed asks for a secret in the terminal without echoing it. The echo is on again when it returns.
func (s Streams) Typed(ctx context.Context, in *os.File, prompt string) (string, error) {
	fd := int(in.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	fmt.Fprint(s.Err, prompt)
	type answer struct {
		text []byte
		err  error
	}
	given := make(chan answer, 1)
	go func() { // if ctx ends first, the goroutine ends with the program: a read cannot be interrupted
		text, err := term.ReadPassword(fd)
		given <- answer{text, err}
	}()
	select {
	case a := <-given:
		fmt.Fprintln(s.Err)
		return string(a.text), a.err
	case <-ctx.Done():
		// The read turns the echo off when it starts, which may be after ctx ends.
		for range 20 {
			if now, err := term.GetState(fd); err != nil || *now != *before {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		_ = term.Restore(fd, before)
		fmt.Fprintln(s.Err)
		return "", ctx.Err()
	}
}

// Key reads a key from standard input, without echo if that is a terminal. It must not be empty.
func (s Streams) Key(ctx context.Context) (string, error) {
	var text string
	var err error
	if in, ok := s.In.(*os.File); ok && IsTerminal(in) {
		text, err = s.Typed(ctx, in, "Key: ")
	} else {
		text, err = s.ReadText(ctx, Stdin)
	}
	if text = strings.TrimSpace(text); err == nil && text == "" {
		err = Misused("no key on standard input")
	}
	return text, err
}
