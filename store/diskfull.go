package store

import (
	"errors"
	"strings"
)

// IsDiskFull reports whether an error of the system says that there is no space left: on the disk, in the
// quota of the user, or below the limit of a file's size.
func IsDiskFull(err error) bool {
	return matchesAny(err, diskFullErrors) || errors.Is(err, ErrDiskFull)
}

// IsTooManyFiles reports whether an error of the system says that no file can be opened now, as this process or
// the system has too many open. It says nothing of what is in the file.
func IsTooManyFiles(err error) bool { return matchesAny(err, tooManyFilesErrors) }

// matchesAny reports whether err is one of the system's errors, or says so: some libraries give them as text
// alone.
func matchesAny(err error, system []error) bool {
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
