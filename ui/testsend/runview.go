package testsend

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"bugle/engine"
	model "bugle/engine/testsend"
	"bugle/themes"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// run is a test send, and how it is shown.
type run struct {
	model.Run
	frame int // of the wheel
	rows  rowList
	read  reader
}

// entry is a key of a run, or one of its recipients, as it is drawn.
type entry struct {
	key, send int // send is -1 for the key itself
	lines     []string
}

// rowList is the list of a run: entries of several lines, and a cursor.
type rowList struct {
	entries []entry
	window  widget.Window // over the lines
	cursor  int           // an entry
	moved   bool          // a person has moved it; otherwise it follows what is under way
	height  int
}

// follow lets the cursor go with what is under way.
func (l *rowList) follow() { l.cursor, l.moved, l.window = 0, false, widget.Window{} }

// set takes the entries, and keeps the cursor in sight.
func (l *rowList) set(entries []entry, height int) {
	l.entries, l.height = entries, max(height, 0)
	n := 0
	for _, e := range entries {
		n += len(e.lines)
	}
	l.cursor = max(min(l.cursor, len(entries)-1), 0)
	l.window.Resize(n, l.height)
}

// show scrolls to the entry under the cursor.
func (l *rowList) show() {
	from := 0
	for i, e := range l.entries {
		if i == l.cursor {
			l.window.Select(from + len(e.lines) - 1)
			l.window.Select(from)
			return
		}
		from += len(e.lines)
	}
}

func (l *rowList) move(n int) {
	l.cursor, l.moved = max(min(l.cursor+n, len(l.entries)-1), 0), true
	l.show()
}

func (l *rowList) update(msg tea.KeyMsg) {
	switch msg.String() {
	case "up", "k":
		l.move(-1)
	case "down", "j":
		l.move(1)
	case "pgup", "ctrl+b":
		l.move(-max(l.height-1, 1))
	case "pgdown", "ctrl+f":
		l.move(max(l.height-1, 1))
	case "home", "g":
		l.move(-len(l.entries))
	case "end", "G":
		l.move(len(l.entries))
	}
}

// at returns the entry on a line of the list.
func (l *rowList) at(y int) (int, bool) {
	line, ok := l.window.At(y)
	for i, e := range l.entries {
		if line < len(e.lines) {
			return i, ok
		}
		line -= len(e.lines)
	}
	return 0, false
}

// view returns the lines in sight.
func (l *rowList) view() []string {
	var lines []string
	for _, e := range l.entries {
		lines = append(lines, e.lines...)
	}
	from, to := l.window.Visible()
	return lines[from:to]
}

// readFrom is the width from which the delivered message stands beside the list, leastRead the height that it needs
// below it.
const (
	readFrom  = 100
	leastRead = 10
)

var stageNames = map[stage]string{stageSending: "Sending", stageDone: "Results"}

// runBoxes returns the sizes of the list and of the message beside or below it; what is not shown has none.
func (s *Screen) runBoxes() (list, read box) {
	switch {
	case s.stage != stageDone || s.zoom && !s.run.read.open:
		return box{s.width, s.height}, box{}
	case s.width >= readFrom && !s.zoom:
		w := s.width / 2
		return box{s.width - w, s.height}, box{w, s.height}
	case s.run.read.open:
		return box{}, box{s.width, s.height}
	}
	most := s.height - leastRead // that the list may have, with its frame
	if lines := s.runLines(most); lines+2 <= most {
		return box{s.width, lines + 2}, box{s.width, s.height - lines - 2}
	}
	return box{s.width, s.height}, box{}
}

// runLines is how many lines the list fills in the width of the screen, or more than most.
func (s *Screen) runLines(most int) int {
	if len(s.run.Keys) > most {
		return most + 1
	}
	w, _ := s.panel("", box{s.width, s.height}, true).Inner()
	n := len(s.runHead(w))
	for _, e := range s.runEntries(w) {
		n += len(e.lines)
	}
	return n
}

// runView draws how the test goes, and how it went.
func (s *Screen) runView() string {
	left, right := s.runBoxes()
	s.layRun()
	var views []string
	if left.w > 0 {
		panel := s.panel(s.crumbs(left.w, stageNames[s.stage]), left, !s.run.read.open)
		w, _ := panel.Inner()
		if s.run.rows.window.Overflows() {
			panel.Footer = fmt.Sprintf("%d of %d", s.run.rows.cursor+1, len(s.run.rows.entries))
		}
		views = append(views, panel.View(strings.Join(append(s.runHead(w), s.run.rows.view()...), "\n")))
	}
	if right.w > 0 {
		views = append(views, s.readView(right))
	}
	if left.w == s.width {
		return lipgloss.JoinVertical(lipgloss.Left, views...)
	}
	return lipgloss.JoinHorizontal(lipgloss.Top, views...)
}

// layRun breaks all there is to say into lines, and keeps what is in sight among them.
func (s *Screen) layRun() {
	left, _ := s.runBoxes()
	if left.w == 0 {
		left = box{s.width, s.height}
	}
	w, h := s.panel("", left, true).Inner()
	l := &s.run.rows
	l.set(s.runEntries(w), h-len(s.runHead(w)))
	if s.stage == stageSending && !l.moved {
		l.cursor = s.current()
		l.show()
	}
}

// current is the first entry that has not ended.
func (s *Screen) current() int {
	for i, e := range s.run.rows.entries {
		k := s.run.Keys[e.key]
		if e.send < 0 && k.Round && k.Status == "" && (k.Count(model.Sending) > 0 || k.Count(model.Queued) > 0) {
			return i
		}
	}
	return max(len(s.run.rows.entries)-1, 0)
}

// runHead is the bar, or the summary.
func (s *Screen) runHead(w int) []string {
	now := s.deps.Now()
	if s.stage == stageSending {
		bar := widget.NewProgress(s.theme, "Sending")
		if s.run.Canceling {
			bar.Label = "Canceling"
		}
		bar.Done, bar.Total, bar.Frame = s.run.Done, s.run.Total, s.run.frame
		bar.SetSize(w, 1)
		return []string{bar.View(), ""}
	}
	style := s.theme.Success
	if s.run.FailedKeys() > 0 {
		style = s.theme.Danger
	}
	var head []string
	for _, l := range widget.Wrap(widget.Clean(problems.Sentence(s.run.Message)), w) {
		head = append(head, style.Render(l))
	}
	hint := s.moment(s.run.Began) + ", to " + s.people.Summary(s.run.Ask)
	if took := elapsed(s.run.Began, s.run.Began.Add(s.run.Took), now); took != "" {
		hint += ", in " + took
	}
	hint += "."
	for _, l := range widget.Wrap(widget.Clean(hint), w) {
		head = append(head, s.theme.Muted.Render(l))
	}
	return append(head, "")
}

// runEntries draws the keys and, where there are several, their recipients.
func (s *Screen) runEntries(w int) []entry {
	var out []entry
	for i := range s.run.Keys {
		k := &s.run.Keys[i]
		e := entry{i, -1, []string{s.entryLine(len(out), s.keyLine(k, w-2), w)}}
		each := len(k.Sends) > 1 || k.Explained()
		if k.Reason != "" && !(each && k.Explained()) {
			e.lines = append(e.lines, wrapped(s.theme, s.people.Explain(k.Reason, s.draft.Workspace, s.run.Ask), 4, w)...)
		}
		out = append(out, e)
		if !each {
			continue
		}
		for j := range k.Sends {
			out = append(out, s.sendEntry(len(out), i, j, w))
		}
	}
	return out
}

func wrapped(t themes.Theme, text string, indent, w int) []string {
	var out []string
	for _, l := range widget.Wrap(widget.Clean(text), max(w-indent, 1)) {
		out = append(out, strings.Repeat(" ", indent)+t.Danger.Render(l))
	}
	return out
}

// entryLine draws the first line of an entry with the sign of the cursor.
func (s *Screen) entryLine(i int, text string, w int) string {
	mark := "  "
	if i == s.run.rows.cursor && (s.stage == stageDone || s.run.rows.moved) {
		mark = s.theme.Accent.Render("▌ ")
	}
	return widget.Truncate(mark+text, w)
}

// sign returns the sign and the color of a state.
func (s *Screen) sign(st model.State) (string, lipgloss.Style) {
	switch st {
	case model.Sent:
		return "✓", s.theme.Success
	case model.Failed:
		return "✗", s.theme.Danger
	case model.Sending:
		return widget.Spinner(s.run.frame), s.theme.Info
	}
	return "·", s.theme.Faint
}

// keyLine draws a key, its status, and how many of its recipients have it.
func (s *Screen) keyLine(k *model.Key, w int) string {
	st := model.Queued
	switch {
	case k.Status == engine.Sent:
		st = model.Sent
	case k.Status != "" || k.Reason != "" || k.Word() == model.Failed.String():
		st = model.Failed
	case k.Word() == model.Sent.String():
		st = model.Sent
	case k.Count(model.Sending) > 0:
		st = model.Sending
	}
	sign, style := s.sign(st)
	tail := ""
	if n := len(k.Sends); n > 1 {
		tail = fmt.Sprintf("  %d of %d", k.Count(model.Sent), n)
	}
	if len(k.Sends) == 1 {
		tail += "  " + elapsed(k.Sends[0].Began, k.Sends[0].Ended, s.deps.Now())
	}
	word := widget.Clean(k.Word())
	name := widget.Truncate(widget.Clean(k.Name), max(w-3-widget.Width(word)-widget.Width(tail), 1))
	return style.Render(sign) + " " + name + " " + style.Render(word) + s.theme.Muted.Render(tail)
}

// sendEntry draws a recipient of a key, and why they did not get it.
func (s *Screen) sendEntry(n, i, j, w int) entry {
	d := &s.run.Keys[i].Sends[j]
	sign, style := s.sign(d.State)
	identifier, _ := model.Addressed(s.draft.Workspace, s.run.Ask)
	if d.State == model.Failed && d.Why != "" {
		text := widget.Wrap(widget.Clean(s.recipient(d)+": "+d.Why), max(w-6, 1))
		e := entry{i, j, []string{s.entryLine(n, "  "+style.Render(sign+" "+text[0]), w)}}
		for _, l := range text[1:] {
			e.lines = append(e.lines, strings.Repeat(" ", 6)+style.Render(l))
		}
		return e
	}
	tail := strings.TrimSpace(d.State.String() + "  " + elapsed(d.Began, d.Ended, s.deps.Now()))
	name := "all recipients"
	if d.Recipient != "" {
		name = s.named("", identifier, d.Recipient, w-7-widget.Width(tail))
	}
	return entry{i, j, []string{s.entryLine(n, "  "+style.Render(sign)+" "+name+"  "+s.theme.Muted.Render(tail), w)}}
}

// selected returns what the cursor is on: a key, and its recipient. On a key, that is the first that has it.
func (s *Screen) selected() (k *model.Key, d *model.Send) {
	l := &s.run.rows
	if l.cursor >= len(l.entries) || l.entries[l.cursor].key >= len(s.run.Keys) {
		return nil, nil
	}
	e := l.entries[l.cursor]
	k = &s.run.Keys[e.key]
	switch i := slices.IndexFunc(k.Sends, func(d model.Send) bool { return d.State == model.Sent }); {
	case e.send >= 0 && e.send < len(k.Sends):
		d = &k.Sends[e.send]
	case i >= 0:
		d = &k.Sends[i]
	case len(k.Sends) > 0:
		d = &k.Sends[0]
	}
	return k, d
}

// readMouse takes the mouse over the message, whose frame begins at x and y: a press gives it the keyboard.
func (s *Screen) readMouse(msg tea.MouseMsg, x, y int) tea.Cmd {
	if pressed(msg) {
		s.run.read.open = s.stage == stageDone
	}
	msg.X, msg.Y = msg.X-x-2, msg.Y-y-1-s.run.read.head
	s.run.read.view.Mouse(msg)
	return nil
}

// runMouse takes the wheel and clicks: the entry there, or the message beside.
func (s *Screen) runMouse(msg tea.MouseMsg) tea.Cmd {
	s.layRun()
	left, right := s.runBoxes()
	switch beside := left.w < s.width; {
	case right.w > 0 && beside && msg.X >= left.w:
		return s.readMouse(msg, left.w, 0)
	case right.w > 0 && !beside && msg.Y >= left.h:
		return s.readMouse(msg, 0, left.h)
	}
	l := &s.run.rows
	if l.window.Wheel(msg) {
		l.moved = true
		return nil
	}
	if msg.Button != tea.MouseButtonLeft || msg.Action != tea.MouseActionPress {
		return nil
	}
	w, _ := s.panel("", left, true).Inner()
	i, ok := l.at(msg.Y - 1 - len(s.runHead(w)))
	if !ok {
		return nil
	}
	s.run.read.open = false
	again := l.cursor == i && l.moved
	l.cursor, l.moved = i, true
	if again && s.stage == stageDone {
		return s.openMessage()
	}
	return nil
}

// elapsed returns how long something has taken, in words; empty for less than a second.
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

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
