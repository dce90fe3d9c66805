// Package builder is the screen in which a campaign is built: its components at the left, the
// form of the chosen object in the middle, and what is to be known of it at the right or
// below. Every change is checked and saved at once.
package builder

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/material"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/themes"
	"bugle/ui/builder/browser"
	"bugle/ui/editor"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Screen is the builder of one campaign.
type Screen struct {
	screen.Base
	deps  screen.Deps
	theme themes.Theme
	edit  *edit.Session // of the campaign
	start doc.Path      // the place that the route asked for
	body  doc.Value     // the body that the route brought: it takes the place of the present one

	offers   material.Offers // for its texts
	loaded   bool
	failed   error
	parts    []part
	preview  bool // to be opened at, once it is loaded
	foretold bool // when changes take effect has been said

	list  widget.List
	form  editor.Editor // of path; nil where the campaign has none
	path  doc.Path
	focus pane
	from  pane // what had the keyboard before the pane beside the form
	stale bool // somebody changed the campaign while it was being saved
	info  info
	strip editor.Strip // above the form; nil where the place has none
	grid  grid
	files *browser.Files
	wants wants

	width, height int
	layout        layout
	asked         demand        // what the layout was made for
	measured      editor.Editor // the form whose lines were counted
	zoom          bool          // the focused pane has the whole screen
}

// pane is where the keyboard is.
type pane uint8

const (
	paneParts pane = iota
	paneForm
	paneInfo
	paneBefore // the screen that this one was opened from; the keyboard comes from there, and is never there
)

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
	host := edit.Host{Service: deps.Service, Copies: copies, Author: deps.Author, Now: deps.Now}
	s := &Screen{edit: edit.New(host, r.ID), Base: screen.NewBase(), deps: deps, theme: deps.Theme, start: r.Path, preview: r.Preview, body: r.Doc, list: widget.NewList(deps.Theme)}
	if len(r.Path) > 0 {
		s.focus = paneForm
	}
	s.info = newInfo(deps.Theme)
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
	return badge(s.edit)
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
	return tea.Batch(cmd, s.grant())
}

func (s *Screen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		return s.result(msg)
	case screen.ChangedMsg:
		return s.changedElsewhere(msg)
	case forms.OpenMsg:
		return s.open(msg.Path)
	case forms.EditMsg:
		return s.editText(msg)
	case tea.KeyMsg:
		return s.key(msg)
	case tea.MouseMsg:
		return s.mouse(msg)
	}
	if s.form != nil {
		return s.fromPaste(s.form.Update(msg)) // what it asked for, such as the clipboard
	}
	return nil
}

func (s *Screen) result(r screen.Result) tea.Cmd {
	if !s.Accept(r) {
		return nil
	}
	switch r.Kind {
	case taskLoad:
		return s.took(r)
	case taskSave:
		return s.saved(r)
	case taskApply:
		return s.applied(r)
	case taskState:
		s.tookState(r)
		return nil
	case taskBrowser:
		return s.shown(r)
	}
	return s.toEditors(r)
}

// took shows the campaign that was read.
func (s *Screen) took(r screen.Result) tea.Cmd {
	if r.Err != nil {
		s.failed = r.Err
		return nil
	}
	l := r.Value.(loaded)
	recovered, ok := s.edit.Take(l.Loaded)
	if !ok {
		return nil // what is here is newer
	}
	s.failed, s.loaded, s.offers = nil, true, l.offers
	var cmd tea.Cmd
	if recovered {
		cmd = screen.NotifyAbout(screen.AboutSave, widget.LevelInfo, "Your earlier changes are here. Press ctrl+s to apply them.")
	}
	s.showChecked()
	if len(s.start) == 0 {
		s.start = doc.P(s.parts0())
	}
	s.choose(s.start[0].Name)
	s.goTo(s.start)
	if at, ok := s.messages(); ok && s.preview {
		s.preview = false
		cmd = tea.Batch(cmd, s.toPreview(at))
		s.from = paneBefore
	}
	return tea.Batch(cmd, s.takeBody())
}

// parts0 gives the component to begin with: the first that is not done.
func (s *Screen) parts0() string {
	for _, p := range s.parts {
		if p.state == partMissing || p.state == partUnfinished || p.state == partWrong {
			return p.name
		}
	}
	if len(s.parts) > 0 {
		return s.parts[0].name
	}
	return ""
}

// changedElsewhere reads again what somebody else changed.
func (s *Screen) changedElsewhere(msg screen.ChangedMsg) tea.Cmd {
	if msg.ID != s.edit.ID() && msg.ID != "" {
		return nil
	}
	return s.reread()
}

// reread reads the campaign again. Edits that are on their way to the store are stored first; those that wait
// to be applied stay, and only what is below them is read.
func (s *Screen) reread() tea.Cmd {
	switch {
	case !s.loaded:
		return nil
	case s.edit.Saving():
		s.stale = true
		return nil
	case s.edit.Pending():
		service, id := s.deps.Service, s.edit.ID()
		return s.Run(taskState, func(ctx context.Context) (any, error) { return service.Get(ctx, id) })
	}
	s.start = s.place()
	return s.load()
}

// tookState takes over the campaign as the service has it, below the edits that wait to be applied.
func (s *Screen) tookState(r screen.Result) {
	if r.Err != nil || !s.edit.Pending() {
		return // the edits are what the person sees; applying them reports what is wrong
	}
	s.edit.Below(r.Value.(engine.Campaign))
	s.showChecked()
	s.reload()
}

// showChecked shows the problems of the document as it stands.
func (s *Screen) showChecked() {
	s.parts = partsOf(s.edit.Head().Channel, s.edit.Head().DeliveryType, s.edit.Root(), s.edit.Problems())
	items := make([]widget.Item, len(s.parts))
	whole := s.edit.LockedAt(nil) != "" // the header says so already
	for i, p := range s.parts {
		p.locked = !whole && p.state != partForeign && s.edit.LockedAt(doc.P(p.name)) != ""
		items[i] = p.item()
	}
	at := s.list.Cursor
	s.list.SetItems(items)
	s.list.Choose(at)
	if s.form != nil {
		s.form.SetProblems(s.edit.Problems())
	}
	s.refreshInfo()
}

// errors counts what stands between the campaign and being published.
func (s *Screen) errors() int { return len(schema.Errors(s.edit.Problems())) }

// Leaving asks before edits of a live campaign that are not applied are left; they are kept.
func (s *Screen) Leaving() *screen.Question {
	if !s.edit.Pending() {
		return nil
	}
	return &screen.Question{
		Title:   "Leave without applying?",
		Body:    fmt.Sprintf("Your changes to this campaign (%s) are kept and will be here when you come back, but they are not applied yet. %s", s.edit.Head().Status.Label(), catalog.Propagation(s.edit.Head().DeliveryType, s.edit.Head().Status)),
		Buttons: []widget.Button{{Label: "Leave", Key: "y"}, {Label: "Stay", Key: "n"}},
	}
}

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
	return tea.Sequence(s.flush(), end, screen.Changed(s.edit.ID()))
}
