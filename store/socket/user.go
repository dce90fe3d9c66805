package socket

import "fmt"

// otherUserError says that the process at the other end is another user's.
type otherUserError struct{ uid int }

func (e *otherUserError) Error() string {
	return fmt.Sprintf("the process belongs to another user (id %d); each user needs a data folder, chosen with --data or BUGLE_DATA", e.uid)
}
