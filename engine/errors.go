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

// Code is the machine-readable code of an [Error] (CONTRACT.md, Envelopes and errors).
type Code string

// The error codes.
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

// Codes returns all error codes, in the order of the contract.
func Codes() []Code {
	return []Code{ValidationFailed, Unprocessable, BadRequest, RateLimited, Unauthorized, Internal, Forbidden, NotFound}
}

// Error is an error that a service returns for a request.
type Error struct {
	Code       Code
	HTTP       int    // the HTTP status of the response
	Message    string // one sentence
	Target     string // what is wrong: a path, a header or a field
	Details    []Detail
	RequestID  string
	RetryAfter time.Duration // for RATE_LIMITED: when to retry
	// Service is the host of the external service that refused the request. The message is the service's own
	// then, and the local check found no problem.
	Service string
	// Problems are the findings behind Details, if the tables found them.
	Problems []schema.Problem
	Err      error // the cause, for logs
}

// Detail is one item in the details of an error envelope.
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

// Errorf returns an error with a code, an HTTP status and a formatted message.
func Errorf(code Code, http int, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, HTTP: http, Message: err.Error(), Err: errors.Unwrap(err)}
}

// Invalid returns a VALIDATION_FAILED error with the problems, without notices. It returns nil if none of
// them is an error. It does not change a list that was cut off ([schema.RuleMore]).
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

// MissingCampaign returns the error for an id that does not exist or belongs to another workspace.
func MissingCampaign(id string) *Error {
	return Errorf(NotFound, http.StatusNotFound, "there is no campaign %q in this workspace", id)
}

// AsError returns the first *[Error] in err's chain, or nil.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}
