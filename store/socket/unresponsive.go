package socket

import (
	"errors"
	"fmt"
)

// unresponsiveError reports that the process that has the store open does not respond.
type unresponsiveError struct {
	pid       int // 0 if unknown
	suspended bool
}

func (e *unresponsiveError) Error() string {
	switch {
	case e.pid == 0:
		return "the bugle process that has the store open does not respond; if it is suspended, continue it with `fg` in its terminal, or end it"
	case e.suspended:
		return fmt.Sprintf("the bugle process that has the store open (%d) is suspended; continue it with `fg` in its terminal or `kill -CONT %[1]d`, or end it with `kill -9 %[1]d`", e.pid)
	}
	return fmt.Sprintf("the bugle process that has the store open (%d) does not respond; if it is suspended, continue it with `fg` in its terminal or `kill -CONT %[1]d`, or end it with `kill -9 %[1]d`", e.pid)
}

// errUnresponsive is a [unresponsiveError] of an owner whose process is not known yet.
var errUnresponsive = &unresponsiveError{}

// noOwnerError returns why there is no owner: err, of attaching to it, or locked, of opening the store.
func noOwnerError(err, locked error) error {
	var by *lockedError
	if !errors.As(locked, &by) {
		return locked
	}
	var silent *unresponsiveError
	asleep := suspended(by.pid)
	switch {
	case asleep, errors.As(err, &silent):
		return &unresponsiveError{pid: by.pid, suspended: asleep}
	case errors.Is(err, errNobody):
		return locked
	}
	return err
}
