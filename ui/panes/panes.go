// Package panes divides a screen into framed panes: side by side where it is wide enough, otherwise one below the
// other, or the one with the focus in place of the main one. It owns the focus and the zoom, and finds the pane under
// the mouse.
package panes

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/keymap"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Pane is one part of a screen. Sizes are in cells and include the frame.
type Pane struct {
	// Name identifies the pane in hints: "filters".
	Name string
	// From is the width of the screen from which the pane is beside the main one. The first pane without From is the
	// main pane: it has the width that the others leave. A further pane without From is only ever below it.
	From int
	// Share is the width beside the main pane, in percent of what the panes at the left leave, but Min to Max; a Max of 0
	// means no limit. The panes beside the main one leave it its own Min.
	Share, Min, Max int
	// Focused is the width beside the main pane while the pane has the focus in a screen narrower than From; if it is 0,
	// or does not fit, the pane then takes the place of the main one.
	Focused int
	// Rows is the height above or below the main pane in a screen narrower than From; 0 hides the pane there until it has
	// the focus.
	Rows int
	// Hidden hides the pane, also beside the main one.
	Hidden bool
}

// width returns the width of the pane beside the main one.
func (p Pane) width(rest, mainMin int) int {
	w := max(rest*p.Share/100, p.Min)
	if p.Max > 0 {
		w = min(w, p.Max)
	}
	return min(w, max(rest-mainMin, 0))
}

// Content is what a pane shows.
type Content struct {
	Title, Info, Footer string // of the frame, see [widget.Panel]
	Body                string
}

// Rect is a rectangle of cells on the screen. Its width is 0 if the pane is not shown.
type Rect struct{ X, Y, W, H int }

func (r Rect) contains(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// minMain is the width of the main pane beside one that is shown only because it has the focus.
const minMain = 30

// Panes are the panes of a screen, from left to right and from top to bottom. Panes are identified by their index.
type Panes struct {
	// Blurred draws the focused pane like the others, because a box over the screen has the keyboard.
	Blurred bool

	theme         *themes.Theme
	panes         []Pane
	main          int
	focus         int
	zoom          bool // the focused pane fills the screen
	width, height int

	rects   []Rect
	columns [][]int // the shown panes, by column
	drawn   []drawn // each pane as last drawn, because most keys change one of them
}

// drawn is a pane with what it was drawn from.
type drawn struct {
	content       Content
	focused       bool
	width, height int
	styles        *themes.Styles
	lines         []string
}

// New returns the panes of a screen. The main pane has the focus.
func New(t *themes.Theme, all ...Pane) Panes {
	p := Panes{theme: t, panes: slices.Clone(all), rects: make([]Rect, len(all)), drawn: make([]drawn, len(all))}
	for all[p.main].From > 0 {
		p.main++
	}
	p.focus = p.main
	return p
}

// SetSize sets the size of the screen.
func (p *Panes) SetSize(width, height int) {
	p.width, p.height = max(width, 0), max(height, 0)
	p.layout()
}

// SetRows sets the height of a pane above or below the main one; 0 hides it there.
func (p *Panes) SetRows(pane, rows int) {
	p.panes[pane].Rows = max(rows, 0)
	p.layout()
}

// Hide hides a pane, or shows it again.
func (p *Panes) Hide(pane int, hidden bool) {
	p.panes[pane].Hidden = hidden
	p.layout()
}

// Focus moves the focus to a pane.
func (p *Panes) Focus(pane int) {
	p.focus = pane
	p.layout()
}

// Focused returns the pane with the focus.
func (p *Panes) Focused() int { return p.focus }

// Name returns the name of a pane.
func (p *Panes) Name(pane int) string { return p.panes[pane].Name }

// Zoomed reports whether the focused pane fills the screen.
func (p *Panes) Zoomed() bool { return p.zoom }

// Zoom makes the focused pane fill the screen, or shows all panes again.
func (p *Panes) Zoom(zoom bool) {
	p.zoom = zoom
	p.layout()
}

// Beside reports whether the screen is wide enough to show a pane beside the main one.
func (p *Panes) Beside(pane int) bool { return p.width >= p.panes[pane].From }

// Shown reports whether a pane is shown.
func (p *Panes) Shown(pane int) bool { return p.rects[pane].W > 0 }

// Alone reports whether only one pane is shown.
func (p *Panes) Alone() bool { return len(p.columns) == 1 && len(p.columns[0]) == 1 }

// Width returns the width of the screen.
func (p *Panes) Width() int { return p.width }

// Height returns the height of the screen.
func (p *Panes) Height() int { return p.height }

// Rect returns the position of a pane, including its frame.
func (p *Panes) Rect(pane int) Rect { return p.rects[pane] }

// Size returns the size inside the frame of a pane. A pane that is not shown has the size of the screen, because it
// fills it once it has the focus.
func (p *Panes) Size(pane int) (width, height int) {
	r := p.rects[pane]
	if r.W == 0 {
		r.W, r.H = p.width, p.height
	}
	return max(r.W-4, 0), max(r.H-2, 0)
}

// layout places the panes.
func (p *Panes) layout() {
	clear(p.rects)
	p.columns = p.columns[:0]
	if p.zoom {
		p.rects[p.focus] = Rect{0, 0, p.width, p.height}
		p.columns = append(p.columns, []int{p.focus})
		return
	}
	rest, x := p.width, 0
	for i, pane := range p.panes {
		switch {
		case !p.isBeside(i):
			continue
		case p.squeezes():
			p.rects[i].W = pane.Focused
		default:
			p.rects[i].W = pane.width(rest, p.panes[p.main].Min)
		}
		rest -= p.rects[i].W
	}
	for i := range p.panes {
		switch {
		case i == p.main && p.focus != p.main && !p.isBeside(p.focus) && p.rowsOf(p.focus) == 0:
			p.rects[p.focus] = Rect{x, 0, rest, p.height}
			p.columns = append(p.columns, []int{p.focus})
			x += rest
		case i == p.main:
			p.stack(x, rest)
			x += rest
		case p.rects[i].W > 0 && p.isBeside(i):
			p.rects[i] = Rect{x, 0, p.rects[i].W, p.height}
			p.columns = append(p.columns, []int{i})
			x += p.rects[i].W
		}
	}
}

// squeezes reports whether the focused pane is beside the main one only because it has the focus.
func (p *Panes) squeezes() bool {
	f := p.panes[p.focus]
	return f.Focused > 0 && p.width < f.From && p.width-f.Focused >= minMain
}

// isBeside reports whether a pane has a column of its own.
func (p *Panes) isBeside(pane int) bool {
	if p.squeezes() {
		return pane == p.focus
	}
	from := p.panes[pane].From
	return from > 0 && p.width >= from && !p.panes[pane].Hidden
}

// rowsOf returns the height of a pane above or below the main one; 0 if it is not there.
func (p *Panes) rowsOf(pane int) int {
	if pane == p.main || p.panes[pane].Hidden || p.isBeside(pane) {
		return 0
	}
	return min(p.panes[pane].Rows, p.height)
}

// stack places the main pane, and those above and below it.
func (p *Panes) stack(x, width int) {
	height := p.height
	for i := range p.panes {
		height -= p.rowsOf(i)
	}
	var column []int
	y := 0
	for i := range p.panes {
		h := p.rowsOf(i)
		if i == p.main {
			h = max(height, 0)
		}
		if h == 0 {
			continue
		}
		p.rects[i] = Rect{x, y, width, h}
		column = append(column, i)
		y += h
	}
	p.columns = append(p.columns, column)
}

// Mouse returns the pane under the pointer, and the event relative to the inside of its frame. The pane is -1 if there
// is none.
func (p *Panes) Mouse(msg tea.MouseMsg) (pane int, inside tea.MouseMsg) {
	for i, r := range p.rects {
		if r.contains(msg.X, msg.Y) {
			msg.X, msg.Y = msg.X-r.X-2, msg.Y-r.Y-1
			return i, msg
		}
	}
	return -1, msg
}

// View draws the panes that are shown.
func (p *Panes) View(content func(pane int) Content) string {
	columns := make([][]string, len(p.columns))
	for i, panes := range p.columns {
		for _, pane := range panes {
			columns[i] = append(columns[i], p.lines(pane, content(pane))...)
		}
	}
	var out strings.Builder
	for y := range p.height {
		if y > 0 {
			out.WriteByte('\n')
		}
		for _, c := range columns {
			if y < len(c) {
				out.WriteString(c[y])
			}
		}
	}
	return out.String()
}

// lines draws a pane with its frame.
func (p *Panes) lines(pane int, c Content) []string {
	r, focused := p.rects[pane], pane == p.focus && !p.Blurred
	d := &p.drawn[pane]
	if d.lines != nil && d.content == c && d.focused == focused && d.width == r.W && d.height == r.H && d.styles == p.theme.Styles {
		return d.lines
	}
	panel := widget.NewPanel(p.theme, c.Title)
	panel.Info, panel.Footer, panel.Focused = c.Info, c.Footer, focused
	panel.SetSize(r.W, r.H)
	*d = drawn{c, focused, r.W, r.H, p.theme.Styles, strings.Split(panel.View(c.Body), "\n")}
	return d.lines
}

// Message draws one frame with a text in place of the panes.
func (p *Panes) Message(title, text string) string {
	pager := widget.NewPager(p.theme)
	pager.SetSize(p.width-4, p.height-2)
	pager.SetText(text)
	panel := widget.NewPanel(p.theme, title)
	panel.Focused = true
	panel.SetSize(p.width, p.height)
	return panel.View(pager.View())
}

// ZoomAction returns the action that zooms the focused pane or, if it is zoomed, shows all panes again; resized runs after
// it. A key that is not a letter works in text fields too. The action is disabled where only one pane is shown anyway.
func (p *Panes) ZoomAction(key, group string, resized func()) screen.Action {
	a := screen.Action{Name: "zoom", Keys: []string{key}, Label: "zoom", Help: "show only the focused pane", Group: group, WhileTyping: !keymap.IsPrintable(key)}
	a.Run = func() tea.Cmd {
		p.Zoom(!p.zoom)
		resized()
		return nil
	}
	switch {
	case p.zoom:
		a.Label, a.Help, a.BarPriority = "unzoom", "show all panes", 12
	case p.Alone():
		a.DisabledReason = "The window shows one pane at a time."
	}
	return a
}
