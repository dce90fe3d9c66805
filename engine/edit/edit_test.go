package edit_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/service/local"
	"bugle/store/mem"
)

// bench is a workspace with one draft.
type bench struct {
	*testing.T
	service *local.Service
	id      string
}

// The places that the tests write at.
var name, source = doc.P("basic_details", "name"), doc.P("utm_params", "utm_source")

func newBench(t *testing.T) bench {
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	if _, err := local.CreateWorkspace(t.Context(), db, engine.Workspace{ID: "DEMO", Publish: engine.PublishEnabled}); err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, "DEMO", local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	body := tree(t, `{"basic_details":{"name":"Old"},"utm_params":{"utm_source":"a","utm_medium":"email"}}`)
	made, err := svc.Create(t.Context(), engine.CreateRequest{Body: engine.NewDraftBody(catalog.Email, catalog.OneTime, "ann@example.com", body)})
	if err != nil {
		t.Fatal(err)
	}
	return bench{t, svc, made.ID}
}

// open returns a session of the draft on a service, as it is now.
func (b bench) open(svc engine.Service, copies engine.WorkingCopyStore) *edit.Session {
	b.Helper()
	s := edit.New(edit.Config{Service: svc, WorkingCopies: copies, Author: "ann@example.com", Now: time.Now}, b.id)
	b.load(s)
	return s
}

func (b bench) load(s *edit.Session) (recovered bool) {
	b.Helper()
	l, err := s.Load()(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	recovered, ok := s.ApplyLoaded(l)
	if !ok {
		b.Fatal("what was read is not taken")
	}
	return recovered
}

// change writes a text at a place, and returns what saves it.
func (b bench) change(s *edit.Session, p doc.Path, text string) edit.SaveFunc {
	b.Helper()
	root, err := s.Root().Set(p, doc.NewString(text))
	if err != nil {
		b.Fatal(err)
	}
	continued := s.Change(root, p, p.String())
	return s.Save("edited "+p.String(), continued)
}

// save runs a save and the next ones, and returns the error of the last.
func (b bench) save(s *edit.Session, run edit.SaveFunc) (err error) {
	for run != nil {
		var done edit.SaveResult
		done, err = run(b.Context())
		run = s.FinishSave(done, err)
	}
	return err
}

func (b bench) stored(p doc.Path) string {
	b.Helper()
	c, err := b.service.Get(b.Context(), b.id)
	if err != nil {
		b.Fatal(err)
	}
	return c.Body.Lookup(p).Text()
}

func (b bench) versions() int {
	b.Helper()
	rs, err := b.service.Revisions(b.Context(), b.id)
	if err != nil {
		b.Fatal(err)
	}
	return len(rs)
}

// Whoever saves a draft that somebody else saved meanwhile is told so, and can keep either version.
func TestConflict(t *testing.T) {
	for _, mine := range []bool{true, false} {
		b := newBench(t)
		ann, bo := b.open(b.service, nil), b.open(b.service, nil)
		if err := b.save(bo, b.change(bo, name, "Bo's")); err != nil {
			t.Fatal(err)
		}
		if err := b.save(ann, b.change(ann, name, "Ann's")); !edit.IsConflict(err) || !ann.Saving() {
			t.Fatalf("the save of older edits: %v, to be saved: %v", err, ann.Saving())
		}
		before, want := b.versions(), "Bo's"
		if mine {
			want = "Ann's"
			if err := b.save(ann, ann.KeepMine("kept")); err != nil {
				t.Fatal(err)
			}
			if n := b.versions(); n != before+1 {
				t.Errorf("keeping one's own version stored %d versions", n-before)
			}
		} else {
			ann.DiscardUnsaved()
			b.load(ann)
		}
		if got, here := b.stored(name), ann.Root().Lookup(name).Text(); got != want || here != want {
			t.Errorf("stored is %q, shown %q, want %q", got, here, want)
		}
		if ann.Saving() || ann.SaveErr() != nil {
			t.Errorf("after the decision there is still something to save: %v", ann.SaveErr())
		}
	}
}

// drafter lets saves through one by one, and counts them.
type drafter struct {
	*local.Service
	pass  chan struct{}
	begun chan struct{} // nil, or told of each save
	saves int
}

func (d *drafter) Save(ctx context.Context, r engine.SaveRequest) (engine.Head, error) {
	if d.begun != nil {
		d.begun <- struct{}{}
	}
	<-d.pass
	d.saves++
	return d.Service.Save(ctx, r)
}

// One save is under way at a time. The newest edits come next, in one save.
func TestTheNewestEditsComeNext(t *testing.T) {
	b := newBench(t)
	svc := &drafter{Service: b.service, pass: make(chan struct{}, 9)}
	s := b.open(svc, nil)
	first := b.change(s, name, "a")
	for _, text := range []string{"ab", "abc"} {
		if b.change(s, name, text) != nil {
			t.Fatal("a second save began beside the first")
		}
	}
	for range cap(svc.pass) {
		svc.pass <- struct{}{}
	}
	if err := b.save(s, first); err != nil || svc.saves != 2 || b.stored(name) != "abc" {
		t.Errorf("%d saves, %v, stored is %q", svc.saves, err, b.stored(name))
	}
}

// Edits whose save is under way while the session ends are stored once, on top of nobody else's.
func TestTheEndDuringASave(t *testing.T) {
	b := newBench(t)
	svc := &drafter{Service: b.service, pass: make(chan struct{}), begun: make(chan struct{}, 9)}
	s := b.open(svc, nil)
	before := b.versions()
	run := b.change(s, name, "New")
	go func() { _, _ = run(context.Background()) }()
	<-svc.begun
	end := make(chan struct{})
	flush := s.Flush()
	go func() {
		flush()
		close(end)
	}()
	close(svc.pass)
	<-end
	if svc.saves != 1 || b.versions() > before+1 || b.stored(name) != "New" {
		t.Errorf("%d saves, %d versions more, stored is %q", svc.saves, b.versions()-before, b.stored(name))
	}
}

// finished is a service that stores nothing unfinished.
type finished struct{ engine.Service }

// Edits that wait come back in a later session, and go to the service together with what others changed.
func TestWaitingEditsAreMerged(t *testing.T) {
	b := newBench(t)
	copies := edit.NewFileStore(filepath.Join(t.TempDir(), "edits"))
	s := b.open(finished{b.service}, copies)
	if err := b.save(s, b.change(s, name, "Mine")); err != nil || !s.HasPending() || s.SavesInPlace() {
		t.Fatalf("saved: %v, pending: %v", err, s.HasPending())
	}
	if got := b.stored(name); got != "Old" {
		t.Fatalf("edits that wait were stored: %q", got)
	}
	other := b.open(b.service, nil)
	if err := b.save(other, b.change(other, source, "theirs")); err != nil {
		t.Fatal(err)
	}
	s = edit.New(edit.Config{Service: finished{b.service}, WorkingCopies: copies, Author: "ann@example.com", Now: time.Now}, b.id)
	if !b.load(s) || !s.HasPending() {
		t.Fatal("the edits of an earlier time are gone")
	}
	if err := b.save(other, b.change(other, name, "Theirs")); err != nil {
		t.Fatal(err)
	}
	done, err := s.Apply(edit.Ask)(t.Context())
	if err != nil || len(done.Conflicts) != 1 || b.stored(name) != "Theirs" {
		t.Fatalf("both sides changed %v, %v, stored is %q", done.Conflicts, err, b.stored(name))
	}
	if done, err = s.Apply(edit.Mine)(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.FinishApply(done)(t.Context()); err != nil {
		t.Fatal(err)
	}
	if b.load(s) || s.HasPending() || b.stored(name) != "Mine" || b.stored(source) != "theirs" {
		t.Errorf("pending: %v, stored is %q and %q", s.HasPending(), b.stored(name), b.stored(source))
	}
}

// What only others change is theirs, however often they change it while edits wait.
func TestOthersChangeWhileEditsWait(t *testing.T) {
	b := newBench(t)
	other, s := b.open(b.service, nil), b.open(finished{b.service}, edit.NewFileStore(t.TempDir()))
	if err := b.save(s, b.change(s, name, "Mine")); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"theirs", "theirs again"} {
		if err := b.save(other, b.change(other, source, text)); err != nil {
			t.Fatal(err)
		}
		r, err := s.Review()(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s.FinishReview(r); s.Root().Lookup(source).Text() != text || s.Root().Lookup(name).Text() != "Mine" {
			t.Errorf("reviewed is %s", s.Root().Encode())
		}
	}
	if done, err := s.Apply(edit.Ask)(t.Context()); err != nil || len(done.Conflicts) > 0 || b.stored(name) != "Mine" || b.stored(source) != "theirs again" {
		t.Errorf("conflicts %q, %v; stored is %q and %q", done.Conflicts, err, b.stored(name), b.stored(source))
	}
}

// Undoing every change leaves nothing that is to be applied.
func TestUndoneEditsDoNotWait(t *testing.T) {
	b := newBench(t)
	s := b.open(finished{b.service}, edit.NewFileStore(t.TempDir()))
	start := string(s.Root().Encode())
	if err := b.save(s, b.change(s, name, "Mine")); err != nil || !s.HasPending() {
		t.Fatalf("saved: %v, pending: %v", err, s.HasPending())
	}
	m, ok := s.Undo()
	if !ok || len(m.Changes) != 1 || string(s.Root().Encode()) != start {
		t.Fatalf("undone: %v, %v; now %s", ok, m.Changes, s.Root().Encode())
	}
	if err := b.save(s, s.Save("undone", false)); err != nil || s.HasPending() {
		t.Errorf("saved: %v, pending: %v", err, s.HasPending())
	}
	if _, ok := s.Undo(); ok {
		t.Error("there is something left to undo")
	}
	if m, ok := s.Redo(); !ok || len(m.Changes) != 1 {
		t.Errorf("done again: %v, %v", ok, m.Changes)
	}
}

// A campaign that was published meanwhile is not taken back to what its state no longer allows.
func TestLocks(t *testing.T) {
	b := newBench(t)
	s := b.open(b.service, nil)
	if why := s.LockedAt(doc.P("utm_params")); why != "" {
		t.Fatalf("a draft is locked: %s", why)
	}
	if err := b.save(s, b.change(s, name, "New")); err != nil {
		t.Fatal(err)
	}
	c := s.Campaign()
	c.Status = catalog.Sent
	s.RebaseOnto(c)
	m, ok := s.Undo()
	if !ok || !strings.Contains(m.Locked, "cannot be changed") || s.Root().Lookup(name).Text() != "New" {
		t.Errorf("undone: %v, locked: %q, now %s", ok, m.Locked, s.Root().Encode())
	}
	if s.LockedAt(nil) == "" || s.Locked(s.Root().Delete(doc.P("utm_params"))) == "" {
		t.Error("a campaign that was sent can be changed")
	}
}

// What is read while a person types does not replace what was typed.
func TestReadingIsOlderThanTyping(t *testing.T) {
	b := newBench(t)
	s := b.open(b.service, nil)
	l, err := s.Load()(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	save := b.change(s, name, "New")
	if _, ok := s.ApplyLoaded(l); ok || s.Root().Lookup(name).Text() != "New" {
		t.Errorf("taken: %v, now %s", ok, s.Root().Encode())
	}
	if err := b.save(s, save); err != nil {
		t.Fatal(err)
	}
}

// away is a service whose store cannot be reached, as long as gone is set.
type away struct {
	*local.Service
	gone atomic.Bool
}

func (a *away) Save(ctx context.Context, r engine.SaveRequest) (engine.Head, error) {
	if a.gone.Load() {
		return engine.Head{}, engine.Errorf(engine.Internal, http.StatusServiceUnavailable, "cannot reach the database")
	}
	return a.Service.Save(ctx, r)
}

// What is typed while a save hangs is kept on this machine before the last save waits for that one, because the program
// may not be able to wait.
func TestFlushBehindASaveThatHangs(t *testing.T) {
	b := newBench(t)
	spare := edit.NewFileStore(t.TempDir())
	s := edit.New(edit.Config{Service: b.service, Fallback: spare, Author: "ann@example.com", Now: time.Now}, b.id)
	b.load(s)
	b.change(s, name, "One") // its save is under way
	b.change(s, name, "Two")
	flush := s.Flush()
	if w, _, err := spare.WorkingCopy(t.Context(), b.id); err != nil || w.Body.Lookup(name).Text() != "Two" {
		t.Errorf("kept is %s, %v", w.Body.Encode(), err)
	}
	flush()
	if _, kept, err := spare.WorkingCopy(t.Context(), b.id); kept || err != nil || b.stored(name) != "Two" {
		t.Errorf("after the save: kept %t, %v, stored %q", kept, err, b.stored(name))
	}
}

// What a store elsewhere cannot take is kept here, and saved when it is back: by the same session, or by the next one.
// Where somebody else has saved meanwhile, that is a conflict.
func TestStoreIsAway(t *testing.T) {
	b := newBench(t)
	svc, spare := &away{Service: b.service}, edit.NewFileStore(t.TempDir())
	open := func() *edit.Session {
		return edit.New(edit.Config{Service: svc, Fallback: spare, Author: "ann@example.com", Now: time.Now}, b.id)
	}
	kept := func() bool {
		_, ok, err := spare.WorkingCopy(t.Context(), b.id)
		if err != nil {
			t.Error(err)
		}
		return ok
	}
	s := open()
	b.load(s)
	svc.gone.Store(true)
	if _, err := b.change(s, name, "Typed")(t.Context()); !errors.As(err, new(*edit.SavedLocallyError)) || !kept() {
		t.Fatalf("away: %v, kept %t", err, kept())
	} else {
		s.FinishSave(edit.SaveResult{}, err)
	}
	next := open() // the program was killed
	if !b.load(next) || next.Root().Lookup(name).Text() != "Typed" {
		t.Fatalf("found again: %s", next.Root().Encode())
	}
	svc.gone.Store(false)
	done, err := next.Save("", false)(t.Context())
	next.FinishSave(done, err)
	if err != nil || kept() || b.stored(name) != "Typed" {
		t.Errorf("back: %v, kept %t, stored %q", err, kept(), b.stored(name))
	}
	// While a save is under way that takes long, what is typed is kept as well.
	svc.gone.Store(true)
	_, err = b.change(next, name, "One")(t.Context())
	next.FinishSave(edit.SaveResult{}, err)
	under := b.change(next, name, "Two")
	if b.change(next, name, "Three") != nil {
		t.Error("two saves are under way")
	}
	if w, _, _ := spare.WorkingCopy(t.Context(), b.id); w.Body.Lookup(name).Text() != "Three" {
		t.Errorf("kept is %s", w.Body.Encode())
	}
	_, err = under(t.Context())
	next.FinishSave(edit.SaveResult{}, err)
	if w, _, _ := spare.WorkingCopy(t.Context(), b.id); w.Body.Lookup(name).Text() != "Three" {
		t.Errorf("an older save took the place of it: %s", w.Body.Encode())
	}
	svc.gone.Store(false)
	if _, err := b.service.Save(t.Context(), engine.SaveRequest{ID: b.id, Revision: next.Head().Revision, Body: tree(t, `{"basic_details":{"name":"Bo's"}}`)}); err != nil {
		t.Fatal(err)
	}
	last := open()
	b.load(last)
	if _, err := last.Save("", false)(t.Context()); !edit.IsConflict(err) || !kept() {
		t.Errorf("somebody else has saved: %v, kept %t", err, kept())
	}
	if drop := last.DiscardUnsaved(); drop == nil || drop(t.Context()) != nil || kept() {
		t.Error("what is discarded is still kept")
	}
}
