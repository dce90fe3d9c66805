package content

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/widget"
)

// mouse handles the wheel and clicks on a cell, a name or a field; a second click opens it.
func (g *Grid) mouse(msg tea.MouseMsg) tea.Cmd {
	switch {
	case g.compare != nil:
		g.clickComparison(msg)
		return nil
	case g.addDialog != nil:
		head := 2 + len(g.addDialog.errorLines(g.cfg.Width))
		i, ok := g.addDialog.list.RowAt(msg.Y - head)
		switch {
		case msg.Button == tea.MouseButtonWheelUp:
			g.addDialog.list.Key("up")
		case msg.Button == tea.MouseButtonWheelDown:
			g.addDialog.list.Key("down")
		case ok && widget.Pressed(msg) && g.addDialog.list.Highlight(i) && g.addDialog.add():
			g.addDialog = nil
		}
		return nil
	case g.win.Wheel(msg):
		return nil
	case !widget.Pressed(msg):
		return nil
	}
	g.failure, g.notice, g.share = "", "", nil
	if col, ok := g.hiddenColumn(msg.X, msg.Y); ok {
		g.moveTo(g.row, col)
		return nil
	}
	row, col, ok := g.at(msg.X, msg.Y)
	if !ok {
		return g.clickAdd(msg.X, msg.Y)
	}
	if row != g.row || col != g.col && row < len(g.grid.Locales) {
		g.moveTo(row, col)
		return nil
	}
	if g.onVariation() {
		if why := g.locked(); why != "" {
			g.failure = why
			return nil
		}
		g.shareEditor().open(tea.KeyMsg{Type: tea.KeyEnter})
		return nil
	}
	return g.open()
}

// clickComparison handles the wheel and clicks in the comparison: on the line that counts hidden rows, which
// shows them, and on a part of a message, which opens it.
func (g *Grid) clickComparison(msg tea.MouseMsg) {
	c := g.compare
	if c.win.Wheel(msg) || !widget.Pressed(msg) {
		return
	}
	if msg.Y == 0 {
		c.only = !c.only
		c.layout()
		return
	}
	if p, ok := c.at(msg.X, msg.Y); ok {
		g.compare = nil
		g.cfg.Host.Open(p)
	}
}

// hiddenColumn returns the nearest hidden column if ‹ or › is at (x, y).
func (t *table) hiddenColumn(x, y int) (col int, ok bool) {
	_, shown := t.columns()
	switch next := t.firstColumn + shown; {
	case y != 0:
	case x == t.namesWidth()-1 && t.firstColumn > 0:
		return t.firstColumn - 1, true
	case x == t.cfg.Width-1 && next < len(t.grid.Variations):
		return next, true
	}
	return 0, false
}

// at returns the row and column at a position in the view.
func (t *table) at(x, y int) (row, col int, ok bool) {
	width, shown := t.columns()
	col = -1
	if x >= t.namesWidth() {
		col = t.firstColumn + (x-t.namesWidth())/(width+1)
		if col >= t.firstColumn+shown || col >= len(t.grid.Variations) {
			return 0, 0, false
		}
	}
	if y < headerHeight {
		return -1, col, col >= 0
	}
	line, ok := t.win.At(y - headerHeight)
	n := len(t.grid.Locales)
	switch {
	case !ok || line == n || line == n+1:
		return 0, 0, false
	case line > n:
		return line - 2, t.col, true
	}
	return line, col, true
}

// clickAdd handles a click on the line with what can be added.
func (g *Grid) clickAdd(x, y int) tea.Cmd {
	line, ok := g.win.At(y - headerHeight)
	if !ok || y < headerHeight || line != len(g.grid.Locales) {
		return nil
	}
	if why := g.locked(); why != "" {
		g.failure = why
		return nil
	}
	switch second := len(addLocaleText) + 3; {
	case x < len(addLocaleText):
		g.openAdd()
	case x >= second && x < second+len(addVariationText):
		g.addVariation()
	}
	return nil
}
