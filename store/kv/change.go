package kv

import "bugle/store"

// ChangeFor returns the change to publish when the record with that key is written. It returns false for records whose
// changes are not published.
func ChangeFor(key []byte) (c store.Change, ok bool) {
	if len(key) == 0 {
		return c, false
	}
	root := key[0]
	workspace, rest, err := cutName(key[1:])
	if err != nil || root != rootRecord && root != rootWorkspace {
		return c, false
	}
	c.Workspace = workspace
	if root == rootWorkspace {
		c.Kind = store.ChangedSettings
		return c, true
	}
	if len(rest) == 0 {
		return c, false
	}
	switch rest[0] {
	case kindCampaign, kindSummary, kindCopy, kindDismissed:
		c.Kind = store.ChangedCampaign
	case kindProfile:
		c.Kind = store.ChangedUser
	case kindContent:
		c.Kind = store.ChangedSettings
		return c, true
	case kindOutbox, kindTest:
		c.Kind = store.ChangedOutbox
		return c, true
	default:
		return c, false
	}
	c.ID, _, err = cutName(rest[1:])
	return c, err == nil
}
