package userfile

import (
	"errors"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/visible"
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
	case trim(p.ID) != p.ID:
		return fmt.Errorf("the id %q has blanks or invisible characters around it; remove them", p.ID)
	case hasHidden(p.ID):
		return fmt.Errorf("the id %q has an invisible character; remove it", p.ID)
	}
	if address, _ := p.Attributes[engine.AttrEmail].(string); visible.HasBlank(address) {
		return fmt.Errorf("the address %q has a blank or an invisible character; remove it", address)
	}
	for _, d := range p.Devices {
		if d.Token == "" || d.Platform == "" {
			return errors.New("a device must have a platform and a token")
		}
		if hasHidden(d.Token) || hasHidden(d.AdvertiseID) {
			return fmt.Errorf("the token %q or advertising id %q has an invisible character; remove it", d.Token, d.AdvertiseID)
		}
	}
	for _, e := range p.Events {
		if e.Name == "" {
			return errors.New("an event must have a name")
		}
	}
	return nil
}

// hasHidden reports whether an id has invisible characters; blanks within it are fine.
func hasHidden(id string) bool { return visible.HasHidden(strings.Join(strings.Fields(id), " ")) }
