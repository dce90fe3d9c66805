package builder

import (
	"bugle/themes"
	"bugle/ui/widget"
)

// box is a size in cells.
type box struct{ w, h int }

// layout is the division of the screen. The sizes of panes are inside their frames.
type layout struct {
	wide                 bool // the info pane is at the right, not below
	sections, main, side box  // including frames
	form                 box
}

const (
	sectionsWidth = 27
	// minSectionsWidth fits most section names; "Audience limit" would otherwise read like the audience.
	minSectionsWidth = 22
	wideMinWidth     = 112
)

// focusedSideHeight is the height of a focused info pane below the form, including its frame: 12 readable
// lines.
const focusedSideHeight = 14

// layoutRequest is what the panes request from the layout.
type layoutRequest struct {
	focus pane
	zoom  bool // the focused pane fills the screen
	lines int  // number of lines that the form needs
}

// divide divides the screen. A pane below the form gets the lines that the form does not need, and more while
// it is focused.
func divide(width, height int, d layoutRequest) layout {
	l := layout{wide: width >= wideMinWidth}
	if d.zoom {
		whole := box{width, height}
		switch d.focus {
		case paneSections:
			l.sections = whole
		case paneInfo:
			l.side = whole
		default:
			l.main = whole
		}
		l.form = box{max(l.main.w-4, 1), max(l.main.h-2, 1)}
		return l
	}
	l.sections = box{min(sectionsWidth, max(width/3, minSectionsWidth), width/2), height}
	rest := width - l.sections.w
	if l.wide {
		side := max(rest*2/5, 34)
		l.side, l.main = box{side, height}, box{rest - side, height}
	} else {
		low := max(height*3/10, 4)
		if d.lines > 0 {
			low = max(low, min(height-d.lines-2, height/2))
		}
		if d.focus == paneInfo {
			low = max(low, min(focusedSideHeight, height*2/3))
		}
		l.side, l.main = box{rest, low}, box{rest, height - low}
	}
	l.form = box{max(l.main.w-4, 1), max(l.main.h-2, 1)}
	return l
}

// sideX returns the column of the info pane's frame.
func (l layout) sideX() int {
	if l.wide {
		return l.sections.w + l.main.w
	}
	return l.sections.w
}

// panel returns the frame of a pane.
func panel(t *themes.Theme, title string, b box, focused bool, footer string) *widget.Panel {
	p := widget.NewPanel(t, title)
	p.Focused, p.Footer = focused, footer
	p.SetSize(b.w, b.h)
	return &p
}
