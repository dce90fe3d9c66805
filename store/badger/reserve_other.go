//go:build !linux

package badger

import (
	"errors"
	"os"
)

// watch does nothing on this system: the reserve of free space must be enough for what the database writes.
func (l *logs) watch() (stop func()) { return func() {} }

func allocate(*os.File, int64) error { return errors.ErrUnsupported }
