//go:build !linux && !darwin

package badger

import "errors"

// freeSpace is not supported on this system: a full disk is only noticed when a write fails.
func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
