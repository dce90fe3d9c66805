package testsend

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/message/assemble"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	model "bugle/engine/testsend"
	"bugle/forms/typeahead"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// form is the form for a test: the recipients, which messages to send, and overrides of the recipients' values.
// The forecast is shown beside it.
type form struct {
	*sendContext
	input
	undo      screen.UndoStack
	lastTyped rowID // the override whose typing is the newest step of undo; the zero row if it is another
	at        rowID
	window    widget.Window // over the lines of the rows
	overrides []override
	forecast  forecastPane

	// The prompt for a recipient.
	prompt       widget.Prompt
	list         typeahead.List // the suggestions below the prompt
	users        []engine.User  // that the newest search found
	searchedText string         // the text that users were searched for
	enterPending bool           // enter was pressed before the suggestions arrived
}

// input is what the user entered in the form. Maps and slices in it are replaced and never changed, so that a copy of it can
// be restored.
type input struct {
	identifier string
	values     map[string][]string // recipients by identifier, so that each keeps its own
	as         []engine.TestPersona
	filter     engine.KeyFilter
	typed      map[assemble.Attribute]string // overrides, including those that the messages do not use now
}

func newForm(c *sendContext) form {
	return form{sendContext: c, at: promptRow, forecast: forecastPane{sendContext: c}, prompt: widget.NewPrompt(c.theme, "+", "type a recipient or part of a name")}
}

// request returns the requested test. Invalid overrides are left out.
func (f *form) request() engine.TestSend {
	t := engine.TestSend{Identifier: f.identifier, Values: slices.Clone(f.recipients()), As: f.as, Filter: f.filter}
	f.addOverrides(&t)
	return t
}

// missing describes what the form still needs; empty if it can be sent. Pending input counts. The service
// checks the draft itself, and its answer leads to the field.
func (f *form) missing() string {
	t := f.request()
	wrong, others := t.CheckRecipients(f.draft.Campaign.Channel)
	typed := f.prompt.Value() != ""
	switch {
	case len(t.Values) == 0 && !typed:
		return "Add a recipient first."
	case len(wrong) > 0:
		i := slices.Min(slices.Collect(maps.Keys(wrong)))
		return fmt.Sprintf("%s %s.", widget.Clean(t.Values[i]), wrong[i])
	case len(others) > 0 && !typed:
		return others[0]
	}
	return f.addOverrides(&t)
}

// change changes the input as one step, which can be undone with the cursor in a row. what names it.
func (f *form) change(what string, at rowID, do func(*input)) {
	other := f.input // the other state
	swap := func() tea.Cmd {
		f.input, other = other, f.input
		f.enterPending, f.lastTyped = false, rowID{}
		if engine.IndexRecipient(f.recipients(), f.identifier, f.text()) >= 0 { // it was being edited
			f.prompt.SetValue("")
		}
		f.offerOverrides()
		f.focus(at)
		return f.refresh()
	}
	f.undo.PushUndo(screen.UndoStep{Label: what, Undo: swap, Redo: swap})
	f.lastTyped = rowID{}
	do(&f.input)
}

// setDraft adopts a new draft, or a changed one. Input is kept as far as the draft still has it.
func (f *form) setDraft() tea.Cmd {
	f.forecast.invalidate()
	f.offerOverrides()
	f.focus(f.at)
	return f.refresh()
}

// fill fills the form from an earlier test. If nothing else is needed, the next enter sends it, because
// repeating a test is most common.
func (f *form) fill(last engine.TestSend) {
	options := f.draft.Fields.Identifier.Options
	if f.identifier = last.Identifier; !slices.ContainsFunc(options, func(o schema.Option) bool { return o.Value == last.Identifier }) {
		f.identifier = options[0].Value
	}
	f.setRecipients(slices.Clone(last.Values))
	f.as, f.filter, f.typed = last.As, last.Filter, model.Overrides(last)
	f.prompt.SetValue("")
	f.offerOverrides()
	f.focus(promptRow)
	if len(last.Values) > 0 {
		f.focus(sendRow)
	}
}

// refresh updates what depends on the input: the suggestions and the forecast.
func (f *form) refresh() tea.Cmd {
	f.suggest()
	return tea.Batch(f.search(), f.forecast.update(f.request()))
}

// focus focuses a row; the prompt if that row does not exist any more.
func (f *form) focus(at rowID) {
	if !slices.Contains(f.stops(), at) {
		at = promptRow
	}
	if at != f.at {
		f.lastTyped = rowID{}
	}
	f.at = at
	f.prompt.Blur()
	if at == promptRow {
		f.prompt.Focus()
	}
	for i := range f.overrides {
		o := &f.overrides[i]
		if o.prompt.Blur(); at == o.row() {
			o.prompt.Focus()
		}
	}
}

// stops returns where the cursor can be, from top to bottom.
func (f *form) stops() []rowID {
	var out []rowID
	for _, r := range f.rows() {
		out = append(out, r.rowID)
	}
	return append(out, sendRow, forecastRow)
}

// typing reports whether a text field has the keyboard.
func (f *form) typing() bool { return f.at == promptRow || f.at.kind == rowOverride }

// move moves the cursor by n rows, through the suggestions if they are listed.
func (f *form) move(n int) tea.Cmd {
	switch {
	case f.at == promptRow && f.list.Key(map[int]string{1: "down", -1: "up"}[n]):
	case f.at == forecastRow:
		f.forecast.window.Scroll(n)
	default:
		stops := f.stops()
		at := slices.Index(stops, f.at)
		f.focus(stops[max(min(at+n, len(stops)-2), 0)]) // the messages are a pane of their own
	}
	return nil
}

// nextSection moves the cursor to the next or previous section of rows or pane, wrapping around. It passes by the choice of
// users whose data messages have while there are none, so that enter leads from the recipients to the values.
func (f *form) nextSection(n int) tea.Cmd {
	stops := f.stops()
	for i := slices.Index(stops, f.at) + n; ; i += n {
		to := stops[(i+len(stops))%len(stops)]
		alone := to.kind == rowOverride || to.kind == rowFilter
		if (to.kind != f.at.kind || alone) && (to.kind != rowPersona || len(f.as) > 0) {
			f.focus(to)
			return nil
		}
	}
}

// Update handles a key that is not an action.
func (f *form) Update(msg tea.KeyMsg) tea.Cmd {
	switch f.at.kind {
	case rowPrompt:
		return f.typeRecipient(msg)
	case rowOverride:
		return f.typeOverride(msg)
	case rowForecast:
		f.forecast.window.UpdateScroll(msg)
	}
	return nil
}

// sendHeight is the height of the button, including the line above it.
const sendHeight = 2

// divide divides the screen. Messages below the form have more lines while they have the focus.
func (f *form) divide() {
	w, h := f.panes.Width(), f.panes.Height()
	rows := max(min(h/3, 6), 3)
	f.panes.Focus(paneMain)
	if f.at == forecastRow {
		f.panes.Focus(paneSide)
		rows = max(min(h*3/5, len(f.forecast.lines(w-4, h))+2), rows)
	}
	f.panes.SetRows(paneSide, rows)
}

// View draws the form, and the forecast beside or below it.
func (f *form) View() string {
	f.divide()
	return f.panes.View(func(pane int) panes.Content {
		w, h := f.panes.Size(pane)
		if pane == paneSide {
			return f.forecast.content(w, h)
		}
		c := panes.Content{Title: f.name()}
		lines := f.arrange(w, h)
		from, to := f.window.Visible()
		if more := len(lines) - to; more > 0 {
			c.Footer = fmt.Sprintf("%d more below", more)
		}
		var out []string
		for _, l := range lines[from:to] {
			out = append(out, l.text)
		}
		c.Body = strings.Join(append(out, "", f.sendButton(w)), "\n")
		return c
	})
}

// formLine is a line of the form.
type formLine struct {
	text string
	row  rowID // the zero row for a line of none
	n    int   // of the row's lines
}

// arrange draws the rows, and scrolls to the one under the cursor.
func (f *form) arrange(w, h int) []formLine {
	var lines []formLine
	from, to := 0, 0
	for _, r := range f.rows() {
		for _, text := range r.heads {
			lines = append(lines, formLine{text: widget.Truncate(text, w)})
		}
		mark := "  "
		if r.rowID == f.at {
			mark, from = f.theme.Accent.Render("▌ "), len(lines)
		}
		for i, text := range r.draw(w) {
			if i == 0 {
				text = widget.PadRight(mark+text, w)
			}
			lines = append(lines, formLine{text, r.rowID, i})
		}
		if r.rowID == f.at {
			to = len(lines) - 1
		}
	}
	if f.window.Resize(len(lines), max(h-sendHeight, 0)); f.at != forecastRow {
		f.window.Select(to) // before the button is sent, the recipients are seen
		f.window.Select(from)
	}
	return lines
}

// sendButton draws the button with the recipients. It is always visible.
func (f *form) sendButton(w int) string {
	text := "Send"
	if n := f.forecast.sendCount(); n > 0 {
		text = "Send " + phrase.Count(n, "message")
	}
	ask := f.request()
	mark, style := "  ", f.theme.Button
	if f.at == sendRow {
		mark, style = f.theme.Accent.Render("▌ "), f.theme.ButtonFocus
	}
	button := style.Render("[ " + text + " ]")
	tail, tone := "", f.theme.Faint
	switch why := f.missing(); {
	case why != "" && f.at == sendRow:
		tail, tone = why, f.theme.Warning
	case len(ask.Values) > 0:
		tail = "to " + f.people.Summary(ask)
		if len(f.as) > 0 {
			tail += " as " + personaNames(f.as)
		}
		if n := len(ask.UserAttributes) + len(ask.EventAttributes); n > 0 {
			tail += ", with " + phrase.Count(n, "value") + " changed"
		}
	}
	if room := w - 3 - widget.Width(button); tail != "" && room > 4 {
		button += " " + tone.Render(widget.Truncate(widget.Clean(tail), room))
	}
	return widget.PadRight(mark+button, w)
}

// mouse handles the wheel and clicks; send is the action of the button.
func (f *form) mouse(msg tea.MouseMsg, send func() tea.Cmd) tea.Cmd {
	f.divide()
	pane, msg := f.panes.Mouse(msg)
	switch by := wheel(msg); {
	case by != 0 && pane == paneSide:
		f.forecast.window.Scroll(by)
	case by != 0 && f.at != forecastRow:
		return f.move(by)
	case pane == paneSide && widget.Pressed(msg):
		f.focus(forecastRow)
	case pane == paneMain && widget.Pressed(msg):
		return f.press(msg, send)
	}
	return nil
}

// promptX is the column of the prompt, and of the suggestions below it.
const promptX = 3

// press handles a click on a row.
func (f *form) press(msg tea.MouseMsg, send func() tea.Cmd) tea.Cmd {
	w, h := f.panes.Size(paneMain)
	lines := f.arrange(w, h)
	from, to := f.window.Visible()
	if msg.Y == to-from+sendHeight-1 {
		f.focus(sendRow)
		return send()
	}
	i, ok := f.window.At(msg.Y)
	if !ok || lines[i].row == (rowID{}) {
		return nil
	}
	at := lines[i].row
	if at == promptRow && f.at == promptRow {
		if i, ok := f.list.RowAt(lines[i].n - 1); ok && f.list.Highlight(i) {
			return f.accept()
		}
	}
	f.focus(at)
	switch at.kind {
	case rowPrompt:
		f.prompt.Click(msg.X - promptX)
	case rowIdentifier, rowFilter:
		return f.row().enter.Run()
	}
	return nil
}

// wheel returns by how many rows or lines to move.
func wheel(msg tea.MouseMsg) int {
	return map[tea.MouseButton]int{tea.MouseButtonWheelUp: -1, tea.MouseButtonWheelDown: 1}[msg.Button]
}
