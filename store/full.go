package store

import (
	"errors"
	"strings"
)

// NoSpace reports whether an error of the system says that there is no space left: on the disk, in the
// quota of the user, or below the limit of a file's size. Some libraries give errors as text alone.
func NoSpace(err error) bool {
	if err == nil {
		return false
	}
	for _, e := range noSpace {
		if errors.Is(err, e) || strings.Contains(err.Error(), e.Error()) {
			return true
		}
	}
	return errors.Is(err, ErrFull)
}
