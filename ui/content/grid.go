// Package content shows the messages of a campaign as a grid of locales and variations, and edits it:
// cells are opened, copied, compared; locales and variations come and go; percentages are typed where
// they are read.
package content

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/ui/editor"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Memory is what a grid keeps while another form is in its place. The zero value is a good one.
type Memory struct {
	clip  clip
	marks map[string]bool // of cells, by key
}

// Grid edits the messages of a campaign by locale and variation. Make one with [New]; it must not be
// copied.
type Grid struct {
	*table
	keys    keyMap
	base    doc.Value   // what Edits compares with
	adding  *adding     // a locale is chosen
	compare *comparison // two cells are side by side
}

// table is the messages as rows and columns, with the cursor, and what the document has beside them.
type table struct {
	cfg      editor.Config
	mem      *Memory
	root     doc.Value
	grid     grid.Grid
	twins    *grid.Duplicates
	faults   map[string]int // problems of cells, by key
	fields   []field        // what the component has besides
	problems []schema.Problem

	// The cursor. Row -1 is the heads of the variations, rows from len(Locales) on are the fields;
	// column -1 is the names of the locales.
	row, col int
	left     int // the first variation in sight
	win      widget.Window

	share   *share // a percentage is typed
	failure string // why the last key did nothing
	news    string // what it did
	resting bool   // the keyboard is elsewhere
}

// field is a member of the component that is edited in a form of its own.
type field struct {
	schema.FieldState
	summary string
}

var (
	_ editor.Editor          = (*Grid)(nil)
	_ editor.OperationEditor = (*Grid)(nil)
)

// New makes the grid of the component at the path of cfg. Where the form for one message would do, it
// shows a grid of one.
func New(cfg editor.Config, mem *Memory) editor.Editor {
	if mem == nil {
		mem = &Memory{}
	}
	g := &Grid{table: &table{cfg: cfg, mem: mem, root: cfg.Root}, keys: newKeyMap(), base: cfg.Root}
	g.refresh()
	if len(cfg.Focus) > 0 {
		g.FocusPath(cfg.Path.Child(cfg.Focus))
	}
	return g
}

// refresh reads the grid anew, and keeps the cursor where it is as far as it can.
func (t *table) refresh() {
	t.grid = grid.New(t.cfg.Head.Channel, t.root)
	t.twins = t.grid.Duplicates(t.twins)
	t.fields = t.fields[:0]
	if st, ok := t.cfg.Schema.Object(t.root, t.cfg.Path, t.cfg.Env); ok {
		for _, f := range append(st.Fields, st.Extras...) {
			if f.Shown || f.Value.Exists() {
				t.fields = append(t.fields, field{f, summary(f)})
			}
		}
	}
	t.count()
	t.place(t.row, t.col)
}

// count notes how many problems each cell has, and each locale outside its cells.
func (t *table) count() {
	t.faults = map[string]int{}
	for _, p := range t.problems {
		if c, ok := t.grid.CellAt(p.Path); ok && p.Severity == schema.Error && len(p.Path) > len(grid.Path()) {
			t.faults[keyOf(c.Locale, c.Variation)]++
		}
	}
}

// keyOf names a cell; names of locales may hold anything.
func keyOf(locale, variation string) string { return locale + "\x00" + variation }

// place puts the cursor on a row and column, or on the nearest that there are.
func (t *table) place(row, col int) {
	last := len(t.grid.Locales) + len(t.fields) - 1
	t.row = max(-1, min(row, last))
	t.col = max(-1, min(col, len(t.grid.Variations)-1))
	if t.row < 0 && t.col < 0 {
		t.col = 0
	}
	t.scroll()
}

// inCell reports whether the cursor is on a cell.
func (t *table) inCell() bool { return t.row >= 0 && t.row < len(t.grid.Locales) && t.col >= 0 }

// onLocale reports whether it is on the name of a locale.
func (t *table) onLocale() bool { return t.row >= 0 && t.row < len(t.grid.Locales) && t.col < 0 }

// onVariation reports whether it is on the head of a variation.
func (t *table) onVariation() bool { return t.row < 0 }

// onField returns the field that it is on.
func (t *table) onField() (field, bool) {
	if i := t.row - len(t.grid.Locales); i >= 0 && i < len(t.fields) {
		return t.fields[i], true
	}
	return field{}, false
}

// cell returns the cell in a row and column of the grid.
func (t *table) cell(row, col int) grid.Cell {
	return t.grid.Cell(t.grid.Locales[row].Name, t.grid.Variations[col].Name)
}

// path is the place in the document that the cursor is at.
func (t *table) path() doc.Path {
	switch f, ok := t.onField(); {
	case ok:
		return f.Path
	case t.onVariation():
		return grid.SharePath(t.grid.Variations[t.col].Name)
	case t.onLocale():
		return grid.LocalePath(t.grid.Locales[t.row].Name)
	}
	c := t.cell(t.row, t.col)
	if t.grid.Value(c).Exists() {
		return c.Message
	}
	return c.Path
}

// Focused returns the place that the keyboard is at.
func (t *table) Focused() (schema.FieldState, bool) {
	if f, ok := t.onField(); ok {
		return f.FieldState, true
	}
	return t.cfg.Schema.Field(t.root, t.path(), t.cfg.Env)
}

// FocusPath puts the cursor on the cell, the head or the field that p is in. It reports false where
// there is none.
func (t *table) FocusPath(p doc.Path) bool {
	if name, ok := grid.ShareOf(p); ok {
		if col := t.column(name); col >= 0 {
			t.place(-1, col)
			return true
		}
	}
	if c, ok := t.grid.CellAt(p); ok {
		if row, col := t.rowOf(c.Locale), t.column(c.Variation); row >= 0 && col >= 0 {
			t.place(row, col)
			return true
		}
	}
	for i, f := range t.fields {
		if p.HasPrefix(f.Path) {
			t.place(len(t.grid.Locales)+i, t.col)
			return true
		}
	}
	return p.Equal(t.cfg.Path)
}

func (t *table) column(variation string) int {
	for i, v := range t.grid.Variations {
		if v.Name == variation {
			return i
		}
	}
	return -1
}

func (t *table) rowOf(locale string) int {
	for i, l := range t.grid.Locales {
		if l.Name == locale {
			return i
		}
	}
	return -1
}

// SetSize sets the cells and lines that View may take.
func (g *Grid) SetSize(w, h int) {
	g.cfg.Width, g.cfg.Height = w, h
	if g.compare != nil {
		g.compare.lay()
	}
	g.scroll()
}

// SetActive tells the grid whether it has the keyboard.
func (g *Grid) SetActive(on bool) { g.resting = !on }

// Edited returns the document with everything that a person changed.
func (g *Grid) Edited() (doc.Value, bool) { return g.root, !g.root.Same(g.base) }

// Reload takes over a document that was changed elsewhere, or saved.
func (g *Grid) Reload(root doc.Value) {
	g.base = root
	if root.Same(g.root) {
		return
	}
	g.root, g.share, g.compare, g.failure, g.news = root, nil, nil, "", ""
	g.refresh()
}

// SetProblems hands in the problems of the document.
func (g *Grid) SetProblems(ps []schema.Problem) {
	g.problems = ps
	g.count()
}

// Typing reports that letters are text.
func (g *Grid) Typing() bool { return g.adding != nil || g.share != nil }

// Modal reports that Escape has something to close: what is typed, compared or marked.
func (g *Grid) Modal() bool { return g.Typing() || g.compare != nil || len(g.mem.marks) > 0 }

// LastWasOperation says that the last change was no typing in a percentage.
func (g *Grid) LastWasOperation() bool { return g.share == nil }

// locked says why the messages may not be changed, or "".
func (t *table) locked() string {
	if t.cfg.Locked == nil {
		return ""
	}
	return t.cfg.Locked(grid.Path())
}

// answered is a question's answer on its way back.
type answered struct {
	to *Grid
	do func() tea.Cmd
}

// later returns the command that does something once a question is answered.
func (g *Grid) later(do func() tea.Cmd) tea.Cmd { return screen.Send(answered{g, do}) }

// Update takes a key, a mouse event relative to the upper left corner, or an answer.
func (g *Grid) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return g.typed(msg)
	case tea.MouseMsg:
		return g.mouse(msg)
	case answered:
		if msg.to == g {
			return msg.do()
		}
	}
	return nil
}

// typed hands on letters that arrived together one by one, until they are text.
func (g *Grid) typed(msg tea.KeyMsg) tea.Cmd {
	var cmds []tea.Cmd
	for msg.Type == tea.KeyRunes && !msg.Paste && !msg.Alt && len(msg.Runes) > 1 && g.adding == nil {
		first := msg
		first.Runes, msg.Runes = msg.Runes[:1:1], msg.Runes[1:]
		cmds = append(cmds, g.key(first))
	}
	return tea.Batch(append(cmds, g.key(msg))...)
}

func (g *Grid) key(msg tea.KeyMsg) tea.Cmd {
	g.failure, g.news = "", ""
	switch {
	case g.adding != nil:
		if g.adding.key(msg) {
			g.adding = nil
		}
		return nil
	case g.share != nil:
		g.shares().key(msg)
		return nil
	case g.compare != nil:
		if g.compare.key(msg, g.keys) {
			g.compare = nil
		}
		return nil
	}
	return g.command(msg)
}

// editText opens the focused message as JSON.
func (g *Grid) editText() tea.Cmd {
	p := g.path()
	if f, ok := g.onField(); !ok && !g.inCell() || ok && f.Path == nil {
		return nil
	}
	text := string(g.root.Lookup(p).Indent())
	if text == "" {
		text = "{}"
	}
	return screen.Send(forms.OpenEditorMsg{Path: p, Text: text, JSON: true})
}
