package campaigns

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// columnChooser is the overlay in which columns are shown, hidden and reordered.
type columnChooser struct {
	s     *listing
	close func() tea.Cmd
	theme *themes.Theme
	list  widget.List
	ids   []string // all columns, the shown ones first
	shown map[string]bool
}

const groupColumns = "Columns"

func newColumnChooser(t *themes.Theme, s *listing, close func() tea.Cmd) *columnChooser {
	c := &columnChooser{s: s, close: close, theme: t, list: widget.NewList(t)}
	c.list.Focused = true
	c.setColumns(s.settings.Columns)
	return c
}

// setColumns starts with these columns.
func (c *columnChooser) setColumns(ids []string) {
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

// items lists the columns, with a note at those that do not fit.
func (c *columnChooser) items() {
	at := c.list.Cursor
	var items []widget.Item
	for _, id := range c.ids {
		item := widget.Item{Icon: "○", IconTone: themes.ToneFaint, Text: titleOf(id)}
		if c.shown[id] {
			item.Icon, item.IconTone = "●", themes.ToneAccent
			if !c.s.grid.columnVisible(id) {
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

func (c *columnChooser) actions() []screen.Action {
	why := ""
	if c.ids[c.list.Cursor] == nameColumn {
		why = "The name is always shown."
	}
	return []screen.Action{
		{Keys: []string{" ", "x"}, Label: "show", Help: "show or hide the column", Group: groupColumns, BarPriority: 9, DisabledReason: why, Run: c.toggle},
		{Keys: []string{"K", "shift+up"}, Label: "up", Help: "move the column left", Group: groupColumns, BarPriority: 8, Run: func() tea.Cmd { return c.move(-1) }},
		{Keys: []string{"J", "shift+down"}, Label: "down", Help: "move the column right", Group: groupColumns, BarPriority: 7, Run: func() tea.Cmd { return c.move(1) }},
		{Keys: []string{"o"}, Label: "sort", Help: "sort by the column; again to reverse", Group: groupColumns, BarPriority: 6, DisabledReason: c.sortDisabledReason(), Run: c.sort},
		{Keys: []string{"d"}, Label: "reset", Help: "show the default columns", Group: groupColumns, BarPriority: 5, Run: c.reset},
		{Keys: []string{"esc", "enter", "C", "q"}, Label: "done", Help: "back to the list", Group: groupColumns, BarPriority: 10, Run: c.close},
	}
}

func (c *columnChooser) column() column { return chosenColumn(c.ids[c.list.Cursor]) }

func chosenColumn(id string) column {
	return columns[slices.IndexFunc(columns, func(c column) bool { return c.id == id })]
}

func (c *columnChooser) sortDisabledReason() string { return c.column().noSortReason }

func (c *columnChooser) sort() tea.Cmd { return c.s.sortBy(c.column()) }

func (c *columnChooser) key(msg tea.KeyMsg) { c.list.Update(msg) }

func (c *columnChooser) mouse(msg tea.MouseMsg, y int) tea.Cmd {
	before := c.list.Cursor
	pressed := msg.Button == tea.MouseButtonLeft
	if c.list.Mouse(msg, y) && pressed && (c.list.Cursor == before || msg.X < 4) && c.ids[c.list.Cursor] != nameColumn {
		return c.toggle()
	}
	return nil
}

func (c *columnChooser) toggle() tea.Cmd {
	id := c.ids[c.list.Cursor]
	c.shown[id] = !c.shown[id]
	return c.apply()
}

func (c *columnChooser) move(by int) tea.Cmd {
	at := c.list.Cursor
	to := at + by
	if to < 0 || to >= len(c.ids) {
		return nil
	}
	c.ids[at], c.ids[to] = c.ids[to], c.ids[at]
	c.list.SelectItem(to)
	return c.apply()
}

func (c *columnChooser) reset() tea.Cmd {
	c.setColumns(nil)
	return c.apply()
}

// apply shows the chosen columns and stores them.
func (c *columnChooser) apply() tea.Cmd {
	var ids []string
	for _, id := range c.ids {
		if c.shown[id] {
			ids = append(ids, id)
		}
	}
	if slices.Equal(ids, defaultColumns) {
		ids = nil
	}
	c.s.grid.setColumns(chosenColumns(ids))
	return c.s.update(func(st settings) settings { st.Columns = ids; return st })
}

func (c *columnChooser) view(width, height int) string {
	p := widget.NewPanel(c.theme, "Columns")
	p.Focused, p.Footer = true, "last columns hide first"
	p.SetSize(min(width-4, 34), min(height-2, len(c.ids)+2))
	w, h := p.Inner()
	c.items() // the table has been drawn
	c.list.SetSize(w, h)
	return p.View(strings.TrimRight(c.list.View(), "\n"))
}
