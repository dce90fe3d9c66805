package testsend

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/ui/widget"
)

// runView draws how the test goes, and how it went.
func (s *Screen) runView() string {
	panel := s.panel(s.name(), box{s.width, s.height}, true)
	head, lines := s.runText()
	from, to := s.scroll.Visible()
	if s.scroll.Overflows() {
		panel.Footer = fmt.Sprintf("%d of %d", to, len(lines))
	}
	return panel.View(strings.Join(append(head, lines[from:to]...), "\n"))
}

// runText breaks all there is to say into lines, and keeps what is in sight among them.
func (s *Screen) runText() (head, lines []string) {
	w, h := s.panel("", box{s.width, s.height}, true).Inner()
	head = s.runHead(w)
	lines, current := s.runLines(w)
	s.scroll.Resize(len(lines), max(h-len(head), 0))
	if s.stage == stageSending && !s.run.scrolled {
		s.scroll.Select(current)
	}
	return head, lines
}

// runHead is the bar, or the summary.
func (s *Screen) runHead(w int) []string {
	if s.stage == stageSending {
		bar := widget.NewProgress(s.theme, "Sending")
		if s.run.cancelling {
			bar.Label = "Cancelling"
		}
		bar.Done, bar.Total, bar.Frame = s.run.done, s.run.total, s.run.frame
		bar.SetSize(w, 1)
		return []string{bar.View(), ""}
	}
	style := s.theme.Success
	if s.run.failedKeys() > 0 {
		style = s.theme.Danger
	}
	var head []string
	for _, l := range widget.Wrap(widget.Clean(s.run.message), w) {
		head = append(head, style.Render(l))
	}
	hint := "o opens the outbox · enter goes back to the form"
	if s.run.failedKeys() > 0 {
		hint = "r sends the failed again · " + hint
	}
	for _, l := range widget.Wrap(hint, w) {
		head = append(head, s.theme.Muted.Render(l))
	}
	return append(head, "")
}

// runLines draws the keys; current is the last line of the first that has not ended.
func (s *Screen) runLines(w int) (lines []string, current int) {
	found := false
	for i := range s.run.keys {
		k := &s.run.keys[i]
		lines = append(lines, s.keyLine(k, w))
		for _, l := range widget.Wrap(widget.Clean(k.why()), max(w-4, 1)) {
			if l != "" {
				lines = append(lines, "    "+s.theme.Danger.Render(l))
			}
		}
		if !found {
			current = len(lines) - 1
			found = k.status == "" && (k.running > 0 || k.sent+len(k.missed) == 0)
		}
	}
	return lines, current
}

// keyLine draws a key and its status beside one another.
func (s *Screen) keyLine(k *keyState, w int) string {
	sign, style := "·", s.theme.Faint
	switch {
	case k.status == engine.Sent:
		sign, style = "✓", s.theme.Success
	case k.status != "" || k.reason != "":
		sign, style = "✗", s.theme.Danger
	case k.running > 0:
		sign, style = widget.Spinner(s.run.frame), s.theme.Info
	}
	tail := ""
	if n := k.sent + len(k.missed); n > 0 {
		tail = fmt.Sprintf("  %d of %d", k.sent, max(n, n+k.running))
	}
	word := widget.Clean(k.word())
	name := widget.Truncate(widget.Clean(k.name), max(w-3-widget.Width(word)-widget.Width(tail), 1))
	return widget.Truncate(style.Render(sign)+" "+name+" "+style.Render(word)+s.theme.Muted.Render(tail), w)
}

// mouse hands the mouse to what is shown.
func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	if !s.ready() {
		return nil
	}
	press := msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
	switch s.stage {
	case stageRefused:
		if s.refusal.list.Mouse(msg, msg.Y-2-len(s.refusalHead())) {
			return s.solve()
		}
		return nil
	case stageSending, stageDone:
		s.runText()
		s.run.scrolled = s.scroll.Wheel(msg) || s.run.scrolled
		return nil
	}
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		s.move(-1)
	case msg.Button == tea.MouseButtonWheelDown:
		s.move(1)
	case press:
		return s.press(msg)
	}
	return nil
}

// press does what the row under the mouse is for.
func (s *Screen) press(msg tea.MouseMsg) tea.Cmd {
	form, _ := divide(s.width, s.height)
	if msg.X >= form.w {
		return nil
	}
	at, ok := s.spotAt(msg.Y - 1)
	if !ok {
		return nil
	}
	s.focus(at)
	switch at.place {
	case onOffer:
		return s.take(at.i)
	case onSend:
		return s.send()
	case onIdentifier, onPlatform, onLocale, onVariation:
		return s.choose()
	}
	return nil
}
