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
	*sendContext
	window       widget.Window // over the lines
	forecast     model.Forecast
	forecastKey  string // request of the shown forecast
	requestedKey string // newest requested forecast
	ask          engine.TestSend
	going        []model.Message

	// The first message as its first recipient will see it, in the lines that the list of messages does not need.
	preview    preview.Preview
	previewKey string // identifies the shown message and values
	previewed  doc.Value
}

// update requests a forecast if the request has changed.
func (o *forecastPane) update(ask engine.TestSend) tea.Cmd {
	o.ask, o.going = ask, o.draft.Matching(ask.Filter)
	ask.Filter = engine.KeyFilter{}
	of := string(engine.DraftTest("", ask).Encode())
	for _, p := range ask.As {
		of += "\x00" + p.ID
	}
	if of == o.requestedKey {
		return nil
	}
	o.requestedKey = of
	draft, service, known := o.draft, o.deps.Service, o.people.All()
	work := screen.Settled(o.tasks, taskForecast, func(ctx context.Context) (model.Forecast, error) { return draft.Forecast(ctx, service, ask, known) })
	return screen.Go(o.tasks, taskForecast, work, func(f model.Forecast, err error) tea.Cmd {
		if err == nil {
			o.forecast, o.forecastKey = f, of
			o.people.Add(f.Resolved)
		}
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
	c := panes.Content{Title: "Messages"}
	if n := o.sendCount(); n > 0 {
		c.Info = fmt.Sprintf("%d to send", n)
	}
	lines := o.lines(w, h)
	lines = append(lines, o.previewLines(w, h-len(lines))...)
	o.window.Resize(len(lines), h)
	from, to := o.window.Visible()
	if o.window.Overflows() {
		c.Footer = fmt.Sprintf("%d of %d", to, len(lines))
	}
	c.Body = strings.Join(lines[from:to], "\n")
	return c
}

// summary says which messages go to which recipients, and which will not arrive.
func (o *forecastPane) summary() (text, warning string, reasons []string) {
	identifier, values := o.addressees()
	if len(o.going) == 0 {
		return "No messages yet. Add content to the campaign first.", "", nil
	}
	names := o.people.Names(engine.TestSend{Identifier: identifier, Values: values})
	for i := range names {
		if len(names) > 1 { // as the columns are numbered
			names[i] = fmt.Sprintf("%d %s", i+1, names[i])
		}
	}
	reasons, stopped := o.draft.FailureReasons(o.current(), o.going, names)
	noun := "recipient"
	if engine.IsSegmentIdentifier(o.ask.Identifier) && len(o.ask.Values) > 0 {
		noun = "member"
	}
	text = fmt.Sprintf("%s to %s", phrase.Count(len(o.going), "message"), phrase.Count(len(values), noun))
	switch {
	case stopped > 0 && len(o.ask.As) > 1: // the forecast does not count them one by one
		warning = "some will not arrive"
	case stopped > 0:
		warning = fmt.Sprintf("%d of %d will not arrive", stopped, o.sendCount())
	}
	return text, warning, reasons
}

// calls says which content APIs are called when the messages are sent: a forecast does not call them.
func (o *forecastPane) calls() (out []string) {
	if _, values := o.addressees(); len(values) > 0 {
		for _, api := range o.current().Calls {
			out = append(out, fmt.Sprintf("The content API %s is called when the message is sent.", api))
		}
	}
	return out
}

// read says what will be sent, and why some of it will not arrive.
func (o *forecastPane) read() []string {
	text, warning, reasons := o.summary()
	var out []string
	for _, l := range append([]string{text, warning}, reasons...) {
		if l != "" {
			out = append(out, strings.TrimSuffix(l, ".")+".")
		}
	}
	return append(out, o.calls()...)
}

// lines draws which recipient gets which message, in w cells; without blank lines if h is small.
func (o *forecastPane) lines(w, h int) []string {
	text, warning, reasons := o.summary()
	lines := widget.WrapStyled(o.theme.Muted, text, w)
	if len(o.going) == 0 {
		return lines
	}
	if len(o.ask.As) > 0 {
		lines = append(lines, o.theme.Muted.Render(widget.Truncate("as "+widget.Clean(personaNames(o.ask.As)), w)))
	}
	if warning != "" {
		lines = append(lines, o.theme.Warning.Render(widget.Truncate(warning, w)))
	}
	blank := func() {
		if h >= 8 {
			lines = append(lines, "")
		}
	}
	blank()
	lines = append(lines, o.matrix(w)...)
	calls := o.calls()
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
	for _, c := range calls {
		note(c, "·", o.theme.Muted)
	}
	return lines
}

// matrix draws a line per message with an icon per recipient, numbered if there is space for that.
func (o *forecastPane) matrix(w int) []string {
	_, values := o.addressees()
	between := " "
	if 2*len(values) > w*2/3 {
		between = ""
	}
	var head []string
	for i := range values {
		head = append(head, fmt.Sprint(i+1))
	}
	numbers := strings.Join(head, between)
	room := max(w-max(widget.Width(numbers), len("no content"))-2, w/3)
	labels := make([]string, len(o.going))
	for i, m := range o.going {
		labels[i] = m.Name
	}
	if widest(labels) > room {
		labels = model.ShortNames(o.going)
	}
	room = min(room, widest(labels))
	var lines []string
	if len(values) > 1 && between != "" {
		lines = append(lines, strings.Repeat(" ", room+2)+o.theme.Faint.Render(numbers))
	}
	for i, m := range o.going {
		text := widget.PadRight(widget.Truncate(widget.Clean(labels[i]), room), room+2)
		lines = append(lines, widget.Truncate(text+strings.Join(o.signs(m, len(values)), between), w))
	}
	return lines
}

// widest returns the width of the widest text.
func widest(texts []string) (w int) {
	for _, text := range texts {
		w = max(w, widget.Width(widget.Clean(text)))
	}
	return w
}

// signs returns the icons of a message for each of n recipients.
func (o *forecastPane) signs(m model.Message, n int) []string {
	if o.draft.IsEmpty(m) {
		return []string{o.theme.Warning.Render("no content")}
	}
	var out []string
	for i := range n {
		why, known := o.current().Why(m, i)
		switch {
		case why != "":
			out = append(out, o.theme.Warning.Render("✗"))
		case known:
			out = append(out, o.theme.Accent.Render("●"))
		default:
			out = append(out, o.theme.Faint.Render("○"))
		}
	}
	return out
}

// minPreviewHeight is the minimum height for a preview.
const minPreviewHeight = 14

// previewLines draws the first message in w cells and h lines; nothing if that is too small.
func (o *forecastPane) previewLines(w, h int) []string {
	first := slices.IndexFunc(o.going, func(m model.Message) bool { return !o.draft.IsEmpty(m) })
	if first < 0 || h < minPreviewHeight {
		return nil
	}
	m := o.going[first]
	title, opts := m.Name+", as written", render.Options{Now: o.deps.Now()}
	to, as := model.Recipient{}, ""
	if identifier, values := o.addressees(); len(values) > 0 {
		to = model.Recipient{Identifier: identifier, Value: values[0]}
	}
	if len(o.ask.As) > 0 {
		as = o.ask.As[0].ID
	}
	if opts.Fill = o.fill(o.draft, o.ask, to, as); opts.Fill != nil {
		title = m.Name + " to " + o.people.Name(to.Identifier, to.Value)
		if as != "" {
			title = m.Name + " as " + o.ask.As[0].String()
		}
	}
	if of := strings.Join([]string{m.ID, o.requestedKey, o.forecastKey, title}, "\x00"); of != o.previewKey || !render.SameContent(o.draft.Document, o.previewed) {
		o.previewKey, o.previewed = of, o.draft.Document
		o.preview = preview.New(o.theme)
		if views, ok := render.ViewsAt(o.draft.Campaign.Channel, o.draft.Document, m.Key.Content, opts); ok {
			views[0].At = o.deps.Local(opts.Now)
			o.preview.Show(views[0])
		}
	}
	o.preview.SetSize(w, h-3)
	return append([]string{"", o.theme.Strong.Render(widget.Truncate(title, w)), ""}, strings.Split(o.preview.View(), "\n")...)
}
