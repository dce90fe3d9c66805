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
	"bugle/engine/material"
	"bugle/engine/personalize"
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
	id    string
	start doc.Path  // the place that the route asked for
	body  doc.Value // the body that the route brought: it takes the place of the present one

	campaign  engine.Campaign // as it was read or saved last
	workspace engine.Workspace
	offers    material.Offers // for its texts
	loaded    bool
	failed    error

	root     doc.Value // the document with every edit
	origin   doc.Value // the body that edits waiting to be applied started from
	schema   *schema.Schema
	problems []schema.Problem
	parts    []part
	history  history
	saving   saving
	line     *line
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
	s := &Screen{line: &line{}, Base: screen.NewBase(), deps: deps, theme: deps.Theme, id: r.ID, start: r.Path, preview: r.Preview, body: r.Doc, list: widget.NewList(deps.Theme)}
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
	return engine.Summarize(s.current()).Title()
}

// current is the campaign with the edits of the screen.
func (s *Screen) current() engine.Campaign {
	c := s.campaign
	c.Body = engine.BodyOf(s.root)
	return c
}

// Campaign returns the campaign with the edits of the screen; false while it is not read.
func (s *Screen) Campaign() (engine.Campaign, bool) { return s.current(), s.loaded }

// Badge says whether the work is saved.
func (s *Screen) Badge() (string, themes.Tone) {
	if !s.loaded {
		return "", themes.ToneMuted
	}
	return s.saving.badge(s.campaign.Status)
}

// Init reads the campaign.
func (s *Screen) Init() tea.Cmd { return s.load() }

type loaded struct {
	campaign  engine.Campaign
	workspace engine.Workspace
	offers    material.Offers
	copy      *engine.WorkingCopy
	edits     int // how many there were when it was read
}

func (s *Screen) load() tea.Cmd {
	edits := s.saving.edits
	return s.Run(taskLoad, func(ctx context.Context) (any, error) {
		l := loaded{edits: edits}
		var err error
		if l.campaign, err = s.deps.Service.Get(ctx, s.id); err != nil {
			return nil, err
		}
		if k, ok := s.deps.Service.(engine.WorkspaceKeeper); ok {
			if l.workspace, err = k.Workspace(ctx); err != nil {
				return nil, err
			}
		}
		if k, ok := s.deps.Service.(engine.ContentKeeper); ok {
			if l.offers, err = material.ReadOffers(ctx, k); err != nil && ctx.Err() != nil {
				return nil, ctx.Err() // without offers there is still everything else
			}
		}
		if k, ok := s.deps.WorkingCopies(); ok && !s.inPlace(l.campaign.Head) {
			if w, found, err := k.Copy(ctx, s.id); err == nil && found {
				l.copy = &w
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
	if l.edits != s.saving.edits {
		return nil // what is here is newer; where somebody else changed it too, saving says so
	}
	s.failed, s.loaded = nil, true
	s.campaign, s.workspace, s.offers = l.campaign, l.workspace, l.offers
	s.schema = catalog.Campaign(l.campaign.Channel)
	s.root = l.campaign.Document()
	s.origin = engine.BodyOf(l.campaign.Body)
	s.saving.pending = false
	cmd := s.recover(l.copy)
	s.check()
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

// inPlace reports whether edits of a campaign are saved where it is. Others wait, in a working
// copy, until they are applied: those of a live campaign, and all on a service that stores nothing
// unfinished.
func (s *Screen) inPlace(h engine.Head) bool {
	_, ok := s.deps.Service.(engine.Drafter)
	return ok && h.Status == catalog.Draft
}

// recover takes up the edits of an earlier time, on top of what is there now.
func (s *Screen) recover(w *engine.WorkingCopy) tea.Cmd {
	if w == nil || w.Body.Kind() != doc.Object {
		return nil
	}
	if w.Origin.Exists() {
		s.origin = w.Origin
	}
	c := s.campaign
	c.Body, _ = engine.Rebase(s.origin, w.Body, s.campaign.Body)
	if root := c.Document(); len(doc.Diff(s.root, root)) > 0 {
		s.root, s.saving.pending = root, true
		return screen.NotifyAbout(screen.AboutSave, widget.LevelInfo, "Your earlier changes are here. Press ctrl+s to apply them.")
	}
	return nil
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
	if msg.ID != s.id && msg.ID != "" {
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
	case s.saving.running || s.saving.dirty:
		s.stale = true
		return nil
	case s.saving.pending:
		service, id := s.deps.Service, s.id
		return s.Run(taskState, func(ctx context.Context) (any, error) { return service.Get(ctx, id) })
	}
	s.start = s.place()
	return s.load()
}

// tookState takes over the campaign as the service has it, below the edits that wait to be applied.
func (s *Screen) tookState(r screen.Result) {
	if r.Err != nil || !s.saving.pending {
		return // the edits are what the person sees; applying them reports what is wrong
	}
	s.campaign = r.Value.(engine.Campaign)
	s.root = s.current().Document()
	if len(doc.Diff(engine.BodyOf(s.campaign.Body), engine.BodyOf(s.root))) == 0 { // they are applied
		s.origin, s.saving.pending = engine.BodyOf(s.campaign.Body), false
	}
	s.check()
	s.reload()
}

// env is what the check of a campaign that is being built knows.
func (s *Screen) env() schema.Env {
	env := schema.Env{Stage: schema.Publish, Now: s.campaign.CheckedAt(s.deps.Now()), Expression: personalize.Parse}
	if engine.Foreign(s.deps.Service) {
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

// check finds the problems of the document as it stands.
func (s *Screen) check() {
	s.problems = s.schema.Validate(s.root, s.env())
	s.parts = partsOf(s.campaign.Channel, s.campaign.DeliveryType, s.root, s.problems)
	items := make([]widget.Item, len(s.parts))
	whole := s.lockedAt(nil) != "" // the header says so already
	for i, p := range s.parts {
		p.locked = !whole && p.state != partForeign && s.lockedAt(doc.P(p.name)) != ""
		items[i] = p.item()
	}
	at := s.list.Cursor
	s.list.SetItems(items)
	s.list.Choose(at)
	if s.form != nil {
		s.form.SetProblems(s.problems)
	}
	s.refreshInfo()
}

// errors counts what stands between the campaign and being published.
func (s *Screen) errors() int { return len(schema.Errors(s.problems)) }

// Leaving asks before edits of a live campaign that are not applied are left; they are kept.
func (s *Screen) Leaving() *screen.Question {
	if !s.saving.pending {
		return nil
	}
	return &screen.Question{
		Title:   "Leave without applying?",
		Body:    fmt.Sprintf("Your changes to this campaign (%s) are kept and will be here when you come back, but they are not applied yet. %s", s.campaign.Status.Label(), catalog.Propagation(s.campaign.DeliveryType, s.campaign.Status)),
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
	if s.saving.edits == 0 {
		return end
	}
	return tea.Sequence(s.flush(), end, screen.Changed(s.id))
}
