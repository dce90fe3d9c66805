package preview

import (
	"strings"
	"time"

	"bugle/engine/message/render"
	"bugle/themes"
)

// sheet gathers drawn lines.
type sheet struct {
	*canvas
	width int
	lines []string
	at    time.Time // when the message arrived; zero where nothing says so
}

// received returns when the message arrived, as devices show it.
func (s *sheet) received() string {
	if s.at.IsZero() {
		return ""
	}
	return s.at.Format("15:04")
}

func (s *sheet) add(l line)   { s.lines = append(s.lines, s.draw(l, s.width)) }
func (s *sheet) blank()       { s.lines = append(s.lines, strings.Repeat(" ", s.width)) }
func (s *sheet) all(l []line) { s.each(l, 0) }

// each adds lines, each behind an indent.
func (s *sheet) each(list []line, indent int) {
	for _, l := range list {
		if indent > 0 {
			l = append(line{{text: strings.Repeat(" ", indent)}}, l...)
		}
		s.add(l)
	}
}

// wrapped adds a text, broken into lines.
func (s *sheet) wrapped(text string, p pen) {
	s.all(flow(runs(render.Text{{Text: text}}, p), s.width, 0))
}

// card frames what body writes into the inside of a box of at most w cells.
func (s *sheet) card(w int, ground string, body func(in *sheet)) {
	w = min(w, s.width)
	in := &sheet{canvas: s.canvas, width: max(w-4, 1)}
	done := s.on(ground)
	body(in)
	gap := s.paint(" ", pen{})
	done()
	if ground != "" && !s.bare {
		s.filled(w, ground, in.lines)
		return
	}
	border := s.theme.Border
	side := border.Render("│")
	s.raw(border.Render("╭"+strings.Repeat("─", max(w-2, 0))+"╮"), w)
	for _, l := range in.lines {
		s.raw(side+gap+l+gap+side, w)
	}
	s.raw(border.Render("╰"+strings.Repeat("─", max(w-2, 0))+"╯"), w)
}

// filled puts drawn lines on a ground of its own, which ends half a line above and below them.
func (s *sheet) filled(w int, ground string, lines []string) {
	side := s.paint("  ", pen{bg: ground})
	s.raw(s.paint(strings.Repeat("▄", w), pen{edge: ground}), w)
	for _, l := range lines {
		s.raw(side+l+side, w)
	}
	s.raw(s.paint(strings.Repeat("▀", w), pen{edge: ground}), w)
}

// framed puts drawn lines, four cells narrower than the sheet, into a frame of thin lines.
func (s *sheet) framed(lines []string) {
	edge := pen{tone: themes.ToneFaint}
	left, right := s.paint("│ ", edge), s.paint(" │", edge)
	s.add(line{{"┌" + strings.Repeat("─", s.width-2) + "┐", edge}})
	for _, l := range lines {
		s.lines = append(s.lines, left+l+right)
	}
	s.add(line{{"└" + strings.Repeat("─", s.width-2) + "┘", edge}})
}

// raw adds a drawn line of w cells.
func (s *sheet) raw(drawn string, w int) {
	s.lines = append(s.lines, drawn+strings.Repeat(" ", max(s.width-w, 0)))
}

// picture draws the place of a picture, with what it is and its name; left and right stand at its sides.
func (s *sheet) picture(img *render.Image, height int, left, right string) {
	w := s.width
	if w < 8 {
		s.add(words(mediaSign(img)+" "+img.Name, pen{tone: themes.ToneMuted}))
		return
	}
	edge := pen{tone: themes.ToneFaint}
	label := []line{words(mediaSign(img)+" "+string(img.Kind), pen{tone: themes.ToneMuted})}
	if img.Name != "" {
		label = append(label, words(img.Name, pen{}).cut(w-6))
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
		inside = fill(centred(inside, w-6), w-6)
		s.add(append(append(line{{"│", edge}, {l, pen{bold: true}}}, inside...), run{r, pen{bold: true}}, run{"│", edge}))
	}
	s.add(line{{"└" + strings.Repeat("─", w-2) + "┘", edge}})
}

func pad2(s string) string {
	if s == "" {
		return "  "
	}
	return s + " "
}

// fill makes a line w cells wide.
func fill(l line, w int) line {
	return append(l, run{text: strings.Repeat(" ", max(w-l.width(), 0))})
}

func mediaSign(img *render.Image) string {
	if img.Kind == render.Video {
		return "▶"
	}
	return "▨"
}

// thumb is a small picture at the right of the text of a collapsed notification, two lines high.
const thumb = "▒▒▒▒"
