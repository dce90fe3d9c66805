package builder

import (
	"time"

	"bugle/engine/doc"
)

// history is the list of roots that undo and redo walk. Roots are immutable and share what
// they have in common, so the list may be long.
type history struct {
	past, future []step
	last         string // the field that the newest step was typed in
	at           time.Time
}

type step struct {
	root doc.Value
	path doc.Path // where the person was
}

// typingPause parts two undo steps in one field.
const typingPause = 2 * time.Second

// record notes the root before a change of field. Changes that follow each other in one field
// are one step; it reports whether this one continued such a step.
func (h *history) record(before step, field string, now time.Time) (continued bool) {
	continued = field != "" && field == h.last && now.Sub(h.at) < typingPause && len(h.past) > 0
	h.last, h.at, h.future = field, now, nil
	if !continued {
		h.past = append(h.past, before)
	}
	return continued
}

func (h *history) undo(now step) (step, bool) { return move(&h.past, &h.future, now, &h.last) }
func (h *history) redo(now step) (step, bool) { return move(&h.future, &h.past, now, &h.last) }

func move(from, to *[]step, now step, last *string) (step, bool) {
	if len(*from) == 0 {
		return step{}, false
	}
	s := (*from)[len(*from)-1]
	*from, *to, *last = (*from)[:len(*from)-1], append(*to, now), ""
	return s, true
}
