package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
)

// The exit codes (README, Commands).
const (
	exitDone    = 0
	exitFailed  = 1
	exitMisused = 2
	exitInvalid = 3
	exitRefused = 4
)

// usageError is a command line that does not say what it must.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func misused(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// silentError ends the program with a code when everything has been said already.
type silentError int

func (e silentError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// exitCode gives the code of an error.
func exitCode(err error) int {
	var silent silentError
	var usage usageError
	var syntax *doc.SyntaxError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &silent):
		return int(silent)
	case errors.As(err, &usage):
		return exitMisused
	case errors.As(err, &syntax):
		return exitInvalid
	}
	e := engine.AsError(err)
	switch {
	case e == nil:
		return exitFailed
	case e.Code == engine.Internal:
		return exitFailed
	case e.Code == engine.ValidationFailed, len(e.Problems) > 0:
		return exitInvalid
	}
	return exitRefused
}

// report says on standard error what went wrong and what to do, and gives the exit code.
func report(f *factory, err error) int {
	code := exitCode(err)
	var silent silentError
	if err == nil || errors.As(err, &silent) {
		return code
	}
	if e := engine.AsError(err); e != nil && f.json {
		b, _ := json.MarshalIndent(map[string]any{"error": map[string]any{
			"code": e.Code, "message": e.Message, "target": e.Target, "details": e.Details, "request_id": e.RequestID,
		}}, "", "  ")
		fmt.Fprintln(f.err, string(b))
		return code
	}
	fmt.Fprintln(f.err, "bugle: "+clean(err.Error()))
	if hint := remedy(err); hint != "" {
		fmt.Fprintln(f.err, hint)
	}
	return code
}

// remedy says what to do about an error, where that is known.
func remedy(err error) string {
	var locked *store.LockedError
	var usage usageError
	switch {
	case errors.As(err, &locked):
		return "Close the other bugle first, or use another folder with --data."
	case errors.As(err, &usage):
		return "See `bugle help`."
	}
	return ""
}

// clean keeps what came from documents and servers from controlling the terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20, r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, s)
}
