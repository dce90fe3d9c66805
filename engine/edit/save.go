package edit

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
)

// saving is how the edits get to the store: one save at a time, the newest edits next.
type saving struct {
	running  bool
	dirty    bool // edits since the running save began
	coalesce bool // the next save continues the newest revision
	note     string
	edits    int // how many there were, ever
	err      error
}

// saveTime bounds one save.
const saveTime = 10 * time.Second

// during returns a context for work that has begun and is not canceled with the screen: what was typed is kept.
func during(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), saveTime)
}

// line is where the saves of one session wait for each other: one that is under way and the last one before another
// screen is opened would else be refused as if somebody else had saved between them.
type line struct {
	mu    sync.Mutex
	edits int // how many had been made when last was stored
	last  Saved

	kept spared
}

// spared keeps edits on this machine while the store cannot be reached.
type spared struct {
	in   engine.WorkingCopies // see [Host]; nil where the store is here
	away atomic.Bool          // there may be a copy

	mu    sync.Mutex
	edits int // how many had been made when the copy was
}

// put keeps edits, unless newer ones are kept.
func (k *spared) put(id string, w engine.WorkingCopy, edits int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.edits > edits {
		return nil
	}
	k.edits = edits
	k.away.Store(true)
	return k.in.KeepCopy(context.Background(), id, w)
}

// drop discards the copy, unless it has newer edits than those that are stored now.
func (k *spared) drop(id string, edits int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.away.Load() || k.edits > edits {
		return nil
	}
	err := k.in.DropCopy(context.Background(), id)
	k.away.Store(err != nil)
	return err
}

// spareAfter is how long a save may run before its edits are kept on this machine as well.
const spareAfter = 300 * time.Millisecond

// during keeps the edits of a save on this machine if the save is slow, or fails because the store cannot be reached. Call
// the function that it returns with the result of the save.
func (k *spared) during(id string, w engine.WorkingCopy, edits int) (done func(error) error) {
	if k.in == nil {
		return func(err error) error { return err }
	}
	late := time.AfterFunc(spareAfter, func() { _ = k.put(id, w, edits) }) // it is tried again when the save fails
	return func(err error) error {
		if !late.Stop() && err == nil {
			_ = k.put(id, w, edits) // the timer may be writing the copy right now; drop it after that
		}
		switch {
		case err == nil:
			_ = k.drop(id, edits) // saved again the next time, which changes nothing
		case !IsConflict(err):
			if kept := k.put(id, w, edits); kept != nil {
				return errors.Join(err, kept)
			}
			return &KeptError{err}
		}
		return err
	}
}

// KeptError reports that edits could not be saved in the store, and are kept on this machine until they can be.
type KeptError struct{ Err error }

func (e *KeptError) Error() string { return e.Err.Error() }
func (e *KeptError) Unwrap() error { return e.Err }

// Saved is what a save stored.
type Saved struct {
	head engine.Head
	root doc.Value
}

// Saver stores edits. Its outcome goes to [Session.Saved]. It runs to its end, or for ten seconds, when ctx is
// canceled.
type Saver func(ctx context.Context) (Saved, error)

// Save notes that there is something to save, and returns what saves it: a draft in place, others as a working copy
// until they are applied. It is nil where a save is under way; [Session.Saved] returns the next one then. Note says
// what was done, for the history of the campaign; coalesce continues its newest version.
func (s *Session) Save(note string, coalesce bool) Saver {
	v := &s.saving
	v.note, v.coalesce = note, coalesce && (!v.dirty || v.coalesce)
	v.dirty = true
	v.edits++
	if v.running {
		s.spare()
		return nil
	}
	return s.saver()
}

// spare keeps the newest edits on this machine right away if the store could not be reached before: the running save may
// take a while to fail again.
func (s *Session) spare() {
	if s.host.Spare == nil || !s.InPlace() || !s.line.kept.away.Load() {
		return
	}
	w := engine.WorkingCopy{Base: s.campaign.Revision, Origin: s.origin, Body: s.Body(), At: s.host.Now()}
	_ = s.line.kept.put(s.id, w, s.saving.edits) // the next save tries again, and reports the error
}

func (s *Session) saver() Saver {
	s.saving.running, s.saving.dirty = true, false
	store, revision := s.storing(), s.campaign.Revision
	return func(ctx context.Context) (Saved, error) {
		ctx, cancel := during(ctx)
		defer cancel()
		return store(ctx, revision)
	}
}

// storing returns the work of one save on top of a revision. It holds all that it needs.
func (s *Session) storing() func(ctx context.Context, revision int64) (Saved, error) {
	now, copies := Saved{s.campaign.Head, s.root}, s.host.Copies
	if s.InPlace() {
		r := engine.SaveRequest{ID: now.head.ID, Body: s.Body(), By: s.host.Author, Note: s.saving.note, Coalesce: s.saving.coalesce}
		s.line.kept.in = s.host.Spare
		return s.line.storing(s.host.Service.(engine.Drafter), r, s.root, s.saving.edits, s.origin, s.host.Now())
	}
	w := engine.WorkingCopy{Base: now.head.Revision, Origin: s.origin, Body: s.Body(), At: s.host.Now()}
	return func(ctx context.Context, _ int64) (Saved, error) {
		if copies == nil {
			return now, nil
		}
		return now, copies.KeepCopy(ctx, now.head.ID, w)
	}
}

// storing returns the work of saving a draft, once the saves before it are done. Edits says how many had been made.
func (l *line) storing(d engine.Drafter, r engine.SaveRequest, root doc.Value, edits int, origin doc.Value, at time.Time) func(context.Context, int64) (Saved, error) {
	return func(ctx context.Context, revision int64) (Saved, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.edits >= edits {
			return l.last, nil // these edits, or newer ones, are stored already
		}
		r.Revision = max(revision, l.last.head.Revision)
		done := l.kept.during(r.ID, engine.WorkingCopy{Base: r.Revision, Origin: origin, Body: r.Body, At: at}, edits)
		h, err := d.Save(ctx, r)
		if err = done(err); err == nil {
			l.edits, l.last = edits, Saved{h, root}
		}
		return Saved{h, root}, err
	}
}

// Saved notes the outcome of a save, and returns the next one where there are newer edits. After an error the edits
// are still there, and are saved with the next change; see [IsConflict].
func (s *Session) Saved(done Saved, err error) Saver {
	s.saving.running, s.saving.err = false, err
	if !s.InPlace() {
		s.pending = len(doc.Diff(s.origin, s.Body())) > 0
	}
	if err != nil {
		s.saving.dirty = true
		return nil
	}
	if s.host.inPlace(done.head) {
		s.campaign.Head, s.campaign.Body = done.head, engine.BodyOf(done.root)
		s.origin = s.campaign.Body
	}
	if s.saving.dirty {
		return s.saver()
	}
	return nil
}

// IsConflict reports whether a save failed because somebody else saved the draft meanwhile.
func IsConflict(err error) bool {
	e := engine.AsError(err)
	return e != nil && e.HTTP == http.StatusConflict
}

// KeepMine returns what saves the edits on top of what somebody else saved, after a conflict.
func (s *Session) KeepMine(note string) Saver {
	s.saving.running, s.saving.dirty = true, false
	s.saving.note, s.saving.coalesce = note, false
	store, service, id := s.storing(), s.host.Service, s.id
	return func(ctx context.Context) (Saved, error) {
		ctx, cancel := during(ctx)
		defer cancel()
		now, err := service.Get(ctx, id)
		if err != nil {
			return Saved{}, err
		}
		return store(ctx, now.Revision)
	}
}

// Forget discards the edits that are not saved, before the campaign is loaded again. The function that it returns, nil
// where there is nothing to do, discards what is kept of them on this machine, before that.
func (s *Session) Forget() (drop func(context.Context) error) {
	s.saving, s.pending = saving{edits: s.saving.edits}, false
	if spare, id, l := s.host.Spare, s.id, s.line; spare != nil {
		return func(ctx context.Context) error {
			l.kept.away.Store(false)
			return spare.DropCopy(ctx, id)
		}
	}
	return nil
}

// Flush returns what stores the edits that are not stored yet, in one go and for the last time; nil where there
// are none.
func (s *Session) Flush() func() {
	if !s.Saving() {
		return nil
	}
	store, service, id, revision := s.storing(), s.host.Service, s.id, s.campaign.Revision
	return func() {
		ctx, cancel := during(context.Background())
		defer cancel()
		// Where somebody else saved meanwhile, this is refused, and goes on top of it.
		if _, err := store(ctx, revision); err != nil && engine.AsError(err) != nil {
			if now, err := service.Get(ctx, id); err == nil {
				_, _ = store(ctx, now.Revision) // nobody is left to be told
			}
		}
	}
}

// Saving reports whether there are edits that are not stored yet.
func (s *Session) Saving() bool { return s.saving.running || s.saving.dirty }

// SaveErr returns why the last save failed.
func (s *Session) SaveErr() error { return s.saving.err }

// Edited reports whether anything was changed in this session.
func (s *Session) Edited() bool { return s.saving.edits > 0 }
