package campaigns

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// columnChooser is the overlay in which columns are shown, hidden and reordered.
type columnChooser struct {
	screen.Box
	s     *Screen
	theme *themes.Theme
	list  *list.List[string] // the IDs of all columns, the shown ones first
	shown map[string]bool
}

const groupColumns = "Columns"

func newColumnChooser(t *themes.Theme, s *Screen) *columnChooser {
	c := &columnChooser{s: s, theme: t}
	c.list = list.Items(t, "column", c.item)
	c.list.Focused = true
	c.setColumns(s.settings.Columns)
	return c
}

// setColumns starts with these columns.
func (c *columnChooser) setColumns(ids []string) {
	var all []string
	c.shown = map[string]bool{}
	for _, col := range chosenColumns(ids) {
		all = append(all, col.id)
		c.shown[col.id] = true
	}
	for _, col := range columns {
		if !c.shown[col.id] {
			all = append(all, col.id)
		}
	}
	c.list.Set(all)
}

// item returns the row of a column, with a note if it does not fit.
func (c *columnChooser) item(id string) widget.Item {
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
	return item
}

func titleOf(id string) string {
	i := slices.IndexFunc(columns, func(c column) bool { return c.id == id })
	return columns[i].head.Title
}

// Actions returns what can be done with the columns.
func (c *columnChooser) Actions() []screen.Action {
	return []screen.Action{
		c.list.On(screen.Action{Keys: []string{" ", "x"}, Label: "show", Help: "show or hide the column", Group: groupColumns, BarPriority: 9}, alwaysReason, c.toggle),
		{Keys: []string{"K", "shift+up"}, Label: "up", Help: "move the column left", Group: groupColumns, BarPriority: 8, Run: func() tea.Cmd { return c.move(-1) }},
		{Keys: []string{"J", "shift+down"}, Label: "down", Help: "move the column right", Group: groupColumns, BarPriority: 7, Run: func() tea.Cmd { return c.move(1) }},
		c.list.On(screen.Action{Keys: []string{"o"}, Label: "sort", Help: "sort by the column; again to reverse", Group: groupColumns, BarPriority: 6}, noSortReason, func(id string) tea.Cmd { return c.s.sortBy(chosenColumn(id)) }),
		{Keys: []string{"d"}, Label: "reset", Help: "show the default columns", Group: groupColumns, BarPriority: 5, Run: c.reset},
		{Keys: []string{"esc", "enter", "C", "q"}, Label: "done", Help: "back to the list", Group: groupColumns, BarPriority: 10, Run: c.Close},
	}
}

// alwaysReason returns why a column cannot be hidden.
func alwaysReason(id string) string {
	if id == nameColumn {
		return "The name is always shown."
	}
	return ""
}

// noSortReason returns why the list cannot be sorted by a column.
func noSortReason(id string) string { return chosenColumn(id).noSortReason }

func chosenColumn(id string) column {
	return columns[slices.IndexFunc(columns, func(c column) bool { return c.id == id })]
}

// Typing returns false: there is no text field.
func (c *columnChooser) Typing() bool { return false }

// Key moves the cursor.
func (c *columnChooser) Key(msg tea.KeyMsg) tea.Cmd {
	c.list.Key(msg)
	return nil
}

// Mouse scrolls; a click on the mark, or on the selected column, shows or hides it.
func (c *columnChooser) Mouse(msg tea.MouseMsg) tea.Cmd {
	before := c.list.Index()
	msg.Y--
	hit, _ := c.list.Mouse(msg)
	id, ok := c.list.Selected()
	if hit && ok && widget.Pressed(msg) && (c.list.Index() == before || msg.X < 4) && id != nameColumn {
		return c.toggle(id)
	}
	return nil
}

func (c *columnChooser) toggle(id string) tea.Cmd {
	c.shown[id] = !c.shown[id]
	return c.apply()
}

func (c *columnChooser) move(by int) tea.Cmd {
	ids, at := c.list.Shown(), c.list.Index()
	to := at + by
	if to < 0 || to >= len(ids) {
		return nil
	}
	ids[at], ids[to] = ids[to], ids[at]
	c.list.SelectIndex(to)
	return c.apply()
}

func (c *columnChooser) reset() tea.Cmd {
	c.setColumns(nil)
	return c.apply()
}

// apply shows the chosen columns and stores them.
func (c *columnChooser) apply() tea.Cmd {
	var ids []string
	for _, id := range c.list.Shown() {
		if c.shown[id] {
			ids = append(ids, id)
		}
	}
	if slices.Equal(ids, defaultColumns) {
		ids = nil
	}
	c.s.grid.setColumns(chosenColumns(ids))
	return c.s.updateSettings(func(st settings) settings { st.Columns = ids; return st })
}

// View draws the box.
func (c *columnChooser) View(width, height int) string {
	p := widget.NewPanel(c.theme, "Columns")
	p.Focused, p.Footer = true, "last columns hide first"
	p.SetSize(min(width-4, 34), min(height-4, c.list.Len()+2))
	c.list.Refresh() // the table has been drawn
	c.list.SetSize(p.Inner())
	return p.View(strings.TrimRight(c.list.View(), "\n"))
}
