package engine

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// Code is the machine-readable kind of an [Error] (CONTRACT.md, Envelopes and errors).
type Code string

// The codes of errors.
const (
	ValidationFailed Code = "VALIDATION_FAILED"
	Unprocessable    Code = "UNPROCESSABLE_ENTITY"
	BadRequest       Code = "BAD_REQUEST"
	RateLimited      Code = "RATE_LIMITED"
	Unauthorized     Code = "UNAUTHORIZED"
	Forbidden        Code = "FORBIDDEN"
	NotFound         Code = "NOT_FOUND"
	Internal         Code = "INTERNAL_ERROR"
)

// Error is a service's refusal.
type Error struct {
	Code       Code
	HTTP       int    // the status that the API answers with
	Message    string // one sentence
	Target     string // what it is about: a path, a header, a member
	Details    []Detail
	RequestID  string
	RetryAfter time.Duration // RATE_LIMITED: when to try again
	// Service is the host of the service that refused, where others run it: then the words are its own,
	// and nothing here found a fault before.
	Service string
	// Problems are the findings that Details is made of, where the tables found them.
	Problems []schema.Problem
	Err      error // the cause, for logs
}

// Detail is one item of an error envelope's details.
type Detail struct {
	Target  string `json:"target"`
	Message string `json:"message"`
}

func (e *Error) Error() string {
	if len(e.Details) == 0 {
		return e.Message
	}
	lines := []string{e.Message}
	for _, d := range e.Details {
		if d.Target != "" {
			d.Target += ": "
		}
		lines = append(lines, "  "+d.Target+d.Message)
	}
	return strings.Join(lines, "\n")
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an error of that code and HTTP status.
func Errorf(code Code, http int, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, HTTP: http, Message: err.Error(), Err: errors.Unwrap(err)}
}

// Invalid makes the validation error of problems; notices are left out. It returns nil where
// there is no error among them. A list that is full ([schema.RuleMore]) stays as it is.
func Invalid(problems []schema.Problem) error {
	bad := schema.Errors(problems)
	if len(bad) == 0 {
		return nil
	}
	counted := phrase.Count(len(bad), "problem")
	if n := len(bad) - 1; bad[n].Rule == schema.RuleMore {
		counted = "more than " + phrase.Count(n, "problem")
	}
	e := Errorf(ValidationFailed, http.StatusBadRequest, "the campaign has %s", counted)
	e.Target, e.Problems = bad[0].Path.String(), bad
	for _, p := range bad {
		e.Details = append(e.Details, Detail{Target: p.Path.String(), Message: p.Message})
	}
	return e
}

// MissingCampaign is the answer for an id that is not there, or another workspace's.
func MissingCampaign(id string) *Error {
	return Errorf(NotFound, http.StatusNotFound, "there is no campaign %q in this workspace", id)
}

// AsError returns the refusal in err's chain, and nil where there is none.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}
