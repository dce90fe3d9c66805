package content

import (
	tea "github.com/charmbracelet/bubbletea"
)

// mouse takes the wheel, and presses: on a cell, a name, a field; again on the same one, to open it.
func (g *Grid) mouse(msg tea.MouseMsg) tea.Cmd {
	switch {
	case g.compare != nil:
		g.pressCompared(msg)
		return nil
	case g.adding != nil:
		head := 2 + len(g.adding.fault(g.cfg.Width))
		i, ok := g.adding.list.RowAt(msg.Y - head)
		switch {
		case msg.Button == tea.MouseButtonWheelUp:
			g.adding.list.Key("up")
		case msg.Button == tea.MouseButtonWheelDown:
			g.adding.list.Key("down")
		case ok && msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress && g.adding.list.Highlight(i) && g.adding.add():
			g.adding = nil
		}
		return nil
	case g.win.Wheel(msg):
		return nil
	case msg.Button != tea.MouseButtonLeft || msg.Action != tea.MouseActionPress:
		return nil
	}
	g.failure, g.news, g.share = "", "", nil
	if col, ok := g.outside(msg.X, msg.Y); ok {
		g.place(g.row, col)
		return nil
	}
	row, col, ok := g.at(msg.X, msg.Y)
	if !ok {
		return g.pressAdd(msg.X, msg.Y)
	}
	if row != g.row || col != g.col && row < len(g.grid.Locales) {
		g.place(row, col)
		return nil
	}
	if g.onVariation() {
		if why := g.locked(); why != "" {
			g.failure = why
			return nil
		}
		g.shares().open(tea.KeyMsg{Type: tea.KeyEnter})
		return nil
	}
	return g.open()
}

// pressCompared takes the wheel and presses beside two messages: on the line that says what is hidden, which shows it,
// and on a part of a message, which opens it.
func (g *Grid) pressCompared(msg tea.MouseMsg) {
	c := g.compare
	if c.win.Wheel(msg) || msg.Button != tea.MouseButtonLeft || msg.Action != tea.MouseActionPress {
		return
	}
	if msg.Y == 0 {
		c.only = !c.only
		c.lay()
		return
	}
	if p, ok := c.at(msg.X, msg.Y); ok {
		g.compare = nil
		g.cfg.Host.Open(p)
	}
}

// outside returns the nearest column that is out of sight where ‹ or › at (x, y) says that there are such.
func (t *table) outside(x, y int) (col int, ok bool) {
	_, shown := t.columns()
	switch next := t.left + shown; {
	case y != 0:
	case x == t.namesWidth()-1 && t.left > 0:
		return t.left - 1, true
	case x == t.cfg.Width-1 && next < len(t.grid.Variations):
		return next, true
	}
	return 0, false
}

// at returns the row and column at a place of the view.
func (t *table) at(x, y int) (row, col int, ok bool) {
	width, shown := t.columns()
	col = -1
	if x >= t.namesWidth() {
		col = t.left + (x-t.namesWidth())/(width+1)
		if col >= t.left+shown || col >= len(t.grid.Variations) {
			return 0, 0, false
		}
	}
	if y < headLines {
		return -1, col, col >= 0
	}
	line, ok := t.win.At(y - headLines)
	n := len(t.grid.Locales)
	switch {
	case !ok || line == n || line == n+1:
		return 0, 0, false
	case line > n:
		return line - 2, t.col, true
	}
	return line, col, true
}

// pressAdd takes a press on the line that says what can be added.
func (g *Grid) pressAdd(x, y int) tea.Cmd {
	line, ok := g.win.At(y - headLines)
	if !ok || y < headLines || line != len(g.grid.Locales) {
		return nil
	}
	if why := g.locked(); why != "" {
		g.failure = why
		return nil
	}
	switch second := len(addLocaleWords) + 3; {
	case x < len(addLocaleWords):
		g.openAdd()
	case x >= second && x < second+len(addVariationWords):
		g.addVariation()
	}
	return nil
}
