package content

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/widget"
)

// mouse handles the wheel and clicks on a cell, a name or a field; a second click opens it.
func (g *Grid) mouse(msg tea.MouseMsg) tea.Cmd {
	if g.win.Wheel(msg) || !widget.Pressed(msg) {
		return nil
	}
	g.failure, g.notice, g.typing = "", "", false
	row, col, ok := g.at(msg.X, msg.Y)
	switch {
	case !ok:
		return g.clickAdd(msg.X, msg.Y)
	case row != g.row || col != g.col && row < len(g.grid.Locales):
		g.moveTo(row, col)
	default:
		return g.open()
	}
	return nil
}

// at returns the row and column at a position in the view. At ‹ and › it is the nearest hidden column.
func (g *Grid) at(x, y int) (row, col int, ok bool) {
	width, shown := g.columns()
	names, next := g.namesWidth(), g.firstColumn+shown
	switch {
	case y == 0 && x == names-1 && g.firstColumn > 0:
		return g.row, g.firstColumn - 1, true
	case y == 0 && x == g.cfg.Width-1 && next < len(g.grid.Variations):
		return g.row, next, true
	}
	col = -1
	if x >= names {
		if col = g.firstColumn + (x-names)/(width+1); col >= min(next, len(g.grid.Variations)) {
			return 0, 0, false
		}
	}
	if y < headerHeight {
		return -1, col, col >= 0
	}
	line, ok := g.win.At(y - headerHeight)
	switch n := len(g.grid.Locales); {
	case !ok || line == n || line == n+1:
		return 0, 0, false
	case line > n:
		return line - 2, g.col, true
	}
	return line, col, true
}

// clickAdd handles a click on the line with what can be added.
func (g *Grid) clickAdd(x, y int) tea.Cmd {
	line, ok := g.win.At(y - headerHeight)
	if !ok || y < headerHeight || line != len(g.grid.Locales) {
		return nil
	}
	second := len(addLocaleText) + 3
	switch g.failure = g.locked(); {
	case g.failure != "":
	case x < len(addLocaleText):
		return g.askLocales()
	case x >= second && x < second+len(addVariationText):
		g.addVariation()
	}
	return nil
}
