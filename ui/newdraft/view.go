package newdraft

import (
	"strings"

	"bugle/engine"
	"bugle/themes"
	"bugle/ui/panes"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// The panes.
const (
	paneQuestions = iota
	paneHelp
)

// drawnPositions has the positions of drawn parts, for the mouse.
type drawnPositions struct {
	step [stepCount]int // the line of each step
	list int            // the first line of the options
}

// SetSize sets the size of the screen.
func (s *Screen) SetSize(width, height int) { s.panes.SetSize(width, height) }

// View draws the questions, with help and problems beside or below them.
func (s *Screen) View() string {
	return s.panes.View(func(pane int) panes.Content {
		w, h := s.panes.Size(pane)
		if pane == paneQuestions {
			lines := s.questions(w, h, !s.panes.Shown(paneHelp))
			return panes.Content{Title: "New draft", Info: s.sourceText(), Body: strings.Join(lines, "\n")}
		}
		if s.refused != nil {
			return panes.Content{Title: "Not created", Danger: true, Body: strings.Join(s.refusalLines(w), "\n")}
		}
		return panes.Content{Title: s.step.title(), Body: strings.Join(s.help(w), "\n")}
	})
}

// sourceText describes the source of the draft.
func (s *Screen) sourceText() string {
	if s.source.Empty() {
		return ""
	}
	return "from a template or file"
}

// help explains the question and the selected option.
func (s *Screen) help(w int) []string {
	lines := widget.WrapStyled(s.theme.Tone(themes.ToneText), s.step.help(), w)
	if about, tone := s.optionHelp(); about != "" {
		lines = append(append(lines, ""), widget.WrapStyled(s.theme.Tone(tone), about, w)...)
	}
	return lines
}

// optionHelp explains the selected option, or why it is disabled.
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

// refusalLines explains why the service did not create the draft, and what can be done.
func (s *Screen) refusalLines(width int) []string {
	var lines []string
	words := s.refused.Error()
	e := engine.AsError(s.refused)
	if e != nil {
		words = e.Message
	}
	lines = append(lines, widget.WrapStyled(s.theme.Tone(themes.ToneDanger), "Not created: "+words, width)...)
	if e != nil {
		for _, text := range problems.Details(s.channel(), e) {
			lines = append(lines, widget.WrapStyled(s.theme.Tone(themes.ToneText), "· "+text, width)...)
		}
	}
	do := "Press enter to try again; esc goes back."
	if isValidationError(s.refused) {
		do = "Press ctrl+b to create an empty draft and fill it in there."
	}
	return append(append(lines, ""), widget.WrapStyled(s.theme.Tone(themes.ToneMuted), do, width)...)
}

// indent is the indentation of the open question.
const indent = 4

// blankMinHeight is the height from which a blank line separates the open question from its help.
const blankMinHeight = 16

// questions draws the steps: answered ones in a line, the open one with its options or text field. If with is
// set, help and problems are included.
func (s *Screen) questions(w, h int, with bool) []string {
	var below []string // below the open question
	if with {
		below = s.questionHelp(w)
		if h >= blankMinHeight {
			below = append([]string{""}, below...)
		}
	}
	blank := 0 // blank lines after each question, if they fit
	if open := s.openHeight(); h >= 2*int(stepCount)+open+len(below) {
		blank = 1
	}
	room := h - int(stepCount)*(1+blank) - len(below)
	if room < 3 && len(below) > 0 { // the options matter more than the help
		keep := max(len(below)-(3-room), 0)
		room += len(below) - keep
		below = below[:keep]
	}
	var lines []string
	for i := range stepCount {
		s.positions.step[i] = len(lines)
		lines = append(lines, s.line(i, w))
		if i == s.step {
			s.positions.list = len(lines)
			lines = append(lines, s.open(w, room)...)
			lines = append(lines, below...)
		}
		if blank > 0 {
			lines = append(lines, "")
		}
	}
	return lines
}

// questionHelp returns the lines about the open question.
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

// openHeight returns the maximum height of the open question.
func (s *Screen) openHeight() int {
	if list := s.list(); list != nil {
		return list.Len
	}
	return 3 // the text field and its error
}

// open draws the options or the text field of the open question.
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

// line draws a step in one line: an icon, its title, and the answer unless it is open.
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
