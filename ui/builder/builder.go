// Package builder is the screen for editing a campaign: its sections at the left, the form of the open place in
// the middle, and beside or below it what the section is about: the message, the audience, the next sends or the links.
// Every change is checked and saved at once.
package builder

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/assemble"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/ui/editpane"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/viewas"
	"bugle/ui/widget"
)

// Screen is the builder of one campaign.
type Screen struct {
	screen.Base
	deps      screen.Deps
	edit      *edit.Session // of the campaign
	startPath doc.Path      // the place in the route
	body      doc.Value     // the document in the route, which replaces what stands at its place
	bodyAt    doc.Path      // that place; none for the campaign's whole body

	warned bool // the user has been told when changes take effect
	stale  bool // the campaign was changed elsewhere during a save
	newer  bool // there are edits that were made while others were applied

	loaded      bool
	failed      error
	openPreview bool // focus the preview once the campaign is loaded

	panes    panes.Panes
	arranged arrangement // what the sizes of the panes were computed for
	sections sectionList
	document document
	places   places
	form     editpane.Pane
	side     side
	from     int // the focus before it moved to the pane beside the form

	viewing  viewas.Config
	resolver *viewas.Resolver             // resolves the messages for the person that the preview shows them as
	viewBox  interface{ Close() tea.Cmd } // the chooser of that person or the survey; nil if none was opened
	choosing bool                         // the chooser was opened
	// messageAt is the place at which the message is beside the form whatever the section is about, because it is seen as
	// somebody.
	messageAt doc.Path

	warnings *warner
	compiler *compiler
	page     *pageOpener
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
	return func(s *Screen) { s.warnings.delay, s.compiler.delay = d, d*compileFactor }
}

// WithoutChecks looks for no warnings.
func WithoutChecks() Option {
	return func(s *Screen) { s.warnings.off = true }
}

// New returns the builder of the route's campaign. If the route has a path, that place is opened and focused.
func New(deps screen.Deps, r screen.Route, options ...Option) *Screen {
	s := &Screen{edit: edit.New(deps.EditConfig(), r.ID), Base: screen.NewBase(), deps: deps, startPath: r.Path, openPreview: r.Preview, body: r.Doc, bodyAt: r.Path}
	s.panes, s.sections = newPanes(deps.Theme), newSectionList(deps.Theme)
	s.warnings = &warner{edit: s.edit, deps: deps, tasks: &s.Base}
	s.viewing = viewas.Config{Service: deps.Service, Campaign: r.ID, Prefs: deps.Prefs.Within(deps.Workspace), Tasks: &s.Base}
	s.resolver = viewas.NewResolver(s.viewing)
	s.document, s.places = document{Session: s.edit, deps: deps, viewAs: s.resolver, warnings: s.warnings}, places{edit: s.edit}
	s.form = editpane.New(&s.document, s.places.tools(), &s.Base, 1)
	s.side = newSide(s.edit, s.warnings, deps.Theme)
	s.compiler = &compiler{edit: s.edit, tasks: &s.Base, done: s.compiled}
	if len(r.Path) > 0 {
		s.panes.Focus(paneForm)
	}
	s.page = newPageOpener(s.edit, deps, &s.Base, s.place, s.viewer)
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
	cmd := s.update(msg)
	s.page.follow()
	return tea.Batch(cmd, s.fulfill(), s.compiler.follow(), s.warnings.follow())
}

func (s *Screen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		return tea.Batch(msg.Done(), s.showResult())
	case screen.ChangedMsg:
		if msg.ID != s.edit.ID() && msg.ID != "" {
			return nil
		}
		return s.reread()
	case forms.OpenMsg:
		return s.open(msg.Path)
	case forms.OpenEditorMsg:
		return s.form.EditOutside(msg, s.edited, s.setValue)
	case tea.KeyMsg:
		if s.loaded {
			return s.key(msg)
		}
		return nil
	case tea.MouseMsg:
		if s.loaded {
			return s.mouse(msg)
		}
		return nil
	}
	return s.message(msg)
}

// showResult shows in the panes what a task has changed.
func (s *Screen) showResult() tea.Cmd {
	s.form.ShowProblems()
	s.refresh()
	return s.followViewer()
}

// reviewed shows the result of a review.
func (s *Screen) reviewed(r edit.Review, err error) tea.Cmd {
	before := s.edit.Root()
	cmd := s.finishReview(r, err)
	if s.showChecked(); !s.edit.Root().Same(before) {
		s.reload()
	}
	return cmd
}

// showLoaded shows the campaign that was read.
func (s *Screen) showLoaded(l loaded, err error) tea.Cmd {
	if err != nil {
		s.failed = err
		return nil
	}
	recovered, ok := s.edit.ApplyLoaded(l.Loaded)
	if !ok {
		return nil // the local version is newer
	}
	s.page.forget()
	s.failed, s.loaded, s.document.offers = nil, true, l.offers
	s.resolver.Reset() // what the workspace keeps may have changed
	var cmd tea.Cmd
	switch {
	case recovered && s.edit.SavesInPlace():
		cmd = s.save("saved after the database was away", false)
	case recovered:
		cmd = screen.NotifyAbout(screen.TopicSave, widget.LevelInfo, "Your earlier changes are here. Press ctrl+s to apply them.")
	}
	s.showChecked()
	if len(s.startPath) == 0 {
		s.startPath = s.sections.first()
	}
	s.sections.choose(s.startPath)
	s.goTo(s.startPath)
	if at, ok := s.sections.messages(s.edit.Schema()); ok && s.openPreview {
		s.openPreview = false
		s.sections.choose(at)
		s.show(at)
		s.focusSide(sidePanel)
		s.from = paneCaller
	}
	return tea.Batch(cmd, s.replaceBody(), s.warnings.read())
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
			return tea.Batch(s.showState(c, err), s.warnings.read())
		})
	}
	s.startPath = s.place()
	return s.load()
}

// showState adopts the service's version of the campaign as the base of pending edits.
func (s *Screen) showState(c engine.Campaign, err error) tea.Cmd {
	if !s.edit.HasPending() {
		return nil
	}
	if err == nil { // otherwise the user sees the edits, and applying them reports the error
		s.edit.RebaseOnto(c)
		s.showChecked()
		s.reload()
	}
	if !s.newer {
		return nil
	}
	s.newer = false
	return s.save("", true)
}

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

// errorCount counts the errors that prevent publishing.
func errorCount(e *edit.Session) int { return len(schema.Errors(e.Problems())) }
