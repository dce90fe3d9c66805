package edit

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// History is what the user has changed during one run of the program, in order of time; each document has its own list in
// it. Roots are immutable and share what they have in common, so that many of them are small. The zero History is empty.
// It may be used from several goroutines.
type History struct {
	mu    sync.Mutex
	steps []*Step
	moves int     // counts changes, undos and redos
	next  []*Step // what [History.Next] returned last
	// saving has a channel for each document whose last save may still be running, which is closed when it has ended.
	saving map[string]chan struct{}
}

// Step is a change of one document.
type Step struct {
	ID string // of the document
	// Before and After are the document, or as much of it as changed. Neither exists if the change was an action, or
	// cannot be undone.
	Before, After doc.Value
	Cursor        doc.Path       // where the user was
	Action        catalog.Action // what was done to a whole campaign; empty for an edit
	What          string         // describes the change in a clause; empty for an edit in an editor
	Batch         int            // the same in all steps of one change; 0 for an edit in an editor

	field  string // that was typed in
	at     time.Time
	undone int // the move that undid it; 0 if it counts
}

const (
	// MaxSteps is how many steps a history keeps.
	MaxSteps = 10_000
	// maxEdits is how many steps it keeps of one document.
	maxEdits = 500
	// typingPause separates two steps in one field.
	typingPause = 2 * time.Second
)

// Reverse returns the action that undoes a step that was an action, or redoes it if it is undone; empty if none does.
func (s *Step) Reverse() catalog.Action {
	if s.undone > 0 {
		return s.Action
	}
	return catalog.Inverse(s.Action)
}

// sides returns what undoing the step, or redoing it, changes, and to what.
func (s *Step) sides() (from, to doc.Value) {
	if s.undone > 0 {
		return s.Before, s.After
	}
	return s.After, s.Before
}

// Changes returns what the step changed.
func (s *Step) Changes() []doc.Change { return doc.Diff(s.Before, s.After) }

// Patch undoes the step in the current version of its document, or redoes it. See [engine.Patch].
func (s *Step) Patch(now doc.Value) (doc.Value, []doc.Path) {
	from, to := s.sides()
	return engine.Patch(from, to, now)
}

// Record adds a change of documents. If it is the action that undoes or redoes what [History.Next] returned last, that is
// marked as undone or redone instead, and Record returns true.
func (h *History) Record(steps ...Step) (reversed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.moves++
	fresh := slices.DeleteFunc(steps, func(s Step) bool {
		i := slices.IndexFunc(h.next, func(n *Step) bool { return n.ID == s.ID && s.Action != "" && n.Reverse() == s.Action })
		if i >= 0 {
			h.mark(h.next[i])
		}
		return i >= 0
	})
	for i := range fresh {
		fresh[i].Batch = h.moves
	}
	h.add(fresh...)
	h.next = nil
	return len(fresh) < len(steps)
}

// add adds steps, in place of the undone ones of their documents.
func (h *History) add(steps ...Step) {
	kept := make(map[string]int, len(steps))
	for _, s := range steps {
		kept[s.ID] = 0
	}
	h.steps = slices.DeleteFunc(h.steps, func(s *Step) bool {
		n, ok := kept[s.ID]
		if ok && s.undone == 0 {
			kept[s.ID] = n + 1
		}
		return ok && s.undone > 0
	})
	h.steps = slices.DeleteFunc(h.steps, func(s *Step) bool {
		kept[s.ID]--
		return kept[s.ID] >= maxEdits-1
	})
	for _, s := range steps {
		h.steps = append(h.steps, &s)
	}
	h.steps = slices.Delete(h.steps, 0, max(len(h.steps)-MaxSteps, 0))
}

// edit records an edit. Consecutive ones in one field are one step; it reports whether this one continued one.
func (h *History) edit(s Step) (continued bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.moves++
	h.next = nil
	if last := h.last(s.ID); last != nil && s.field != "" && s.field == last.field && s.at.Sub(last.at) < typingPause && len(doc.Diff(last.After, s.Before)) == 0 {
		last.After, last.at = s.After, s.at
		return true
	}
	h.add(s)
	return false
}

// last returns the newest step of a document; nil if it is undone.
func (h *History) last(id string) *Step {
	for _, s := range slices.Backward(h.steps) {
		if s.ID == id {
			if s.undone > 0 {
				return nil
			}
			return s
		}
	}
	return nil
}

// amend makes a root part of the step that led to the root before it.
func (h *History) amend(id string, before, root doc.Value) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.steps {
		if s.ID != id {
			continue
		}
		if s.Before.Same(before) {
			s.Before = root
		}
		if s.After.Same(before) {
			s.After = root
		}
	}
}

// rename makes the steps of a document those of another one.
func (h *History) rename(id, to string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.steps {
		if s.ID == id {
			s.ID = to
		}
	}
}

// Next returns the steps of the newest change that can be undone or, if back is false, of the one that was undone last.
// Only steps for which of returns true count. Carry them out, then call [History.Done] or [History.Drop]; of an action,
// [History.Record] is enough.
func (h *History) Next(back bool, of func(*Step) bool) []*Step {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next = nil
	var top *Step
	for _, s := range h.steps {
		if (s.undone == 0) == back && (top == nil || back || s.undone > top.undone) && of(s) {
			top = s
		}
	}
	for _, s := range h.steps {
		if s == top || top != nil && s.Batch > 0 && s.Batch == top.Batch && (s.undone == 0) == back && of(s) {
			h.next = append(h.next, s)
		}
	}
	return slices.Clone(h.next)
}

// Copies returns the steps as they are now, for another goroutine.
func (h *History) Copies(steps []*Step) []Step {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []Step
	for _, s := range steps {
		out = append(out, *s)
	}
	return out
}

// Done records that steps have been undone, or redone if they were.
func (h *History) Done(steps ...*Step) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.moves++
	for _, s := range steps {
		h.mark(s)
	}
}

func (h *History) mark(s *Step) {
	s.field = "" // what is typed next is a change of its own
	if s.undone > 0 {
		s.undone = 0
	} else {
		s.undone = h.moves
	}
}

// Drop forgets steps, because they cannot be undone or redone.
func (h *History) Drop(steps ...*Step) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.steps = slices.DeleteFunc(h.steps, func(s *Step) bool { return slices.Contains(steps, s) })
}

// hold makes [History.Wait] wait for a save of a document until the returned function is called.
func (h *History) hold(id string) (saved func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.saving == nil {
		h.saving = map[string]chan struct{}{}
	}
	end := make(chan struct{})
	h.saving[id] = end
	return sync.OnceFunc(func() { close(end) })
}

// Wait waits until the last save of a session that was closed has ended, so that its changes can be undone elsewhere.
func (h *History) Wait(ctx context.Context, id string) error {
	h.mu.Lock()
	end, running := h.saving[id]
	h.mu.Unlock()
	if !running {
		return nil
	}
	select {
	case <-end:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting until the campaign is saved: %w", ctx.Err())
	}
}

// count returns how many steps of a document can be undone.
func (h *History) count(id string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.steps {
		if s.ID == id && s.undone == 0 {
			n++
		}
	}
	return n
}
