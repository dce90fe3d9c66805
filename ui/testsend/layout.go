package testsend

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

// box is a size in cells, including the frame.
type box struct{ w, h int }

// sideMinWidth is the width from which the second pane is beside the first, not below it.
const sideMinWidth = 76

// layout divides the screen into panes.
type layout struct {
	*sendContext
	whole           box
	zoom            bool // the focused pane fills the screen
	breadcrumbWidth int  // width of the breadcrumb when last drawn
}

// panes returns the sizes of the main pane and of the pane beside or below it; zero if it is not shown. The
// pane below gets more space while it is focused; want, if not nil, returns how many lines it can use.
func (l *layout) panes(beside bool, want func() int) (main, side box) {
	switch {
	case l.zoom && beside:
		return box{}, l.whole
	case l.zoom:
		return l.whole, box{}
	case l.whole.w >= sideMinWidth:
		w := min(max(l.whole.w*2/5, 34), 60)
		return box{l.whole.w - w, l.whole.h}, box{w, l.whole.h}
	}
	h := l.whole.h / 2
	least := max(min(l.whole.h/3, 6), 3)
	switch {
	case beside && want != nil:
		h = max(min(l.whole.h*3/5, want()+2), least)
	case beside:
		h = l.whole.h * 3 / 5
	case want != nil:
		h = least
	}
	return box{l.whole.w, l.whole.h - h}, box{l.whole.w, h}
}

// inSidePane reports whether a cell is in the second pane.
func (l *layout) inSidePane(main, side box, x, y int) bool {
	switch {
	case main.w == 0 || side.w == 0:
		return side.w > 0
	case l.whole.w >= sideMinWidth:
		return x >= main.w
	}
	return y >= main.h
}

// join puts two panes beside or below each other; a hidden pane is empty.
func (l *layout) join(main, side string) string {
	switch {
	case main == "" || side == "":
		return main + side
	case l.whole.w >= sideMinWidth:
		return widget.JoinHorizontal(main, side)
	}
	return widget.JoinVertical(main, side)
}

func (l *layout) panel(title string, b box, focused bool) *widget.Panel {
	p := widget.NewPanel(l.theme, title)
	p.Focused = focused
	p.SetSize(b.w, b.h)
	return &p
}

// textScreen draws a text on the whole screen.
func (l *layout) textScreen(text string) string {
	p := widget.NewPager(l.theme)
	p.SetSize(l.whole.w-4, l.whole.h-2)
	p.SetText(text)
	return l.panel(l.name(), l.whole, true).View(p.View())
}

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
	if l.zoom {
		label, help = "unzoom", "show all panes"
	}
	a := screen.Action{Name: "zoom", Keys: []string{"z", "alt+z"}, Label: label, Help: help, Group: groupMove, BarPriority: 2, WhileTyping: true, Run: l.toggleZoom}
	if typing {
		a.Keys = a.Keys[1:]
	}
	return a
}

func (l *layout) toggleZoom() tea.Cmd {
	l.zoom = !l.zoom
	return nil
}

// wheel returns how many lines to scroll.
func wheel(msg tea.MouseMsg) int {
	return map[tea.MouseButton]int{tea.MouseButtonWheelUp: -1, tea.MouseButtonWheelDown: 1}[msg.Button]
}
