package testsend

import (
	"slices"
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/render"
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
func (s *Screen) glanceLines(messages []message, names []string, w, h int) []string {
	first := slices.IndexFunc(messages, func(m message) bool { return !s.bare(m) })
	if first < 0 || h < leastGlance {
		return nil
	}
	ask, m := s.ask(), messages[first]
	o, title := render.Options{Now: s.deps.Now()}, m.name+", as written"
	of := m.id + "\x00" + s.theme.Name + "\x00" + s.asked + "\x00" + s.forecast.of
	if len(names) > 0 {
		identifier, _ := peopleOf(s.workspace, ask)
		of += "\x00" + names[0]
		if p, ok := s.people[personKey(identifier, names[0])]; ok && p.sure {
			o.Fill, title = s.fillOf(s.document, ask, p), m.name+" to "+s.who(identifier, names[0])
		}
	}
	g := &s.glance
	if fresh := of != g.of || !s.document.Same(g.document); fresh {
		g.of, g.document = of, s.document
		v := render.View{TestKey: m.key, At: o.Now.In(s.zone())}
		if content := s.document.Lookup(m.key.Content); s.campaign.Channel == catalog.Email {
			mail := render.Email(content, o)
			v.Mail = &mail
		} else {
			note := render.Push(catalog.Platform(m.key.Platform), content, o)
			v.Notification = &note
		}
		g.view = preview.New(s.theme)
		g.view.Show(v)
	}
	g.view.SetSize(w, h-3)
	return append([]string{"", s.theme.Strong.Render(widget.Truncate(title, w)), ""}, strings.Split(g.view.View(), "\n")...)
}
