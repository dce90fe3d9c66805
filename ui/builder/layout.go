package builder

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"bugle/engine/doc"
	"bugle/themes"
	"bugle/ui/widget"
)

// box is a size in cells.
type box struct{ w, h int }

// layout is how the screen is divided. The sizes of panes are inside their frames.
type layout struct {
	wide              bool // the info pane is at the right, not below
	parts, main, side box  // with frames
	form              box
}

const (
	partsWidth = 27
	// leastParts leaves room for most components' names, "Audience limit" among them, which would
	// else read like the audience.
	leastParts = 22
	wideFrom   = 112
)

// focusedSide is the height of a focused side pane below the form, with its frame: 12 lines can be read in it.
const focusedSide = 14

// demand is what the panes ask of the layout.
type demand struct {
	focus pane
	zoom  bool // the focused pane takes the whole screen
	lines int  // that the form fills
}

// divide shares the screen out. A pane below the form takes the lines that the form leaves blank, and more while it has
// the keyboard.
func divide(width, height int, d demand) layout {
	l := layout{wide: width >= wideFrom}
	if d.zoom {
		whole := box{width, height}
		switch d.focus {
		case paneParts:
			l.parts = whole
		case paneInfo:
			l.side = whole
		default:
			l.main = whole
		}
		l.form = box{max(l.main.w-4, 1), max(l.main.h-2, 1)}
		return l
	}
	l.parts = box{min(partsWidth, max(width/3, leastParts), width/2), height}
	rest := width - l.parts.w
	if l.wide {
		side := max(rest*2/5, 34)
		l.side, l.main = box{side, height}, box{rest - side, height}
	} else {
		low := max(height*3/10, 4)
		if d.lines > 0 {
			low = max(low, min(height-d.lines-2, height/2))
		}
		if d.focus == paneInfo {
			low = max(low, min(focusedSide, height*3/5))
		}
		l.side, l.main = box{rest, low}, box{rest, height - low}
	}
	l.form = box{max(l.main.w-4, 1), max(l.main.h-2, 1)}
	return l
}

// SetSize divides the screen.
func (s *Screen) SetSize(width, height int) {
	s.width, s.height = width, height
	s.measured, s.layout = nil, layout{}
	s.arrange()
}

// arrange divides the screen anew where the panes ask for something else than before.
func (s *Screen) arrange() {
	d := demand{focus: s.focus, zoom: s.zoom, lines: s.asked.lines}
	fresh := s.measured != s.form || s.layout.form.w == 0
	if fresh {
		d.lines = s.formLines()
	} else if d == s.asked {
		return
	}
	s.asked, s.measured = d, s.form
	s.layout = divide(s.width, s.height, d)
	s.list.SetSize(s.layout.parts.w-4, s.layout.parts.h-2)
	s.sizeInfo()
	if s.form != nil {
		s.form.SetSize(s.layout.form.w, s.layout.form.h-s.stripLines())
	}
	s.info.shown = ""
	s.refreshInfo()
}

// formLines is the number of lines that the form fills where it has all the room, the line above it included.
func (s *Screen) formLines() int {
	if s.form == nil {
		return 0
	}
	all := divide(s.width, s.height, demand{})
	s.form.SetSize(all.form.w, s.height)
	return strings.Count(s.form.View(), "\n") + 1 + s.stripLines()
}

// splitFrom is the height from which the aside has a place of its own, below the tabs.
const splitFrom = 30

// sides gives the sizes of the tabs and of the aside, which are one where they share a place.
func (s *Screen) sides() (tabs, aside box) {
	side := s.layout.side
	if !s.info.split {
		return side, side
	}
	top := side.h * 2 / 5
	return box{side.w, top}, box{side.w, side.h - top}
}

// sizeInfo divides the side pane.
func (s *Screen) sizeInfo() {
	s.info.split = s.info.aside != nil && s.layout.wide && s.layout.side.h >= splitFrom
	tabs, aside := s.sides()
	s.info.setSize(tabs.w-4, tabs.h-2)
	if s.info.aside != nil {
		s.info.aside.SetSize(aside.w-4, aside.h-2)
	}
}

// SetTheme changes the theme.
func (s *Screen) SetTheme(t themes.Theme) {
	s.theme = t
	s.deps.Theme = t
	s.list.SetTheme(t)
	s.info.setTheme(t)
	if s.form != nil {
		focused, ok := s.form.Focused()
		s.show(s.path)
		if ok {
			s.form.FocusPath(focused.Path)
		}
	}
}

// View draws the panes.
func (s *Screen) View() string {
	s.arrange()
	if s.failed != nil {
		return s.message("Can't read this campaign.\n\n" + s.failed.Error() + "\n\nPress r to try again or esc to go back.")
	}
	if !s.loaded {
		return s.message("Loading…")
	}
	s.list.Focused = s.focus == paneParts
	if s.zoom {
		return s.zoomed()
	}
	left := s.panel(fmt.Sprintf("Sections %s", s.progressText()), s.layout.parts, s.focus == paneParts, "").View(s.list.View())
	middle := s.mainView()
	side := s.sideView()
	if s.layout.wide {
		return lipgloss.JoinHorizontal(lipgloss.Top, left, middle, side)
	}
	return lipgloss.JoinHorizontal(lipgloss.Top, left, lipgloss.JoinVertical(lipgloss.Left, middle, side))
}

// zoomed draws the pane that takes the whole screen.
func (s *Screen) zoomed() string {
	switch s.focus {
	case paneParts:
		return s.panel(fmt.Sprintf("Sections %s", s.progressText()), s.layout.parts, true, "").View(s.list.View())
	case paneInfo:
		return s.sideView()
	}
	return s.mainView()
}

func (s *Screen) sideView() string {
	tabs, below := s.sides()
	inAside := s.focus == paneInfo && s.info.tab == tabAside
	footer := s.sideInfo()
	if note := s.info.note(); note != "" && s.info.upper() == tabAside {
		footer = note + " · " + footer
	}
	top := s.panel(s.tabLine(), tabs, s.focus == paneInfo && !(inAside && s.info.split), footer).View(s.infoView())
	if !s.info.split {
		return top
	}
	title := s.info.aside.Title()
	if note := s.info.note(); note != "" {
		title += " · " + note
	}
	return lipgloss.JoinVertical(lipgloss.Left, top, s.panel(title, below, inAside, "").View(s.info.aside.View()))
}

func (s *Screen) message(text string) string {
	p := widget.NewPager(s.theme)
	p.SetSize(s.width-4, s.height-2)
	p.SetText(text)
	panel := s.panel("Campaign", box{s.width, s.height}, true, "")
	return panel.View(p.View())
}

func (s *Screen) panel(title string, b box, focused bool, footer string) *widget.Panel {
	p := widget.NewPanel(s.theme, title)
	p.Focused, p.Footer = focused, footer
	p.SetSize(b.w, b.h)
	return &p
}

func (s *Screen) progressText() string {
	done, of := progress(s.parts)
	return fmt.Sprintf("%d/%d", done, of)
}

func (s *Screen) mainView() string {
	panel := s.panel(s.crumbs(), s.layout.main, s.focus == paneForm, "")
	if s.form == nil {
		return panel.View("")
	}
	if p := s.partOf(s.path); p.state == partForeign {
		inner, _ := panel.Inner()
		return panel.View(strings.Join(widget.Wrap(s.theme.Muted.Render(capital(widget.Clean(p.why))), inner), "\n"))
	}
	s.form.SetActive(s.focus == paneForm)
	if line := s.stripLine(); line != "" {
		return panel.View(line + "\n\n" + s.form.View())
	}
	return panel.View(s.form.View())
}

func (s *Screen) partOf(p doc.Path) part {
	for _, pt := range s.parts {
		if len(p) > 0 && pt.name == p[0].Name {
			return pt
		}
	}
	return part{}
}

// levelSep stands between the forms that lead to the open one, stepSep between the steps from one to the next.
const (
	levelSep = " › "
	stepSep  = " · "
)

// crumbs names the place of the form in words; where there is no room, without its beginning.
func (s *Screen) crumbs() string {
	levels := s.levels()
	text := func() string {
		words := make([]string, len(levels))
		for i, l := range levels {
			words[i] = strings.Join(l, stepSep)
		}
		return strings.Join(words, levelSep)
	}
	for widget.Width(text()) > s.layout.main.w-6 {
		last := levels[len(levels)-1]
		switch {
		case len(levels) > 2:
			levels = append([][]string{{"…"}}, levels[2:]...)
		case len(last) > 2:
			levels[len(levels)-1] = append([]string{"…"}, last[2:]...)
		default:
			return text()
		}
	}
	return text()
}

// levels names the forms that lead to the open one, the outermost first, each by the steps to it: esc goes up one
// of them.
func (s *Screen) levels() [][]string {
	var out [][]string
	for p := s.path; len(p) > 0; {
		up := p.Parent()
		if len(up) > 0 {
			up = s.formOf(up)
		}
		var words []string
		for i := len(up); i < len(p); i++ {
			at := p[:i+1]
			word := at.Last().Name
			if n := s.edit.Schema().At(at); n != nil {
				if n.Flat && (len(words) > 0 || i < len(p)-1) {
					continue // it has no form of its own
				}
				word = label(at, n)
			}
			words = append(words, word)
		}
		out = append([][]string{words}, out...)
		p = up
	}
	return out
}

// sideX is the column of the side pane's frame.
func (s *Screen) sideX() int {
	if s.layout.wide {
		return s.layout.parts.w + s.layout.main.w
	}
	return s.layout.parts.w
}

// toggleZoom zooms the focused pane to the whole screen, or back.
func (s *Screen) toggleZoom() tea.Cmd {
	s.zoom = !s.zoom
	return nil
}

func (s *Screen) sideInfo() string {
	if n := s.errors(); n > 0 {
		return fmt.Sprintf("%d to do", n)
	}
	return "no problems"
}

// tabLine names the views beside the form, the present one in brackets.
func (s *Screen) tabLine() string {
	var names []string
	for _, t := range s.info.tabs() {
		names = append(names, s.tabName(t))
	}
	return strings.Join(names, " ")
}

func (s *Screen) tabName(t tab) string {
	if t == s.info.upper() {
		return "[" + s.info.name(t) + "]"
	}
	return s.info.name(t)
}
