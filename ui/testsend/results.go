package testsend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"bugle/engine"
	"bugle/engine/phrase"
	model "bugle/engine/testsend"
	"bugle/ui/list"
	"bugle/ui/panes"
	"bugle/ui/preview"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// results shows the progress and the result of a test: the messages by recipient, and the reader beside them.
type results struct {
	*layout
	run    model.Run
	rows   *list.List[entry]
	moved  bool // the user has moved the cursor; otherwise it follows the progress
	reader reader
	done   bool // the run has ended
	frame  int  // of the spinner
}

// entry is a key of a run, or one of its recipients.
type entry struct {
	key, send int // send is -1 for the key itself
}

func newResults(l *layout) *results {
	r := &results{layout: l, reader: reader{layout: l}}
	r.rows = list.Lines(l.theme, "message", r.draw)
	return r
}

// begin shows a run before anything is sent.
func (r *results) begin(run model.Run) {
	r.run, r.reader = run, reader{layout: r.layout, view: preview.New(r.theme)}
}

// round starts a round of the run.
func (r *results) round(asks []engine.TestSend, f model.Forecast) {
	r.run.Begin(asks, f, r.deps.Now())
	r.done, r.frame = false, 0
	r.rows.SelectIndex(0)
	r.moved = false
	r.reader.shown = ""
}

// cancel cancels what has not been sent yet.
func (r *results) cancel() tea.Cmd {
	r.run.Canceling = true
	r.tasks.Cancel(taskSend)
	return nil
}

const spinInterval = 120 * time.Millisecond

// spin advances the spinner until the round ends.
func (r *results) spin() tea.Cmd {
	return screen.Every(r.tasks, taskSpin, spinInterval, func() tea.Cmd {
		r.frame++
		return nil
	})
}

// end shows the result of a round, with the cursor on the first failure.
func (r *results) end(out model.Outcome, err error) {
	r.done = true
	r.run.End(out, err, r.deps.Now())
	r.moved = false
	r.layoutRows()
	r.rows.SelectIndex(0)
	r.moved = r.rows.Select(func(e entry) bool { return r.run.Keys[e.key].Status != engine.Sent })
}

// badge summarizes the state of the run.
func (r *results) badge() string {
	if !r.done {
		return fmt.Sprintf("sending %d of %d", r.run.Done, r.run.Total)
	}
	var parts []string
	for _, s := range []model.State{model.Failed, model.Unknown} {
		if n := r.run.Count(s); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "sent")
}

// Update handles a key that is not an action.
func (r *results) Update(msg tea.KeyMsg) {
	r.layoutRows()
	if r.onSide() {
		r.reader.view.Update(msg)
		return
	}
	r.moved = r.rows.Key(msg) == list.Moved || r.moved
}

// title returns the title of the page.
func (r *results) title() string {
	if r.done {
		return "Results"
	}
	return "Sending"
}

// readerMinHeight is the minimum height of the reader below the list.
const readerMinHeight = 10

// divide divides the screen. The reader is below the list if it has room for all entries.
func (r *results) divide() {
	rows := 0
	if h := r.panes.Height(); !r.onSide() && !r.panes.Beside(paneSide) {
		most := h - readerMinHeight // maximum height of the list, including its frame
		if lines := r.height(most); lines+2 <= most {
			rows = h - lines - 2
		}
	}
	r.panes.SetRows(paneSide, rows)
}

// height returns how many lines the list needs at the screen's width, or a number above most.
func (r *results) height(most int) int {
	if len(r.run.Keys) > most {
		return most + 1
	}
	w := r.panes.Width() - 4
	n := len(r.header(w))
	for _, e := range r.entries() {
		n += len(r.draw(e, false, w).Lines)
	}
	return n
}

// View draws the list and the reader.
func (r *results) View() string {
	r.layoutRows()
	return r.panes.View(func(pane int) panes.Content {
		if pane == paneSide {
			k, d := r.selected()
			r.reader.show(r.run, k, d, r.panes.Shown(paneMain))
			return r.reader.content(r.title())
		}
		w, _ := r.panes.Size(paneMain)
		c := panes.Content{Title: r.breadcrumb(w+4, r.title())}
		if r.rows.Overflows() {
			c.Footer = r.rows.Position()
		}
		r.rows.Focused = r.done || r.moved
		c.Body = strings.Join(append(r.header(w), r.rows.View()), "\n")
		return c
	})
}

// layoutRows divides the screen and lists the entries.
func (r *results) layoutRows() {
	r.divide()
	w, h := r.panes.Size(paneMain)
	r.rows.Set(r.entries())
	r.rows.SetSize(w, h-len(r.header(w)))
	if !r.done && !r.moved {
		r.rows.SelectIndex(r.current())
	}
}

// current returns the first entry that has not ended.
func (r *results) current() int {
	for i, e := range r.rows.Shown() {
		k := r.run.Keys[e.key]
		if e.send < 0 && k.InRound && k.Status == "" && (k.Count(model.Sending) > 0 || k.Count(model.Queued) > 0) {
			return i
		}
	}
	return max(r.rows.Len()-1, 0)
}

// header returns the progress bar, or the summary.
func (r *results) header(w int) []string {
	now := r.deps.Now()
	if !r.done {
		bar := widget.NewProgress(r.theme, "Sending")
		if r.run.Canceling {
			bar.Label = "Canceling"
		}
		bar.Done, bar.Total, bar.Frame = r.run.Done, r.run.Total, r.frame
		bar.SetSize(w, 1)
		return []string{bar.View(), ""}
	}
	style := r.theme.Success
	switch {
	case r.run.Count(model.Failed) > 0:
		style = r.theme.Danger
	case r.run.Count(model.Unknown) > 0:
		style = r.theme.Warning
	}
	var head []string
	head = append(head, widget.WrapStyled(style, phrase.Capitalize(r.run.Message), w)...)
	hint := r.formatTime(r.run.RoundStarted) + ", to " + r.people.Summary(r.run.Request)
	if as := r.run.Request.As; len(as) > 0 {
		hint += " as " + personaNames(as)
	}
	if took := elapsed(r.run.RoundStarted, r.run.RoundStarted.Add(r.run.RoundTook), now); took != "" {
		hint += ", in " + took
	}
	hint += "."
	head = append(head, widget.WrapStyled(r.theme.Muted, hint, w)...)
	return append(head, "")
}

// entries returns the keys and, if there are several, their recipients.
func (r *results) entries() []entry {
	var out []entry
	for i := range r.run.Keys {
		k := &r.run.Keys[i]
		out = append(out, entry{i, -1})
		if !listsSends(k) {
			continue
		}
		for j := range k.Sends {
			out = append(out, entry{i, j})
		}
	}
	return out
}

// listsSends reports whether the recipients of a key are listed.
func listsSends(k *model.Key) bool {
	return len(k.Sends) > 1 || len(k.Sends) == 1 && k.Sends[0].Why != ""
}

// draw draws a key or a recipient, and why it has not arrived.
func (r *results) draw(e entry, selected bool, w int) list.Drawn {
	mark := "  "
	if selected {
		mark = r.theme.Accent.Render("▌ ")
	}
	k := &r.run.Keys[e.key]
	if e.send >= 0 {
		text, more := r.sendLines(k, e.send, w)
		return list.Drawn{Lines: append([]string{widget.Truncate(mark+text, w)}, more...)}
	}
	lines := []string{widget.Truncate(mark+r.keyLine(k, w-2), w)}
	if k.Reason != "" && !(listsSends(k) && k.EveryFailureExplained()) {
		lines = append(lines, widget.WrapIndented(r.theme.Danger, r.people.Explain(k.Reason, r.draft.Workspace, r.run.Request), w, 4)...)
	}
	return list.Drawn{Lines: lines}
}

// sign returns the icon and style of a state.
func (r *results) sign(st model.State) (string, lipgloss.Style) {
	switch st {
	case model.Sent:
		return "✓", r.theme.Success
	case model.Failed:
		return "✗", r.theme.Danger
	case model.Unknown:
		return "?", r.theme.Warning
	case model.Sending:
		return widget.Spinner(r.frame), r.theme.Info
	}
	return "·", r.theme.Faint
}

// keyLine draws a key, its state, and how many of its recipients have received it.
func (r *results) keyLine(k *model.Key, w int) string {
	st := model.Queued
	switch {
	case k.Status == engine.Sent:
		st = model.Sent
	case k.StatusText() == model.Unknown.String():
		st = model.Unknown
	case k.Status != "" || k.Reason != "" || k.StatusText() == model.Failed.String():
		st = model.Failed
	case k.StatusText() == model.Sent.String():
		st = model.Sent
	case k.Count(model.Sending) > 0:
		st = model.Sending
	}
	sign, style := r.sign(st)
	tail := ""
	if n := len(k.Sends); n > 1 {
		tail = fmt.Sprintf("  %d of %d", k.Count(model.Sent), n)
	}
	if len(k.Sends) == 1 {
		tail += "  " + elapsed(k.Sends[0].Began, k.Sends[0].Ended, r.deps.Now())
	}
	word := widget.Clean(k.StatusText())
	name := widget.Truncate(widget.Clean(k.Name), max(w-3-widget.Width(word)-widget.Width(tail), 1))
	return style.Render(sign) + " " + name + " " + style.Render(word) + r.theme.Muted.Render(tail)
}

// sendLines draws a recipient of a key and, in more lines, why the message did not arrive.
func (r *results) sendLines(k *model.Key, j, w int) (text string, more []string) {
	d := &k.Sends[j]
	sign, style := r.sign(d.State)
	identifier, _ := model.ResolveValues(r.draft.Workspace, r.run.Request)
	if (d.State >= model.Failed || d.State == model.Sending) && d.Why != "" {
		why := widget.Wrap(widget.Clean(r.recipient(r.run, d)+": "+d.Why), max(w-6, 1))
		for _, l := range why[1:] {
			more = append(more, strings.Repeat(" ", 6)+style.Render(l))
		}
		return "  " + style.Render(sign+" "+why[0]), more
	}
	tail := strings.TrimSpace(d.State.String() + "  " + elapsed(d.Began, d.Ended, r.deps.Now()))
	name := allRecipients
	if d.Recipient != "" {
		as := widget.Clean(asText(r.run, d.As))
		name = r.recipientLine("", identifier, d.Recipient, w-7-widget.Width(tail)-widget.Width(as)) + as
	}
	return "  " + style.Render(sign) + " " + name + "  " + r.theme.Muted.Render(tail), nil
}

// selected returns the key under the cursor and its recipient; for a key, the first recipient who got it.
func (r *results) selected() (k *model.Key, d *model.SendState) {
	e, ok := r.rows.Selected()
	if !ok || e.key >= len(r.run.Keys) {
		return nil, nil
	}
	k = &r.run.Keys[e.key]
	switch i := slices.IndexFunc(k.Sends, func(d model.SendState) bool { return d.State == model.Sent }); {
	case e.send >= 0 && e.send < len(k.Sends):
		d = &k.Sends[e.send]
	case i >= 0:
		d = &k.Sends[i]
	case len(k.Sends) > 0:
		d = &k.Sends[0]
	}
	return k, d
}

// mouse handles the wheel and clicks on an entry or the reader.
func (r *results) mouse(msg tea.MouseMsg) tea.Cmd {
	r.layoutRows()
	pane, msg := r.panes.Mouse(msg)
	if pane == paneSide {
		r.reader.mouse(msg)
		return nil
	}
	w, _ := r.panes.Size(paneMain)
	msg.Y -= len(r.header(w))
	before := r.rows.Index()
	hit, _ := r.rows.Mouse(msg)
	if !hit || !widget.Pressed(msg) {
		r.moved = r.moved || hit
		return nil
	}
	again := r.rows.Index() == before && r.moved
	r.moved = true
	if r.panes.Focus(paneMain); again && r.done {
		r.openMessage()
	}
	return nil
}

// openMessage focuses the reader.
func (r *results) openMessage() tea.Cmd {
	r.panes.Focus(paneSide)
	return nil
}

// closeMessage focuses the list.
func (r *results) closeMessage() tea.Cmd {
	r.panes.Zoom(false)
	r.panes.Focus(paneMain)
	return nil
}

// resultsHost has the actions of the screen that the results need.
type resultsHost struct {
	again, unknown, anew, form, outbox func() tea.Cmd
	up, copy                           screen.Action
}

// actions returns the actions after the run has ended.
func (r *results) actions(host resultsHost) []screen.Action {
	none, bar := "", 9
	if r.run.Count(model.Failed) == 0 {
		none, bar = "No message failed.", 0
	}
	certain, unknownBar := "", 8
	if r.run.Count(model.Unknown) == 0 {
		certain, unknownBar = "No message may have been delivered without a confirmation.", 0
	}
	return []screen.Action{
		{Keys: []string{"r"}, Label: "retry failed", Help: "send failed messages again, only to recipients who missed them", Group: groupTest, BarPriority: bar, DisabledReason: none, Run: host.again},
		{Keys: []string{"u"}, Label: "repeat unknown", Help: "send messages again that may have been delivered, after a question", Group: groupTest, BarPriority: unknownBar, DisabledReason: certain, Run: host.unknown},
		{Name: "read-message", Keys: []string{"enter"}, Label: "read", Help: "read the delivered message", Group: groupTest, BarPriority: 8, Run: r.openMessage},
		host.up,
		{Keys: []string{"f"}, Label: "form", Help: "go back to the form", Group: groupTest, Run: host.form},
		{Keys: []string{"a"}, Label: "send all again", Help: "send all messages again", Group: groupTest, BarPriority: 6, Run: host.anew},
		{Keys: []string{"o"}, Label: "outbox", Help: "open all delivered messages", Group: groupTest, BarPriority: 5, Run: host.outbox},
		host.copy,
		r.zoomAction(false),
		{Keys: []string{"down", "up"}, Label: "move", Help: "go to the next or previous message or recipient", Group: groupMove, HelpOnly: true},
	}
}

// readActions returns the actions of the reader.
func (r *results) readActions(host resultsHost) []screen.Action {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { r.rows.SelectIndex(r.rows.Index() + n); return nil }
	}
	acts := []screen.Action{
		host.up,
		{Keys: []string{"enter"}, Label: "results", Help: "go back to the results", Group: groupMessage, Run: r.closeMessage},
		{Keys: []string{"n"}, Label: "next", Help: "read the next message", Group: groupMessage, BarPriority: 8, Run: by(1)},
		{Keys: []string{"p"}, Label: "previous", Help: "read the previous message", Group: groupMessage, BarPriority: 7, Run: by(-1)},
	}
	for _, b := range r.reader.view.Bindings() {
		acts = append(acts, screen.Action{Keys: b.Keys, Label: b.Label, Help: b.Help, Group: groupMessage, BarPriority: 5, Run: func() tea.Cmd { b.Run(); return nil }})
	}
	return append(acts,
		screen.Action{Keys: []string{"o"}, Label: "outbox", Help: "open all delivered messages", Group: groupMessage, BarPriority: 4, Run: host.outbox},
		r.zoomAction(false),
		screen.Action{Keys: []string{"up", "down"}, Label: "scroll", Group: groupMessage, HelpOnly: true},
	)
}

// elapsed formats a duration; empty if it is below a second.
func elapsed(began, ended, now time.Time) string {
	if began.IsZero() {
		return ""
	}
	if ended.IsZero() {
		ended = now
	}
	switch d := ended.Sub(began); {
	case d < time.Second:
		return ""
	case d < 1050*time.Millisecond:
		return "1 second"
	default:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " seconds"
	}
}
