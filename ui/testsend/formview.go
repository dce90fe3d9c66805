package testsend

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// sendHeight is the height of the button, including the line above it.
const sendHeight = 2

// divide divides the screen. Messages below the form have more lines while they have the focus.
func (f *form) divide() {
	w, h := f.panes.Width(), f.panes.Height()
	rows := max(min(h/3, 6), 3)
	f.panes.Focus(paneMain)
	if f.forecastFocused() {
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
		lines := f.window.visible(f.buildRows(w), f.at, h-sendHeight)
		if f.window.more > 0 {
			c.Footer = fmt.Sprintf("%d more below", f.window.more)
		}
		lines = append(lines, "")
		c.Body = strings.Join(append(lines, f.sendButton(w).lines...), "\n")
		return c
	})
}

// buildRows returns the rows of the form without its button, w cells wide.
func (f *form) buildRows(w int) []row {
	rows := f.to.View(f.at, w)
	rows = append(rows, f.narrow.View(f.at, w)...)
	copies := f.copyRows(w, len(f.draft.FilterFields()) == 0)
	rows = append(rows, copies...)
	rows = append(rows, f.as.View(f.at, w, len(f.draft.FilterFields())+len(copies) == 0)...)
	return append(rows, f.values.View(f.at, w)...)
}

// copyRows returns the choice whether the addresses in Cc and Bcc get the test, with the addresses. A blank line comes first
// where it begins a section.
func (f *form) copyRows(w int, first bool) []row {
	to := f.copiesTo()
	if len(to) == 0 {
		return nil
	}
	at := rowID{rowCopies, 0}
	value, each := "none", "Nothing"
	if f.copies {
		value, each = "Cc and Bcc", "Each email"
		if n := f.forecast.sendCount(); n > 0 {
			each = phrase.Count(n, "email") + " each"
		}
	}
	r := line(f.theme, f.at, at, "Copies", choice(f.theme, f.at == at, value), w)
	rows := []row{addBelow(r, 2+labelWidth, w, f.theme.Faint, each+" to "+strings.Join(to, ", ")+".")}
	if first {
		rows = append([]row{textRow("")}, rows...)
	}
	return rows
}

// sendButton returns the button with the recipients. It is always visible.
func (f *form) sendButton(w int) row {
	at := rowID{rowSend, 0}
	text := "Send"
	if n := f.forecast.sendCount(); n > 0 {
		text = "Send " + phrase.Count(n, "message")
	}
	if f.request().Copies {
		text += " and copies"
	}
	style := f.theme.Button
	if f.at == at {
		style = f.theme.ButtonFocus
	}
	button := style.Render("[ " + text + " ]")
	tail, tone := "", f.theme.Faint
	switch why := f.missing(); {
	case why != "" && f.at == at:
		tail, tone = why, f.theme.Warning
	case len(f.to.selected()) > 0:
		tail = "to " + f.people.Summary(f.to.request())
		if as := f.as.list; len(as) > 0 {
			tail += " as " + personaNames(as)
		}
		if n := f.values.changed(); n > 0 {
			tail += ", with " + phrase.Count(n, "value") + " changed"
		}
	}
	room := w - 2 - widget.Width(button) - 1
	if tail != "" && room > 4 {
		button += " " + tone.Render(widget.Truncate(widget.Clean(tail), room))
	}
	return line(f.theme, f.at, at, "", button, w)
}

// rowAt returns the row on a line inside the form's frame, and the line within the row.
func (f *form) rowAt(y int) (at rowID, line int, ok bool) {
	w, h := f.panes.Size(paneMain)
	all := f.buildRows(w)
	shown := len(f.window.visible(all, f.at, h-sendHeight))
	switch {
	case y == shown+sendHeight-1:
		return rowID{rowSend, 0}, 0, true
	case y < 0 || y >= shown:
		return rowID{}, 0, false
	}
	y += f.window.top
	for _, r := range all {
		if y < len(r.lines) {
			return r.rowID, y, r.kind != rowText
		}
		y -= len(r.lines)
	}
	return rowID{}, 0, false
}

// mouse handles the wheel and clicks; send is the action of the button.
func (f *form) mouse(msg tea.MouseMsg, send func() tea.Cmd) tea.Cmd {
	f.divide()
	pane, msg := f.panes.Mouse(msg)
	aside := pane == paneSide
	switch by := wheel(msg); {
	case by != 0 && aside:
		f.forecast.scroll(by)
	case by != 0 && !f.forecastFocused():
		f.move(by)
	case aside && widget.Pressed(msg):
		f.focus(rowID{rowForecast, 0})
	case widget.Pressed(msg):
		return f.press(msg, send)
	}
	return nil
}

// promptX is the column of the prompt, after the cursor.
const promptX = 3

// press handles a click on a row.
func (f *form) press(msg tea.MouseMsg, send func() tea.Cmd) tea.Cmd {
	at, line, ok := f.rowAt(msg.Y)
	if !ok {
		return nil
	}
	if at.kind == rowPrompt && f.at.kind == rowPrompt {
		if i, ok := f.to.list.RowAt(line - f.to.lines); ok && f.to.list.Highlight(i) {
			return f.accept()
		}
	}
	f.focus(at)
	switch at.kind {
	case rowPrompt:
		f.to.prompt.Click(msg.X - promptX)
	case rowSend:
		return send()
	case rowIdentifier, rowFilter, rowCopies:
		return f.choose()
	}
	return nil
}

// tab moves to the next part of the form, accepting the highlighted suggestion if something was typed.
func (f *form) tab() tea.Cmd {
	h, ok := f.to.list.Highlighted()
	if !ok || f.at.kind != rowPrompt || h.Free || f.to.text() == "" {
		return f.nextGroup(1)
	}
	cmd := f.accept()
	return tea.Batch(cmd, f.nextGroup(1))
}

// formHost has the actions of the screen that the form needs.
type formHost struct {
	send, earlier, groups, as func() tea.Cmd
	up                        screen.Action
}

// actions returns the actions of the form.
func (f *form) actions(host formHost) []screen.Action {
	acts := []screen.Action{
		{Keys: []string{"ctrl+s"}, Label: "send", Help: "send the test", Group: groupTest, BarPriority: 8, WhileTyping: true, DisabledReason: f.missing(), Run: host.send},
	}
	leave := screen.Action{Keys: []string{"esc"}, Label: "leave field", Help: "leave the field and keep its text", Group: groupMove, BarPriority: 6, WhileTyping: true, Run: func() tea.Cmd {
		f.to.enterPending = false
		f.focus(rowID{rowIdentifier, 0})
		return nil
	}}
	enter := screen.Action{Keys: []string{"enter"}, Group: groupTest, BarPriority: 9, WhileTyping: true}
	switch f.at.kind {
	case rowPrompt:
		enter.Label, enter.Help, enter.Run = "add", "add the highlighted recipient", f.enterTyped
		if f.to.list.At() < 0 {
			enter.Label, enter.Help = "next", "go to the next field"
		}
		if f.to.prompt.Value() != "" || f.to.list.At() >= 0 { // nothing typed is lost
			acts = append(acts, leave)
		}
	case rowRecipient:
		enter.Label, enter.Help, enter.Run = "edit", "edit the recipient", func() tea.Cmd { return f.drop(true) }
		acts = append(acts, screen.Action{Keys: []string{"x", "delete", "backspace"}, Label: "remove", Help: "remove the recipient", Group: groupTest, BarPriority: 7, Run: func() tea.Cmd { return f.drop(false) }})
	case rowPersona:
		enter.Label, enter.Help, enter.Run = "add user", "send the message with the data of another user", host.as
		if f.at.i < len(f.as.list) {
			acts = append(acts, screen.Action{Keys: []string{"x", "delete", "backspace"}, Label: "remove", Help: "remove the user", Group: groupTest, BarPriority: 7, Run: func() tea.Cmd { return dropPersona(f) }})
		}
	case rowSend:
		enter.Label, enter.Help, enter.DisabledReason, enter.Run = "send", "send the test", f.missing(), host.send
		acts[0].BarPriority = 0
	case rowForecast:
		enter = host.up
		acts[0].BarPriority = 6
	case rowOverride:
		enter.Label, enter.Help, enter.Run = "next", "go to the next field", func() tea.Cmd { return f.move(1) }
		acts = append(acts, leave)
	default:
		enter.Label, enter.Run = "choose", f.choose
		acts = append(acts, screen.Action{Keys: []string{" "}, Label: "next value", Help: "choose the next value", Group: groupTest, BarPriority: 7, Run: f.cycle})
	}
	return append(append([]screen.Action{enter}, acts...), f.moveActions(host)...)
}

// moveActions are the actions of every row of the form.
func (f *form) moveActions(host formHost) []screen.Action {
	noEarlier, bar := "", 3
	if len(f.past) == 0 {
		noEarlier, bar = "No tests yet.", 0
	}
	unchanged := ""
	if f.values.changed() == 0 {
		unchanged = "No personalization values are set."
	}
	acts := []screen.Action{
		{Keys: []string{"alt+e"}, Label: "earlier", Help: "list earlier tests, to send one again", Group: groupTest, BarPriority: bar, WhileTyping: true, DisabledReason: noEarlier, Run: host.earlier},
		{Name: "send-as", Keys: []string{"alt+u"}, Label: "send as", Help: "send the message with the data of another user", Group: groupTest, BarPriority: 3, WhileTyping: true, Run: host.as},
		{Keys: []string{"ctrl+g"}, Label: "groups", Help: "open saved groups of recipients", Group: groupTest, BarPriority: 4, WhileTyping: true, Run: host.groups},
		{Keys: []string{"ctrl+x"}, Label: "clear values", Help: "clear the personalization values", Group: groupTest, WhileTyping: true, DisabledReason: unchanged, Run: f.clearValues},
		{Keys: []string{"pgdown"}, Label: "scroll", Help: "scroll the messages down", Group: groupMove, WhileTyping: true, Run: func() tea.Cmd { return f.forecast.page(1) }},
		{Keys: []string{"pgup"}, Label: "scroll back", Help: "scroll the messages up", Group: groupMove, WhileTyping: true, Run: func() tea.Cmd { return f.forecast.page(-1) }},
		{Keys: []string{"down"}, Label: "next row", Group: groupMove, WhileTyping: true, Run: func() tea.Cmd { return f.move(1) }},
		{Keys: []string{"up"}, Label: "previous row", Group: groupMove, WhileTyping: true, Run: func() tea.Cmd { return f.move(-1) }},
		{Keys: []string{"tab"}, Label: "next section", Help: "go to the next section, last the messages", Group: groupMove, BarPriority: 5, WhileTyping: true, Run: f.tab},
		{Keys: []string{"shift+tab"}, Label: "previous section", Group: groupMove, WhileTyping: true, Run: func() tea.Cmd { return f.nextGroup(-1) }},
		{Keys: []string{"ctrl+o"}, Label: "outbox", Help: "open all delivered messages", Group: groupTest, WhileTyping: true, Run: f.outbox},
	}
	if !f.typing() { // in a text field, letters are text
		acts[0].Keys, acts[1].Keys = []string{"e", "alt+e"}, []string{"u", "alt+u"}
	}
	copying := f.copyAction(f.request())
	if copying.BarPriority, copying.WhileTyping = 0, true; f.typing() {
		copying.Keys = copying.Keys[1:]
	}
	acts = append(acts, copying, f.zoomAction(f.typing()))
	if f.at.kind == rowPrompt {
		acts = append(acts, screen.Action{Keys: []string{"ctrl+@"}, Label: "suggestions", Help: "highlight the first suggestion (ctrl+space)", Group: groupMove, WhileTyping: true, Run: f.to.highlightFirst})
	}
	return acts
}
