package testsend

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// The panes of each stage.
const (
	paneMain = iota // the form, a list, the results
	paneSide        // what is selected in it
)

// layout has the panes of the stage that is shown.
type layout struct {
	*sendContext
	panes           panes.Panes
	breadcrumbWidth int // width of the breadcrumb when last drawn
}

func newLayout(c *sendContext) *layout {
	l := &layout{sendContext: c}
	l.split(stageForm)
	return l
}

// split divides the screen for a stage.
func (l *layout) split(st stage) {
	width, height := l.panes.Width(), l.panes.Height()
	switch st {
	case stageSending, stageDone:
		l.panes = panes.New(l.theme, panes.Pane{Name: "results"}, panes.Pane{Name: "message", From: 100, Share: 50, Hidden: st == stageSending})
	case stageRefused:
		l.panes = panes.New(l.theme, panes.Pane{Name: "problems"})
	default:
		l.panes = panes.New(l.theme, panes.Pane{Name: "main"}, panes.Pane{Name: "side", From: 76, Share: 40, Min: 34, Max: 60})
	}
	l.panes.SetSize(width, height)
}

// onSide reports whether the second pane has the keyboard.
func (l *layout) onSide() bool { return l.panes.Focused() == paneSide }

// breadcrumbSeparator separates the campaign's name from the names of pages.
const breadcrumbSeparator = " › "

// breadcrumb returns the path to a page for a panel of w cells, shortened at its beginning if it does not fit.
func (l *layout) breadcrumb(w int, pages ...string) string {
	words := append([]string{l.name()}, pages...)
	for len(words) > 2 && widget.Width(strings.Join(words, breadcrumbSeparator)) > w-6 {
		words = append([]string{"…"}, words[2:]...)
	}
	l.breadcrumbWidth = widget.Width(strings.Join(words[:len(words)-1], breadcrumbSeparator))
	return strings.Join(words, breadcrumbSeparator)
}

// zoomAction zooms the focused pane, or shows all panes again. In a text field, z is a letter.
func (l *layout) zoomAction(typing bool) screen.Action {
	label, help := "zoom", "show only the focused pane"
	if l.panes.Zoomed() {
		label, help = "unzoom", "show all panes"
	}
	a := screen.Action{Name: "zoom", Keys: []string{"z", "alt+z"}, Label: label, Help: help, Group: groupMove, BarPriority: 2, WhileTyping: true, Run: l.toggleZoom}
	if typing {
		a.Keys = a.Keys[1:]
	}
	return a
}

func (l *layout) toggleZoom() tea.Cmd {
	l.panes.Zoom(!l.panes.Zoomed())
	return nil
}

// wheel returns how many lines to scroll.
func wheel(msg tea.MouseMsg) int {
	return map[tea.MouseButton]int{tea.MouseButtonWheelUp: -1, tea.MouseButtonWheelDown: 1}[msg.Button]
}
