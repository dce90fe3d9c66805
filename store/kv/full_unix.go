//go:build unix

package kv

import "syscall"

var noSpace = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

var noFiles = []error{syscall.EMFILE, syscall.ENFILE}
