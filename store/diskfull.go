package store

import (
	"errors"
	"runtime"
	"strings"
	"syscall"
)

var diskFullErrors, tooManyFilesErrors = systemErrors()

func systemErrors() (diskFull, tooManyFiles []error) {
	if runtime.GOOS == "windows" { // where Go invents the ones below
		// ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL, ERROR_DISK_QUOTA_EXCEEDED, and ERROR_TOO_MANY_OPEN_FILES.
		return []error{syscall.Errno(39), syscall.Errno(112), syscall.Errno(1295)}, []error{syscall.Errno(4)}
	}
	return []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}, []error{syscall.EMFILE, syscall.ENFILE}
}

// IsDiskFull reports whether err is an error of the operating system for a full disk, an exhausted quota, or a file
// size limit.
func IsDiskFull(err error) bool {
	return matchesAny(err, diskFullErrors) || errors.Is(err, ErrDiskFull)
}

// IsTooManyFiles reports whether err is an error of the operating system for too many open files. Such an error does
// not mean that the file is damaged.
func IsTooManyFiles(err error) bool { return matchesAny(err, tooManyFilesErrors) }

// matchesAny reports whether err wraps one of the system's errors or contains its text, because some libraries return
// only the text.
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
