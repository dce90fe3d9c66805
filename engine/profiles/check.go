package profiles

import (
	"errors"
	"fmt"

	"bugle/engine"
)

// maxID bounds the id of a profile, in bytes.
const maxID = 256

// Check says why a profile cannot be kept; nil where it can.
func Check(p engine.Profile) error {
	switch {
	case p.ID == "":
		return errors.New("a profile needs an id")
	case len(p.ID) > maxID:
		return fmt.Errorf("the id of a profile has at most %d bytes, not %d", maxID, len(p.ID))
	}
	for _, d := range p.Devices {
		if d.Token == "" || d.Platform == "" {
			return errors.New("a device needs a platform and a token")
		}
	}
	for _, e := range p.Events {
		if e.Name == "" {
			return errors.New("an event needs a name")
		}
	}
	return nil
}
