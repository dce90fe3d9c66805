package newdraft

import (
	"cmp"
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/themes"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// sideMinWidth is the width from which help and problems stand beside the questions.
const sideMinWidth = 100

// drawnPositions is where things were drawn, for the mouse.
type drawnPositions struct {
	step [stepCount]int // the line of each step, from the top of the screen
	list int        // the first line of the options
}

// SetSize tells the screen the cells that it may use.
func (s *Screen) SetSize(width, height int) { s.width, s.height = width, height }

// sideWidth is how wide the help beside the questions is; 0 where it stands below them.
func (s *Screen) sideWidth() int {
	if s.width < sideMinWidth {
		return 0
	}
	return s.width * 2 / 5
}

// View draws the screen.
func (s *Screen) View() string {
	side := s.sideWidth()
	panel := widget.NewPanel(s.theme, "New draft")
	panel.Focused, panel.Info = true, s.sourceText()
	panel.SetSize(s.width-side, s.height)
	w, h := panel.Inner()
	lines := s.questions(w, h, side == 0)
	if side == 0 {
		return panel.View(strings.Join(lines, "\n"))
	}
	left := strings.Split(panel.View(strings.Join(lines, "\n")), "\n")
	right := strings.Split(s.sidePanel(side), "\n")
	for i := range left {
		left[i] += right[i]
	}
	return strings.Join(left, "\n")
}

// sourceText says what the draft starts from.
func (s *Screen) sourceText() string {
	if s.source.Empty() {
		return ""
	}
	return "from a template or file"
}

// sidePanel draws help, or what the service refused, at the right.
func (s *Screen) sidePanel(width int) string {
	title := s.step.title()
	if s.refused != nil {
		title = "Not created"
	}
	panel := widget.NewPanel(s.theme, title)
	panel.Danger = s.refused != nil
	panel.SetSize(width, s.height)
	w, _ := panel.Inner()
	if s.refused != nil {
		return panel.View(strings.Join(s.refusalLines(w), "\n"))
	}
	return panel.View(strings.Join(s.help(w), "\n"))
}

// help says what the question is about, and what the option under the cursor means.
func (s *Screen) help(w int) []string {
	lines := s.wrapped(themes.ToneText, s.step.help(), w)
	if about, tone := s.optionHelp(); about != "" {
		lines = append(append(lines, ""), s.wrapped(tone, about, w)...)
	}
	return lines
}

// optionHelp says what the option under the cursor means, or why it is not offered.
func (s *Screen) optionHelp() (string, themes.Tone) {
	if why := s.stepError(); why != "" {
		return "Not available: " + why, themes.ToneWarning
	}
	switch s.step {
	case stepChannel:
		return s.channel().Label() + ": " + channelHelp(s.channel()) + ".", themes.ToneMuted
	case stepType:
		return s.deliveryType().Label + ": " + s.deliveryType().Help + ".", themes.ToneMuted
	}
	return "", themes.ToneMuted
}

// refusalLines puts into lines why the service did not create the draft, and what can be done.
func (s *Screen) refusalLines(width int) []string {
	var lines []string
	words := s.refused.Error()
	e := engine.AsError(s.refused)
	if e != nil {
		words = e.Message
	}
	lines = append(lines, s.wrapped(themes.ToneDanger, "Not created: "+words, width)...)
	if e != nil {
		for _, d := range e.Details {
			lines = append(lines, s.wrapped(themes.ToneText, "· "+detailText(s.channel(), d), width)...)
		}
	}
	do := "Press enter to try again; esc goes back."
	if isValidationError(s.refused) {
		do = "Press ctrl+b to create an empty draft and fill it in there."
	}
	return append(append(lines, ""), s.wrapped(themes.ToneMuted, do, width)...)
}

// detailText puts a detail of a refusal into words, its place named as in the builder. A place that the tables do not know
// keeps its path.
func detailText(ch engine.Channel, d engine.Detail) string {
	if d.Target == "" {
		return d.Message
	}
	p, _ := doc.ParsePath(d.Target)
	return cmp.Or(problems.Place(ch, p), d.Target) + ": " + d.Message
}

func (s *Screen) wrapped(tone themes.Tone, text string, width int) []string {
	lines := widget.Wrap(widget.Clean(text), width)
	for i, line := range lines {
		lines[i] = s.theme.Tone(tone).Render(line)
	}
	return lines
}

// indent stands before what belongs to the open question.
const indent = 4

// blankMinHeight is the height from which a blank line parts the open question from its help.
const blankMinHeight = 16

// questions draws the steps below each other: those that are answered as a line, the open one
// with its options or its text. with says that help and problems have no place of their own.
func (s *Screen) questions(w, h int, with bool) []string {
	var below []string // of the open question
	if with {
		below = s.questionHelp(w)
		if h >= blankMinHeight {
			below = append([]string{""}, below...)
		}
	}
	blank := 0 // blank lines after each question, where there is room
	if open := s.openHeight(); h >= 2*int(stepCount)+open+len(below) {
		blank = 1
	}
	room := h - int(stepCount)*(1+blank) - len(below)
	if room < 3 && len(below) > 0 { // what can be chosen counts for more than what is said of it
		keep := max(len(below)-(3-room), 0)
		room += len(below) - keep
		below = below[:keep]
	}
	var lines []string
	for i := range stepCount {
		s.positions.step[i] = len(lines) + 1 // the frame
		lines = append(lines, s.line(i, w))
		if i == s.step {
			s.positions.list = len(lines) + 1
			lines = append(lines, s.open(w, room)...)
			lines = append(lines, below...)
		}
		if blank > 0 {
			lines = append(lines, "")
		}
	}
	return lines
}

// questionHelp are the lines about the open question.
func (s *Screen) questionHelp(w int) []string {
	if s.refused != nil {
		return s.refusalLines(w)
	}
	lines := s.help(max(w-indent, 1))
	for i, line := range lines {
		lines[i] = strings.Repeat(" ", indent) + line
	}
	return lines
}

// openHeight is how many lines the open question takes at most.
func (s *Screen) openHeight() int {
	if list := s.list(); list != nil {
		return list.Len
	}
	return 3 // the text, and what is wrong with it
}

// open draws the options or the text of the open question.
func (s *Screen) open(w, room int) []string {
	room = max(min(room, s.openHeight()), 1)
	inner := max(w-indent, 0)
	var block string
	if list := s.list(); list != nil {
		list.Focused = true
		list.SetSize(inner, room)
		block = list.View()
	} else {
		in := &s.name
		if s.step == stepCreator {
			in = &s.creator
		}
		in.SetSize(inner, 1)
		block = in.View()
		if s.inputError != "" {
			for _, line := range widget.WrapMax(s.inputError, inner, max(room-1, 1)) {
				block += "\n" + s.theme.Danger.Render(line)
			}
		}
	}
	lines := strings.Split(block, "\n")
	for i, line := range lines {
		lines[i] = strings.Repeat(" ", indent) + line
	}
	return lines
}

// line draws a step as one line: a sign, its title, and the answer where it is not open.
func (s *Screen) line(of step, w int) string {
	const titles = 15
	switch {
	case of == s.step:
		return s.theme.Accent.Render("› ") + s.theme.Strong.Render(of.title())
	case of < s.step:
		value := widget.Truncate(widget.Clean(s.answer(of)), max(w-titles-2, 0))
		return s.theme.Success.Render("✓ ") + s.theme.Muted.Render(widget.PadRight(of.title(), titles)) + s.theme.Text.Render(value)
	}
	return s.theme.Faint.Render("· " + of.title())
}
