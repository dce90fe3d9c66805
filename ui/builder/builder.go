// Package builder is the screen in which a campaign is built: its sections at the left, the form of the open place in
// the middle, and help, problems, a preview or the JSON at the right or below. Every change is checked and saved at once.
//
// [Screen] makes changes and offers what can be done with the campaign. Its panes are the list of sections, the host of
// the form, and the info pane; places knows which editor shows what, and the saver stores and applies.
package builder

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/material"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/themes"
	"bugle/ui/builder/browser"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Screen is the builder of one campaign: what changes it, and what can be done with it.
type Screen struct {
	screen.Base
	deps      screen.Deps
	edit      *edit.Session // of the campaign
	saver     saver
	startPath doc.Path  // the place that the route asked for
	body      doc.Value // the body that the route brought: it takes the place of the present one

	loaded      bool
	failed      error
	openPreview bool // to be opened at, once it is loaded

	panes *panes
	files *browser.Files
}

// The tasks of the screen.
const (
	taskLoad  = "load"
	taskSave  = "save"
	taskApply = "apply"
	taskState = "state"
)

// Option changes what a builder works with.
type Option func(*Screen)

// WithBrowser makes start what shows a page in the person's browser, in place of the system's way.
func WithBrowser(start func(ctx context.Context, file string) error) Option {
	return func(s *Screen) { s.files.Start = start }
}

// New makes the builder of the route's campaign. Where the route has a path, that is opened, and has the
// keyboard: it is where somebody wants to write.
func New(deps screen.Deps, r screen.Route, options ...Option) *Screen {
	copies, _ := deps.WorkingCopies()
	from := edit.Host{Service: deps.Service, Copies: copies, Spare: deps.FallbackCopies, Author: deps.Author, Now: deps.Now}
	s := &Screen{edit: edit.New(from, r.ID), Base: screen.NewBase(), deps: deps, startPath: r.Path, openPreview: r.Preview, body: r.Doc}
	ps := &panes{edit: s.edit, theme: deps.Theme, change: s.change, editText: s.editText, sections: sectionList{list: widget.NewList(deps.Theme)}}
	ps.host = host{edit: s.edit, deps: deps, task: s.Run, changed: func() tea.Cmd { return ps.adopt(nil, true) }, places: places{edit: s.edit}}
	ps.info = newInfo(s.edit, &ps.sections, deps.Theme)
	s.panes = ps
	if len(r.Path) > 0 {
		s.panes.focus = paneForm
	}
	s.saver = saver{edit: s.edit, task: s.Run, reread: s.reread, titles: s.panes.sections.titles}
	s.files = &browser.Files{}
	for _, o := range options {
		o(s)
	}
	return s
}

// Title is the campaign's name.
func (s *Screen) Title() string {
	if !s.loaded {
		return "Campaign"
	}
	return engine.Summarize(s.edit.Current()).Title()
}

// Campaign returns the campaign with the edits of the screen; false while it is not read.
func (s *Screen) Campaign() (engine.Campaign, bool) { return s.edit.Current(), s.loaded }

// Badge says whether the work is saved.
func (s *Screen) Badge() (string, themes.Tone) {
	if !s.loaded {
		return "", themes.ToneMuted
	}
	return s.saver.badge()
}

// Init reads the campaign.
func (s *Screen) Init() tea.Cmd { return s.load() }

type loaded struct {
	edit.Loaded
	offers material.Offers
}

func (s *Screen) load() tea.Cmd {
	read := s.edit.Load()
	return s.Run(taskLoad, func(ctx context.Context) (any, error) {
		var l loaded
		var err error
		if l.Loaded, err = read(ctx); err != nil {
			return nil, err
		}
		if k, ok := s.deps.Service.(engine.ContentKeeper); ok {
			if l.offers, err = material.ReadOffers(ctx, k); err != nil && ctx.Err() != nil {
				return nil, ctx.Err() // without offers there is still everything else
			}
		}
		return l, nil
	})
}

// Update takes results and news, and hands keys to the pane that has the keyboard.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	cmd := s.update(msg)
	return tea.Batch(cmd, s.panes.fulfill())
}

func (s *Screen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		return s.result(msg)
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
	if s.panes.host.editor != nil {
		return s.panes.adopt(s.panes.host.editor.Update(msg), true) // what it asked for, such as the clipboard
	}
	return nil
}

func (s *Screen) result(r screen.Result) tea.Cmd {
	if !s.Accept(r) {
		return nil
	}
	switch r.Kind {
	case taskLoad:
		return s.showLoaded(r)
	case taskSave:
		return s.saver.saved(r)
	case taskApply:
		return s.saver.applied(r)
	case taskState:
		s.showState(r)
		return nil
	case taskBrowser:
		return openedNotice(r)
	}
	return s.panes.deliver(r)
}

// showLoaded shows the campaign that was read.
func (s *Screen) showLoaded(r screen.Result) tea.Cmd {
	if r.Err != nil {
		s.failed = r.Err
		return nil
	}
	l := r.Value.(loaded)
	recovered, ok := s.edit.Take(l.Loaded)
	if !ok {
		return nil // what is here is newer
	}
	s.failed, s.loaded, s.panes.host.offers = nil, true, l.offers
	var cmd tea.Cmd
	switch {
	case recovered && s.edit.InPlace():
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
	return tea.Batch(cmd, s.replaceBody())
}

// reread reads the campaign again. Edits that are on their way to the store are stored first; those that wait
// to be applied stay, and only what is below them is read.
func (s *Screen) reread() tea.Cmd {
	switch {
	case !s.loaded && s.failed != nil: // the store may be back
		return s.load()
	case !s.loaded:
		return nil
	case errors.As(s.edit.SaveErr(), new(*edit.KeptError)): // the store may be back
		return s.saver.save("", true)
	case s.edit.Saving():
		s.saver.stale = true
		return nil
	case s.edit.Pending():
		service, id := s.deps.Service, s.edit.ID()
		return s.Run(taskState, func(ctx context.Context) (any, error) { return service.Get(ctx, id) })
	}
	s.startPath = s.panes.place()
	return s.load()
}

// showState takes over the campaign as the service has it, below the edits that wait to be applied.
func (s *Screen) showState(r screen.Result) {
	if r.Err != nil || !s.edit.Pending() {
		return // the edits are what the person sees; applying them reports what is wrong
	}
	s.edit.Below(r.Value.(engine.Campaign))
	s.panes.showChecked()
	s.panes.reload()
}

// LeaveQuestion asks before edits of a live campaign that are not applied are left; they are kept.
func (s *Screen) LeaveQuestion() *screen.Question { return s.saver.leaveQuestion() }

// Close waits for a save that is due, and tells the others where there was any. The pages that a
// browser was given are gone then.
func (s *Screen) Close() tea.Cmd {
	end := func() tea.Msg {
		s.Base.Close()
		s.files.Clean()
		return nil
	}
	if !s.edit.Edited() {
		return end
	}
	return tea.Sequence(s.saver.flush(), end, screen.Changed(s.edit.ID()))
}

// errorCount counts what stands between the campaign and being published.
func errorCount(e *edit.Session) int { return len(schema.Errors(e.Problems())) }

// SetSize divides the screen.
func (s *Screen) SetSize(width, height int) { s.panes.setSize(width, height) }

// SetTheme changes the theme.
func (s *Screen) SetTheme(t themes.Theme) {
	s.deps.Theme = t
	s.panes.setTheme(t)
}

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

// message draws a text in place of the panes.
func (s *Screen) message(text string) string {
	p := widget.NewPager(s.deps.Theme)
	p.SetSize(s.panes.width-4, s.panes.height-2)
	p.SetText(text)
	panel := panel(s.deps.Theme, "Campaign", box{s.panes.width, s.panes.height}, true, "")
	return panel.View(p.View())
}
