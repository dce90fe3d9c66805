// Package content shows the messages of a campaign as a grid of locales and variations, and edits it:
// cells are opened, copied, compared; locales and variations come and go; percentages are typed where
// they are read.
package content

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/content"
	"bugle/engine/doc"
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
	cfg     editor.Config
	mem     *Memory
	keys    keyMap
	resting bool // the keyboard is elsewhere

	base   doc.Value // what Edits compares with
	root   doc.Value
	grid   content.Grid
	twins  *content.Twins
	faults map[string]int // problems of cells, by key
	fields []field        // what the component has besides

	// The cursor. Row -1 is the heads of the variations, rows from len(Locales) on are the fields;
	// column -1 is the names of the locales.
	row, col int
	left     int // the first variation in sight
	win      widget.Window

	share    *share      // a percentage is typed
	adding   *adding     // a locale is chosen
	compare  *comparison // two cells are side by side
	failure  string      // why the last key did nothing
	news     string      // what it did
	problems []schema.Problem
}

// field is a member of the component that is edited in a form of its own.
type field struct {
	schema.FieldState
	summary string
}

var (
	_ editor.Editor  = (*Grid)(nil)
	_ editor.Stepper = (*Grid)(nil)
)

// New makes the grid of the component at the path of cfg. Where the form for one message would do, it
// shows a grid of one.
func New(cfg editor.Config, mem *Memory) editor.Editor {
	if mem == nil {
		mem = &Memory{}
	}
	g := &Grid{cfg: cfg, mem: mem, keys: newKeyMap(), base: cfg.Root, root: cfg.Root}
	g.refresh()
	if len(cfg.Focus) > 0 {
		g.FocusPath(cfg.Path.Child(cfg.Focus))
	}
	return g
}

// refresh reads the grid anew, and keeps the cursor where it is as far as it can.
func (g *Grid) refresh() {
	g.grid = content.Read(g.cfg.Head.Channel, g.root)
	g.twins = g.grid.Twins(g.twins)
	g.fields = g.fields[:0]
	if st, ok := g.cfg.Schema.Object(g.root, g.cfg.Path, g.cfg.Env); ok {
		for _, f := range append(st.Fields, st.Extras...) {
			if f.Shown || f.Value.Exists() {
				g.fields = append(g.fields, field{f, summary(f)})
			}
		}
	}
	g.count()
	g.place(g.row, g.col)
}

// count notes how many problems each cell has, and each locale outside its cells.
func (g *Grid) count() {
	g.faults = map[string]int{}
	for _, p := range g.problems {
		if c, ok := g.grid.At(p.Path); ok && p.Severity == schema.Error && len(p.Path) > len(content.Path()) {
			g.faults[keyOf(c.Locale, c.Variation)]++
		}
	}
}

// keyOf names a cell; names of locales may hold anything.
func keyOf(locale, variation string) string { return locale + "\x00" + variation }

// place puts the cursor on a row and column, or on the nearest that there are.
func (g *Grid) place(row, col int) {
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

// onLocale reports whether it is on the name of a locale.
func (g *Grid) onLocale() bool { return g.row >= 0 && g.row < len(g.grid.Locales) && g.col < 0 }

// onVariation reports whether it is on the head of a variation.
func (g *Grid) onVariation() bool { return g.row < 0 }

// onField gives the field that it is on.
func (g *Grid) onField() (field, bool) {
	if i := g.row - len(g.grid.Locales); i >= 0 && i < len(g.fields) {
		return g.fields[i], true
	}
	return field{}, false
}

// cell gives the cell in a row and column of the grid.
func (g *Grid) cell(row, col int) content.Cell {
	return g.grid.Cell(g.grid.Locales[row].Name, g.grid.Variations[col].Name)
}

// path is the place in the document that the cursor is at.
func (g *Grid) path() doc.Path {
	switch f, ok := g.onField(); {
	case ok:
		return f.Path
	case g.onVariation():
		return content.SharePath(g.grid.Variations[g.col].Name)
	case g.onLocale():
		return content.LocalePath(g.grid.Locales[g.row].Name)
	}
	c := g.cell(g.row, g.col)
	if g.grid.Value(c).Exists() {
		return c.Message
	}
	return c.Path
}

// Focused gives the place that the keyboard is at.
func (g *Grid) Focused() (schema.FieldState, bool) {
	if f, ok := g.onField(); ok {
		return f.FieldState, true
	}
	return g.cfg.Schema.Field(g.root, g.path(), g.cfg.Env)
}

// FocusPath puts the cursor on the cell, the head or the field that p is in. It reports false where
// there is none.
func (g *Grid) FocusPath(p doc.Path) bool {
	if name, ok := content.ShareOf(p); ok {
		if col := g.column(name); col >= 0 {
			g.place(-1, col)
			return true
		}
	}
	if c, ok := g.grid.At(p); ok {
		if row, col := g.rowOf(c.Locale), g.column(c.Variation); row >= 0 && col >= 0 {
			g.place(row, col)
			return true
		}
	}
	for i, f := range g.fields {
		if p.HasPrefix(f.Path) {
			g.place(len(g.grid.Locales)+i, g.col)
			return true
		}
	}
	return p.Equal(g.cfg.Path)
}

func (g *Grid) column(variation string) int {
	for i, v := range g.grid.Variations {
		if v.Name == variation {
			return i
		}
	}
	return -1
}

func (g *Grid) rowOf(locale string) int {
	for i, l := range g.grid.Locales {
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
		g.layCompare()
	}
	g.scroll()
}

// SetActive tells the grid whether it has the keyboard.
func (g *Grid) SetActive(on bool) { g.resting = !on }

// Edits gives the document with everything that a person changed.
func (g *Grid) Edits() (doc.Value, bool) { return g.root, !g.root.Same(g.base) }

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

// Stepped says that the last change was no typing in a percentage.
func (g *Grid) Stepped() bool { return g.share == nil }

// locked says why the messages may not be changed, or "".
func (g *Grid) locked() string {
	if g.cfg.Locked == nil {
		return ""
	}
	return g.cfg.Locked(content.Path())
}

// answered is a question's answer on its way back.
type answered struct {
	to *Grid
	do func() tea.Cmd
}

// later gives the command that does something once a question is answered.
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
		return g.addKey(msg)
	case g.share != nil:
		return g.shareKey(msg)
	case g.compare != nil:
		g.compareKey(msg)
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
	return screen.Send(forms.EditMsg{Path: p, Text: text, JSON: true})
}
