// Package filters edits the filters of an audience as a tree, below a sentence that describes the audience, counts the
// matching users beside it, and lists them with the reasons on a screen of their own.
package filters

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/ui/editor"
	"bugle/ui/widget"
)

// Tree edits the filter groups of a component. Create one with [New]; it must not be copied.
type Tree struct {
	cfg   editor.Config
	place doc.Path // path of the component, or of a single group
	root  doc.Value
	base  doc.Value // the document that Edited compares with
	draft *draft
	open  *openFilter         // the filter under the cursor, if it is open; otherwise nil
	seen  map[string][]string // the texts of users, by attribute; nil until they are asked for

	nodes        []audience.Node
	last         []bool // for each node: it is the last one in its group
	cursor       int    // the node under the cursor
	problems     []schema.Problem
	failure      string // why the last key did nothing
	wasOperation bool   // the last change was an operation, not typing
	inactive     bool   // the tree does not have the keyboard

	sentence []string
	lines    []line
	window   widget.Window // over the lines
}

// draft is a newly added filter that is still unchanged and not part of the document.
type draft struct {
	before doc.Value
	path   doc.Path
	from   int // the node that the cursor was on
}

// New returns the editor of a filter group, or of a component with filter groups. All groups of a component are
// shown, with the cursor in the one at the path.
func New(cfg editor.Config) editor.Editor {
	t := &Tree{cfg: cfg, place: groupsPath(cfg.Path), root: cfg.Root, base: cfg.Root}
	t.refresh()
	t.goTo(cfg.Path)
	if len(cfg.Focus) > 0 {
		t.FocusPath(cfg.Path.Child(cfg.Focus))
	}
	t.rebuild()
	return t
}

// groupsPath returns the component around a group, and any other path unchanged.
func groupsPath(p doc.Path) doc.Path {
	if len(p) > 1 && slices.Contains(catalog.FilterGroups(catalog.Component(p[len(p)-2].Name)), p.Last().Name) {
		return p.Parent()
	}
	return p
}

func envOf(cfg editor.Config) audience.Env {
	env := audience.Env{Workspace: cfg.Workspace}
	if env.Now = time.Now(); cfg.Now != nil {
		env.Now = cfg.Now()
	}
	return env
}

// SetSize sets the size of the view.
func (t *Tree) SetSize(w, h int) {
	t.cfg.Width, t.cfg.Height = w, h
	t.rebuild()
}

// SetActive tells the tree whether it has the keyboard.
func (t *Tree) SetActive(on bool) {
	if t.inactive == on {
		t.inactive = !on
		if t.open != nil {
			t.open.SetActive(on)
		}
		t.rebuild()
	}
}

// Edited returns the document with the user's changes. A new filter that is still empty is not part of it.
func (t *Tree) Edited() (doc.Value, bool) {
	root := t.root
	if t.draftIsEmpty() {
		root = t.draft.before
	}
	return root, !root.Same(t.base)
}

// draftIsEmpty reports whether there is a draft that has not been filled in.
func (t *Tree) draftIsEmpty() bool {
	return t.draft != nil && audience.IsNewFilter(t.root, t.draft.path)
}

// Reload replaces the document after it was changed elsewhere or saved.
func (t *Tree) Reload(root doc.Value) {
	t.base = root
	if root.Same(t.root) || t.draftIsEmpty() && root.Same(t.draft.before) {
		return
	}
	before := t.root
	t.root, t.draft, t.failure = root, nil, ""
	t.refresh()
	if t.open != nil {
		t.reopen()
	} else {
		t.goToChange(before)
	}
	t.rebuild()
}

// goToChange moves the cursor to the first difference from the previous document.
func (t *Tree) goToChange(before doc.Value) {
	changes := doc.Diff(before.Lookup(t.place), t.root.Lookup(t.place))
	if len(changes) == 0 {
		return
	}
	p := t.place.Join(changes[0].Path...)
	if last := p.Last(); last.IsIndex && last.Index > 0 && !changes[0].After.Exists() {
		p = p.Parent().Elem(last.Index - 1) // the entry before a removed one
	}
	if i := t.nodeAround(p); i >= 0 {
		t.cursor = i
	}
}

// nodeAround returns the index of the innermost node that contains a place; -1 if there is none.
func (t *Tree) nodeAround(p doc.Path) int {
	best := -1
	for i, n := range t.nodes {
		if p.HasPrefix(n.Path) && (best < 0 || len(n.Path) >= len(t.nodes[best].Path)) {
			best = i
		}
	}
	return best
}

// goTo moves the cursor to the node at p, and reports whether it exists.
func (t *Tree) goTo(p doc.Path) bool {
	i := slices.IndexFunc(t.nodes, func(n audience.Node) bool { return n.Path.Equal(p) })
	if i >= 0 {
		t.cursor = i
	}
	return i >= 0
}

// SetProblems sets the problems of the document.
func (t *Tree) SetProblems(ps []schema.Problem) {
	t.problems = ps
	if t.open != nil {
		t.open.SetProblems(ps)
	}
	t.refresh()
	t.rebuild()
}

// refresh reads the nodes again and keeps the cursor in place.
func (t *Tree) refresh() {
	t.nodes = audience.Nodes(t.root, t.place, envOf(t.cfg), t.problems)
	t.last = make([]bool, len(t.nodes))
	for i, n := range t.nodes {
		t.last[i] = true
		for _, after := range t.nodes[i+1:] {
			if after.Depth <= n.Depth {
				t.last[i] = after.Depth < n.Depth
				break
			}
		}
	}
	t.cursor = max(0, min(t.cursor, len(t.nodes)-1))
}

// node returns the node under the cursor; a tree always has one.
func (t *Tree) node() audience.Node { return t.nodes[t.cursor] }

// Focused returns the place that has the keyboard.
func (t *Tree) Focused() (schema.FieldState, bool) {
	if t.open != nil {
		if st, ok := t.open.Form.Focused(); ok {
			return st, true
		}
	}
	p := t.node().Path
	if s, ok := t.cfg.Schema.Field(t.root, audience.Subject(t.root, p), t.cfg.Env); ok {
		return s, true
	}
	return t.cfg.Schema.Field(t.root, p, t.cfg.Env)
}

// FocusPath moves the cursor to the node at p, and opens it if p is inside it.
func (t *Tree) FocusPath(p doc.Path) bool {
	i := t.nodeAround(p)
	if i < 0 {
		return p.Equal(t.place)
	}
	at := t.nodes[i].Path
	t.closeForm()
	if t.goTo(at) && t.node().Kind != audience.Group && len(p) > len(at) {
		t.openForm()
		t.open.FocusPath(p)
	}
	t.rebuild()
	return true
}

// Typing reports whether letters are text.
func (t *Tree) Typing() bool { return t.open != nil && t.open.Form.Typing() }

// Modal reports whether a filter is open, which esc closes.
func (t *Tree) Modal() bool { return t.open != nil }

// LastWasOperation reports whether the last change was an operation on the tree.
func (t *Tree) LastWasOperation() bool { return t.wasOperation }

// locked returns why the value at p cannot be changed, or "".
func (t *Tree) locked(p doc.Path) string {
	if t.cfg.Locked == nil {
		return ""
	}
	return t.cfg.Locked(p)
}

// Update handles a key, a mouse event relative to the upper left corner, or what was chosen to add.
func (t *Tree) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyMsg:
		cmd = t.key(msg)
	case tea.MouseMsg:
		cmd = t.mouse(msg)
	case addMsg:
		if msg.to == t {
			t.add(msg.addition)
			t.rebuild()
		}
	}
	if t.open != nil {
		cmd = tea.Batch(cmd, t.loadValues())
	}
	return cmd
}

func (t *Tree) key(msg tea.KeyMsg) tea.Cmd {
	t.failure = ""
	var cmd tea.Cmd
	if t.open != nil {
		cmd = t.formKey(msg)
	} else {
		cmd = t.command(msg)
	}
	t.rebuild()
	return cmd
}

// mouse handles the wheel and clicks on a node, a row or a name.
func (t *Tree) mouse(msg tea.MouseMsg) (cmd tea.Cmd) {
	if t.window.Wheel(msg) || !widget.Pressed(msg) {
		return nil
	}
	y := msg.Y - len(t.sentence)
	i, ok := t.window.At(y)
	if !ok {
		return nil
	}
	t.failure = ""
	switch l := t.lines[i]; {
	case l.form:
		t.formMouse(msg, i)
	case l.node >= 0:
		cmd = t.press(l.node)
	}
	t.rebuild()
	return cmd
}

// press moves the cursor to a node; on the node under the cursor, it opens or closes what enter opens.
func (t *Tree) press(node int) tea.Cmd {
	n := t.nodes[node]
	switch {
	case node != t.cursor:
		t.closeForm()
		t.goTo(n.Path)
	case t.open != nil:
		t.closeForm()
	default:
		return t.enterNode()
	}
	return nil
}
