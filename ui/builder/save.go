package builder

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// saving is how the edits get to the store: one save at a time, the newest edits next.
type saving struct {
	running  bool
	dirty    bool // edits since the running save began
	coalesce bool // the next save continues the newest revision
	note     string
	pending  bool // a live campaign has edits that are not applied
	edits    int  // how many there were, ever
	err      error
}

func (v saving) badge(st engine.State) (string, themes.Tone) {
	switch {
	case v.err != nil:
		return "NOT SAVED", themes.ToneDanger
	case v.running || v.dirty:
		return "saving…", themes.ToneMuted
	case v.pending && st != catalog.Draft:
		return st.Label() + " · changes not applied", themes.ToneWarning
	case v.pending:
		return "changes not applied", themes.ToneWarning
	case slices.ContainsFunc(catalog.Locked(st), func(l catalog.Lock) bool { return len(l.Path) == 0 }):
		return st.Label() + " · read only", themes.ToneMuted
	case st != catalog.Draft:
		return st.Label(), themes.ToneInfo
	}
	return "saved", themes.ToneSuccess
}

// saveTime bounds one save.
const saveTime = 10 * time.Second

// save stores the edits: a draft in place, others as a working copy until they are applied.
func (s *Screen) save(note string, coalesce bool) tea.Cmd {
	s.saving.note, s.saving.coalesce = note, coalesce && (!s.saving.dirty || s.saving.coalesce)
	s.saving.dirty = true
	s.saving.edits++
	if s.saving.running {
		return nil
	}
	return s.saveNow()
}

// line is where the saves of one screen wait for each other: one that is under way and the last one
// before another screen is opened would else be refused as if somebody else had saved between them.
type line struct {
	mu    sync.Mutex
	edits int // how many had been made when last was stored
	last  savedAs
}

type savedAs struct {
	head engine.Head
	root doc.Value
}

func (s *Screen) saveNow() tea.Cmd {
	s.saving.running, s.saving.dirty = true, false
	store, revision := s.storing(), s.campaign.Revision
	return s.Run(taskSave, func(context.Context) (any, error) {
		// A save that has begun is not canceled with the screen: what was typed is kept.
		ctx, cancel := context.WithTimeout(context.Background(), saveTime)
		defer cancel()
		return store(ctx, revision)
	})
}

// storing gives the work of one save on top of a revision. It holds all that it needs.
func (s *Screen) storing() func(ctx context.Context, revision int64) (savedAs, error) {
	root, head := s.root, s.campaign.Head
	body := engine.BodyOf(root)
	if s.inPlace(head) {
		if d, ok := s.deps.Service.(engine.Drafter); ok {
			r := engine.SaveRequest{ID: head.ID, Body: body, By: s.deps.Author, Note: s.saving.note, Coalesce: s.saving.coalesce}
			line, edits := s.line, s.saving.edits
			return func(ctx context.Context, revision int64) (savedAs, error) {
				line.mu.Lock()
				defer line.mu.Unlock()
				if line.edits >= edits {
					return line.last, nil // these edits, or newer ones, are stored already
				}
				r.Revision = max(revision, line.last.head.Revision)
				h, err := d.Save(ctx, r)
				if err == nil {
					line.edits, line.last = edits, savedAs{h, root}
				}
				return savedAs{h, root}, err
			}
		}
	}
	copies, ok := s.deps.WorkingCopies()
	w := engine.WorkingCopy{Base: head.Revision, Origin: s.origin, Body: body, At: s.deps.Now()}
	return func(ctx context.Context, _ int64) (savedAs, error) {
		if !ok {
			return savedAs{head, root}, nil
		}
		return savedAs{head, root}, copies.KeepCopy(ctx, head.ID, w)
	}
}

// saved notes the outcome, and saves again where there are newer edits.
func (s *Screen) saved(r screen.Result) tea.Cmd {
	s.saving.running = false
	if r.Err != nil {
		s.saving.err = r.Err
		s.saving.dirty = true
		if e := engine.AsError(r.Err); e != nil && e.HTTP == http.StatusConflict {
			return s.conflict()
		}
		return screen.NotifyAbout(screen.AboutSave, widget.LevelError, "Not saved: "+r.Err.Error()+" Your text is still here. Press ctrl+s to try again.")
	}
	done := r.Value.(savedAs)
	first := s.saving.err != nil
	s.saving.err = nil
	if s.inPlace(done.head) {
		s.campaign.Head, s.campaign.Body = done.head, engine.BodyOf(done.root)
	} else {
		s.saving.pending = len(doc.Diff(s.origin, engine.BodyOf(s.root))) > 0
	}
	if s.saving.dirty {
		return s.saveNow()
	}
	if s.stale {
		s.stale = false
		return s.reread()
	}
	if first {
		return screen.NotifyAbout(screen.AboutSave, widget.LevelSuccess, "Saved")
	}
	return nil
}

// conflict asks what shall count after somebody else changed the draft.
func (s *Screen) conflict() tea.Cmd {
	return screen.Ask(screen.Question{
		Title:   "The campaign was changed elsewhere",
		Body:    "Someone else saved this draft after you opened it. Which version do you want to keep? If you keep yours, theirs stays in the history. If you take theirs, yours is discarded.",
		Buttons: []widget.Button{{Label: "Keep mine", Key: "k"}, {Label: "Take theirs", Key: "t", Danger: true}},
		Then: func(a widget.Answer) tea.Cmd {
			switch a.Index {
			case 0:
				return s.keepMine()
			case 1:
				s.saving, s.start = saving{edits: s.saving.edits}, s.place()
				return s.load()
			}
			return nil
		},
	})
}

// keepMine saves on top of what is there now.
func (s *Screen) keepMine() tea.Cmd {
	root := s.root
	return s.Run(taskSave, func(ctx context.Context) (any, error) {
		now, err := s.deps.Service.Get(ctx, s.id)
		if err != nil {
			return nil, err
		}
		d, ok := s.deps.Service.(engine.Drafter)
		if !ok {
			return savedAs{now.Head, root}, nil
		}
		h, err := d.Save(ctx, engine.SaveRequest{ID: s.id, Revision: now.Revision, Body: engine.BodyOf(root), By: s.deps.Author, Note: "kept over someone else's change"})
		return savedAs{h, root}, err
	})
}

// flush gives the command that stores what is not stored yet, in one go.
func (s *Screen) flush() tea.Cmd {
	if !s.loaded || !s.saving.dirty && !s.saving.running {
		return nil
	}
	store, service, id, revision := s.storing(), s.deps.Service, s.id, s.campaign.Revision
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), saveTime)
		defer cancel()
		// A save under way, if any, is of older edits. Where it is done first, this one, which
		// knows the same revision, is refused, and goes on top of it.
		if _, err := store(ctx, revision); err != nil && engine.AsError(err) != nil {
			if now, err := service.Get(ctx, id); err == nil {
				_, _ = store(ctx, now.Revision) // nobody is left to be told
			}
		}
		return nil
	}
}
