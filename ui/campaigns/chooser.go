package campaigns

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// chooser is the pane in which columns are chosen and put in order.
type chooser struct {
	s     *listing
	close func() tea.Cmd
	theme themes.Theme
	list  widget.List
	ids   []string // all columns, the shown ones first
	shown map[string]bool
}

const groupColumns = "Columns"

func newChooser(t themes.Theme, s *listing, close func() tea.Cmd) *chooser {
	c := &chooser{s: s, close: close, theme: t, list: widget.NewList(t)}
	c.list.Focused = true
	c.take(s.settings.Columns)
	return c
}

// take begins with these columns.
func (c *chooser) take(ids []string) {
	c.ids, c.shown = nil, map[string]bool{}
	for _, col := range chosenColumns(ids) {
		c.ids = append(c.ids, col.id)
		c.shown[col.id] = true
	}
	for _, col := range columns {
		if !c.shown[col.id] {
			c.ids = append(c.ids, col.id)
		}
	}
	c.items()
}

// items lists the columns. Of those that are to be shown it says which the table has no room for.
func (c *chooser) items() {
	at := c.list.Cursor
	var items []widget.Item
	for _, id := range c.ids {
		item := widget.Item{Icon: "○", IconTone: themes.ToneFaint, Text: titleOf(id)}
		if c.shown[id] {
			item.Icon, item.IconTone = "●", themes.ToneAccent
			if !c.s.grid.inSight(id) {
				item.Info, item.InfoTone = "doesn't fit", themes.ToneMuted
			}
		}
		if id == nameColumn {
			item.Info = "always"
		}
		items = append(items, item)
	}
	c.list.SetItems(items)
	c.list.SelectItem(at)
}

func titleOf(id string) string {
	i := slices.IndexFunc(columns, func(c column) bool { return c.id == id })
	return columns[i].head.Title
}

func (c *chooser) setTheme(t themes.Theme) {
	c.theme = t
	c.list.SetTheme(t)
}

func (c *chooser) actions() []screen.Action {
	why := ""
	if c.ids[c.list.Cursor] == nameColumn {
		why = "The name is always shown."
	}
	return []screen.Action{
		{Keys: []string{" ", "x"}, Label: "show", Help: "show or hide the column", Group: groupColumns, BarPriority: 9, DisabledReason: why, Run: c.toggle},
		{Keys: []string{"K", "shift+up"}, Label: "up", Help: "move the column left", Group: groupColumns, BarPriority: 8, Run: func() tea.Cmd { return c.move(-1) }},
		{Keys: []string{"J", "shift+down"}, Label: "down", Help: "move the column right", Group: groupColumns, BarPriority: 7, Run: func() tea.Cmd { return c.move(1) }},
		{Keys: []string{"o"}, Label: "sort", Help: "sort by the column; again to reverse", Group: groupColumns, BarPriority: 6, DisabledReason: c.whyNoSort(), Run: c.sort},
		{Keys: []string{"d"}, Label: "reset", Help: "show the default columns", Group: groupColumns, BarPriority: 5, Run: c.reset},
		{Keys: []string{"esc", "enter", "C", "q"}, Label: "done", Help: "back to the list", Group: groupColumns, BarPriority: 10, Run: c.close},
	}
}

func (c *chooser) column() column { return chosenColumn(c.ids[c.list.Cursor]) }

func chosenColumn(id string) column {
	return columns[slices.IndexFunc(columns, func(c column) bool { return c.id == id })]
}

func (c *chooser) whyNoSort() string { return c.column().why }

func (c *chooser) sort() tea.Cmd { return c.s.sortBy(c.column()) }

func (c *chooser) key(msg tea.KeyMsg) { c.list.Update(msg) }

func (c *chooser) mouse(msg tea.MouseMsg, y int) tea.Cmd {
	before := c.list.Cursor
	pressed := msg.Button == tea.MouseButtonLeft
	if c.list.Mouse(msg, y) && pressed && (c.list.Cursor == before || msg.X < 4) && c.ids[c.list.Cursor] != nameColumn {
		return c.toggle()
	}
	return nil
}

func (c *chooser) toggle() tea.Cmd {
	id := c.ids[c.list.Cursor]
	c.shown[id] = !c.shown[id]
	return c.keep()
}

func (c *chooser) move(by int) tea.Cmd {
	at := c.list.Cursor
	to := at + by
	if to < 0 || to >= len(c.ids) {
		return nil
	}
	c.ids[at], c.ids[to] = c.ids[to], c.ids[at]
	c.list.SelectItem(to)
	return c.keep()
}

func (c *chooser) reset() tea.Cmd {
	c.take(nil)
	return c.keep()
}

// keep shows the columns as they are now, and remembers them.
func (c *chooser) keep() tea.Cmd {
	var ids []string
	for _, id := range c.ids {
		if c.shown[id] {
			ids = append(ids, id)
		}
	}
	if slices.Equal(ids, usual) {
		ids = nil
	}
	c.s.settled()
	before := c.s.shape()
	c.s.grid.arrange(chosenColumns(ids))
	kept := c.s.keep(func(st settings) settings { st.Columns = ids; return st })
	c.s.reshaped(before)
	return kept
}

func (c *chooser) view(width, height int) string {
	p := widget.NewPanel(c.theme, "Columns")
	p.Focused, p.Footer = true, "last columns hide first"
	p.SetSize(min(width-4, 34), min(height-2, len(c.ids)+2))
	w, h := p.Inner()
	c.items() // the table below is drawn by now
	c.list.SetSize(w, h)
	return p.View(strings.TrimRight(c.list.View(), "\n"))
}
