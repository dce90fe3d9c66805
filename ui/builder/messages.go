package builder

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/ui/calendar"
	"bugle/ui/content"
	"bugle/ui/editor"
	"bugle/ui/editpane"
	"bugle/ui/filters"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// contentPath is the place of the messages.
var contentPath = doc.P(string(catalog.CampaignContent))

// tools returns the editors and panels of the places of a campaign.
func (s *Screen) tools() editpane.Tools {
	return editpane.Tools{
		schema.EditorContent:  {Edit: s.newGrid, Shows: s.gridShows, Panel: newPreviewPanel},
		schema.EditorSchedule: {Panel: calendar.NewPanel},
		schema.EditorLinks:    {Panel: newLinksPanel},
		schema.EditorFilters: {
			Edit: func(cfg editor.Config) editor.Editor { return filters.New(cfg) }, Panel: filters.NewAudiencePanel,
		},
	}
}

// gridOpen reports whether the messages are shown as a grid of locales and variations: always if there are several, because
// a form of them all would show the fields of another one, which is none of them.
func (s *Screen) gridOpen() bool { return s.asGrid || s.grid().HasMany() }

func (s *Screen) grid() grid.Grid { return grid.New(s.edit.Head().Channel, s.edit.Root()) }

// inGrid reports whether the open form is the grid.
func (s *Screen) inGrid() bool { return len(s.form.Path()) == 1 && s.inContent() && s.gridOpen() }

// newGrid returns the grid; nil if the form is shown.
func (s *Screen) newGrid(cfg editor.Config) editor.Editor {
	if !s.gridOpen() {
		return nil
	}
	return content.New(cfg)
}

// gridShows reports whether an open grid shows the value at p.
func (s *Screen) gridShows(p doc.Path) bool { return s.gridOpen() && s.grid().Covers(p) }

// inContent reports whether the open form is one of the messages.
func (s *Screen) inContent() bool {
	return s.form.Path().HasPrefix(contentPath) && s.edit.Head().Channel.Writable()
}

// tabs returns what the form of a message leads to beside it.
func (s *Screen) tabs() content.Tabs {
	if !s.loaded || !s.inContent() || len(s.form.Path()) == 1 {
		return content.Tabs{}
	}
	return content.NewTabs(s.form.ConfigAt(s.form.Path()))
}

// tabLines is how many lines the tabs take above the form.
const tabLines = 2

// tabActions are the actions that lead to the same place of another message.
func (s *Screen) tabActions() []screen.Action {
	tabs := s.tabs()
	next := func(a content.Axis, steps int) func() tea.Cmd {
		to := tabs.Next(a, steps)
		if to == nil || s.form.Modal() {
			return nil
		}
		return func() tea.Cmd { return s.openSibling(to) }
	}
	acts := []screen.Action{
		{Keys: []string{"f7"}, Label: "next platform", Group: groupMove, BarPriority: 6, WhileTyping: true, Run: next(content.ByPlatform, 1)},
		{Keys: []string{"f5"}, Label: "next locale", Group: groupMove, BarPriority: 6, WhileTyping: true, Run: next(content.ByLocale, 1)},
		{Keys: []string{"f6"}, Label: "next variation", Group: groupMove, BarPriority: 6, WhileTyping: true, Run: next(content.ByVariation, 1)},
		{Keys: []string{"alt+f7"}, Label: "previous platform", Group: groupMove, WhileTyping: true, Run: next(content.ByPlatform, -1)},
		{Keys: []string{"alt+f5"}, Label: "previous locale", Group: groupMove, WhileTyping: true, Run: next(content.ByLocale, -1)},
		{Keys: []string{"alt+f6"}, Label: "previous variation", Group: groupMove, WhileTyping: true, Run: next(content.ByVariation, -1)},
	}
	return slices.DeleteFunc(acts, func(a screen.Action) bool { return a.Run == nil })
}

// toggleGrid switches between the grid and the form of the messages.
func (s *Screen) toggleGrid() tea.Cmd {
	at := s.place()
	s.asGrid = !s.inGrid()
	s.leave(paneForm)
	s.show(contentPath)
	s.form.FocusPath(at)
	return nil
}

// messageActions are the actions on the open messages.
func (s *Screen) messageActions() []screen.Action {
	filled, some := catalog.FillCells(s.edit.Root().Lookup(contentPath))
	fill := screen.Action{
		Keys: []string{"alt+l"}, Label: "fill locales", Group: groupEdit, WhileTyping: true, BarPriority: 7,
		Help:           "copy the message to every locale and variation that has none",
		DisabledReason: s.edit.LockedAt(contentPath),
		Run:            func() tea.Cmd { return s.setAndShow(contentPath, filled) },
	}
	if fill.DisabledReason == "" && !some {
		fill.DisabledReason = "Every locale and variation already has a message, or there is none to copy."
	}
	if fill.DisabledReason != "" || s.Typing() && s.form.Modal() {
		fill.BarPriority = 0
	}
	acts := []screen.Action{fill}
	if !s.inContent() {
		return acts
	}
	toggle := screen.Action{
		Name: "grid", Keys: []string{"m", "alt+m"}, Label: "grid", Help: "show the messages by locale and variation", Group: groupMove,
		BarPriority: 5, WhileTyping: true, Run: s.toggleGrid,
	}
	if s.inGrid() {
		toggle.Label, toggle.Help, toggle.BarPriority = "form", "show the content as a form", 1
	}
	if !s.inGrid() || !s.grid().HasMany() {
		acts = append(acts, toggle)
	}
	if to, from, ok := s.grid().Sources(s.place()); ok && len(from) > 0 && s.Typing() {
		acts = append(acts, s.copyAction(from, to))
	}
	if s.form.Modal() {
		for i := range acts {
			acts[i].BarPriority = 0
		}
	}
	return acts
}

// copyAction fills the open message from another one: a platform from the other platforms, or the same platform of other
// variations and locales.
func (s *Screen) copyAction(from []grid.Source, to doc.Path) screen.Action {
	act := screen.Action{
		Name: "copy-from", Keys: []string{"alt+y"}, Label: "copy from " + widget.Clean(from[0].Name), Help: "fill this message from another, as far as the fields fit",
		Group: groupEdit, WhileTyping: true, BarPriority: 6, DisabledReason: s.edit.LockedAt(to),
		Run: func() tea.Cmd { return s.copyMessage(from[0], to) },
	}
	if s.edit.Root().Lookup(to).Empty() {
		act.BarPriority = 7
	}
	if len(from) == 1 {
		return act
	}
	options := make([]widget.Option, len(from))
	for i, f := range from {
		options[i] = widget.Option{Label: widget.Clean(f.Name)}
	}
	act.Label = "copy from…"
	act.Run = func() tea.Cmd {
		return screen.Send(screen.ChooseMsg{
			Title: "Copy from", Body: "Only what has a place in this message of " + s.document.Name() + " is copied.", Options: options,
			Then: func(a widget.Answer) tea.Cmd { return s.finish(s.copyMessage(from[a.Index], to)) },
		})
	}
	return act
}

// copyMessage copies what fits, as one undo step.
func (s *Screen) copyMessage(from grid.Source, to doc.Path) tea.Cmd {
	root, copied := grid.CopyMatching(s.edit.Schema(), s.edit.Env(), s.edit.Root(), from.Path, to)
	name := widget.Clean(from.Name)
	if len(copied) == 0 {
		return screen.Notify(widget.LevelInfo, "Nothing to copy: this message already has all that fits of "+name+".")
	}
	what := phrase.Count(len(copied), "field")
	if copied[0].Equal(to) {
		what = "everything"
	}
	return tea.Batch(s.change(root, ""), screen.Notify(widget.LevelSuccess, "Copied "+what+" from "+name+"."))
}
