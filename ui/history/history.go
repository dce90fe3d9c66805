// Package history is the screen with the earlier versions of a campaign, which shows what each save changed and
// can restore any version.
package history

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/phrase"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// Screen is the history of one campaign.
type Screen struct {
	screen.Base
	*list.Browser[engine.Revision] // newest first

	deps   screen.Deps
	theme  *themes.Theme
	id     string
	reader engine.RevisionReader // nil if the service keeps no versions

	history
	loaded bool
	failed error
	shown  int64 // the version on the page, or being read for it; 0 for none
}

const (
	taskLoad = "load"
	taskShow = "show"
	taskRead = "read"
)

// Help headings.
const (
	groupVersion = "Version"
	groupList    = "Versions"
)

// New returns the screen for the route's campaign.
func New(deps screen.Deps, r screen.Route) *Screen {
	s := &Screen{Base: screen.NewBase(), deps: deps, theme: deps.Theme, id: r.ID}
	s.reader, _ = deps.Service.(engine.RevisionReader)
	s.Browser = list.New(deps.Theme, list.Config[engine.Revision]{
		Title: "Versions", Hint: "change or author", Row: s.row, Has: s.has, Empty: s.emptyText,
		Columns: []widget.Column{
			{Title: "No.", Min: 4, Align: widget.AlignRight}, {Title: "Change", Min: 20, Weight: 1}, {Title: "Saved", Min: 18, Priority: 1},
		},
		Same: func(a, b engine.Revision) bool { return a.N == b.N },
		Head: pageTitle, PageShare: 50, Below: true,
		Labels: list.Labels{
			Noun: "version", Entries: "versions", Group: groupList, Read: "read the changes", Filter: "filter versions by their change or author",
			Next: "older version", Prev: "newer version", NextTab: []string{"tab"}, PrevTab: []string{"shift+tab"},
		},
	})
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
	return phrase.Count(s.Len(), "version"), themes.ToneMuted
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

// history is the current campaign and its versions, the newest first.
type history struct {
	campaign  engine.Campaign
	revisions []engine.Revision
}

func (s *Screen) load() tea.Cmd {
	if s.reader == nil {
		s.failed = fmt.Errorf("this service keeps no earlier versions")
		return nil
	}
	return screen.Go(&s.Base, taskLoad, func(ctx context.Context) (history, error) {
		c, err := s.deps.Service.Get(ctx, s.id)
		if err != nil {
			return history{}, err
		}
		revisions, err := s.reader.Revisions(ctx, s.id)
		return history{c, revisions}, err
	}, func(h history, err error) tea.Cmd {
		if s.failed = err; err != nil {
			return nil
		}
		s.history, s.loaded, s.shown = h, true, 0
		s.Set(h.revisions)
		return s.compare()
	})
}

// Update handles results, keys and mouse events, and shows the changes of the version under the cursor.
func (s *Screen) Update(msg tea.Msg) tea.Cmd { return tea.Batch(s.update(msg), s.compare()) }

func (s *Screen) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		return msg.Done()
	case screen.ChangedMsg:
		if msg.ID == s.id || msg.ID == "" {
			return s.load()
		}
	case tea.KeyMsg:
		s.Key(msg)
	case tea.MouseMsg:
		s.Mouse(msg)
	}
	return nil
}

// pair is two versions to compare.
type pair struct{ old, new engine.Campaign }

// compare reads the version under the cursor and the one before it, unless the page shows them.
func (s *Screen) compare() tea.Cmd {
	rev, ok := s.Selected()
	if !ok || rev.N == s.shown {
		return nil
	}
	s.shown = rev.N
	s.Page.Clear()
	older := s.revisions[slices.IndexFunc(s.revisions, func(r engine.Revision) bool { return r.N == rev.N })+1:]
	return screen.Go(&s.Base, taskShow, func(ctx context.Context) (pair, error) {
		version, err := s.reader.Revision(ctx, s.id, rev.N)
		before := engine.Campaign{Head: version.Head}
		if err == nil && len(older) > 0 {
			before, err = s.reader.Revision(ctx, s.id, older[0].N)
		}
		return pair{before, version}, err
	}, func(p pair, err error) tea.Cmd {
		tab := func(name string, p pair) list.Tab {
			return list.Tab{Name: name, Draw: func(width, _ int) list.Text {
				if err != nil {
					return list.Text{Text: "Can't read this version: " + err.Error()}
				}
				return list.Text{Text: s.changes(p, width), Styled: true}
			}}
		}
		s.Page.Show(fmt.Sprint(rev.N), tab("In this version", p), tab("Since then", pair{p.new, s.campaign}))
		return nil
	})
}

// Actions returns what can be done with a version.
func (s *Screen) Actions() []screen.Action {
	if s.failed != nil {
		return []screen.Action{{Keys: []string{"r"}, Label: "reload", Group: groupVersion, BarPriority: 9, Run: s.load}}
	}
	acts := s.Browser.Actions([]screen.Action{
		s.On(screen.Action{Keys: []string{"R"}, Label: "restore", Help: "restore this version; undo brings the current one back", Group: groupVersion, BarPriority: 7}, s.restoreDisabledReason, s.restore),
		s.On(screen.Action{Keys: []string{"y"}, Label: "copy", Help: "copy this version as JSON", Group: groupVersion, BarPriority: 4}, nil, func(rev engine.Revision) tea.Cmd {
			return s.read(rev, func(version engine.Campaign) tea.Cmd {
				return screen.Copy(string(version.Record().Indent()), fmt.Sprintf("version %d as JSON", rev.N))
			})
		}),
	})
	for i, a := range acts { // another version may be open then
		if a.Run != nil {
			acts[i].Run = func() tea.Cmd { return tea.Batch(a.Run(), s.compare()) }
		}
	}
	return acts
}

// read reads a version and then does something with it.
func (s *Screen) read(rev engine.Revision, do func(engine.Campaign) tea.Cmd) tea.Cmd {
	return screen.Go(&s.Base, taskRead, func(ctx context.Context) (engine.Campaign, error) {
		return s.reader.Revision(ctx, s.id, rev.N)
	}, func(version engine.Campaign, err error) tea.Cmd {
		if err != nil {
			return screen.Notify(widget.LevelError, "Can't read this version: "+err.Error())
		}
		return do(version)
	})
}

func (s *Screen) isCurrent(rev engine.Revision) bool { return rev.N == s.revisions[0].N }

func (s *Screen) restoreDisabledReason(rev engine.Revision) string {
	if s.isCurrent(rev) {
		return "This is the current version."
	}
	return ""
}

// restore opens the version in the builder, where it becomes a change like any other: validated, saved or
// pending, and undone with one key.
func (s *Screen) restore(rev engine.Revision) tea.Cmd {
	return screen.Ask(screen.Question{
		Title:   fmt.Sprintf("Restore version %d of %s?", rev.N, status.Name(engine.Summarize(s.campaign))),
		Body:    "The campaign goes back to how it was on " + s.formatTime(rev.At) + ". The current version stays in the history, and undo brings it back.",
		Buttons: []widget.Option{{Label: "Restore", Key: "y"}, {Label: "Cancel", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return s.read(rev, func(version engine.Campaign) tea.Cmd {
				return screen.Open(screen.Route{Name: screen.Builder, ID: s.id, Doc: version.Body})
			})
		},
	})
}
