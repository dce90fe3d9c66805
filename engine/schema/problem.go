package schema

import (
	"fmt"
	"strings"
	"time"
	"unsafe"

	"bugle/engine/doc"
)

// Severity distinguishes errors from notices.
type Severity uint8

// The severities. A Notice does not make a document invalid. Examples are a field that the template does not
// use, and an unknown field in an open object.
const (
	Error Severity = iota
	Notice
)

// Problem is one problem of a document.
type Problem struct {
	Path     doc.Path // in the document
	Rule     string   // stable id of table, field and rule, such as "push.android.timer.time_period#required"
	Severity Severity
	Message  string // one sentence without the path, using wire names
	Section  string // the section of the specification
	// Line is the line of a long text that the problem is about, from 1; 0 if it is about all of the value.
	Line int `json:",omitempty"`
	// FormMessage is the message with titles instead of wire names. It is "" if it equals Message, and for
	// problems from a service.
	FormMessage string `json:"Human,omitempty"`
}

// Text returns the message for users of a form: FormMessage, or else Message.
func (p Problem) Text() string {
	if p.FormMessage != "" {
		return p.FormMessage
	}
	return p.Message
}

// Missing reports whether all that is wrong is that a value, or a choice between values, is missing.
func (p Problem) Missing() bool {
	_, rule, _ := strings.Cut(p.Rule, "#")
	return strings.HasPrefix(rule, "required") || rule == "one_of" || rule == "one_place" || strings.HasPrefix(p.Message, "missing")
}

// The bounds of what one check lists, of errors and of notices each: a document of one megabyte can have
// several hundred thousand problems, and each of them takes a kilobyte.
const (
	MaxProblems = 1000
	// maxProblemBytes bounds what the listed problems take together. It is about what a thousand usual
	// ones take; the names in a path can be as long as the document.
	maxProblemBytes = 512 << 10
)

// RuleMore is the rule of the last problem in a list that was cut off at the limit.
const RuleMore = "schema#more"

// tally counts the problems of one severity.
type tally struct{ count, bytes int }

func (t *tally) full() bool { return t.count >= MaxProblems || t.bytes >= maxProblemBytes }

func (t *tally) add(p Problem) {
	t.count++
	t.bytes += len(p.Message) + len(p.FormMessage)
	for _, step := range p.Path {
		t.bytes += int(unsafe.Sizeof(step)) + len(step.Name)
	}
}

// String returns the path and the message.
func (p Problem) String() string { return fmt.Sprintf("%s: %s", p.Path, p.Message) }

// Errors returns the problems in ps that are not notices.
func Errors(ps []Problem) []Problem {
	var out []Problem
	for _, p := range ps {
		if p.Severity == Error {
			out = append(out, p)
		}
	}
	return out
}

// Env is the environment of a check besides the document. The zero value is a draft check without a
// workspace.
type Env struct {
	Stage Stage     // zero: Draft
	Now   time.Time // zero: rules that need the time are not checked
	// Flags are the workspace's feature flags; nil without a workspace.
	Flags map[string]bool
	// Lists returns one of the workspace's lists of names, such as "subscription_categories". It is nil
	// without a workspace, and returns false for an unknown list.
	Lists func(list string) ([]string, bool)
	// Record is the document as a service returned it, or absent. Its unchanged parts that the tables do not
	// know are notices, because the service knows them.
	Record doc.Value
	// Expression returns an error for a text with invalid personalization expressions. Nil means not to check
	// them.
	Expression func(text string) error
}

func (e *Env) stage() Stage {
	if e.Stage == 0 {
		return Draft
	}
	return e.Stage
}

func (e *Env) list(name string) ([]string, bool) {
	if e.Lists == nil {
		return nil, false
	}
	return e.Lists(name)
}
