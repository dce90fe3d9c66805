package builder

import (
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/edit/grid"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/ui/calendar"
	"bugle/ui/content"
	"bugle/ui/editor"
	"bugle/ui/filters"
	"bugle/ui/widget"
)

// placeTools are the views that the builder has for a place, selected by the schema's editor name.
type placeTools struct {
	edit func(*places, editor.Config) editor.Editor // nil, or returns nil, for the plain form
	// shows reports whether the editor shows the value at a place below its own, so that it is not opened as a form;
	// nil means it shows everything.
	shows     func(s *places, p doc.Path) bool
	sidePanel func(editor.Config) editor.SidePanel // nil if there is no side panel
	tabBar    func(editor.Config) editor.TabBar
}

// tools maps the editor names of the schema to tools.
var tools = map[schema.Editor]placeTools{
	schema.EditorContent:  {edit: (*places).newGrid, shows: (*places).gridShows, sidePanel: newPreviewPanel, tabBar: content.NewMessageTabs},
	schema.EditorSchedule: {sidePanel: calendar.NewPanel},
	schema.EditorLinks:    {sidePanel: newLinksPanel},
	schema.EditorFilters:  {edit: func(_ *places, cfg editor.Config) editor.Editor { return filters.New(cfg) }, sidePanel: filters.NewAudiencePanel},
}

// places decides which editor shows each place of the document. Messages are edited in a grid of locales and
// variations if there are several, and in a form if there is one, unless the user switches.
type places struct {
	edit   *edit.Session
	memory content.Memory
	view   messagesView // the user's choice
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

// toolsAt returns the tools of the innermost place around p that has any.
func (s *places) toolsAt(p doc.Path) (placeTools, doc.Path, bool) {
	for n := len(p); n > 0; n-- {
		if node := s.edit.Schema().At(p[:n]); node != nil && node.Editor != "" {
			t, ok := tools[node.Editor]
			return t, p[:n], ok
		}
	}
	return placeTools{}, nil, false
}

// inEditor reports whether the editor of a place above p shows the value at p.
func (s *places) inEditor(p doc.Path) bool {
	t, at, ok := s.toolsAt(p)
	return ok && t.edit != nil && len(at) < len(p) && (t.shows == nil || t.shows(s, p))
}

// formOf returns the place whose form shows the value at p: p itself if it has a form.
func (s *places) formOf(p doc.Path) doc.Path {
	for n := len(p); n > 1; n-- {
		if s.opens(p[:n]) {
			return p[:n]
		}
	}
	return p[:1]
}

// opens reports whether the place p has a form of its own: neither an editor nor the form around it shows its
// value.
func (s *places) opens(p doc.Path) bool {
	st, ok := s.edit.Schema().Field(s.edit.Root(), p, s.edit.Env())
	return ok && !s.inEditor(p) && (forms.Opens(st) || st.Node.Flat && s.inEditor(p.Parent()))
}

// editedTogether reports whether the editor at open also shows the value at p, which is outside its own place:
// the groups of filters are edited together.
func (s *places) editedTogether(open, p doc.Path) bool {
	t, at, ok := s.toolsAt(open)
	other, from, found := s.toolsAt(p)
	return ok && found && t.edit != nil && t.shows == nil && other.edit != nil && other.shows == nil && len(at) == len(open) && at.Parent().Equal(from.Parent())
}

// sidePanelAt returns the side panel for p, the place that it belongs to, and the place that it shows: the one of a place
// around p, or else of what the section is about; of a section that does not apply, the messages.
func (s *places) sidePanelAt(p doc.Path, list *sectionList) (t placeTools, at, place doc.Path, ok bool) {
	about := catalog.CampaignContent
	if section := list.at(p); section.state != sectionNotApplicable {
		if t, at, ok := s.toolsAt(p); ok && t.sidePanel != nil {
			return t, at, p, true
		}
		about = catalog.Concerns(catalog.Component(section.name))
	}
	at = doc.P(string(about))
	if t, at, ok = s.toolsAt(at); ok && t.sidePanel != nil {
		return t, at, at, true
	}
	if node := s.edit.Schema().At(doc.P(string(about))); node != nil {
		for _, c := range node.Children {
			if t := tools[c.Editor]; t.sidePanel != nil {
				at := doc.P(string(about), c.Name)
				return t, at, at, true
			}
		}
	}
	return placeTools{}, nil, nil, false
}

// breadcrumb names the forms from the outermost to the one at open, each by the steps to it: esc goes up one of
// them.
func (s *places) breadcrumb(open doc.Path) [][]string {
	var out [][]string
	for p := open; len(p) > 0; {
		up := p.Parent()
		if len(up) > 0 {
			up = s.formOf(up)
		}
		var words []string
		for i := len(up); i < len(p); i++ {
			at := p[:i+1]
			word := at.Last().Name
			if n := s.edit.Schema().At(at); n != nil {
				if n.Flat && (len(words) > 0 || i < len(p)-1) {
					continue // it has no form of its own
				}
				word = edit.PlaceLabel(at, n)
			}
			words = append(words, word)
		}
		out = append([][]string{words}, out...)
		p = up
	}
	return out
}

// levelSeparator separates forms, stepSeparator the steps within a form.
const (
	levelSeparator = " › "
	stepSeparator  = " · "
)

// breadcrumbText joins a breadcrumb, without its beginning if it does not fit.
func breadcrumbText(levels [][]string, width int) string {
	text := func() string {
		words := make([]string, len(levels))
		for i, l := range levels {
			words[i] = strings.Join(l, stepSeparator)
		}
		return strings.Join(words, levelSeparator)
	}
	for widget.Width(text()) > width {
		last := levels[len(levels)-1]
		switch {
		case len(levels) > 2:
			levels = append([][]string{{"…"}}, levels[2:]...)
		case len(last) > 2:
			levels[len(levels)-1] = append([]string{"…"}, last[2:]...)
		default:
			return text()
		}
	}
	return text()
}
