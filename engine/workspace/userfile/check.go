package userfile

import (
	"errors"
	"fmt"

	"bugle/engine"
)

// maxID limits the id of a user, in bytes.
const maxID = 256

// Check returns why a user cannot be stored, or nil.
func Check(p engine.User) error {
	switch {
	case p.ID == "":
		return errors.New("a user must have an id")
	case len(p.ID) > maxID:
		return fmt.Errorf("the id of a user can have at most %d bytes, not %d", maxID, len(p.ID))
	}
	for _, d := range p.Devices {
		if d.Token == "" || d.Platform == "" {
			return errors.New("a device must have a platform and a token")
		}
	}
	for _, e := range p.Events {
		if e.Name == "" {
			return errors.New("an event must have a name")
		}
	}
	return nil
}
