package socket

import "fmt"

// otherUserError reports that the process at the other end of a connection belongs to another user.
type otherUserError struct{ uid int }

func (e *otherUserError) Error() string {
	return fmt.Sprintf("the process belongs to another user (id %d); each user needs a data folder, chosen with --data or BUGLE_DATA", e.uid)
}
