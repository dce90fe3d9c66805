package builder

import (
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/edit/grid"
	"bugle/engine/schema"
	"bugle/ui/calendar"
	"bugle/ui/content"
	"bugle/ui/editor"
	"bugle/ui/editpane"
	"bugle/ui/filters"
	"bugle/ui/screen"
)

// places has the tools of the places of a campaign. Messages are edited in a grid of locales and variations if there
// are several, and in a form if there is one, unless the user switches.
type places struct {
	edit   *edit.Session
	memory content.Memory
	view   messagesView // the user's choice
}

func (s *places) tools() editpane.Tools {
	return editpane.Tools{
		schema.EditorContent:  {Edit: s.newGrid, Shows: s.gridShows, Panel: newPreviewPanel, TabBar: content.NewMessageTabs},
		schema.EditorSchedule: {Panel: calendar.NewPanel},
		schema.EditorLinks:    {Panel: newLinksPanel},
		schema.EditorFilters: {
			Edit: func(cfg editor.Config) editor.Editor { return filters.New(cfg) }, Panel: filters.NewAudiencePanel,
		},
	}
}

// messagesView is how the messages are shown.
type messagesView uint8

const (
	viewAuto messagesView = iota // depends on the number of messages
	viewGrid
	viewForm
)

// gridOpen reports whether the messages are shown as a grid.
func (s *places) gridOpen() bool {
	if s.view == viewAuto {
		return grid.New(s.edit.Head().Channel, s.edit.Root()).HasMany()
	}
	return s.view == viewGrid
}

// toggleView switches between the form and the grid of the messages.
func (s *places) toggleView(toForm bool) {
	s.view = viewGrid
	if toForm {
		s.view = viewForm
	}
}

// newGrid returns the grid; nil if the form is shown.
func (s *places) newGrid(cfg editor.Config) editor.Editor {
	if !s.gridOpen() {
		return nil
	}
	return content.New(cfg, &s.memory)
}

// gridShows reports whether an open grid shows the value at p.
func (s *places) gridShows(p doc.Path) bool {
	return s.gridOpen() && grid.New(s.edit.Head().Channel, s.edit.Root()).Covers(p)
}

// inContent reports whether p is in the component of the messages.
func (s *places) inContent(p doc.Path) bool {
	return len(p) > 0 && p[0].Name == string(catalog.CampaignContent) && s.edit.Head().Channel.Writable()
}

// showPanel shows beside the form the panel of a place around p, or else of what its section is about; of a section
// that does not apply, the messages.
func (s *Screen) showPanel(p doc.Path) {
	about := catalog.CampaignContent
	asSomebody := len(s.messageAt) > 0 && s.form.Path().Equal(s.messageAt) && !s.places.inContent(p)
	if section := s.sections.at(p); section.state != sectionNotApplicable && !asSomebody {
		if t, at, ok := s.form.ToolAt(p); ok && t.Panel != nil {
			s.side.Show(&s.form, t, at, p, at[0].Name)
			return
		}
		about = catalog.Concerns(catalog.Component(section.name))
	}
	if t, at, ok := s.form.PanelOf(string(about)); ok {
		s.side.Show(&s.form, t, at, at, at[0].Name)
		return
	}
	s.side.Clear()
}

// gridAction returns the action that shows the grid, available anywhere in the messages.
func (s *Screen) gridAction(inForm bool) []screen.Action {
	if !s.places.inContent(s.form.Path()) {
		return nil
	}
	a := screen.Action{
		Name: "grid", Keys: []string{"m", "alt+m"}, Label: "grid", Help: "show the messages by locale and variation", Group: groupMove,
		BarPriority: 5, WhileTyping: true, Run: s.toggleGrid,
	}
	if len(s.form.Path()) == 1 && s.places.gridOpen() {
		a.Label, a.Help, a.BarPriority = "form", "show the content as a form", 1
	}
	if s.form.Modal() {
		a.BarPriority = 0
	}
	if inForm {
		a.Keys = a.Keys[1:]
	}
	return []screen.Action{a}
}
