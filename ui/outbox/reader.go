package outbox

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/edit/grid"
	"bugle/engine/message/delivery"
	"bugle/engine/timeparse"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// view is one way to view a message.
type view uint8

const (
	viewText view = iota // as its recipient reads it
	viewHTML
	viewJSON
)

// reader shows one message.
type reader struct {
	list.Reader
	deps    screen.Deps
	theme   *themes.Theme
	message engine.OutboxMessage
	views   []view
}

func newReader(deps screen.Deps) *reader {
	return &reader{Reader: list.NewReader(deps.Theme), deps: deps, theme: deps.Theme}
}

// SetSize sets the size of the reader.
func (r *reader) SetSize(w, h int) {
	r.Reader.SetSize(w, h)
	r.fill()
}

// show shows a message, keeping the view if the message has it; ok is false if there is none.
func (r *reader) show(m engine.OutboxMessage, ok bool) {
	old := r.view()
	switch {
	case !ok:
		r.Clear()
		r.message = engine.OutboxMessage{}
		return
	case m.ID == r.message.ID && m.ID != "":
		return
	}
	r.message = m
	names := []string{"Text", "HTML source", "JSON"}
	r.views = []view{viewText, viewHTML, viewJSON}
	if m.Email == nil {
		r.views, names = []view{viewText, viewJSON}, []string{"Message", "Payload"}
	}
	r.SetTabs(names, max(slices.Index(r.views, old), 0))
	r.fill()
}

func (r *reader) view() view {
	if i, _ := r.Tab(); i < len(r.views) {
		return r.views[i]
	}
	return viewText
}

// Turn switches to another view.
func (r *reader) Turn(n int) {
	r.Reader.Turn(n)
	r.fill()
}

// Mouse handles a mouse event relative to the reader.
func (r *reader) Mouse(msg tea.MouseMsg) {
	if r.Reader.Mouse(msg) {
		r.fill()
	}
}

func (r *reader) fill() {
	switch {
	case r.message.ID == "":
	case r.view() == viewText:
		r.ShowStyled(r.text())
	case r.view() == viewHTML:
		r.ShowText(r.message.Email.HTML)
	default:
		r.ShowJSON(string(r.document()))
	}
}

// document returns the JSON of the last view: for a push the body sent to the gateway or, without one, the body
// that would be sent; for an email the stored record.
func (r *reader) document() []byte {
	if p := r.message.Push; p != nil && p.Payload.Exists() {
		return p.Payload.Indent()
	}
	return r.message.Document().Indent()
}

// copyText returns the text of the current view and its name.
func (r *reader) copyText(m engine.OutboxMessage) (text, what string) {
	switch r.view() {
	case viewHTML:
		return m.Email.HTML, "the HTML"
	case viewJSON:
		if m.Push != nil {
			return string(r.document()), "the payload"
		}
		return string(r.document()), "the JSON"
	}
	if m.Email != nil {
		return body(m.Email), "the text"
	}
	if m.Push != nil {
		return m.Push.Title + "\n" + m.Push.Body, "the message"
	}
	return "", "nothing"
}

// fullHeaderMinHeight is the height from which all headers of an email are shown; below it, only the most
// important ones.
const fullHeaderMinHeight = 15

// text returns the message as its recipient reads it, below its headers.
func (r *reader) text() string {
	var b strings.Builder
	head := func(name, value string) {
		if value != "" {
			b.WriteString(r.theme.Muted.Render(widget.PadRight(name, 12)) + widget.Clean(value) + "\n")
		}
	}
	m := r.message
	_, tall := r.Size()
	if e := m.Email; e != nil {
		from := e.From
		if e.FromName != "" {
			from = e.FromName + " <" + e.From + ">"
		}
		rest := func(name, value string) {
			if tall >= fullHeaderMinHeight {
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
		if tall >= fullHeaderMinHeight {
			b.WriteString(r.lines(e.Headers))
		}
	}
	if p := m.Push; p != nil {
		head("To", m.Recipient)
		head("Device", grid.CellName(p.Platform, "", "")+" "+p.Token)
		head("Gateway", cmp.Or(m.Connector, "none (kept in this outbox)"))
	}
	head("Sent as", m.As)
	head("Campaign", joinFacts(m.Campaign, grid.KeyName(m.Key)))
	now := r.deps.Local(r.deps.Now())
	when, through := timeparse.Moment(m.At.In(now.Location()), now), m.Connector
	if m.Push != nil {
		through = "" // it is the gateway
	}
	head("Sent", joinFacts(when, through))
	b.WriteString("\n")
	if m.Email != nil {
		b.WriteString(widget.CleanLines(body(m.Email)))
	}
	if m.Push != nil {
		b.WriteString(r.notification(m.Push))
		b.WriteString(r.headers(m.Push))
	}
	return b.String()
}

// headers returns what is sent to the gateway beside the payload.
func (r *reader) headers(p *engine.PushMessage) string {
	if len(p.Headers) == 0 {
		return ""
	}
	return "\n\nOutside the payload\n" + strings.TrimSuffix(r.lines(p.Headers), "\n")
}

// lines returns headers, one a line.
func (r *reader) lines(headers map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		b.WriteString(r.theme.Muted.Render(widget.Clean(name)+": ") + widget.Clean(headers[name]) + "\n")
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

// body returns the visible text of the email.
func body(e *engine.EmailMessage) string {
	if e.HTML == "" {
		return e.Text
	}
	return delivery.PlainText(e.HTML)
}

// notification draws the title and the text of a push behind a vertical line.
func (r *reader) notification(p *engine.PushMessage) string {
	var lines []string
	width, _ := r.Size()
	bar := r.theme.Accent.Render("▍ ")
	for _, l := range widget.Wrap(widget.CleanLines(p.Title), max(width-4, 1)) {
		lines = append(lines, bar+r.theme.Strong.Render(l))
	}
	for _, l := range widget.Wrap(widget.CleanLines(p.Body), max(width-4, 1)) {
		lines = append(lines, bar+l)
	}
	return strings.Join(lines, "\n")
}
