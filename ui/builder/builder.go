// Package builder is the screen for editing a campaign: its sections at the left, the form of the open place in
// the middle, and beside or below it what the section is about: the message, the audience, the next sends or the links.
// Every change is checked and saved at once.
package builder

import (
	"cmp"
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/assemble"
	"bugle/engine/message/livepage"
	"bugle/engine/schema"
	"bugle/ui/editpane"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/viewas"
	"bugle/ui/widget"
)

// Screen is the builder of one campaign.
type Screen struct {
	screen.Base
	deps  screen.Deps
	edit  *edit.Session // of the campaign
	route screen.Route  // where to go once the campaign is loaded; a document in it replaces what stands at its path

	warned bool // the user has been told when changes take effect
	stale  bool // the campaign was changed elsewhere during a save
	newer  bool // there are edits that were made while others were applied

	loaded bool
	failed error

	panes    panes.Panes
	arranged arrangement // what the sizes of the panes were computed for
	sections sectionList
	document document
	form     editpane.Pane
	shown    doc.Value // the document that the sections and the form show
	side     side
	from     int // the focus before it moved to the pane beside the form

	asGrid bool // the user wants the only message as a grid, to add others

	viewing  viewas.Config
	resolver *viewas.Resolver             // resolves the messages for the person that the preview shows them as
	viewBox  interface{ Close() tea.Cmd } // the chooser of that person or the survey; nil if none was opened
	// messageAt is the place at which the message is beside the form whatever the section is about, because it is seen as
	// somebody.
	messageAt doc.Path

	warnings *warner
	compiler compiler
	page     page
}

// Kinds of tasks.
const (
	taskLoad   = "load"
	taskSave   = "save"
	taskReview = "review"
	taskApply  = "apply"
	taskState  = "state"
)

// Option configures a builder.
type Option func(*Screen)

// WithBrowser replaces the function that opens a file in the user's browser.
func WithBrowser(start func(ctx context.Context, file string) error) Option {
	return func(s *Screen) { s.page.start = start }
}

// WithCheckDelay sets how long after the last edit the warnings are looked for; without it, at once. MJML is compiled
// somewhat later.
func WithCheckDelay(d time.Duration) Option {
	return func(s *Screen) { s.warnings.delay = d }
}

// New returns the builder of the route's campaign. If the route has a path, that place is opened and focused.
func New(deps screen.Deps, r screen.Route, options ...Option) *Screen {
	s := &Screen{
		Base: screen.NewBase(), deps: deps, edit: edit.New(deps.EditConfig(), r.ID), route: r,
		panes: newPanes(deps.Theme), sections: newSectionList(deps.Theme), page: page{start: livepage.OpenBrowser},
	}
	s.viewing = viewas.Config{Service: deps.Service, Campaign: r.ID, Prefs: deps.Prefs.Within(deps.Workspace), Tasks: &s.Base}
	s.resolver = viewas.NewResolver(s.viewing)
	s.warnings = &warner{edit: s.edit, deps: deps, tasks: &s.Base}
	s.document = document{Session: s.edit, deps: deps, viewAs: s.resolver, warnings: s.warnings}
	s.form = editpane.New(&s.document, s.tools(), &s.Base, 1)
	s.side = newSide(s)
	if len(r.Path) > 0 {
		s.panes.Focus(paneForm)
	}
	for _, o := range options {
		o(s)
	}
	return s
}

// Title returns the campaign's name.
func (s *Screen) Title() string {
	if !s.loaded {
		return "Campaign"
	}
	return engine.Summarize(s.edit.Campaign()).Title()
}

// Subject returns the campaign, once it has been read.
func (s *Screen) Subject() screen.Subject {
	if !s.loaded {
		return screen.Subject{}
	}
	return screen.Subject{Campaign: s.edit.Campaign()}
}

// Init reads the campaign.
func (s *Screen) Init() tea.Cmd { return tea.Batch(s.load(), s.resolver.Init()) }

type loaded struct {
	edit.Loaded
	offers assemble.Suggestions
}

func (s *Screen) load() tea.Cmd {
	read := s.edit.Load()
	return screen.Go(&s.Base, taskLoad, func(ctx context.Context) (loaded, error) {
		var l loaded
		var err error
		if l.Loaded, err = read(ctx); err != nil {
			return loaded{}, err
		}
		if k, ok := s.deps.Service.(engine.ContentStore); ok {
			if l.offers, err = assemble.LoadSuggestions(ctx, k); err != nil && ctx.Err() != nil {
				return loaded{}, ctx.Err() // without offers everything else still works
			}
		}
		return l, nil
	}, s.showLoaded)
}

// Update handles results and notifications, and passes keys to the focused pane.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if r, ok := msg.(screen.Result); ok {
		cmd := r.Done()
		if s.loaded { // problems, warnings and locks may have changed
			s.sections.show(s.edit)
			s.form.ShowProblems()
		}
		return s.finish(cmd)
	}
	return s.finish(s.update(msg))
}

func (s *Screen) update(msg tea.Msg) tea.Cmd {
	if changed, ok := msg.(screen.ChangedMsg); ok {
		if changed.ID != s.edit.ID() && changed.ID != "" {
			return nil
		}
		return s.reread()
	}
	if !s.loaded {
		return nil
	}
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return s.key(msg)
	case tea.MouseMsg:
		return s.mouse(msg)
	}
	// It is for what the form or the panel has requested, such as the content of the clipboard.
	cmd := s.form.Update(msg)
	if s.side.Panel != nil {
		cmd = tea.Batch(cmd, s.side.Panel.Update(msg))
	}
	return cmd
}

// finish shows what an event has changed, does what the editor and the panel have requested, and begins what follows from an
// edit. Each event that the screen gets ends with it.
func (s *Screen) finish(cmd tea.Cmd) tea.Cmd {
	if !s.loaded {
		return cmd
	}
	cmds := []tea.Cmd{cmd}
	if root, field, changed := s.form.Edits(); changed {
		cmds = append(cmds, s.change(root, field))
	}
	w := s.form.TakeRequests()
	if w.Notice != "" {
		cmds = append(cmds, screen.NotifyAbout(screen.TopicEdit, widget.LevelInfo, w.Notice))
	}
	if w.Open != nil {
		s.open(w.Open)
		s.form.TakeRequests()
	}
	if root := s.edit.Root(); !root.Same(s.shown) {
		s.shown = root
		s.sections.show(s.edit)
		s.form.Show()
	}
	s.showPanel(s.place())
	cmds = append(cmds, s.side.TakeStarted(), s.compile(), s.warnings.follow())
	s.followPage()
	return tea.Batch(cmds...)
}

// showLoaded shows the campaign that was read.
func (s *Screen) showLoaded(l loaded, err error) tea.Cmd {
	if err != nil {
		s.failed = err
		return nil
	}
	before, again := s.edit.Head(), s.loaded
	recovered, ok := s.edit.ApplyLoaded(l.Loaded)
	if !ok {
		return nil // the local version is newer
	}
	s.page.messages.Forget() // what the workspace keeps may have changed
	s.page.root = doc.Value{}
	s.resolver.Reset()
	s.failed, s.loaded, s.document.offers = nil, true, l.offers
	var cmd tea.Cmd
	switch {
	case recovered && s.edit.SavesInPlace():
		cmd = s.save("saved after the database was away", false)
	case recovered:
		cmd = screen.NotifyAbout(screen.TopicSave, widget.LevelInfo, "Your earlier changes are here. Press ctrl+s to apply them.")
	case again && l.Campaign.Revision != before.Revision && l.Campaign.UpdatedBy != s.deps.Author:
		cmd = screen.NotifyAbout(screen.TopicSave, widget.LevelInfo, cmp.Or(l.Campaign.UpdatedBy, "Somebody else")+" has changed this campaign. This is the new version.")
	}
	s.sections.show(s.edit)
	r := s.route
	s.route = screen.Route{}
	to := r.Path
	if len(to) == 0 {
		to = s.sections.first()
	}
	s.show(to)
	if r.Preview && s.edit.Head().Channel.Writable() {
		s.show(contentPath)
		s.focusSide(sidePanel)
		s.from = paneCaller
	}
	return tea.Batch(cmd, s.replace(r), s.warnings.read())
}

// reread reads the campaign again. Edits that are being saved are saved first; pending edits are kept, and only
// their base is read.
func (s *Screen) reread() tea.Cmd {
	switch {
	case !s.loaded && s.failed != nil: // the store may be reachable again
		return s.load()
	case !s.loaded:
		return nil
	case errors.As(s.edit.SaveErr(), new(*edit.SavedLocallyError)): // the store may be reachable again
		return s.save("", true)
	case s.edit.Saving():
		s.stale = true
		return nil
	case s.edit.HasPending():
		service, id := s.deps.Service, s.edit.ID()
		read := func(ctx context.Context) (engine.Campaign, error) { return service.Get(ctx, id) }
		return screen.Go(&s.Base, taskState, read, func(c engine.Campaign, err error) tea.Cmd {
			return tea.Batch(s.rebase(c, err), s.warnings.read())
		})
	}
	s.route = screen.Route{Path: s.place()}
	return s.load()
}

// rebase makes the service's version of the campaign the base of pending edits. If it could not be read, applying them
// reports that.
func (s *Screen) rebase(c engine.Campaign, err error) tea.Cmd {
	if s.edit.HasPending() && err == nil {
		s.edit.RebaseOnto(c)
	}
	if !s.edit.HasPending() || !s.newer {
		return nil
	}
	s.newer = false
	return s.save("", true)
}

// Resume reads the campaign again, because its state may have changed.
func (s *Screen) Resume() tea.Cmd { return s.reread() }

// Close waits for a pending save and notifies the other screens of it. The page in the browser ends.
func (s *Screen) Close() tea.Cmd {
	end := func() tea.Msg {
		s.Base.Close()
		s.page.close()
		return nil
	}
	if !s.edit.Edited() {
		return end
	}
	return tea.Sequence(s.flush(), end, screen.Changed(s.edit.ID()))
}

// Route returns the route of the screen's campaign.
func (s *Screen) Route() screen.Route { return screen.Route{Name: screen.Builder, ID: s.edit.ID()} }

// errorCount counts the errors that prevent publishing.
func errorCount(e *edit.Session) int { return len(schema.Errors(e.Problems())) }
