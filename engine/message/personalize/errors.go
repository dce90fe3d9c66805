package personalize

import (
	"fmt"
	"strings"
)

// Unresolved is an expression whose value is missing, or that cannot be computed.
type Unresolved struct {
	Expression   string // as written, without braces and filters: UserAttribute['First Name']; where it failed with all of its tag
	Line, Column int    // from 1, in characters; within Block when that is set
	Block        string // the content block it stands in, "" for the message itself
	Reason       string // "the user has no attribute First Name"
}

func (u Unresolved) String() string {
	where := ""
	if u.Block != "" {
		where = " in content block " + u.Block
	}
	return fmt.Sprintf("{{%s}}%s: %s", u.Expression, where, u.Reason)
}

// MissingError says that a message would have had holes.
type MissingError struct {
	Unresolved []Unresolved // at least one, in the order of the text, each expression once
}

func (e *MissingError) Error() string {
	parts := make([]string, len(e.Unresolved))
	for i, u := range e.Unresolved {
		parts[i] = u.String()
	}
	return "no value for " + strings.Join(parts, "; ") + " (set a value, or add |default('…'))"
}

// Error is a template that cannot be read, or that exceeds a limit.
type Error struct {
	Line, Column int    // from 1, in characters; 0 where no place is known
	Block        string // the content block the place is in, "" for the message itself
	Message      string // one sentence, never the source
	Hint         string // what to write instead, may be empty
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
