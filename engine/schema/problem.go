package schema

import (
	"fmt"
	"time"
	"unsafe"

	"bugle/engine/doc"
)

// Severity tells a breach from a remark.
type Severity uint8

// The severities. A Notice refuses nothing: a member that the template does not use, one that
// no table knows in an open object.
const (
	Error Severity = iota
	Notice
)

// Problem is one thing found in a document.
type Problem struct {
	Path     doc.Path // from the root of the document
	Rule     string   // stable id: table, field, rule, such as "push.android.timer.time_period#required"
	Severity Severity
	Message  string // one sentence that does not repeat the path, in the words of the wire
	Section  string // the section of the specification that says so
	// FormMessage is the message in the words of the forms: titles in the place of names and options on
	// the wire. It is "" where Message says the same, and where the problem came over the wire.
	FormMessage string `json:"Human,omitempty"`
}

// Text give the message for people who look at a form: Human, or Message where there is none.
func (p Problem) Text() string {
	if p.FormMessage != "" {
		return p.FormMessage
	}
	return p.Message
}

// The bounds of what one check lists, of errors and of notices each: a document of one megabyte can have
// several hundred thousand problems, and each of them takes a kilobyte.
const (
	MaxProblems = 1000
	// maxProblemBytes bounds what the listed problems take together. It is about what a thousand usual
	// ones take; the names in a path can be as long as the document.
	maxProblemBytes = 512 << 10
)

// RuleMore is the rule of the last of a list of problems where the check stopped, as the list was full.
const RuleMore = "schema#more"

// tally is what the problems of one severity take.
type tally struct{ count, bytes int }

func (t *tally) full() bool { return t.count >= MaxProblems || t.bytes >= maxProblemBytes }

func (t *tally) add(p Problem) {
	t.count++
	t.bytes += len(p.Message) + len(p.FormMessage)
	for _, step := range p.Path {
		t.bytes += int(unsafe.Sizeof(step)) + len(step.Name)
	}
}

// String returns path and message.
func (p Problem) String() string { return fmt.Sprintf("%s: %s", p.Path, p.Message) }

// Errors returns those of ps that are no notices.
func Errors(ps []Problem) []Problem {
	var out []Problem
	for _, p := range ps {
		if p.Severity == Error {
			out = append(out, p)
		}
	}
	return out
}

// Env is what a check knows beyond the document. The zero Env is a draft check that knows
// nothing of a workspace.
type Env struct {
	Stage Stage     // zero: Draft
	Now   time.Time // zero: rules that need the time are not checked
	// Flags are the workspace's features; nil where no workspace is at hand.
	Flags map[string]bool
	// Lists returns the workspace's configured names, such as "subscription_categories"; nil, or
	// false for a list, where they are not known.
	Lists func(list string) ([]string, bool)
	// Record is the document as a service returned it; absent where no service did. What stands in it
	// unchanged and is not known here is a notice: the service knows it.
	Record doc.Value
	// Expression reports why a text with personalization expressions does not parse; nil where
	// that is not checked.
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
