package store

import "syscall"

// ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL, and ERROR_DISK_QUOTA_EXCEEDED.
var diskFullErrors = []error{syscall.Errno(39), syscall.Errno(112), syscall.Errno(1295)}

// ERROR_TOO_MANY_OPEN_FILES.
var tooManyFilesErrors = []error{syscall.Errno(4)}
