// Package content edits the messages of a campaign in a grid of locales and variations.
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

// Memory is the state that a grid keeps while another form replaces it. The zero value is ready to use.
type Memory struct {
	clip  clip
	marks map[string]bool // of cells, by key
}

// Grid edits the messages of a campaign by locale and variation. Create one with [New]; it must not be copied.
type Grid struct {
	*table
	keys      keyMap
	base      doc.Value   // the document that Edited compares with
	addDialog *addDialog  // nil unless a locale is being added
	compare   *comparison // nil unless two cells are being compared
}

// table holds the messages as rows and columns with a cursor, and the other fields of the component.
type table struct {
	cfg           editor.Config
	mem           *Memory
	root          doc.Value
	grid          grid.Grid
	duplicates    *grid.Duplicates
	problemCounts map[string]int // number of problems of each cell, by key
	fields        []field        // the other fields of the component
	problems      []schema.Problem

	// The cursor. Row -1 is the header with the variations, rows from len(Locales) on are the fields; column -1 is
	// the locale names.
	row, col    int
	firstColumn int // the first visible variation
	win         widget.Window

	share    *shareInput // nil unless a percentage is being typed
	failure  string      // why the last key did nothing
	notice   string      // what the last key did
	inactive bool        // the grid does not have the keyboard
}

// field is a field of the component that is edited in a form of its own.
type field struct {
	schema.FieldState
	summary string
}

var (
	_ editor.Editor          = (*Grid)(nil)
	_ editor.OperationEditor = (*Grid)(nil)
)

// New returns the grid of the component at the path of cfg. It works for a single message too.
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

// refresh reads the grid again and keeps the cursor in place if possible.
func (t *table) refresh() {
	t.grid = grid.New(t.cfg.Head.Channel, t.root)
	t.duplicates = t.grid.Duplicates(t.duplicates)
	t.fields = t.fields[:0]
	if st, ok := t.cfg.Schema.Object(t.root, t.cfg.Path, t.cfg.Env); ok {
		for _, f := range append(st.Fields, st.Extras...) {
			if f.Shown || f.Value.Exists() {
				t.fields = append(t.fields, field{f, summary(f)})
			}
		}
	}
	t.countProblems()
	t.moveTo(t.row, t.col)
}

// countProblems counts the problems of each cell and of each locale outside its cells.
func (t *table) countProblems() {
	t.problemCounts = map[string]int{}
	for _, p := range t.problems {
		if c, ok := t.grid.CellAt(p.Path); ok && p.Severity == schema.Error && len(p.Path) > len(grid.Path()) {
			t.problemCounts[cellKey(c.Locale, c.Variation)]++
		}
	}
}

// cellKey returns the key of a cell; names of locales may contain any character.
func cellKey(locale, variation string) string { return locale + "\x00" + variation }

// moveTo moves the cursor to a row and column, or the nearest ones.
func (t *table) moveTo(row, col int) {
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

// onLocale reports whether the cursor is on the name of a locale.
func (t *table) onLocale() bool { return t.row >= 0 && t.row < len(t.grid.Locales) && t.col < 0 }

// onVariation reports whether the cursor is on the name of a variation.
func (t *table) onVariation() bool { return t.row < 0 }

// onField returns the field under the cursor.
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

// path returns the document path under the cursor.
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

// Focused returns the place under the cursor.
func (t *table) Focused() (schema.FieldState, bool) {
	if f, ok := t.onField(); ok {
		return f.FieldState, true
	}
	return t.cfg.Schema.Field(t.root, t.path(), t.cfg.Env)
}

// FocusPath moves the cursor to the cell, heading or field that contains p. It reports false if there is none.
func (t *table) FocusPath(p doc.Path) bool {
	if name, ok := grid.ShareOf(p); ok {
		if col := t.column(name); col >= 0 {
			t.moveTo(-1, col)
			return true
		}
	}
	if c, ok := t.grid.CellAt(p); ok {
		if row, col := t.rowOf(c.Locale), t.column(c.Variation); row >= 0 && col >= 0 {
			t.moveTo(row, col)
			return true
		}
	}
	for i, f := range t.fields {
		if p.HasPrefix(f.Path) {
			t.moveTo(len(t.grid.Locales)+i, t.col)
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

// SetSize sets the size of the view.
func (g *Grid) SetSize(w, h int) {
	g.cfg.Width, g.cfg.Height = w, h
	if g.compare != nil {
		g.compare.layout()
	}
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
	g.root, g.share, g.compare, g.failure, g.notice = root, nil, nil, "", ""
	g.refresh()
}

// SetProblems sets the problems of the document.
func (g *Grid) SetProblems(ps []schema.Problem) {
	g.problems = ps
	g.countProblems()
}

// Typing reports whether letters are text.
func (g *Grid) Typing() bool { return g.addDialog != nil || g.share != nil }

// Pending returns the locale that is typed and not added yet.
func (g *Grid) Pending() string {
	if g.addDialog == nil {
		return ""
	}
	return g.addDialog.prompt.Value()
}

// Modal reports whether esc has something to close: an input, a comparison or marks.
func (g *Grid) Modal() bool { return g.Typing() || g.compare != nil || len(g.mem.marks) > 0 }

// LastWasOperation reports that the last change was not typing a percentage.
func (g *Grid) LastWasOperation() bool { return g.share == nil }

// locked returns why the messages cannot be changed, or "".
func (t *table) locked() string {
	if t.cfg.Locked == nil {
		return ""
	}
	return t.cfg.Locked(grid.Path())
}

// answeredMsg delivers the answer to a dialog.
type answeredMsg struct {
	to *Grid
	do func() tea.Cmd
}

// afterAnswer returns the command that runs do after a dialog is answered.
func (g *Grid) afterAnswer(do func() tea.Cmd) tea.Cmd { return screen.Send(answeredMsg{g, do}) }

// Update handles a key, a mouse event relative to the upper left corner, or an answer.
func (g *Grid) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return g.handleRunes(msg)
	case tea.MouseMsg:
		return g.mouse(msg)
	case answeredMsg:
		if msg.to == g {
			return msg.do()
		}
	}
	return nil
}

// handleRunes handles letters that arrived in one message one by one, until they are text.
func (g *Grid) handleRunes(msg tea.KeyMsg) tea.Cmd {
	var cmds []tea.Cmd
	for msg.Type == tea.KeyRunes && !msg.Paste && !msg.Alt && len(msg.Runes) > 1 && g.addDialog == nil {
		first := msg
		first.Runes, msg.Runes = msg.Runes[:1:1], msg.Runes[1:]
		cmds = append(cmds, g.key(first))
	}
	return tea.Batch(append(cmds, g.key(msg))...)
}

func (g *Grid) key(msg tea.KeyMsg) tea.Cmd {
	g.failure, g.notice = "", ""
	switch {
	case g.addDialog != nil:
		if g.addDialog.key(msg) {
			g.addDialog = nil
		}
		return nil
	case g.share != nil:
		g.shareEditor().key(msg)
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
