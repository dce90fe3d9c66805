// Package edit is an editing session: one campaign and the changes that a person makes to it, from reading it to
// saving and applying them; and the [Document] of any session, with its problems and its undo. It knows no screen. What takes time is a function that the caller runs where it wants
// and whose outcome it hands back; everything else answers at once.
package edit

import (
	"context"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/personalize"
	"bugle/engine/schema"
)

// Config is what a session works with.
type Config struct {
	Service       engine.Service
	WorkingCopies engine.WorkingCopyStore // keeps edits that are not applied; nil where nothing does
	// Fallback keeps edits of drafts on this machine while the store, on another machine, cannot be reached. Nil: the store
	// is on this machine.
	Fallback engine.WorkingCopyStore
	Author   string
	Now      func() time.Time
}

// Session is the work on one campaign. It belongs to one goroutine; the functions that it returns may run in others.
type Session struct {
	Document
	config    Config
	id        string
	campaign  engine.Campaign // as it was read or saved last
	workspace engine.Workspace
	origin    doc.Value // the body that edits waiting to be applied started from
	saving    saving
	queue     *saveQueue
	pending   bool // there are edits that are not applied
}

// New returns a session of the campaign with an id. It holds nothing before its first [Session.ApplyLoaded].
func New(host Config, id string) *Session {
	s := &Session{config: host, id: id, queue: &saveQueue{}}
	s.Document = NewDocument(Rules{Check: s.problemsOf, Locked: s.Locked, Now: host.Now})
	return s
}

func (s *Session) problemsOf(root doc.Value) (*schema.Schema, []schema.Problem) {
	table := catalog.Campaign(s.campaign.Channel)
	return table, table.Validate(root, s.Env())
}

// Loaded is what was read of a campaign.
type Loaded struct {
	Campaign  engine.Campaign
	Workspace engine.Workspace
	// WorkingCopyErr is why the edits of an earlier time could not be read.
	WorkingCopyErr error

	workingCopy *engine.WorkingCopy
	inPlace     bool // it is a draft, and the copy is of what could not be saved
	edits       int  // how many there were when it was read
}

// Load returns what reads the campaign, and the edits of an earlier time.
func (s *Session) Load() func(context.Context) (Loaded, error) {
	host, id, edits := s.config, s.id, s.saving.edits
	return func(ctx context.Context) (Loaded, error) {
		l := Loaded{edits: edits}
		var err error
		if l.Campaign, err = host.Service.Get(ctx, id); err != nil {
			return l, err
		}
		if k, ok := host.Service.(engine.WorkspaceStore); ok {
			if l.Workspace, err = k.Workspace(ctx); err != nil {
				return l, err
			}
		}
		copies := host.WorkingCopies
		if l.inPlace = host.inPlace(l.Campaign.Head); l.inPlace {
			copies = host.Fallback
		}
		if copies != nil {
			var w engine.WorkingCopy
			var found bool
			if w, found, l.WorkingCopyErr = copies.WorkingCopy(ctx, id); l.WorkingCopyErr == nil && found {
				l.workingCopy = &w
			}
		}
		return l, nil
	}
}

// ApplyLoaded makes what was read the session's campaign, with the edits of an earlier time on top of it; recovered reports
// whether there were any. It is false, and nothing happens, where there are newer edits: saving those finds out
// whether somebody else changed the campaign too.
func (s *Session) ApplyLoaded(l Loaded) (recovered, ok bool) {
	if l.edits != s.saving.edits {
		return false, false
	}
	s.campaign, s.workspace = l.Campaign, l.Workspace
	s.root, s.origin = l.Campaign.Document(), engine.DocumentBody(l.Campaign.Body)
	recovered = l.workingCopy != nil && s.recover(*l.workingCopy)
	s.pending = recovered && !l.inPlace
	if l.workingCopy != nil && l.inPlace {
		s.queue.fallback.mayExist.Store(true)
		// Save against the revision that the edits were based on: a save by somebody else since then is a conflict.
		s.campaign.Revision = l.workingCopy.Base
	}
	s.Check()
	return recovered, true
}

// recover puts the edits of an earlier time on top of what is there now.
func (s *Session) recover(w engine.WorkingCopy) bool {
	if w.Body.Kind() != doc.Object {
		return false
	}
	if w.Origin.Exists() {
		s.origin = w.Origin
	}
	c := s.campaign
	c.Body, _ = engine.Rebase(s.origin, w.Body, s.campaign.Body)
	root := c.Document()
	if len(doc.Diff(s.root, root)) == 0 {
		return false
	}
	s.root = root
	return true
}

// RebaseOnto takes over the campaign as the service has it now, below the edits that wait to be applied.
func (s *Session) RebaseOnto(c engine.Campaign) {
	s.campaign = c
	s.root = s.Campaign().Document()
	if body := engine.DocumentBody(c.Body); len(doc.Diff(body, s.Body())) == 0 { // they are applied
		s.origin, s.pending = body, false
	}
	s.Check()
}

// ID returns the campaign's id: another one after an apply that made a new campaign.
func (s *Session) ID() string { return s.id }

// Head returns the head of the campaign as it was read or saved last.
func (s *Session) Head() engine.Head { return s.campaign.Head }

// Campaign returns the campaign with the edits.
func (s *Session) Campaign() engine.Campaign { return s.campaign.With(s.Body()) }

// Body returns the document without the campaign's head.
func (s *Session) Body() doc.Value { return engine.DocumentBody(s.root) }

// Workspace returns the workspace as it was read with the campaign.
func (s *Session) Workspace() engine.Workspace { return s.workspace }

// HasPending reports whether there are edits that are not applied.
func (s *Session) HasPending() bool { return s.pending }

// SavesInPlace reports whether edits are saved in the campaign itself. Others wait, in a working copy, until they are
// applied: those of a live campaign, and all on a service that stores nothing unfinished.
func (s *Session) SavesInPlace() bool { return s.config.inPlace(s.campaign.Head) }

func (h Config) inPlace(head engine.Head) bool {
	_, ok := h.Service.(engine.DraftSaver)
	return ok && head.Status == catalog.Draft
}

// Env returns what the check of a campaign that is being edited knows.
func (s *Session) Env() schema.Env {
	env := schema.Env{Stage: schema.Publish, Now: s.campaign.CheckTime(s.config.Now()), Expression: personalize.Parse}
	if engine.IsExternal(s.config.Service) {
		env.Record = s.campaign.With(s.origin).Document()
	}
	if s.workspace.ID != "" {
		env.Flags, env.Lists = s.workspace.Flags, s.workspace.Lists
		if env.Flags == nil {
			env.Flags = map[string]bool{}
		}
	}
	return env
}
