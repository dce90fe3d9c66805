package preview

import (
	"strings"
	"time"

	"bugle/engine/message/render"
	"bugle/themes"
)

// page collects rendered lines.
type page struct {
	*painter
	width int
	lines []string
	at    time.Time // when the message arrived; zero if unknown
	// caption has the reasons of what is missing.
	caption Caption
}

// received returns when the message arrived, formatted as devices do.
func (s *page) received() string {
	if s.at.IsZero() {
		return ""
	}
	return s.at.Format("15:04")
}

func (s *page) add(l line)      { s.lines = append(s.lines, s.draw(l, s.width)) }
func (s *page) blank()          { s.lines = append(s.lines, strings.Repeat(" ", s.width)) }
func (s *page) addAll(l []line) { s.addIndented(l, 0) }

// addIndented adds lines with an indent.
func (s *page) addIndented(list []line, indent int) {
	for _, l := range list {
		if indent > 0 {
			l = append(line{{text: strings.Repeat(" ", indent)}}, l...)
		}
		s.add(l)
	}
}

// wrapped adds a text, wrapped to the width.
func (s *page) wrapped(text string, p textStyle) {
	s.addAll(wrapRuns(runs(render.Text{{Text: text}}, p), s.width, 0))
}

// card draws what body adds inside a box of at most w cells.
func (s *page) card(w int, ground string, body func(in *page)) {
	w = min(w, s.width)
	in := &page{painter: s.painter, width: max(w-4, 1)}
	done := s.withBackground(ground)
	body(in)
	gap := s.paint(" ", textStyle{})
	done()
	if ground != "" && !s.noColors {
		s.filled(w, ground, in.lines)
		return
	}
	border := s.theme.Border
	side := border.Render("│")
	s.addDrawn(border.Render("╭"+strings.Repeat("─", max(w-2, 0))+"╮"), w)
	for _, l := range in.lines {
		s.addDrawn(side+gap+l+gap+side, w)
	}
	s.addDrawn(border.Render("╰"+strings.Repeat("─", max(w-2, 0))+"╯"), w)
}

// filled draws lines on a background of their own, which extends half a line above and below them.
func (s *page) filled(w int, ground string, lines []string) {
	side := s.paint("  ", textStyle{bg: ground})
	s.addDrawn(s.paint(strings.Repeat("▄", w), textStyle{edge: ground}), w)
	for _, l := range lines {
		s.addDrawn(side+l+side, w)
	}
	s.addDrawn(s.paint(strings.Repeat("▀", w), textStyle{edge: ground}), w)
}

// framed draws lines, four cells narrower than the page, inside a thin frame.
func (s *page) framed(lines []string) {
	edge := textStyle{tone: themes.ToneFaint}
	left, right := s.paint("│ ", edge), s.paint(" │", edge)
	s.add(line{{"┌" + strings.Repeat("─", s.width-2) + "┐", edge}})
	for _, l := range lines {
		s.lines = append(s.lines, left+l+right)
	}
	s.add(line{{"└" + strings.Repeat("─", s.width-2) + "┘", edge}})
}

// addDrawn adds a rendered line of w cells.
func (s *page) addDrawn(drawn string, w int) {
	s.lines = append(s.lines, drawn+strings.Repeat(" ", max(s.width-w, 0)))
}

// picture draws a placeholder for a picture with its kind and name; left and right are shown at its sides.
func (s *page) picture(img *render.Image, height int, left, right string) {
	w := s.width
	if w < 8 {
		s.add(textLine(mediaIcon(img)+" "+img.Name, textStyle{tone: themes.ToneMuted}))
		return
	}
	edge := textStyle{tone: themes.ToneFaint}
	label := []line{textLine(mediaIcon(img)+" "+string(img.Kind), textStyle{tone: themes.ToneMuted})}
	if img.Name != "" {
		label = append(label, textLine(img.Name, textStyle{}).cut(w-6))
	}
	height = max(height, len(label))
	top := (height - len(label)) / 2
	s.add(line{{"┌" + strings.Repeat("─", w-2) + "┐", edge}})
	for i := range height {
		var inside line
		if i >= top && i-top < len(label) {
			inside = label[i-top]
		}
		l, r := "  ", "  "
		if i == height/2 {
			l, r = pad2(left), pad2(right)
		}
		inside = fill(centered(inside, w-6), w-6)
		s.add(append(append(line{{"│", edge}, {l, textStyle{bold: true}}}, inside...), run{r, textStyle{bold: true}}, run{"│", edge}))
	}
	s.add(line{{"└" + strings.Repeat("─", w-2) + "┘", edge}})
}

func pad2(s string) string {
	if s == "" {
		return "  "
	}
	return s + " "
}

// fill pads a line to w cells.
func fill(l line, w int) line {
	return append(l, run{text: strings.Repeat(" ", max(w-l.width(), 0))})
}

func mediaIcon(img *render.Image) string {
	if img.Kind == render.Video {
		return "▶"
	}
	return "▨"
}

// thumbnail is the placeholder for a small picture at the right of a collapsed notification, two lines high.
const thumbnail = "▒▒▒▒"
