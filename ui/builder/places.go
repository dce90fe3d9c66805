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

// tool is what the builder has for the places that the tables give an editor.
type tool struct {
	edit func(*places, editor.Config) editor.Editor // nil, or it returns nil: the plain form
	// shows reports whether the editor shows what is at a place below its own, so that it is not opened
	// as a form of its own; nil: all of it.
	shows func(s *places, p doc.Path) bool
	aside func(editor.Config) editor.SidePanel // nil: nothing beside it
	strip func(editor.Config) editor.TabBar
}

// tools are the editors, by the name that the tables give them.
var tools = map[schema.Editor]tool{
	schema.EditorContent:  {edit: (*places).newGrid, shows: (*places).gridShows, aside: newPreviewAside, strip: content.NewStrip},
	schema.EditorSchedule: {aside: calendar.NewAside},
	schema.EditorLinks:    {aside: newLinksAside},
	schema.EditorFilters:  {edit: func(_ *places, cfg editor.Config) editor.Editor { return filters.New(cfg) }, aside: filters.NewAside},
}

// places knows which editor shows each place of the document. The messages are edited as a grid of locales and
// variations where there is more than one, as a form where one stands alone, unless the person turned to the other.
type places struct {
	edit   *edit.Session
	memory content.Memory
	chosen look // what the person turned to
}

// look is how the messages are shown.
type look uint8

const (
	byNumber look = iota // as many as there are ask for
	asGrid
	asForm
)

// gridOpen reports whether the messages are shown as a grid.
func (s *places) gridOpen() bool {
	if s.chosen == byNumber {
		return grid.New(s.edit.Head().Channel, s.edit.Root()).HasMany()
	}
	return s.chosen == asGrid
}

// turn shows the messages as a form or, from a form, as the grid.
func (s *places) turn(toForm bool) {
	s.chosen = asGrid
	if toForm {
		s.chosen = asForm
	}
}

// newGrid makes the grid; nil where the form is wanted.
func (s *places) newGrid(cfg editor.Config) editor.Editor {
	if !s.gridOpen() {
		return nil
	}
	return content.New(cfg, &s.memory)
}

// gridShows reports whether the grid shows what is at p, where it is open.
func (s *places) gridShows(p doc.Path) bool {
	return s.gridOpen() && grid.New(s.edit.Head().Channel, s.edit.Root()).Covers(p)
}

// inContent reports whether p is in the component of the messages.
func (s *places) inContent(p doc.Path) bool {
	return len(p) > 0 && p[0].Name == string(catalog.CampaignContent) && s.edit.Head().Channel.Writable()
}

// toolAt returns the tool of the innermost place around p that has one.
func (s *places) toolAt(p doc.Path) (tool, doc.Path, bool) {
	for n := len(p); n > 0; n-- {
		if node := s.edit.Schema().At(p[:n]); node != nil && node.Editor != "" {
			t, ok := tools[node.Editor]
			return t, p[:n], ok
		}
	}
	return tool{}, nil, false
}

// inEditor reports whether an editor around p, not p's own, shows what is at p.
func (s *places) inEditor(p doc.Path) bool {
	t, at, ok := s.toolAt(p)
	return ok && t.edit != nil && len(at) < len(p) && (t.shows == nil || t.shows(s, p))
}

// formOf returns the place whose form shows what is at p: p itself where it has a form of its own.
func (s *places) formOf(p doc.Path) doc.Path {
	for n := len(p); n > 1; n-- {
		if s.opens(p[:n]) {
			return p[:n]
		}
	}
	return p[:1]
}

// opens reports whether the place p has a form of its own: neither an editor around it nor the form
// around it shows what is there.
func (s *places) opens(p doc.Path) bool {
	st, ok := s.edit.Schema().Field(s.edit.Root(), p, s.edit.Env())
	return ok && !s.inEditor(p) && (forms.Opens(st) || st.Node.Flat && s.inEditor(p.Parent()))
}

// beside reports whether the editor at open shows what is at p though its own place is another one: the groups of
// filters are edited together.
func (s *places) beside(open, p doc.Path) bool {
	t, at, ok := s.toolAt(open)
	other, from, found := s.toolAt(p)
	return ok && found && t.edit != nil && t.shows == nil && other.edit != nil && other.shows == nil && len(at) == len(open) && at.Parent().Equal(from.Parent())
}

// asideAt returns what stands beside p, the place it belongs to, and the place it shows: the aside around p or,
// where a section has none of its own, that of one of its fields, and else the messages, which every section is about.
// A section that the campaign does not use has nothing to say.
func (s *places) asideAt(p doc.Path, list *sections) (t tool, at, place doc.Path, ok bool) {
	if list.at(p).state == partForeign {
		p = nil
	}
	if t, at, ok := s.toolAt(p); ok && t.aside != nil {
		return t, at, p, true
	}
	if node := s.edit.Schema().At(p[:min(len(p), 1)]); node != nil && len(p) > 0 {
		for _, c := range node.Children {
			if t := tools[c.Editor]; t.aside != nil {
				at := p[:1].Child(c.Name)
				return t, at, at, true
			}
		}
	}
	at, ok = list.messages(s.edit.Schema())
	return tools[schema.EditorContent], at, at, ok
}

// levels names the forms that lead to the one at open, the outermost first, each by the steps to it: esc goes up one
// of them.
func (s *places) levels(open doc.Path) [][]string {
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
				word = label(at, n)
			}
			words = append(words, word)
		}
		out = append([][]string{words}, out...)
		p = up
	}
	return out
}

// levelSep stands between the forms that lead to the open one, stepSep between the steps from one to the next.
const (
	levelSep = " › "
	stepSep  = " · "
)

// crumbs names a place by the forms that lead to it; where there is no room, without its beginning.
func crumbs(levels [][]string, width int) string {
	text := func() string {
		words := make([]string, len(levels))
		for i, l := range levels {
			words[i] = strings.Join(l, stepSep)
		}
		return strings.Join(words, levelSep)
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
