// Package history is the screen with the earlier versions of a campaign, which shows what each save changed and
// can restore any version.
package history

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/phrase"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// Screen is the history of one campaign.
type Screen struct {
	screen.Base
	deps  screen.Deps
	theme *themes.Theme
	id    string

	campaign engine.Campaign // the current version
	current  int64           // its number
	loaded   bool
	failed   error

	panes panes.Panes
	list  *list.List[engine.Revision] // newest first
	pager widget.Pager
	base  comparisonBase
	shown shownVersion
}

// The panes.
const (
	paneVersions = iota
	paneChanges
)

// comparisonBase is what a version is compared with.
type comparisonBase uint8

const (
	baseBefore  comparisonBase = iota // the version before it
	baseCurrent                       // the current version
)

// shownVersion is the version whose changes are shown.
type shownVersion struct {
	compared
	n     int64
	ready bool
	err   error
	then  func() tea.Cmd // the action to run once it has been read
}

const (
	taskLoad = "load"
	taskShow = "show"
)

// New returns the screen for the route's campaign.
func New(deps screen.Deps, r screen.Route) *Screen {
	s := &Screen{Base: screen.NewBase(), deps: deps, theme: deps.Theme, id: r.ID, pager: widget.NewPager(deps.Theme)}
	s.list = list.Items(deps.Theme, "version", s.item)
	s.panes = panes.New(deps.Theme, panes.Pane{Name: "versions", From: 100, Share: 40, Min: 56}, panes.Pane{Name: "changes"})
	s.panes.Focus(paneVersions)
	s.list.Empty = "No earlier versions. Each save adds one."
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "History" }

// Route returns the route of the screen's campaign.
func (s *Screen) Route() screen.Route { return screen.Route{Name: screen.History, ID: s.id} }

// GoTo handles navigation from other screens to this one.
func (s *Screen) GoTo(screen.Route) tea.Cmd { return s.load() }

// Badge counts the versions.
func (s *Screen) Badge() (string, themes.Tone) {
	if !s.loaded {
		return "", themes.ToneMuted
	}
	return phrase.Count(s.list.Len(), "version"), themes.ToneMuted
}

// Init reads the history.
func (s *Screen) Init() tea.Cmd { return s.load() }

// Resume reads it again, because there may be a newer version.
func (s *Screen) Resume() tea.Cmd { return s.load() }

// Subject returns the campaign, once it has been read.
func (s *Screen) Subject() screen.Subject {
	if !s.loaded {
		return screen.Subject{}
	}
	return screen.Subject{Campaign: s.campaign}
}

type loaded struct {
	campaign  engine.Campaign
	revisions []engine.Revision
}

func (s *Screen) load() tea.Cmd {
	service, id := s.deps.Service, s.id
	h, ok := service.(engine.RevisionReader)
	if !ok {
		s.failed = fmt.Errorf("this service keeps no earlier versions")
		return nil
	}
	return screen.Go(&s.Base, taskLoad, func(ctx context.Context) (loaded, error) {
		c, err := service.Get(ctx, id)
		if err != nil {
			return loaded{}, err
		}
		revisions, err := h.Revisions(ctx, id)
		return loaded{c, revisions}, err
	}, s.showLoaded)
}

// Update handles results, keys and mouse events.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		return msg.Done()
	case screen.ChangedMsg:
		if msg.ID == s.id || msg.ID == "" {
			return s.load()
		}
	case tea.KeyMsg:
		if s.reading() {
			s.pager.Update(msg)
			return nil
		}
		if s.list.Key(msg) == list.Moved {
			return s.show()
		}
	case tea.MouseMsg:
		return s.mouse(msg)
	}
	return nil
}

func (s *Screen) showLoaded(l loaded, err error) tea.Cmd {
	if s.failed = err; err != nil {
		return nil
	}
	s.campaign, s.loaded = l.campaign, true
	if len(l.revisions) > 0 {
		s.current = l.revisions[0].N
	}
	s.list.Set(l.revisions)
	return s.show()
}

// compared is a version and the two campaigns to compare.
type compared struct{ old, new, version engine.Campaign }

// show reads the selected version and the one to compare it with.
func (s *Screen) show() tea.Cmd {
	rev, ok := s.list.Selected()
	h, can := s.deps.Service.(engine.RevisionReader)
	if !ok || !can {
		return nil
	}
	then := s.shown.then
	if s.shown.n != rev.N {
		then = nil // it was for another version
	}
	s.shown = shownVersion{n: rev.N, then: then}
	now, id, against := s.campaign, s.id, s.base
	before := int64(0)
	if all, i := s.list.Shown(), s.list.Index(); i+1 < len(all) {
		before = all[i+1].N
	}
	return screen.Go(&s.Base, taskShow, func(ctx context.Context) (compared, error) {
		version, err := h.Revision(ctx, id, rev.N)
		if err != nil {
			return compared{}, err
		}
		if against == baseCurrent {
			return compared{old: version, new: now, version: version}, nil
		}
		if before == 0 {
			return compared{old: engine.Campaign{Head: version.Head}, new: version, version: version}, nil
		}
		old, err := h.Revision(ctx, id, before)
		return compared{old: old, new: version, version: version}, err
	}, s.showCompared)
}

func (s *Screen) showCompared(c compared, err error) tea.Cmd {
	s.shown.ready, s.shown.err, s.shown.compared = true, err, c
	s.renderChanges()
	if err != nil {
		return nil
	}
	then := s.shown.then
	if then == nil {
		return nil
	}
	s.shown.then = nil
	return then()
}

func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	pane, msg := s.panes.Mouse(msg)
	switch pane {
	case paneChanges:
		if s.pager.Mouse(msg); widget.Pressed(msg) {
			s.focus(paneChanges)
		}
	case paneVersions:
		if hit, _ := s.list.Mouse(msg); hit {
			s.focus(paneVersions)
			return s.show()
		}
	}
	return nil
}

// reading reports whether the changes have the keyboard.
func (s *Screen) reading() bool { return s.panes.Focused() == paneChanges }

func (s *Screen) focus(pane int) tea.Cmd {
	s.panes.Focus(pane)
	s.layout()
	return nil
}

// Typing returns false: there is no text field.
func (s *Screen) Typing() bool { return false }

const groupHistory = "History"

// Actions returns what can be done with a version.
func (s *Screen) Actions() []screen.Action {
	if s.failed != nil {
		return []screen.Action{{Keys: []string{"r"}, Label: "try again", Group: groupHistory, BarPriority: 9, Run: s.load}}
	}
	with, help := "compare with now", "show changes since this version"
	if s.base == baseCurrent {
		with, help = "compare with before", "show what this version changed"
	}
	acts := []screen.Action{
		s.list.On(screen.Action{Keys: []string{"enter"}, Label: "restore", Help: "restore this version; undo brings the current one back", Group: groupHistory, BarPriority: 9}, s.restoreDisabledReason, s.whenRead(s.restore)),
		s.list.On(screen.Action{Keys: []string{"c", " "}, Label: with, Help: help, Group: groupHistory, BarPriority: 7}, s.unreadable, func(engine.Revision) tea.Cmd {
			s.base = baseCurrent - s.base
			return s.show()
		}),
		{Keys: []string{"tab"}, Label: "changes", Help: "switch between versions and changes", Group: groupHistory, BarPriority: 5, Run: func() tea.Cmd { return s.focus(paneChanges - s.panes.Focused()) }},
		s.panes.ZoomAction("z", groupHistory, s.layout),
		s.list.On(screen.Action{Keys: []string{"y"}, Label: "copy", Help: "copy this version as JSON", Group: groupHistory, BarPriority: 4}, s.unreadable, s.whenRead(func(rev engine.Revision) tea.Cmd {
			return screen.Copy(string(s.shown.version.Record().Indent()), fmt.Sprintf("version %d as JSON", rev.N))
		})),
	}
	if s.reading() {
		acts[2].Label = "versions"
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "versions", Help: "back to the versions", Group: groupHistory, BarPriority: 8, Run: func() tea.Cmd { return s.focus(paneVersions) }})
	}
	return acts
}

// whenRead wraps an action on the shown version so that it waits until the version has been read.
func (s *Screen) whenRead(do func(engine.Revision) tea.Cmd) func(engine.Revision) tea.Cmd {
	return func(rev engine.Revision) tea.Cmd {
		if s.shown.ready {
			return do(rev)
		}
		s.shown.then = func() tea.Cmd { return do(rev) }
		return nil
	}
}

// unreadable returns why nothing can be done with a version.
func (s *Screen) unreadable(engine.Revision) string {
	if s.shown.err != nil {
		return "This version can't be read."
	}
	return ""
}

func (s *Screen) restoreDisabledReason(rev engine.Revision) string {
	if rev.N == s.current {
		return "This is the current version."
	}
	return s.unreadable(rev)
}

// restore opens the version in the builder, where it becomes a change like any other: validated, saved or
// pending, and undone with one key.
func (s *Screen) restore(rev engine.Revision) tea.Cmd {
	body := s.shown.version.Body
	return screen.Ask(screen.Question{
		Title:   fmt.Sprintf("Restore version %d of %s?", rev.N, status.Name(engine.Summarize(s.campaign))),
		Body:    "The campaign goes back to how it was on " + s.formatTime(rev.At) + ". The current version stays in the history, and undo brings it back.",
		Buttons: []widget.Button{{Label: "Restore", Key: "y"}, {Label: "Cancel", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return screen.Open(screen.Route{Name: screen.Builder, ID: s.id, Doc: body})
		},
	})
}
