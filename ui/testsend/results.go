package testsend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/phrase"
	model "bugle/engine/testsend"
	"bugle/themes"
	"bugle/ui/editpane"
	"bugle/ui/list"
	"bugle/ui/panes"
	"bugle/ui/preview"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// results shows the progress and the result of a test: the messages by recipient, and the message under the cursor beside
// them.
type results struct {
	*sendContext
	run   model.Run
	rows  *list.List[entry]
	done  bool // the run has ended
	frame int  // of the spinner

	delivered []engine.OutboxMessage
	message   preview.Preview
	shown     string // identifies the message shown
	title     string // of the message
	note      string // why it was not delivered, or how
	noteLines int    // height of the note when last drawn
}

// entry is a key of a run, or one of its recipients.
type entry struct {
	key, send int // send is -1 for the key itself
}

func newResults(c *sendContext) *results {
	r := &results{sendContext: c}
	r.rows = list.Lines(c.theme, "message", r.draw)
	return r
}

// begin shows a run before anything is sent.
func (r *results) begin(run model.Run) {
	r.run, r.delivered, r.message = run, nil, preview.New(r.theme)
}

// round starts a round of the run.
func (r *results) round(asks []engine.TestSend, f model.Forecast) {
	r.run.Begin(asks, f, r.deps.Now())
	r.done, r.frame, r.shown = false, 0, ""
	r.rows.SelectIndex(0)
}

// end shows the result of a round, with the cursor on the first failure.
func (r *results) end(out model.Outcome, err error) {
	r.done = true
	r.run.End(out, err, r.deps.Now())
	r.layout()
	r.rows.SelectIndex(0)
	r.rows.Select(func(e entry) bool { return r.run.Keys[e.key].State() != model.Sent })
}

// badge summarizes the state of the run.
func (r *results) badge() (string, themes.Tone) {
	if !r.done {
		return fmt.Sprintf("sending %d of %d", r.run.Done, r.run.Total), themes.ToneInfo
	}
	var parts []string
	worst := themes.ToneSuccess
	for _, s := range []model.State{model.Skipped, model.Unknown, model.Failed} {
		if n := r.run.Count(s); n > 0 {
			parts = append([]string{fmt.Sprintf("%d %s", n, s)}, parts...)
			if worst = themes.ToneWarning; s == model.Failed {
				worst = themes.ToneDanger
			}
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "sent"), worst
}

// Update handles a key that is not an action.
func (r *results) Update(msg tea.KeyMsg) {
	if r.layout(); r.onSide() {
		r.message.Update(msg)
		return
	}
	r.rows.Key(msg)
}

// messageMinHeight is the minimum height of the message below the list.
const messageMinHeight = 10

// layout divides the screen, and lists the entries. The message is below the list if that leaves it enough lines.
func (r *results) layout() {
	r.rows.Focused = !r.onSide()
	r.rows.Set(r.entries())
	rows := 0
	if !r.onSide() && !r.panes.Beside(paneSide) {
		w := r.panes.Width() - 4
		rows = r.panes.Height() - 2 - len(r.header(w))
		for _, e := range r.rows.Shown() {
			if rows -= len(r.draw(e, false, w).Lines); rows < messageMinHeight {
				rows = 0
				break
			}
		}
	}
	r.panes.SetRows(paneSide, rows)
	w, h := r.panes.Size(paneMain)
	r.rows.SetSize(w, h-len(r.header(w)))
}

// View draws the list and the message.
func (r *results) View() string {
	r.layout()
	return r.panes.View(func(pane int) panes.Content {
		w, h := r.panes.Size(pane)
		if pane == paneSide {
			return r.messageContent(w, h)
		}
		c := panes.Content{Title: "Results", Body: strings.Join(append(r.header(w), r.rows.View()), "\n")}
		if r.rows.Overflows() {
			c.Footer = r.rows.Position()
		}
		return c
	})
}

// header returns the progress bar, or the summary.
func (r *results) header(w int) []string {
	if !r.done {
		label := "Sending"
		if r.run.Canceling {
			label = "Canceling"
		}
		return []string{widget.Progress(r.theme, label, r.frame, r.run.Done, r.run.Total, w), ""}
	}
	_, tone := r.badge()
	text := r.formatTime(r.run.RoundStarted) + ", to " + r.people.Summary(r.run.Request)
	if as := r.run.Request.As; len(as) > 0 {
		text += " as " + personaNames(as)
	}
	if took := r.run.RoundTook.Round(time.Second); took > 0 {
		text += ", in " + took.String()
	}
	return slices.Concat(widget.WrapStyled(r.theme.Tone(tone), r.run.Message, w), widget.WrapStyled(r.theme.Muted, text+".", w), []string{""})
}

// entries returns the keys and, if there are several, their recipients.
func (r *results) entries() []entry {
	var out []entry
	for i := range r.run.Keys {
		out = append(out, entry{i, -1})
		if k := &r.run.Keys[i]; listsSends(k) {
			for j := range k.Sends {
				out = append(out, entry{i, j})
			}
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
	mark, k := "  ", &r.run.Keys[e.key]
	if selected {
		mark = r.theme.Accent.Render("▌ ")
	}
	var lines []string
	if e.send >= 0 {
		lines = r.sendLines(&k.Sends[e.send], w-4)
		mark += "  "
	} else {
		lines = r.keyLines(k, w-2)
	}
	indent := strings.Repeat(" ", widget.Width(mark))
	for i := range lines {
		lines[i] = widget.Truncate(mark+lines[i], w)
		mark = indent
	}
	return list.Drawn{Lines: lines}
}

// keyLines draws a key, its state and how many of its recipients have received it, and why it has not arrived where its
// recipients do not say so.
func (r *results) keyLines(k *model.Key, w int) []string {
	sign, tone := r.sign(k.State())
	tail := ""
	if n := len(k.Sends); n > 1 {
		tail = fmt.Sprintf("  %d of %d", k.Count(model.Sent), n)
	}
	word := k.StatusText()
	name := widget.Truncate(widget.Clean(k.Name), max(w-3-widget.Width(word)-widget.Width(tail), 1))
	lines := []string{sign + " " + name + " " + r.theme.Paint(tone, word) + r.theme.Muted.Render(tail)}
	if k.Reason != "" && !(listsSends(k) && k.EveryFailureExplained()) {
		lines = append(lines, widget.WrapIndented(r.theme.Danger, r.people.Explain(k.Reason, r.draft.Workspace, r.run.Request), w, 2)...)
	}
	return lines
}

// sendLines draws a recipient of a key, and why the message did not arrive.
func (r *results) sendLines(d *model.SendState, w int) []string {
	sign, tone := r.sign(d.State)
	if d.Why != "" && d.State != model.Sent {
		lines := widget.Wrap(widget.Clean(r.recipient(d)+": "+d.Why), max(w-2, 1))
		for i, l := range lines {
			lines[i] = sign + " " + r.theme.Paint(tone, l)
			sign = " "
		}
		return lines
	}
	tail := d.State.String()
	name := r.recipient(d)
	if d.Recipient != "" {
		identifier, _ := model.ResolveValues(r.draft.Workspace, r.run.Request)
		as := widget.Clean(r.asText(d))
		name = r.recipientLine("", identifier, d.Recipient, w-3-widget.Width(tail)-widget.Width(as)) + as
	}
	return []string{sign + " " + name + "  " + r.theme.Muted.Render(tail)}
}

// stateIcon returns the icon of a state, and its tone.
func stateIcon(st model.State) (string, themes.Tone) {
	switch st {
	case model.Sent:
		return "✓", themes.ToneSuccess
	case model.Failed:
		return "✗", themes.ToneDanger
	case model.Unknown:
		return "?", themes.ToneWarning
	case model.Skipped:
		return "○", themes.ToneMuted
	case model.Sending:
		return "", themes.ToneInfo
	}
	return "·", themes.ToneFaint
}

// sign draws the icon of a state.
func (r *results) sign(st model.State) (sign string, tone themes.Tone) {
	if sign, tone = stateIcon(st); sign == "" {
		sign = widget.Spinner(r.frame)
	}
	return r.theme.Paint(tone, sign), tone
}

// selected returns the key under the cursor and its recipient; for a key, the first recipient in its state, whose message or
// reason is the one to read.
func (r *results) selected() (k *model.Key, d *model.SendState) {
	e, ok := r.rows.Selected()
	if !ok || e.key >= len(r.run.Keys) {
		return nil, nil
	}
	k = &r.run.Keys[e.key]
	if e.send < 0 {
		e.send = max(slices.IndexFunc(k.Sends, func(d model.SendState) bool { return d.State == k.State() }), 0)
	}
	if e.send < len(k.Sends) {
		d = &k.Sends[e.send]
	}
	return k, d
}

// mouse handles the wheel and clicks on an entry or the message.
func (r *results) mouse(msg tea.MouseMsg) {
	r.layout()
	pane, msg := r.panes.Mouse(msg)
	if widget.Pressed(msg) && pane >= 0 {
		r.panes.Focus(pane)
	}
	if pane == paneSide {
		msg.Y -= r.noteLines
		r.message.Mouse(msg)
		return
	}
	w, _ := r.panes.Size(paneMain)
	msg.Y -= len(r.header(w))
	if _, again := r.rows.Mouse(msg); again && r.done {
		r.openMessage()
	}
}

// openMessage focuses the message.
func (r *results) openMessage() tea.Cmd {
	r.panes.Focus(paneSide)
	return nil
}

// resultsActions returns the actions after the run has ended.
func (s *Screen) resultsActions() []screen.Action {
	s.results.layout()
	run := &s.results.run
	retry := screen.Action{Keys: []string{"r"}, Label: "retry failed", Help: "send messages again that were not sent, only to recipients who missed them", Group: groupTest, BarPriority: 9, Run: s.again(model.Failed, model.Skipped)}
	if run.Count(model.Failed) == 0 { // what was skipped is worth a retry only after something has changed
		retry.BarPriority = 0
	}
	if run.Count(model.Failed)+run.Count(model.Skipped) == 0 {
		retry.DisabledReason = "No message failed."
	}
	repeat := screen.Action{Keys: []string{"N"}, Label: "repeat unknown", Help: "send messages again that may have been delivered, after a question", Group: groupTest, BarPriority: 8, Run: s.again(model.Unknown)}
	if run.Count(model.Unknown) == 0 {
		repeat.DisabledReason, repeat.BarPriority = "No message may have been delivered without a confirmation.", 0
	}
	return []screen.Action{
		retry, repeat,
		{Name: "read-message", Keys: []string{"enter"}, Label: "read", Help: "read the message, or why it was not delivered", Group: groupTest, BarPriority: 8, Run: s.results.openMessage},
		s.upAction(groupTest),
		{Name: "edit", Keys: []string{"e"}, Label: "form", Help: "go back to the form", Group: groupTest, Run: s.toForm},
		{Keys: []string{"ctrl+s"}, Label: "send all again", Help: "send all messages again", Group: groupTest, BarPriority: 6, Run: func() tea.Cmd { return s.begin(run.Request) }},
		s.outboxAction(groupTest),
		s.copyAction(run.Request),
		s.zoomAction(),
		{Keys: []string{"down", "up"}, Label: "move", Help: "go to the next or previous message or recipient", Group: groupMove, HelpOnly: true},
	}
}

// readActions returns the actions of the message that is read.
func (s *Screen) readActions() []screen.Action {
	r := s.results
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { r.rows.SelectIndex(r.rows.Index() + n); return nil }
	}
	acts := []screen.Action{
		s.upAction(groupMessage),
		{Keys: []string{"."}, Label: "next", Help: "read the next message", Group: groupMessage, BarPriority: 8, Run: by(1)},
		{Keys: []string{","}, Label: "previous", Help: "read the previous message", Group: groupMessage, BarPriority: 7, Run: by(-1)},
	}
	acts = append(acts, editpane.BindingHelp(r.message.Bindings(), groupMessage, 5)...)
	return append(acts, s.outboxAction(groupMessage), s.zoomAction(),
		screen.Action{Keys: []string{"up", "down"}, Label: "scroll", Group: groupMessage, HelpOnly: true})
}

// read says what became of each message, or reads the one that is open.
func (r *results) read() screen.Page {
	if r.layout(); r.onSide() {
		v, title, note := r.view()
		return screen.Page{Place: "Test send, " + title, Summary: note, Parts: []screen.Part{{Lines: preview.Read(v)}}}
	}
	page := screen.Page{Place: "Test send, results", Cursor: r.rows.At(), Parts: []screen.Part{{Rows: r.rows.Rows(nil, nil)}}}
	if r.done {
		page.Summary = phrase.Sentence(r.run.Message)
	}
	return page
}
