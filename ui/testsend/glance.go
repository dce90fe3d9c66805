package testsend

import (
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/render"
	model "bugle/engine/testsend"
	"bugle/ui/preview"
	"bugle/ui/widget"
)

// glance is the first message with content, as its first recipient will see it. It fills what the list of messages
// leaves blank.
type glance struct {
	view     preview.Preview
	of       string // what the view shows, beside the document
	document doc.Value
}

// leastGlance is the height from which a message can be read.
const leastGlance = 14

// glanceLines draws the message in w cells and h lines; nothing where that is too little.
func (s *Screen) glanceLines(messages []model.Message, names []string, w, h int) []string {
	first := slices.IndexFunc(messages, func(m model.Message) bool { return !s.draft.Bare(m) })
	if first < 0 || h < leastGlance {
		return nil
	}
	m, name, known := messages[first], "", false
	var p model.Person
	identifier, _ := model.Addressed(s.draft.Workspace, s.ask())
	title := m.Name + ", as written"
	if len(names) > 0 {
		name = names[0]
		if p, known = s.people.Known(model.Recipient{Identifier: identifier, Value: name}); known && p.Sure {
			title = m.Name + " to " + s.people.Name(identifier, name)
		}
	}
	g := &s.glance
	if of := strings.Join([]string{m.ID, s.asked, s.forecast.of, name}, "\x00"); of != g.of || !render.Same(s.draft.Document, g.document) {
		g.of, g.document = of, s.draft.Document
		o := render.Options{Now: s.deps.Now()}
		if known && p.Sure {
			o.Fill = s.draft.Fill(s.ask(), p)
		}
		g.view = preview.New(s.theme)
		if views, ok := render.Of(s.draft.Campaign.Channel, s.draft.Document, m.Key.Content, o); ok {
			views[0].At = o.Now.In(s.zone())
			g.view.Show(views[0])
		}
	}
	g.view.SetSize(w, h-3)
	return append([]string{"", s.theme.Strong.Render(widget.Truncate(title, w)), ""}, strings.Split(g.view.View(), "\n")...)
}
