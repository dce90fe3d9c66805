package edit

import (
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// Locked returns why the campaign's state does not allow its document to become root, or "".
func (s *Session) Locked(root doc.Value) string {
	if why := readOnly(s.campaign.Head); why != "" {
		return why
	}
	paths := catalog.LockedChanges(s.campaign.Status, s.root, root)
	if len(paths) == 0 {
		return ""
	}
	for _, l := range catalog.Locked(s.campaign.Status) {
		if paths[0].HasPrefix(l.Path) || l.Path.HasPrefix(paths[0]) {
			return s.describeLock(l)
		}
	}
	return "This cannot be changed while the campaign is " + s.campaign.Status.Label() + "."
}

// LockedAt returns why the value at p cannot be changed now, or "".
func (s *Session) LockedAt(p doc.Path) string {
	if why := readOnly(s.campaign.Head); why != "" {
		return why
	}
	for _, l := range catalog.Locked(s.campaign.Status) {
		if p.HasPrefix(l.Path) {
			return s.describeLock(l)
		}
	}
	return ""
}

func readOnly(h engine.Head) string {
	if h.Channel.Writable() {
		return ""
	}
	return h.Channel.Label() + " campaigns are read-only here."
}

// describeLock describes a lock, with the state as the screens name it.
func (s *Session) describeLock(l catalog.Lock) string {
	if len(l.Path) == 0 {
		return "This campaign is " + s.campaign.Status.Label() + ". It cannot be changed."
	}
	return "Cannot be changed while the campaign is " + s.campaign.Status.Label() + "."
}
