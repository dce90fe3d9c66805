//go:build unix

package store

import (
	"syscall"
)

var noSpace = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

var noFiles = []error{syscall.EMFILE, syscall.ENFILE}
