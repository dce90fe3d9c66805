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

// saving is the state of saving: one save runs at a time, followed by one for the newest edits.
type saving struct {
	running  bool
	dirty    bool // edits since the running save began
	coalesce bool // the next save continues the newest revision
	note     string
	edits    int // number of edits so far
	err      error
}

// saveTimeout limits one save.
const saveTimeout = 10 * time.Second

// detach returns a context for a save that has started, which does not end with the screen: typed text is
// kept.
func detach(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
}

// saveQueue serializes the saves of one session. Otherwise a running save and the last one before the screen
// is closed would conflict.
type saveQueue struct {
	mu    sync.Mutex
	edits int // how many had been made when last was stored
	last  SaveResult

	fallback fallbackCopy
}

// fallbackCopy keeps edits on this machine while the store cannot be reached.
type fallbackCopy struct {
	store    engine.WorkingCopyStore // see [Config.Fallback]; nil if the store is on this machine
	mayExist atomic.Bool             // there may be a copy

	mu    sync.Mutex
	edits int // number of edits when the copy was written
}

// put stores edits, unless newer ones are stored.
func (k *fallbackCopy) put(id string, w engine.WorkingCopy, edits int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.edits > edits {
		return nil
	}
	k.edits = edits
	k.mayExist.Store(true)
	return k.store.PutWorkingCopy(context.Background(), id, w)
}

// drop deletes the copy, unless it has newer edits than those that were saved.
func (k *fallbackCopy) drop(id string, edits int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.mayExist.Load() || k.edits > edits {
		return nil
	}
	err := k.store.DeleteWorkingCopy(context.Background(), id)
	k.mayExist.Store(err != nil)
	return err
}

// fallbackDelay is how long a save may run before its edits are also kept on this machine.
const fallbackDelay = 300 * time.Millisecond

// protect keeps the edits of a save on this machine if the save is slow or the store cannot be reached. Call
// the returned function with the result of the save.
func (k *fallbackCopy) protect(id string, w engine.WorkingCopy, edits int) (done func(error) error) {
	if k.store == nil {
		return func(err error) error { return err }
	}
	late := time.AfterFunc(fallbackDelay, func() { _ = k.put(id, w, edits) }) // it is tried again when the save fails
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
			return &SavedLocallyError{err}
		}
		return err
	}
}

// SavedLocallyError reports that edits could not be saved in the store and are kept on this machine until
// they can be.
type SavedLocallyError struct{ Err error }

func (e *SavedLocallyError) Error() string { return e.Err.Error() }
func (e *SavedLocallyError) Unwrap() error { return e.Err }

// SaveResult is the result of a [SaveFunc].
type SaveResult struct {
	head engine.Head
	root doc.Value
}

// SaveFunc saves edits. Pass its result to [Session.FinishSave]. If ctx is canceled, a save that has started
// continues for up to ten seconds.
type SaveFunc func(ctx context.Context) (SaveResult, error)

// Save schedules a save and returns the function that performs it: drafts are saved in place, others as a
// working copy. It returns nil while another save is running; [Session.FinishSave] returns the next one then.
// note describes the change in the campaign's history. coalesce continues the newest revision.
func (s *Session) Save(note string, coalesce bool) SaveFunc {
	v := &s.saving
	v.note, v.coalesce = note, coalesce && (!v.dirty || v.coalesce)
	v.dirty = true
	v.edits++
	if v.running {
		if s.queue.fallback.mayExist.Load() { // the store could not be reached before, and the running save may take a while to fail
			s.keepFallback()
		}
		return nil
	}
	return s.nextSave()
}

// keepFallback stores the newest edits on this machine immediately.
func (s *Session) keepFallback() {
	if s.config.Fallback == nil || !s.SavesInPlace() {
		return
	}
	w := engine.WorkingCopy{Base: s.campaign.Revision, Origin: s.origin, Body: s.Body(), At: s.config.Now()}
	_ = s.queue.fallback.put(s.id, w, s.saving.edits) // the next save tries again, and reports the error
}

func (s *Session) nextSave() SaveFunc {
	s.saving.running, s.saving.dirty = true, false
	store, revision := s.newSave(), s.campaign.Revision
	return func(ctx context.Context) (SaveResult, error) {
		ctx, cancel := detach(ctx)
		defer cancel()
		return store(ctx, revision)
	}
}

// newSave returns the work of one save on top of a revision. It does not use the session.
func (s *Session) newSave() func(ctx context.Context, revision int64) (SaveResult, error) {
	now, copies := SaveResult{s.campaign.Head, s.root}, s.config.WorkingCopies
	if s.SavesInPlace() {
		r := engine.SaveRequest{ID: now.head.ID, Body: s.Body(), By: s.config.Author, Note: s.saving.note, Coalesce: s.saving.coalesce}
		s.queue.fallback.store = s.config.Fallback
		return s.queue.newSave(s.config.Service.(engine.DraftSaver), r, s.root, s.saving.edits, s.origin, s.config.Now())
	}
	w := engine.WorkingCopy{Base: now.head.Revision, Origin: s.origin, Body: s.Body(), At: s.config.Now()}
	return func(ctx context.Context, _ int64) (SaveResult, error) {
		if copies == nil {
			return now, nil
		}
		return now, copies.PutWorkingCopy(ctx, now.head.ID, w)
	}
}

// newSave returns the work of saving a draft after the saves before it. edits is the number of edits so far.
func (l *saveQueue) newSave(d engine.DraftSaver, r engine.SaveRequest, root doc.Value, edits int, origin doc.Value, at time.Time) func(context.Context, int64) (SaveResult, error) {
	return func(ctx context.Context, revision int64) (SaveResult, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.edits >= edits {
			return l.last, nil // these edits, or newer ones, are stored already
		}
		r.Revision = max(revision, l.last.head.Revision)
		done := l.fallback.protect(r.ID, engine.WorkingCopy{Base: r.Revision, Origin: origin, Body: r.Body, At: at}, edits)
		h, err := d.Save(ctx, r)
		if err = done(err); err == nil {
			l.edits, l.last = edits, SaveResult{h, root}
		}
		return SaveResult{h, root}, err
	}
}

// FinishSave records the result of a save, and returns the next one if there are newer edits. After an error
// the edits remain and are saved with the next change; see [IsConflict].
func (s *Session) FinishSave(done SaveResult, err error) SaveFunc {
	s.saving.running, s.saving.err = false, err
	if !s.SavesInPlace() {
		s.pending = len(doc.Diff(s.origin, s.Body())) > 0
	}
	if err != nil {
		s.saving.dirty = true
		return nil
	}
	if s.config.inPlace(done.head) {
		s.campaign.Head, s.campaign.Body = done.head, engine.DocumentBody(done.root)
		s.origin = s.campaign.Body
	}
	if s.saving.dirty {
		return s.nextSave()
	}
	return nil
}

// IsConflict reports whether a save failed because the draft was changed by someone else.
func IsConflict(err error) bool {
	e := engine.AsError(err)
	return e != nil && (e.HTTP == http.StatusConflict || engine.IsStale(err))
}

// KeepMine returns a SaveFunc that resolves a conflict: it saves the edits on top of the other version.
func (s *Session) KeepMine(note string) SaveFunc {
	s.saving.running, s.saving.dirty = true, false
	s.saving.note, s.saving.coalesce = note, false
	store, service, id := s.newSave(), s.config.Service, s.id
	return func(ctx context.Context) (SaveResult, error) {
		ctx, cancel := detach(ctx)
		defer cancel()
		now, err := service.Get(ctx, id)
		if err != nil {
			return SaveResult{}, err
		}
		return store(ctx, now.Revision)
	}
}

// DiscardUnsaved discards the unsaved edits, before the campaign is loaded again. It returns a function that
// deletes their copy on this machine, to be called before loading, or nil if there is none.
func (s *Session) DiscardUnsaved() (drop func(context.Context) error) {
	s.saving, s.pending = saving{edits: s.saving.edits}, false
	if spare, id, l := s.config.Fallback, s.id, s.queue; spare != nil {
		return func(ctx context.Context) error {
			l.fallback.mayExist.Store(false)
			return spare.DeleteWorkingCopy(ctx, id)
		}
	}
	return nil
}

// Flush returns a function that saves all unsaved edits for the last time, or nil if there are none.
func (s *Session) Flush() func() {
	if !s.Saving() {
		return nil
	}
	store, service, id, revision := s.newSave(), s.config.Service, s.id, s.campaign.Revision
	if s.saving.running {
		s.keepFallback() // the last save waits for the running one, which the end of the program may cut short
	}
	saved := s.rules.History.hold(id)
	return func() {
		defer saved()
		ctx, cancel := detach(context.Background())
		defer cancel()
		// Where somebody else saved meanwhile, this is refused, and goes on top of it.
		if _, err := store(ctx, revision); err != nil && engine.AsError(err) != nil {
			if now, err := service.Get(ctx, id); err == nil {
				_, _ = store(ctx, now.Revision) // no one is left to report an error to
			}
		}
	}
}

// Saving reports whether there are unsaved edits.
func (s *Session) Saving() bool { return s.saving.running || s.saving.dirty }

// SaveErr returns the error of the last save.
func (s *Session) SaveErr() error { return s.saving.err }

// Edited reports whether anything was changed in this session.
func (s *Session) Edited() bool { return s.saving.edits > 0 }
