package testsend

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"bugle/engine"
	model "bugle/engine/testsend"
	"bugle/ui/widget"
)

// gridView draws what will go out: each message of the draft by recipient, and why what will not.
func (s *Screen) gridView(b box) string {
	messages, names := s.going(), s.names(s.ask())
	panel := s.panel("Messages", b, s.beside())
	if n := len(messages) * len(names); n > 0 {
		panel.Info = fmt.Sprintf("%d to send", n)
	}
	w, h := panel.Inner()
	if len(messages) == 0 {
		return panel.View(strings.Join(widget.Wrap("No messages yet. Add content to the campaign first.", w), "\n"))
	}
	lines := s.gridLines(messages, names, w, h)
	lines = append(lines, s.glanceLines(messages, names, w, h-len(lines))...)
	s.gridTop = max(min(s.gridTop, len(lines)-h), 0)
	to := min(s.gridTop+h, len(lines))
	if len(lines) > h {
		panel.Footer = fmt.Sprintf("pgdn · %d of %d", to, len(lines))
	}
	return panel.View(strings.Join(lines[s.gridTop:to], "\n"))
}

// scrollGrid moves what is in sight of the grid by pages.
func (s *Screen) scrollGrid(n int) tea.Cmd {
	_, grid := s.boxes()
	s.gridTop = max(s.gridTop+n*max(grid.h-3, 1), 0)
	return nil
}

func (s *Screen) gridLines(messages []model.Message, names []string, w, h int) []string {
	reasons, stopped := s.draft.Reasons(s.told(), messages, s.numbered(names))
	people := count(len(names), "recipient")
	if ask := s.ask(); engine.TakesSegment(ask.Identifier) && len(ask.Values) > 0 {
		people = count(len(names), "member")
	}
	summary := fmt.Sprintf("%s to %s", count(len(messages), "message"), people)
	lines := []string{s.theme.Muted.Render(widget.Truncate(summary, w))}
	if stopped > 0 {
		text := fmt.Sprintf("%d of %d will not arrive", stopped, len(messages)*len(names))
		if h < 8 && widget.Width(summary)+3+widget.Width(text) <= w {
			lines[0] += " · " + s.theme.Warning.Render(text)
		} else {
			lines = append(lines, s.theme.Warning.Render(widget.Truncate(text, w)))
		}
	}
	blank := func() {
		if h >= 8 {
			lines = append(lines, "")
		}
	}
	blank()
	lines = append(lines, s.matrix(messages, names, w)...)
	asks := s.callsLater(names)
	if len(reasons)+len(asks) > 0 {
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
		note(r, "✗", s.theme.Warning)
	}
	for _, a := range asks {
		note(a, "·", s.theme.Muted)
	}
	return lines
}

// matrix draws a line for each message, with a sign for each recipient under their number, or how many
// get it where there is no room for that.
func (s *Screen) matrix(messages []model.Message, names []string, w int) []string {
	labels := make([]string, len(messages))
	for i, m := range messages {
		labels[i] = m.Name
	}
	head := numbers(len(names))
	tail, bare := widget.Width(head), ""
	room := func() int { return max(w-max(tail, len(bare))-1, 1) }
	if slices.ContainsFunc(messages, s.bare) {
		bare = "no content"
	}
	if !allFit(labels, room()) {
		labels = model.Short(messages)
	}
	if bare != "" && !allFit(labels, room()) {
		bare = "none"
	}
	return s.matrixLines(messages, labels, head, bare, len(names), room(), w)
}

// matrixLines draws the lines of the matrix: labels of up to room cells, and what stands beside them.
func (s *Screen) matrixLines(messages []model.Message, labels []string, head, bare string, n, room, w int) []string {
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
		lines = append(lines, strings.Repeat(" ", room+1)+s.theme.Faint.Render(head))
	}
	for i, m := range messages {
		label := widget.PadRight(widget.Truncate(widget.Clean(labels[i]), room), room)
		signs := s.theme.Warning.Render(bare)
		if !s.draft.Bare(m) {
			signs = s.signs(m, n, each)
		}
		lines = append(lines, widget.Truncate(label+" "+signs, w))
	}
	return lines
}

func allFit(labels []string, room int) bool {
	return !slices.ContainsFunc(labels, func(l string) bool { return widget.Width(widget.Clean(l)) > room })
}

// numbers heads the columns of n recipients.
func numbers(n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprint(i+1))
	}
	return strings.Join(out, " ")
}

// bare reports whether nothing was written for a message.
func (s *Screen) bare(m model.Message) bool { return s.draft.Document.Lookup(m.Key.Content).Empty() }

// signs returns what becomes of a message for each recipient.
func (s *Screen) signs(m model.Message, n int, each bool) string {
	var out []string
	arrive := 0
	for i := range n {
		why, known := s.told().Why(m, i)
		switch {
		case why != "":
			out = append(out, s.theme.Warning.Render("✗"))
		case !known:
			out = append(out, s.theme.Faint.Render("○"))
			arrive++
		default:
			out = append(out, s.theme.Accent.Render("●"))
			arrive++
		}
	}
	if each {
		return strings.Join(out, " ")
	}
	style := s.theme.Accent
	if arrive < n {
		style = s.theme.Warning
	}
	return style.Render(fmt.Sprintf("%d of %d", arrive, n))
}

// numbered names those that the form's test goes to, with the numbers of their columns where there are several.
func (s *Screen) numbered(values []string) []string {
	identifier, _ := model.Addressed(s.draft.Workspace, s.ask())
	out := s.people.Names(engine.TestSend{Identifier: identifier, Values: values})
	for i := range out {
		if len(out) > 1 {
			out[i] = fmt.Sprintf("%d %s", i+1, out[i])
		}
	}
	return out
}
