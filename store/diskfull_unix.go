//go:build unix

package store

import (
	"syscall"
)

var diskFullErrors = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

var tooManyFilesErrors = []error{syscall.EMFILE, syscall.ENFILE}
