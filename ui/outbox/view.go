package outbox

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/message/delivery"
	"bugle/engine/timeparse"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/widget"
)

// tabs returns the tabs of a message: as its recipient reads it, and as it was sent.
func (s *Screen) tabs(m engine.OutboxMessage) (entry string, tabs []list.Tab) {
	text := list.Tab{Name: "Text", Draw: func(w, h int) list.Text {
		return list.Text{Text: s.text(m, w, h), Styled: true}
	}}
	json := list.Tab{Name: "JSON", Draw: func(int, int) list.Text {
		return list.Text{Text: string(document(m).Indent()), JSON: true}
	}}
	if m.Email == nil {
		return m.ID, []list.Tab{text, json}
	}
	html := list.Tab{Name: "HTML source", Draw: func(int, int) list.Text { return list.Text{Text: m.Email.HTML} }}
	return m.ID, []list.Tab{text, html, json}
}

// document returns the JSON of a message: for a push the body sent to the gateway or, without one, the body that would be sent;
// for an email the stored record.
func document(m engine.OutboxMessage) doc.Value {
	if p := m.Push; p != nil && p.Payload.Exists() {
		return p.Payload
	}
	return m.Document()
}

// fullHeaderMinHeight is the height from which all headers of an email are shown; below it, only the most
// important ones.
const fullHeaderMinHeight = 15

// text returns the message as its recipient reads it, below its headers.
func (s *Screen) text(m engine.OutboxMessage, width, height int) string {
	t := s.deps.Theme
	var b strings.Builder
	head := func(name, value string) {
		if value != "" {
			b.WriteString(t.Muted.Render(widget.PadRight(name, 12)) + widget.Clean(value) + "\n")
		}
	}
	if e := m.Email; e != nil {
		from := e.From
		if e.FromName != "" {
			from = e.FromName + " <" + e.From + ">"
		}
		rest := func(name, value string) {
			if height >= fullHeaderMinHeight {
				head(name, value)
			}
		}
		head("From", from)
		head("To", e.To)
		rest("Cc", strings.Join(e.Cc, ", "))
		rest("Bcc", strings.Join(e.Bcc, ", "))
		rest("Reply to", e.ReplyTo)
		head("Subject", e.Subject)
		rest("Preview", e.PreviewText)
		rest("Attachments", strings.Join(e.Attachments, ", "))
		if height >= fullHeaderMinHeight {
			b.WriteString(headerLines(t, e.Headers))
		}
	}
	if p := m.Push; p != nil {
		head("To", m.Recipient)
		head("Device", grid.CellName(p.Platform, "", "")+" "+p.Token)
		head("Gateway", cmp.Or(m.Connector, "none (kept in this outbox)"))
	}
	head("Sent as", m.As)
	head("Campaign", joinFacts(m.Campaign, grid.KeyName(m.Key)))
	now := s.deps.Local(s.deps.Now())
	when, through := timeparse.Moment(m.At.In(now.Location()), now), m.Connector
	if m.Push != nil {
		through = "" // it is the gateway
	}
	head("Sent", joinFacts(when, through))
	b.WriteString("\n")
	if p := m.Push; p != nil {
		b.WriteString(notification(t, p, width))
		if len(p.Headers) > 0 {
			b.WriteString("\n\nOutside the payload\n" + strings.TrimSuffix(headerLines(t, p.Headers), "\n"))
		}
		return b.String()
	}
	b.WriteString(widget.CleanLines(body(m)))
	return b.String()
}

// headerLines returns headers, one a line.
func headerLines(t *themes.Theme, headers map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		b.WriteString(t.Muted.Render(widget.Clean(name)+": ") + widget.Clean(headers[name]) + "\n")
	}
	return b.String()
}

// joinFacts joins two facts on one line; either may be empty.
func joinFacts(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " · " + b
}

// body returns the visible text of a message.
func body(m engine.OutboxMessage) string {
	switch e := m.Email; {
	case e == nil && m.Push == nil:
		return ""
	case e == nil:
		return m.Push.Title + "\n" + m.Push.Body
	case e.HTML == "":
		return e.Text
	default:
		return delivery.PlainText(e.HTML)
	}
}

// notification draws the title and the text of a push behind a vertical line.
func notification(t *themes.Theme, p *engine.PushMessage, width int) string {
	var lines []string
	bar := t.Accent.Render("▍ ")
	for _, l := range widget.Styled(t.Strong, widget.WrapLines(p.Title, max(width-4, 1))) {
		lines = append(lines, bar+l)
	}
	for _, l := range widget.WrapLines(p.Body, max(width-4, 1)) {
		lines = append(lines, bar+l)
	}
	return strings.Join(lines, "\n")
}
