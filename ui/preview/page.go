package preview

import (
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"

	"bugle/engine/message/render"
	"bugle/themes"
	"bugle/ui/widget"
)

// page collects the rendered lines of one tab, or of a card in it.
type page struct {
	theme   *themes.Theme
	colors  bool                // of documents are drawn
	drawn   map[style][2]string // what begins and ends a text in a style; shared with cards
	ground  string              // #rrggbb, "" for the terminal's own background
	width   int
	lines   []string
	at      time.Time // when the message arrived; zero if unknown
	caption Caption   // has the reasons of what is missing
}

func newPage(t *themes.Theme, width int) *page {
	return &page{theme: t, colors: showsColors(t), drawn: map[style][2]string{}, width: max(width, 1)}
}

// inside returns an empty page for a card in s.
func (s *page) inside(width int, ground string) *page {
	in := *s
	in.width, in.ground, in.lines = max(width, 1), ground, nil
	return &in
}

// received returns when the message arrived, formatted as devices do.
func (s *page) received() string {
	if s.at.IsZero() {
		return ""
	}
	return s.at.Format("15:04")
}

// add adds drawn lines, each cut or filled to the width.
func (s *page) add(lines ...string) {
	for _, l := range lines {
		l = widget.Truncate(l, s.width)
		s.lines = append(s.lines, l+s.spaces(s.width-widget.Width(l)))
	}
}

// spaces returns blanks on the page's background.
func (s *page) spaces(n int) string {
	blanks := strings.Repeat(" ", max(n, 0))
	if s.ground == "" {
		return blanks
	}
	return s.paint(blanks, plain)
}

// hanging adds a drawn text, wrapped to at most so many lines (0 for no limit): behind first on the first line, and behind
// rest on the others.
func (s *page) hanging(first, rest, text string, most int) {
	for _, l := range wrap(text, max(s.width-widget.Width(first), 4), most) {
		s.add(first + l)
		first = rest
	}
}

// indented is hanging with blanks below a mark.
func (s *page) indented(mark, text string, most int) {
	s.hanging(mark, s.spaces(widget.Width(mark)), text, most)
}

// wrapped is hanging behind nothing.
func (s *page) wrapped(text string, most int) { s.hanging("", "", text, most) }

// rule adds a line across the page.
func (s *page) rule(char string) { s.add(s.paint(strings.Repeat(char, s.width), faint)) }

// sides adds a line with a text at the left, which is cut if needed, and one at the right.
func (s *page) sides(left, right string) {
	room := s.width - widget.Width(right) - 1
	if right == "" || room < 4 {
		s.add(left)
		return
	}
	left = widget.Truncate(left, room)
	s.add(left + s.spaces(s.width-widget.Width(left)-widget.Width(right)) + right)
}

// centered adds a line in the middle of w cells.
func (s *page) centered(text string, w int) {
	text = widget.Truncate(text, w)
	s.add(s.spaces((w-widget.Width(text))/2) + text)
}

// card draws what body adds inside a box of at most w cells: with a frame, or on a background of its own, which extends
// half a line above and below it.
func (s *page) card(w int, ground string, body func(in *page)) {
	w = min(w, s.width)
	if !s.colors {
		ground = ""
	}
	in := s.inside(w-4, ground)
	body(in)
	top, left, right, bottom := "╭"+strings.Repeat("─", max(w-2, 0))+"╮", "│ ", " │", "╰"+strings.Repeat("─", max(w-2, 0))+"╯"
	edge := s.theme.Border
	if ground != "" {
		top, left, right, bottom = strings.Repeat("▄", w), "  ", "  ", strings.Repeat("▀", w)
		edge = s.theme.NewStyle().Foreground(lipgloss.Color(ground))
	}
	s.add(edge.Render(top))
	if ground != "" {
		edge = s.theme.NewStyle().Background(lipgloss.Color(ground))
	}
	left, right = edge.Render(left), edge.Render(right)
	for _, l := range in.lines {
		s.add(left + l + right)
	}
	s.add(edge.Render(bottom))
}

// framed draws what body adds inside a thin frame.
func (s *page) framed(body func(in *page)) {
	in := s.inside(s.width-4, s.ground)
	body(in)
	s.add(s.paint("┌"+strings.Repeat("─", max(s.width-2, 0))+"┐", faint))
	for _, l := range in.lines {
		s.add(s.paint("│ ", faint) + l + s.paint(" │", faint))
	}
	s.add(s.paint("└"+strings.Repeat("─", max(s.width-2, 0))+"┘", faint))
}

// picture draws a placeholder for a picture with its kind and name, which is a link to it; left and right are at its sides.
func (s *page) picture(img *render.Image, left, right string) {
	kind, name := s.paint(mediaIcon(img)+" ", muted), s.theme.Link(img.URL, s.clean(img.Name, plain))
	if s.width < 8 {
		s.add(kind + name)
		return
	}
	s.framed(func(in *page) {
		label := in.inside(in.width-2, in.ground)
		label.centered(kind+in.clean(string(img.Kind), muted), label.width)
		if name != "" {
			label.centered(name, label.width)
		}
		for _, l := range label.lines {
			in.add(in.paint(left, bold) + l + in.paint(right, bold))
		}
	})
}

func mediaIcon(img *render.Image) string {
	if img.Kind == render.Video {
		return "▶"
	}
	return "▨"
}

// notes draws what the device does not show: warnings, expressions without a value, and facts.
func (s *page) notes(facts []render.Fact, missing []render.Missing, warnings []render.Warning) {
	for _, w := range warnings {
		mark, p := missingMark+" ", style{tone: themes.ToneWarning}
		if w.Minor {
			mark, p = "· ", muted
		}
		s.indented(s.paint(mark, p), s.clean(w.Text, p), 0)
	}
	for _, m := range missing {
		s.indented(s.paint(missingMark+" ", danger), s.text(render.Text{
			{Text: "No value for "}, {Text: "{{" + m.Expression + "}}", Kind: render.Expression}, {Text: " in " + m.Field + s.caption.reason(m)},
		}, plain), 0)
	}
	names := 0
	for _, f := range facts {
		names = max(names, widget.Width(widget.Clean(f.Name)))
	}
	names = min(names, 14, s.width/3+2)
	for _, f := range facts {
		s.indented(s.paint(widget.PadRight(widget.Clean(f.Name), names)+" ", muted), s.text(render.Text{{Text: f.Text}}, plain), 0)
	}
}

// design adds the saved template that a message is from; a warning reports a missing one.
func design(facts []render.Fact, t render.Saved) []render.Fact {
	if t.Name == "" || t.Why != "" {
		return facts
	}
	return append(facts, render.Fact{Name: "Design", Text: "from the saved template " + t.Name})
}
