package template

import (
	"fmt"
	"strings"
)

// Unresolved is an expression that has no value or cannot be computed.
type Unresolved struct {
	Expression string // as written, without braces and filters: UserAttribute['First Name']; the whole tag if its evaluation failed
	// Line and Column are from 1, in characters; within Block if that is set.
	Line, Column int
	Block        string // the content block, or "" for the message itself
	Reason       string // "the user has no attribute First Name"
	Mistake      bool   // a default does not replace it
}

func (u Unresolved) String() string {
	where := ""
	if u.Block != "" {
		where = " in content block " + u.Block
	}
	return fmt.Sprintf("{{%s}}%s: %s", u.Expression, where, u.Reason)
}

// MissingError reports the missing values of a message.
type MissingError struct {
	Unresolved []Unresolved // at least one, in text order, each expression once
}

func (e *MissingError) Error() string {
	parts := make([]string, len(e.Unresolved))
	advice := "correct the expression"
	for i, u := range e.Unresolved {
		if parts[i] = u.String(); !u.Mistake {
			advice = "set a value, or add |default('…')"
		}
	}
	return "no value for " + strings.Join(parts, "; ") + " (" + advice + ")"
}

// Error is an invalid template, or one that exceeds a limit.
type Error struct {
	// Line and Column are from 1, in characters; 0 if unknown.
	Line, Column int
	Block        string // the content block, or "" for the message itself
	Message      string // one sentence without the source
	Hint         string // what to write instead; may be empty
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Block != "" {
		fmt.Fprintf(&b, "content block %s: ", e.Block)
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d, column %d: ", e.Line, e.Column)
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// failure is why an expression has no value for these data, such as a division by zero: a default replaces it.
func failure(reason string) error { return &missing{reason: reason, tag: true} }

// fault is a mistake in the template that only shows with its values, such as a method that a value does not
// have: a default does not replace it.
func fault(reason string) error { return &missing{reason: reason, tag: true, fault: true} }

// missing is a value that is not there. It passes through attribute access; default, and, or, not, if, tests, ==
// and != may meet one, and everywhere else it is the error of the expression.
type missing struct {
	at     Span   // what was looked up
	tag    bool   // at is a whole tag, which failed
	of     *frame // where that stands; nil until it is known
	reason string
	hint   func() string // what may have been meant, as ", did you mean name?"; nil without
	fault  bool          // by a fault, which a default does not replace
	none   bool          // it equals none
	empty  bool          // an if without an else, which is written as nothing
}

func (m *missing) Error() string { return m.reason }

// report is the error of a statement. A name that could not be set has it as its value: then it is the error of
// every statement with that name, and not of the set.
type report struct {
	*missing
	withdrawn bool
}
