package personalize

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
	for i, u := range e.Unresolved {
		parts[i] = u.String()
	}
	return "no value for " + strings.Join(parts, "; ") + " (set a value, or add |default('…'))"
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
