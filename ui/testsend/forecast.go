package testsend

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/render"
	"bugle/engine/phrase"
	model "bugle/engine/testsend"
	"bugle/ui/panes"
	"bugle/ui/preview"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// forecastPane shows what a test will send: each message by recipient, why one will not arrive, and a preview
// of the first message for its first recipient.
type forecastPane struct {
	*layout
	forecast     model.Forecast
	forecastKey  string // request of the shown forecast
	requestedKey string // newest requested forecast
	ask          engine.TestSend
	going        []model.Message
	top          int // the first visible line
	height       int // number of lines when last drawn
	preview      messagePreview
}

// messagePreview is the first message as its first recipient will see it, in the lines that the list of
// messages does not need.
type messagePreview struct {
	view     preview.Preview
	key      string // identifies the shown message and values
	document doc.Value
}

// update requests a forecast if the request has changed. show shows it.
func (o *forecastPane) update(ask engine.TestSend, show func()) tea.Cmd {
	o.ask, o.going = ask, o.draft.Matching(ask.Filter)
	ask.Filter = engine.KeyFilter{}
	of := string(engine.DraftTest("", ask).Encode()) + personaIDs(ask.As)
	if of == o.requestedKey {
		return nil
	}
	o.requestedKey = of
	draft, service, known := o.draft, o.deps.Service, o.people.All()
	work := screen.Settled(o.tasks, taskForecast, func(ctx context.Context) (model.Forecast, error) { return draft.Forecast(ctx, service, ask, known) })
	return screen.Go(o.tasks, taskForecast, work, func(f model.Forecast, err error) tea.Cmd {
		if err != nil {
			return nil
		}
		o.forecast, o.forecastKey = f, of
		o.people.Add(f.Resolved)
		show()
		return nil
	})
}

// invalidate drops the forecast because the draft has changed.
func (o *forecastPane) invalidate() { o.requestedKey, o.forecast = "", o.forecast.Recipients() }

// current returns the forecast for the current request; empty while it is being computed.
func (o *forecastPane) current() model.Forecast {
	if o.forecastKey != o.requestedKey {
		return model.Forecast{}
	}
	return o.forecast
}

// addressees returns the recipients of the test; for a segment, its members who get it.
func (o *forecastPane) addressees() (identifier string, values []string) {
	return o.forecast.ResolveValues(o.draft.Workspace, o.ask)
}

// sendCount returns how many messages will be sent.
func (o *forecastPane) sendCount() int {
	_, values := o.addressees()
	return len(o.going) * len(values) * max(len(o.ask.As), 1)
}

// content returns what the pane shows in w cells and h lines.
func (o *forecastPane) content(w, h int) panes.Content {
	o.height = h
	c := panes.Content{Title: "Messages"}
	if n := o.sendCount(); n > 0 {
		c.Info = fmt.Sprintf("%d to send", n)
	}
	if len(o.going) == 0 {
		c.Body = strings.Join(widget.Wrap("No messages yet. Add content to the campaign first.", w), "\n")
		return c
	}
	lines := o.lines(w, h)
	lines = append(lines, o.previewLines(w, h-len(lines))...)
	o.top = max(min(o.top, len(lines)-h), 0)
	to := min(o.top+h, len(lines))
	if len(lines) > h {
		c.Footer = fmt.Sprintf("pgdn · %d of %d", to, len(lines))
	}
	c.Body = strings.Join(lines[o.top:to], "\n")
	return c
}

// scroll scrolls by lines.
func (o *forecastPane) scroll(n int) { o.top = max(o.top+n, 0) }

// page scrolls by pages.
func (o *forecastPane) page(n int) tea.Cmd {
	o.scroll(n * max(o.height-1, 1))
	return nil
}

// lines draws which recipient gets which message, in w cells and h lines.
func (o *forecastPane) lines(w, h int) []string {
	identifier, values := o.addressees()
	reasons, stopped := o.draft.FailureReasons(o.current(), o.going, o.numberedRecipients(identifier, values))
	people := phrase.Count(len(values), "recipient")
	if engine.IsSegmentIdentifier(o.ask.Identifier) && len(o.ask.Values) > 0 {
		people = phrase.Count(len(values), "member")
	}
	summary := fmt.Sprintf("%s to %s", phrase.Count(len(o.going), "message"), people)
	lines := []string{o.theme.Muted.Render(widget.Truncate(summary, w))}
	if as := o.ask.As; len(as) > 0 {
		lines = append(lines, o.theme.Muted.Render(widget.Truncate("as "+widget.Clean(personaNames(as)), w)))
	}
	if stopped > 0 {
		text := fmt.Sprintf("%d of %d will not arrive", stopped, o.sendCount())
		if len(o.ask.As) > 1 { // the forecast does not count them one by one
			text = "some will not arrive"
		}
		if h < 8 && widget.Width(lines[len(lines)-1])+3+widget.Width(text) <= w {
			lines[len(lines)-1] += " · " + o.theme.Warning.Render(text)
		} else {
			lines = append(lines, o.theme.Warning.Render(widget.Truncate(text, w)))
		}
	}
	blank := func() {
		if h >= 8 {
			lines = append(lines, "")
		}
	}
	blank()
	lines = append(lines, o.matrix(len(values), w)...)
	var calls []string
	if len(values) > 0 {
		calls = o.current().Calls
	}
	if len(reasons)+len(calls) > 0 {
		blank()
	}
	note := func(text, sign string, style lipgloss.Style) {
		for i, l := range widget.Wrap(widget.Clean(text), max(w-2, 1)) {
			if i > 0 {
				sign = " "
			}
			lines = append(lines, style.Render(sign+" "+l))
		}
	}
	for _, r := range reasons {
		note(r, "✗", o.theme.Warning)
	}
	for _, api := range calls { // a forecast does not call them
		note(fmt.Sprintf("The content API %s is called when the message is sent.", api), "·", o.theme.Muted)
	}
	return lines
}

// numberedRecipients returns the names of recipients, numbered by their columns if there are several.
func (o *forecastPane) numberedRecipients(identifier string, values []string) []string {
	out := o.people.Names(engine.TestSend{Identifier: identifier, Values: values})
	for i := range out {
		if len(out) > 1 {
			out[i] = fmt.Sprintf("%d %s", i+1, out[i])
		}
	}
	return out
}

// matrix draws a line per message with an icon per recipient, or a count if there is no space for that.
func (o *forecastPane) matrix(n, w int) []string {
	labels := make([]string, len(o.going))
	for i, m := range o.going {
		labels[i] = m.Name
	}
	head := columnNumbers(n)
	tail, bare := widget.Width(head), ""
	room := func() int { return max(w-max(tail, len(bare))-1, 1) }
	if slices.ContainsFunc(o.going, o.draft.IsEmpty) {
		bare = "no content"
	}
	if !allFit(labels, room()) {
		labels = model.ShortNames(o.going)
	}
	if bare != "" && !allFit(labels, room()) {
		bare = "none"
	}
	return o.matrixLines(labels, head, bare, n, room(), w)
}

// matrixLines draws the lines of the matrix: labels of up to room cells, and the cells beside them.
func (o *forecastPane) matrixLines(labels []string, head, bare string, n, room, w int) []string {
	each := allFit(labels, room) || room > w/2
	if !each {
		head, room = "", max(w-10, 1)
	}
	longest := 0
	for _, l := range labels {
		longest = max(longest, widget.Width(widget.Clean(l)))
	}
	room = min(room, longest+1)
	var lines []string
	if each && n > 1 {
		lines = append(lines, strings.Repeat(" ", room+1)+o.theme.Faint.Render(head))
	}
	for i, m := range o.going {
		label := widget.PadRight(widget.Truncate(widget.Clean(labels[i]), room), room)
		signs := o.theme.Warning.Render(bare)
		if !o.draft.IsEmpty(m) {
			signs = o.signs(m, n, each)
		}
		lines = append(lines, widget.Truncate(label+" "+signs, w))
	}
	return lines
}

func allFit(labels []string, room int) bool {
	return !slices.ContainsFunc(labels, func(l string) bool { return widget.Width(widget.Clean(l)) > room })
}

// columnNumbers draws the numbers of n columns.
func columnNumbers(n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprint(i+1))
	}
	return strings.Join(out, " ")
}

// signs returns the icons of a message for each recipient.
func (o *forecastPane) signs(m model.Message, n int, each bool) string {
	var out []string
	arrive := 0
	for i := range n {
		why, known := o.current().Why(m, i)
		switch {
		case why != "":
			out = append(out, o.theme.Warning.Render("✗"))
		case !known:
			out = append(out, o.theme.Faint.Render("○"))
			arrive++
		default:
			out = append(out, o.theme.Accent.Render("●"))
			arrive++
		}
	}
	if each {
		return strings.Join(out, " ")
	}
	style := o.theme.Accent
	if arrive < n {
		style = o.theme.Warning
	}
	return style.Render(fmt.Sprintf("%d of %d", arrive, n))
}

// minPreviewHeight is the minimum height for a preview.
const minPreviewHeight = 14

// previewLines draws the first message in w cells and h lines; nothing if that is too small.
func (o *forecastPane) previewLines(w, h int) []string {
	first := slices.IndexFunc(o.going, func(m model.Message) bool { return !o.draft.IsEmpty(m) })
	if first < 0 || h < minPreviewHeight {
		return nil
	}
	m, name, known := o.going[first], "", false
	var p model.ResolvedUser
	title := m.Name + ", as written"
	if identifier, values := o.addressees(); len(values) > 0 {
		name = values[0]
		if p, known = o.people.Lookup(model.Recipient{Identifier: identifier, Value: name}); known && p.Certain {
			title = m.Name + " to " + o.people.Name(identifier, name)
		}
	}
	if as := o.ask.As; len(as) > 0 {
		name = "as " + as[0].String()
		if p, known = o.people.Lookup(personaRecipient(as[0])); known && p.Certain {
			title = m.Name + " " + name
		}
	}
	g := &o.preview
	if of := strings.Join([]string{m.ID, o.requestedKey, o.forecastKey, name}, "\x00"); of != g.key || !render.SameContent(o.draft.Document, g.document) {
		g.key, g.document = of, o.draft.Document
		opts := render.Options{Now: o.deps.Now()}
		if known && p.Certain {
			opts.Fill = o.draft.Fill(o.ask, p)
		}
		g.view = preview.New(o.theme)
		if views, ok := render.ViewsAt(o.draft.Campaign.Channel, o.draft.Document, m.Key.Content, opts); ok {
			views[0].At = o.deps.Local(opts.Now)
			g.view.Show(views[0])
		}
	}
	g.view.SetSize(w, h-3)
	return append([]string{"", o.theme.Strong.Render(widget.Truncate(title, w)), ""}, strings.Split(g.view.View(), "\n")...)
}
