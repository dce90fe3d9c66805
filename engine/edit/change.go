package edit

import (
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// Step is a document that undo and redo lead to.
type Step struct {
	Root doc.Value
	At   doc.Path // where the person was
}

// history is the list of steps that undo and redo walk. Roots are immutable and share what they have in common, so
// the list may be long.
type history struct {
	past, future []Step
	last         string // the field that the newest step was typed in
	at           time.Time
}

// typingPause parts two undo steps in one field.
const typingPause = 2 * time.Second

// record notes the step before a change of field. Changes that follow each other in one field are one step; it
// reports whether this one continued such a step.
func (h *history) record(before Step, field string, now time.Time) (continued bool) {
	continued = field != "" && field == h.last && now.Sub(h.at) < typingPause && len(h.past) > 0
	h.last, h.at, h.future = field, now, nil
	if !continued {
		h.past = append(h.past, before)
	}
	return continued
}

func (h *history) undo(now Step) (Step, bool) { return move(&h.past, &h.future, now, &h.last) }
func (h *history) redo(now Step) (Step, bool) { return move(&h.future, &h.past, now, &h.last) }

func move(from, to *[]Step, now Step, last *string) (Step, bool) {
	if len(*from) == 0 {
		return Step{}, false
	}
	s := (*from)[len(*from)-1]
	*from, *to, *last = (*from)[:len(*from)-1], append(*to, now), ""
	return s, true
}

// Change makes root the document; at is where the person is. Field names what was typed in: changes that follow
// each other in one field are one step of undo, and continued reports that this one goes on with such a step. An empty
// field is a step of its own. The caller asks [Session.Locked] first, and saves.
func (s *Session) Change(root doc.Value, at doc.Path, field string) (continued bool) {
	continued = s.history.record(Step{s.root, at}, field, s.host.Now())
	s.root = root
	s.check()
	return continued
}

// Moved is the outcome of an undo or a redo.
type Moved struct {
	Changes []doc.Change
	At      doc.Path // where the person was at the time
	// Locked is why the document stays as it is; empty where it does not.
	Locked string
}

// Undo brings back the document before the last change; at is where the person is. It is false where there is
// nothing to undo.
func (s *Session) Undo(at doc.Path) (Moved, bool) {
	return s.restore(at, (*history).undo)
}

// Redo brings back the change that was undone last.
func (s *Session) Redo(at doc.Path) (Moved, bool) {
	return s.restore(at, (*history).redo)
}

func (s *Session) restore(at doc.Path, walk func(*history, Step) (Step, bool)) (Moved, bool) {
	h := s.history
	to, ok := walk(&h, Step{s.root, at})
	if !ok {
		return Moved{}, false
	}
	if why := s.Locked(to.Root); why != "" { // published meanwhile
		return Moved{Locked: why}, true
	}
	m := Moved{Changes: doc.Diff(s.root, to.Root), At: to.At}
	s.history, s.root = h, to.Root
	s.check()
	return m, true
}

// Steps returns how many changes can be undone.
func (s *Session) Steps() int { return len(s.history.past) }

// Locked returns why the state of the campaign does not let its document become root; empty where it does.
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
			return s.lockWords(l)
		}
	}
	return "This cannot be changed while the campaign is " + s.campaign.Status.Label() + "."
}

// LockedAt returns why what is at p may not be changed now; empty where it may.
func (s *Session) LockedAt(p doc.Path) string {
	if why := readOnly(s.campaign.Head); why != "" {
		return why
	}
	for _, l := range catalog.Locked(s.campaign.Status) {
		if p.HasPrefix(l.Path) {
			return s.lockWords(l)
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

// lockWords puts a lock into words, with the state as the screens call it.
func (s *Session) lockWords(l catalog.Lock) string {
	if len(l.Path) == 0 {
		return "This campaign is " + s.campaign.Status.Label() + ". It cannot be changed."
	}
	return "Cannot be changed while the campaign is " + s.campaign.Status.Label() + "."
}
