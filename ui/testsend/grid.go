package testsend

import (
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/ui/widget"
)

// gridView draws what will go out: each message of the draft, by recipient.
func (s *Screen) gridView(b box) string {
	keys, ask := s.keys(), s.ask()
	n := s.recipientCount(ask)
	panel := s.panel("What goes out", b, false)
	panel.Info = fmt.Sprintf("%d × %d = %d", len(keys), n, len(keys)*n)
	w, h := panel.Inner()
	if len(keys) == 0 {
		return panel.View(strings.Join(widget.Wrap("Nothing yet: write the content of the campaign first.", w), "\n"))
	}
	lines := s.gridHead(ask, n, w)
	signs := signsFor(keys, n, w)
	room := max(h-len(lines), 1)
	for i, k := range keys {
		if i == room-1 && len(keys) > room {
			lines = append(lines, s.theme.Faint.Render(fmt.Sprintf("… and %d more", len(keys)-i)))
			break
		}
		lines = append(lines, s.gridRow(k, signs, w))
	}
	return panel.View(strings.Join(lines, "\n"))
}

// gridHead says in words what the grid counts.
func (s *Screen) gridHead(ask engine.TestSend, n, w int) []string {
	people := count(n, "recipient")
	if engine.TakesSegment(ask.Identifier) && len(ask.Values) > 0 {
		people = count(n, "member")
	}
	text := fmt.Sprintf("%s to %s", count(len(s.keys()), "message"), people)
	return []string{s.theme.Muted.Render(widget.Truncate(widget.Clean(text), w)), ""}
}

// signsFor gives a sign for each recipient, or their number where there is no room for that
// beside every key.
func signsFor(keys []engine.TestKey, n, w int) string {
	signs := strings.TrimSpace(strings.Repeat("● ", n))
	for _, k := range keys {
		if widget.Width(widget.Clean(k.String()))+1+widget.Width(signs) > w {
			return fmt.Sprintf("×%d", n)
		}
	}
	return signs
}

// gridRow draws a key and whom it goes to.
func (s *Screen) gridRow(k engine.TestKey, signs string, w int) string {
	style := s.theme.Accent
	if s.document.Lookup(k.Content).Empty() {
		signs, style = "no content", s.theme.Warning
	}
	name, room := widget.Clean(k.String()), max(w-widget.Width(signs)-1, 1)
	return widget.PadRight(widget.Truncate(name, room), room) + " " + style.Render(signs)
}
