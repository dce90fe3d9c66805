// Package content edits the messages of a campaign in a grid of locales and variations.
package content

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/ui/editor"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Grid edits the messages of a campaign: locales are rows, variations columns, and below them are the other fields of the
// component. Create it with [New]; it must not be copied.
type Grid struct {
	cfg        editor.Config
	base, root doc.Value // the document as it was given, and as it is
	grid       grid.Grid
	duplicates *grid.Duplicates
	fields     []schema.FieldState
	problems   []schema.Problem
	wrong      map[cellID][]schema.Problem // the errors of each cell

	// The cursor. Row -1 is the header with the variations, rows from len(Locales) on are the fields; column -1 is
	// the locale names.
	row, col    int
	firstColumn int // the first visible variation
	win         widget.Window

	typing   bool   // the last key typed a percentage, which the next digit goes on with
	failure  string // why the last key did nothing
	notice   string // what the last key did
	inactive bool   // the grid does not have the keyboard
}

// cellID identifies a cell.
type cellID struct{ locale, variation string }

func idOf(c grid.Cell) cellID { return cellID{c.Locale, c.Variation} }

var (
	_ editor.Editor          = (*Grid)(nil)
	_ editor.OperationEditor = (*Grid)(nil)
)

// New returns the grid of the component at the path of cfg. It works for a single message too.
func New(cfg editor.Config) editor.Editor {
	g := &Grid{cfg: cfg, root: cfg.Root, base: cfg.Root}
	g.refresh()
	if len(cfg.Focus) > 0 {
		g.FocusPath(cfg.Path.Child(cfg.Focus))
	}
	return g
}

// setRoot adopts a changed document, unless the change failed.
func (g *Grid) setRoot(root doc.Value, err error) bool {
	if err != nil {
		g.failure = phrase.Sentence(err.Error())
		return false
	}
	g.root = root
	g.refresh()
	return true
}

// refresh reads the grid again and keeps the cursor in place if possible.
func (g *Grid) refresh() {
	g.grid = grid.New(g.cfg.Head.Channel, g.root)
	g.duplicates = g.grid.Duplicates(g.duplicates)
	g.fields = nil
	if st, ok := g.cfg.Schema.Object(g.root, g.cfg.Path, g.cfg.Env); ok {
		for _, f := range append(st.Fields, st.Extras...) {
			if f.Shown || f.Value.Exists() {
				g.fields = append(g.fields, f)
			}
		}
	}
	g.SetProblems(g.problems)
	g.moveTo(g.row, g.col)
}

// SetProblems sets the problems of the document.
func (g *Grid) SetProblems(ps []schema.Problem) {
	g.problems, g.wrong = ps, map[cellID][]schema.Problem{}
	for _, p := range ps {
		if c, ok := g.grid.CellAt(p.Path); ok && p.Severity == schema.Error && len(p.Path) > len(grid.Path()) {
			g.wrong[idOf(c)] = append(g.wrong[idOf(c)], p)
		}
	}
}

// moveTo moves the cursor to a row and column, or the nearest ones.
func (g *Grid) moveTo(row, col int) {
	last := len(g.grid.Locales) + len(g.fields) - 1
	g.row = max(-1, min(row, last))
	g.col = max(-1, min(col, len(g.grid.Variations)-1))
	if g.row < 0 && g.col < 0 {
		g.col = 0
	}
	g.scroll()
}

// inCell reports whether the cursor is on a cell.
func (g *Grid) inCell() bool { return g.row >= 0 && g.row < len(g.grid.Locales) && g.col >= 0 }

// onLocale reports whether the cursor is on the name of a locale.
func (g *Grid) onLocale() bool { return g.row >= 0 && g.row < len(g.grid.Locales) && g.col < 0 }

// onVariation reports whether the cursor is on the name of a variation.
func (g *Grid) onVariation() bool { return g.row < 0 }

// onField returns the field under the cursor.
func (g *Grid) onField() (schema.FieldState, bool) {
	if i := g.row - len(g.grid.Locales); i >= 0 && i < len(g.fields) {
		return g.fields[i], true
	}
	return schema.FieldState{}, false
}

// cell returns the cell in a row and column of the grid.
func (g *Grid) cell(row, col int) grid.Cell {
	return g.grid.Cell(g.grid.Locales[row].Name, g.grid.Variations[col].Name)
}

// selected returns the cells under the cursor: one, or those of a locale or of a variation.
func (g *Grid) selected() (out []grid.Cell) {
	if _, ok := g.onField(); ok {
		return nil
	}
	for i := range g.grid.Locales {
		for j := range g.grid.Variations {
			if (g.row < 0 || i == g.row) && (g.col < 0 || j == g.col) {
				out = append(out, g.cell(i, j))
			}
		}
	}
	return out
}

// selectedMessages counts the messages under the cursor.
func (g *Grid) selectedMessages() (n int) {
	for _, c := range g.selected() {
		if g.grid.Value(c).Exists() {
			n++
		}
	}
	return n
}

// selectedName names what is under the cursor.
func (g *Grid) selectedName() string {
	switch {
	case g.onLocale():
		return grid.LocaleName(g.grid.Locales[g.row].Name)
	case g.onVariation():
		return "variation " + g.variation(g.col)
	}
	return "the message of " + g.grid.Name(g.cell(g.row, g.col))
}

// path returns the document path under the cursor.
func (g *Grid) path() doc.Path {
	switch f, ok := g.onField(); {
	case ok:
		return f.Path
	case g.onVariation():
		return grid.SharePath(g.grid.Variations[g.col].Name)
	case g.onLocale():
		return grid.LocalePath(g.grid.Locales[g.row].Name)
	}
	c := g.cell(g.row, g.col)
	if g.grid.Value(c).Exists() {
		return c.Message
	}
	return c.Path
}

// Focused returns the place under the cursor.
func (g *Grid) Focused() (schema.FieldState, bool) {
	if f, ok := g.onField(); ok {
		return f, true
	}
	return g.cfg.Schema.Field(g.root, g.path(), g.cfg.Env)
}

// FocusPath moves the cursor to the cell, heading or field that contains p. It reports false if there is none.
func (g *Grid) FocusPath(p doc.Path) bool {
	if name, ok := grid.ShareOf(p); ok {
		if col := g.column(name); col >= 0 {
			g.moveTo(-1, col)
			return true
		}
	}
	if c, ok := g.grid.CellAt(p); ok {
		if row, col := g.rowOf(c.Locale), g.column(c.Variation); row >= 0 && col >= 0 {
			g.moveTo(row, col)
			return true
		}
	}
	if i := slices.IndexFunc(g.fields, func(f schema.FieldState) bool { return p.HasPrefix(f.Path) }); i >= 0 {
		g.moveTo(len(g.grid.Locales)+i, g.col)
		return true
	}
	return p.Equal(g.cfg.Path)
}

func (g *Grid) column(variation string) int {
	return slices.IndexFunc(g.grid.Variations, func(v grid.Variation) bool { return v.Name == variation })
}

func (g *Grid) rowOf(locale string) int {
	return slices.IndexFunc(g.grid.Locales, func(l grid.Locale) bool { return l.Name == locale })
}

// variation returns the display name of a column's variation.
func (g *Grid) variation(col int) string {
	if len(g.grid.Variations) == 1 {
		return "Message"
	}
	return grid.VariationName(g.grid.Variations[col].Name)
}

// SetSize sets the size of the view.
func (g *Grid) SetSize(w, h int) {
	g.cfg.Width, g.cfg.Height = w, h
	g.scroll()
}

// SetActive tells the grid whether it has the keyboard.
func (g *Grid) SetActive(on bool) { g.inactive = !on }

// Edited returns the document with the user's changes.
func (g *Grid) Edited() (doc.Value, bool) { return g.root, !g.root.Same(g.base) }

// Reload replaces the document after it was changed elsewhere or saved.
func (g *Grid) Reload(root doc.Value) {
	g.base = root
	if root.Same(g.root) {
		return
	}
	g.failure, g.notice = "", ""
	g.setRoot(root, nil)
}

// Typing returns false: letters are commands.
func (g *Grid) Typing() bool { return false }

// Modal returns false: esc has nothing to close.
func (g *Grid) Modal() bool { return false }

// LastWasOperation reports that the last change was not typing a percentage.
func (g *Grid) LastWasOperation() bool { return !g.typing }

// locked returns why the messages cannot be changed, or "".
func (g *Grid) locked() string {
	if g.cfg.Locked == nil {
		return ""
	}
	return g.cfg.Locked(grid.Path())
}

// afterAnswer runs do after a dialog is answered, and returns the command that makes the screen adopt what it has changed.
func (g *Grid) afterAnswer(do func()) tea.Cmd {
	do()
	return screen.Send(editor.AdoptMsg{})
}

// Update handles a key, or a mouse event relative to the upper left corner.
func (g *Grid) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return g.key(msg)
	case tea.MouseMsg:
		return g.mouse(msg)
	}
	return nil
}

func (g *Grid) key(msg tea.KeyMsg) tea.Cmd {
	typing := g.typing
	g.failure, g.notice, g.typing = "", "", false
	if g.onVariation() && g.shareKey(msg, typing) {
		return nil
	}
	return g.command(msg)
}
