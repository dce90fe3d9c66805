package store

import (
	"errors"
	"strings"
)

// NoSpace reports whether an error of the system says that there is no space left: on the disk, in the
// quota of the user, or below the limit of a file's size.
func NoSpace(err error) bool {
	return isOne(err, noSpace) || errors.Is(err, ErrFull)
}

// NoFiles reports whether an error of the system says that no file can be opened now, as this process or
// the system has too many open. It says nothing of what is in the file.
func NoFiles(err error) bool { return isOne(err, noFiles) }

// isOne reports whether err is one of the system's errors, or says so: some libraries give them as text
// alone.
func isOne(err error, system []error) bool {
	if err == nil {
		return false
	}
	for _, e := range system {
		if errors.Is(err, e) || strings.Contains(err.Error(), e.Error()) {
			return true
		}
	}
	return false
}
