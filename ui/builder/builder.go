// Package builder is the screen for editing a campaign: its sections at the left, the form of the open place in
// the middle, and help, problems, a preview or the JSON beside or below it. Every change is checked and saved
// at once.
//
// [Screen] makes changes and defines the actions on the campaign. Its panes are the section list, the host of
// the editor, and the info pane; places decides which editor shows what, and the saver stores and applies
// edits.
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
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Screen is the builder of one campaign.
type Screen struct {
	screen.Base
	deps      screen.Deps
	edit      *edit.Session // of the campaign
	saver     saver
	startPath doc.Path  // the place in the route
	body      doc.Value // the document in the route, which replaces what stands at its place
	bodyAt    doc.Path  // that place; none for the campaign's whole body

	loaded      bool
	failed      error
	openPreview bool // focus the preview once the campaign is loaded

	panes    *panes
	viewAs   viewAs
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
	ps := &panes{edit: s.edit, theme: deps.Theme, change: s.change, editText: s.editText, sections: sectionList{list: widget.NewList(deps.Theme)}}
	ps.host = host{edit: s.edit, deps: deps, tasks: &s.Base, places: places{edit: s.edit}}
	ps.info = newInfo(s.edit, &ps.sections, deps.Theme)
	s.panes = ps
	s.warnings = &warner{edit: s.edit, deps: deps, tasks: &s.Base}
	ps.info.warnings = s.warnings
	s.compiler = &compiler{edit: s.edit, tasks: &s.Base, done: s.compiled}
	if len(r.Path) > 0 {
		s.panes.focus = paneForm
	}
	s.saver = saver{edit: s.edit, tasks: &s.Base, reviewed: s.reviewed, reread: s.reread, titles: s.panes.sections.titles}
	s.viewAs = newViewAs(s)
	s.page = newPageOpener(s.edit, deps, &s.Base, ps.place, s.viewAs.viewer)
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

// Campaign returns the campaign with the edits of the screen; false until it has been read.
func (s *Screen) Campaign() (engine.Campaign, bool) { return s.edit.Campaign(), s.loaded }

// Badge reports whether the edits are saved.
func (s *Screen) Badge() (string, themes.Tone) {
	if !s.loaded {
		return "", themes.ToneMuted
	}
	return s.saver.badge()
}

// Init reads the campaign.
func (s *Screen) Init() tea.Cmd { return tea.Batch(s.load(), s.viewAs.resolver.Init()) }

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
	return tea.Batch(cmd, s.panes.fulfill(), s.compiler.follow(), s.warnings.follow())
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
		return s.panes.open(msg.Path)
	case forms.OpenEditorMsg:
		return s.editText(msg)
	case tea.KeyMsg:
		if s.loaded {
			return s.panes.key(msg)
		}
		return nil
	case tea.MouseMsg:
		if s.loaded {
			return s.panes.mouse(msg)
		}
		return nil
	}
	return s.panes.message(msg)
}

// showResult shows in the panes what a task has changed.
func (s *Screen) showResult() tea.Cmd {
	s.panes.refresh()
	return s.viewAs.follow()
}

// reviewed shows the result of a review.
func (s *Screen) reviewed(r edit.Review, err error) tea.Cmd {
	before := s.edit.Root()
	cmd := s.saver.finishReview(r, err)
	if s.panes.showChecked(); !s.edit.Root().Same(before) {
		s.panes.reload()
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
	s.failed, s.loaded, s.panes.host.offers = nil, true, l.offers
	s.viewAs.resolver.Reset() // what the workspace keeps may have changed
	var cmd tea.Cmd
	switch {
	case recovered && s.edit.SavesInPlace():
		cmd = s.saver.save("saved after the database was away", false)
	case recovered:
		cmd = screen.NotifyAbout(screen.TopicSave, widget.LevelInfo, "Your earlier changes are here. Press ctrl+s to apply them.")
	}
	s.panes.showChecked()
	if len(s.startPath) == 0 {
		s.startPath = s.panes.sections.first()
	}
	s.panes.sections.choose(s.startPath)
	s.panes.goTo(s.startPath)
	if at, ok := s.panes.sections.messages(s.edit.Schema()); ok && s.openPreview {
		s.openPreview = false
		s.panes.sections.choose(at)
		s.panes.show(at)
		if s.panes.info.sidePanel != nil {
			s.panes.focusSidePanel()
		}
		s.panes.from = paneCaller
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
		return s.saver.save("", true)
	case s.edit.Saving():
		s.saver.stale = true
		return nil
	case s.edit.HasPending():
		service, id := s.deps.Service, s.edit.ID()
		read := func(ctx context.Context) (engine.Campaign, error) { return service.Get(ctx, id) }
		return screen.Go(&s.Base, taskState, read, func(c engine.Campaign, err error) tea.Cmd {
			return tea.Batch(s.showState(c, err), s.warnings.read())
		})
	}
	s.startPath = s.panes.place()
	return s.load()
}

// showState adopts the service's version of the campaign as the base of pending edits.
func (s *Screen) showState(c engine.Campaign, err error) tea.Cmd {
	if !s.edit.HasPending() {
		return nil
	}
	if err == nil { // otherwise the user sees the edits, and applying them reports the error
		s.edit.RebaseOnto(c)
		s.panes.showChecked()
		s.panes.reload()
	}
	if !s.saver.newer {
		return nil
	}
	s.saver.newer = false
	return s.saver.save("", true)
}

// LeaveQuestion asks before the user leaves unapplied edits of a live campaign, which are kept.
func (s *Screen) LeaveQuestion() *screen.Question { return s.saver.leaveQuestion() }

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
	return tea.Sequence(s.saver.flush(), end, screen.Changed(s.edit.ID()))
}

// errorCount counts the errors that prevent publishing.
func errorCount(e *edit.Session) int { return len(schema.Errors(e.Problems())) }

// SetSize divides the screen.
func (s *Screen) SetSize(width, height int) { s.panes.setSize(width, height) }

// View draws the panes.
func (s *Screen) View() string {
	s.panes.arrange()
	switch {
	case s.failed != nil:
		return s.message("Can't read this campaign.\n\n" + s.failed.Error() + "\n\nPress r to try again or esc to go back.")
	case !s.loaded:
		return s.message("Loading…")
	}
	return s.panes.view()
}

// message draws a text instead of the panes.
func (s *Screen) message(text string) string {
	p := widget.NewPager(s.deps.Theme)
	p.SetSize(s.panes.width-4, s.panes.height-2)
	p.SetText(text)
	panel := panel(s.deps.Theme, "Campaign", box{s.panes.width, s.panes.height}, true, "")
	return panel.View(p.View())
}
