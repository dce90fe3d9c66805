package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/message/delivery"
)

// The exit codes (README, Commands; `bugle help exit-codes`).
const (
	ExitDone    = 0
	ExitFailed  = 1
	ExitMisused = 2
	ExitInvalid = 3
	ExitRefused = 4
)

// Error codes in JSON output that no service uses.
const (
	CodeMisused engine.Code = "MISUSED" // invalid usage
	codeFailed  engine.Code = "FAILED"  // a file, the store or the system failed
	codeDamaged engine.Code = "DAMAGED" // the command did what it could; the store is damaged
)

// usageError is an invalid command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }

func (e usageError) Unwrap() error { return e.err }

// Misused returns an error about invalid usage: exit code 2.
func Misused(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Misuse wraps err as invalid usage.
func Misuse(err error) error { return usageError{err} }

// AsUsage turns an invalid-campaign error about flags and arguments into invalid usage.
func AsUsage(err error) error {
	if e := engine.AsError(err); e != nil && ExitCode(e) == ExitInvalid {
		return usageError{err}
	}
	return err
}

const damageRemedy = "`bugle doctor` lists what is affected; `bugle restore` lists the backups, and restores one or a campaign of it."

// damageError is the error of a command that did what it could with a damaged store.
type damageError string

func (e damageError) Error() string { return string(e) }

// silentError ends the program with an exit code after the reason was printed.
type silentError int

// Silent returns an error that ends the program with an exit code without printing anything; nil for [ExitDone].
func Silent(code int) error {
	if code == ExitDone {
		return nil
	}
	return silentError(code)
}

func (e silentError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// ExitCode returns the exit code of an error.
func ExitCode(err error) int {
	var silent silentError
	var usage usageError
	var document DocumentError
	var secret *delivery.Error
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &silent):
		return int(silent)
	case errors.As(err, &usage), errors.As(err, &secret) && secret.Reason == delivery.NoSecret:
		return ExitMisused
	case errors.As(err, &document):
		return ExitInvalid
	}
	e := engine.AsError(err)
	switch {
	case e == nil, e.Code == engine.Internal, engine.IsStale(e):
		return ExitFailed
	case e.Service != "": // whatever its reason, it does not come from our own validation
		return ExitRefused
	case e.Code == engine.ValidationFailed, len(e.Problems) > 0:
		return ExitInvalid
	}
	return ExitRefused
}

// report prints an error and its remedy on standard error, and returns the exit code.
func report(f *Factory, err error) int {
	code := ExitCode(err)
	var silent silentError
	if err == nil || errors.As(err, &silent) {
		return code
	}
	fail := FailureOf(err)
	if f.JSON {
		text, _ := indented(map[string]any{"error": fail})
		fmt.Fprint(f.Err, text)
		return code
	}
	fmt.Fprintln(f.Err, "bugle: "+Clean(fail.Text()))
	return code
}

// Failure is an error in the output of --json, modeled on the error envelope of the API (CONTRACT.md, Envelopes and errors).
type Failure struct {
	Code      engine.Code     `json:"code"`
	Message   string          `json:"message"`
	Target    string          `json:"target,omitempty"`
	Details   []engine.Detail `json:"details,omitempty"`
	RequestID string          `json:"request_id,omitempty"`
	Remedy    string          `json:"remedy,omitempty"` // what to do about it, if known
}

// FailureOf returns the printable form of an error.
func FailureOf(err error) Failure {
	out := Failure{Code: codeFailed, Message: err.Error(), Remedy: remedy(err)}
	var usage usageError
	var document DocumentError
	e := engine.AsError(err)
	switch {
	case errors.Is(err, context.Canceled):
		out.Message = "interrupted"
	case e != nil:
		out.Code, out.Message, out.Target, out.Details, out.RequestID = e.Code, e.Message, e.Target, e.Details, e.RequestID
	case errors.As(err, &usage):
		out.Code = CodeMisused
	case errors.As(err, &document):
		out.Code = engine.BadRequest
	case errors.As(err, new(damageError)):
		out.Code = codeDamaged
	}
	return out
}

// Text returns the failure for people: a sentence, one line per detail, and the remedy.
func (f Failure) Text() string {
	lines := []string{f.Message}
	for _, d := range f.Details {
		switch {
		case d.Message == f.Message: // already printed
		case d.Target == "" || d.Message == "":
			lines = append(lines, "  "+d.Target+d.Message)
		default:
			lines = append(lines, "  "+d.Target+": "+d.Message)
		}
	}
	if f.Remedy != "" {
		lines = append(lines, f.Remedy)
	}
	return strings.Join(lines, "\n")
}

// remedied is an error with a remedy.
type remedied struct {
	err    error
	remedy string // a sentence
}

func (e remedied) Error() string { return e.err.Error() }

func (e remedied) Unwrap() error { return e.err }

// OrForce adds to a refusal of what was made from an earlier state of a campaign ([engine.IsStale]) what --force does.
func OrForce(err error, to string) error {
	if !engine.IsStale(err) {
		return err
	}
	return WithRemedy(err, "Use --force to "+to+".")
}

// WithRemedy returns err with a sentence about what to do.
func WithRemedy(err error, sentence string) error { return remedied{err, sentence} }

func remedy(err error) string {
	var known remedied
	if errors.As(err, &known) {
		return known.remedy
	}
	return ""
}
