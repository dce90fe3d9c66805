// Package edit implements an editing session: one campaign and its unsaved changes, from loading it to saving
// and applying them. [Document] is the part with problems and undo that other editors share. The package does
// not depend on a user interface. Work that takes time is returned as a function that the caller runs
// wherever it wants, and whose result it passes back; everything else returns immediately.
package edit

import (
	"context"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/template"
	"bugle/engine/schema"
)

// Config holds the dependencies of a session.
type Config struct {
	Service       engine.Service
	WorkingCopies engine.WorkingCopyStore // stores edits that are not applied; nil if nothing does
	// Fallback keeps edits of drafts on this machine while a store on another machine cannot be reached. It
	// is nil if the store is on this machine.
	Fallback engine.WorkingCopyStore
	Author   string
	Now      func() time.Time
	// History outlives the session, so that changes can be undone in a later one; nil if it need not.
	History *History
}

// Session is an editing session of one campaign. It must be used from one goroutine; the functions that it
// returns may run in others.
type Session struct {
	Document
	config    Config
	id        string
	campaign  engine.Campaign // as it was read or saved last
	workspace engine.Workspace
	origin    doc.Value // the body that unapplied edits started from
	saving    saving
	queue     *saveQueue
	compiling compiling
	pending   bool // there are unapplied edits
}

// New returns a session of a campaign. It is empty before the first [Session.ApplyLoaded].
func New(host Config, id string) *Session {
	s := &Session{config: host, id: id, queue: &saveQueue{}}
	s.Document = NewDocument(Rules{Check: s.problemsOf, Locked: s.Locked, Now: host.Now, History: host.History, ID: id})
	return s
}

func (s *Session) problemsOf(root doc.Value) (*schema.Schema, []schema.Problem) {
	table := catalog.Campaign(s.campaign.Channel)
	return table, s.compiling.withReasons(root, table.Validate(root, s.Env()))
}

// Loaded is the result of [Session.Load].
type Loaded struct {
	Campaign  engine.Campaign
	Workspace engine.Workspace
	// WorkingCopyErr is the error of reading the working copy.
	WorkingCopyErr error

	workingCopy *engine.WorkingCopy
	inPlace     bool // it is a draft, and the working copy has edits that could not be saved
	edits       int  // how many edits had been made when it was read
}

// Load returns a function that loads the campaign and its working copy.
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

// ApplyLoaded makes the loaded campaign the session's, with the edits of its working copy; recovered reports
// whether there were any. It returns ok false and changes nothing if there are newer edits: saving them
// detects a conflict.
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
	s.compiling = compiling{done: s.root}
	s.Check()
	return recovered, true
}

// recover applies the edits of a working copy on top of the current campaign.
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

// RebaseOnto replaces the campaign below the pending edits by its current version c. Components that were not edited are
// those of c.
func (s *Session) RebaseOnto(c engine.Campaign) {
	mine, theirs := s.Body(), engine.DocumentBody(c.Body)
	body, _ := engine.Rebase(s.origin, mine, theirs)
	s.origin, _ = engine.Rebase(mine, s.origin, theirs)
	s.campaign, s.root = c, c.With(body).Document()
	if len(doc.Diff(theirs, body)) == 0 { // they are applied
		s.origin, s.pending = theirs, false
	}
	s.Check()
}

// ID returns the campaign's id. It changes if applying edits creates a new version.
func (s *Session) ID() string { return s.id }

// Head returns the head of the campaign as last loaded or saved.
func (s *Session) Head() engine.Head { return s.campaign.Head }

// Campaign returns the campaign with the edits.
func (s *Session) Campaign() engine.Campaign { return s.campaign.With(s.Body()) }

// Body returns the document without the campaign's head.
func (s *Session) Body() doc.Value { return engine.DocumentBody(s.root) }

// Workspace returns the workspace as loaded with the campaign.
func (s *Session) Workspace() engine.Workspace { return s.workspace }

// HasPending reports whether there are unapplied edits.
func (s *Session) HasPending() bool { return s.pending }

// SavesInPlace reports whether edits are saved in the campaign itself. Otherwise they are kept in a working
// copy until they are applied. This is the case for live campaigns, and for all campaigns of a service that
// cannot store unfinished edits.
func (s *Session) SavesInPlace() bool { return s.config.inPlace(s.campaign.Head) }

func (h Config) inPlace(head engine.Head) bool {
	_, ok := h.Service.(engine.DraftSaver)
	return ok && head.Status == catalog.Draft
}

// Env returns the environment for validating the campaign.
func (s *Session) Env() schema.Env {
	env := schema.Env{Stage: schema.Publish, Now: s.campaign.CheckTime(s.config.Now()), Expression: template.Check}
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
