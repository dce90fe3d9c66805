// Package filters edits the filters of an audience as a tree, below a sentence that describes the audience, and
// counts the matching users beside it.
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
)

// Tree edits the filter groups of a component. Create one with [New]; it must not be copied.
type Tree struct {
	*outline
	base   doc.Value           // the document that Edited compares with
	open   *openFilter         // the filter under the cursor, if it is open; otherwise nil
	menu   *menu               // the menu of what to add; nil if it is closed
	values map[string][]string // the texts of users, by attribute; nil until they are asked for

	sentence []string
	lines    []line
	top      int // the first visible line
}

// outline is the list of filter rows with a cursor, and the operations on it.
type outline struct {
	cfg   editor.Config
	place doc.Path // path of the component, or of a single group
	keys  keyMap
	root  doc.Value
	draft *draft

	nodes        []audience.Node
	last         []bool // for each node: it is the last one in its group
	cursor       int    // the node under the cursor
	problems     []schema.Problem
	failure      string
	wasOperation bool // the last change was an operation, not typing
	inactive     bool // the tree does not have the keyboard
	visibleLines int  // number of visible lines
}

// draft is a newly added filter that is still unchanged and not part of the document.
type draft struct {
	before doc.Value
	path   doc.Path
	from   int // the node that the cursor was on
}

var _ editor.Editor = (*Tree)(nil)

// New returns the editor of a filter group, or of a component with filter groups. All groups of a component are
// shown, with the cursor in the one at the path.
func New(cfg editor.Config) editor.Editor {
	t := &Tree{outline: &outline{cfg: cfg, place: groupsPath(cfg.Path), keys: newKeyMap(), root: cfg.Root}, base: cfg.Root}
	t.refresh()
	for i, n := range t.nodes {
		if n.Path.Equal(cfg.Path) {
			t.cursor = i
		}
	}
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

func (o *outline) env() audience.Env { return audienceEnv(o.cfg) }

func audienceEnv(cfg editor.Config) audience.Env {
	env := audience.Env{Workspace: cfg.Workspace}
	env.Now = now(cfg)
	return env
}

func now(cfg editor.Config) time.Time {
	if cfg.Now != nil {
		return cfg.Now()
	}
	return time.Now()
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
func (o *outline) draftIsEmpty() bool {
	return o.draft != nil && audience.IsNewFilter(o.root, o.draft.path)
}

// Reload replaces the document after it was changed elsewhere or saved.
func (t *Tree) Reload(root doc.Value) {
	t.base = root
	if root.Same(t.root) || t.draftIsEmpty() && root.Same(t.draft.before) {
		return
	}
	before := t.root
	t.root, t.draft, t.menu, t.failure = root, nil, nil, ""
	t.refresh()
	if t.open != nil {
		t.reopen()
	} else {
		t.goToChange(before)
	}
	t.rebuild()
}

// goToChange moves the cursor to the first difference from the previous document.
func (o *outline) goToChange(before doc.Value) {
	changes := doc.Diff(before.Lookup(o.place), o.root.Lookup(o.place))
	if len(changes) == 0 {
		return
	}
	c, best := changes[0], -1
	p := o.place.Join(c.Path...)
	if last := p.Last(); last.IsIndex && last.Index > 0 && !c.After.Exists() {
		p = p.Parent().Elem(last.Index - 1) // the entry before a removed one
	}
	for i, n := range o.nodes {
		if p.HasPrefix(n.Path) && (best < 0 || len(n.Path) >= len(o.nodes[best].Path)) {
			best = i
		}
	}
	if best >= 0 {
		o.cursor = best
	}
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
func (o *outline) refresh() {
	o.nodes = audience.Nodes(o.root, o.place, o.env(), o.problems)
	o.last = make([]bool, len(o.nodes))
	for i, n := range o.nodes {
		o.last[i] = true
		for _, after := range o.nodes[i+1:] {
			if after.Depth <= n.Depth {
				o.last[i] = after.Depth < n.Depth
				break
			}
		}
	}
	o.cursor = max(0, min(o.cursor, len(o.nodes)-1))
}

// node returns the node under the cursor; a tree always has one.
func (o *outline) node() audience.Node {
	if o.cursor < len(o.nodes) {
		return o.nodes[o.cursor]
	}
	return audience.Node{Kind: audience.Group, Path: o.place}
}

// Focused returns the place that has the keyboard.
func (t *Tree) Focused() (schema.FieldState, bool) {
	p := t.node().Path
	if t.open != nil {
		if st, ok := t.open.Form.Focused(); ok {
			return st, true
		}
	}
	if s, ok := t.cfg.Schema.Field(t.root, audience.Subject(t.root, p), t.cfg.Env); ok {
		return s, true
	}
	return t.cfg.Schema.Field(t.root, p, t.cfg.Env)
}

// FocusPath moves the cursor to the node at p, and opens it if p is inside it.
func (t *Tree) FocusPath(p doc.Path) bool {
	best := -1
	for i, n := range t.nodes {
		if p.HasPrefix(n.Path) && (best < 0 || len(n.Path) >= len(t.nodes[best].Path)) {
			best = i
		}
	}
	if best < 0 {
		return p.Equal(t.place)
	}
	t.closeForm()
	t.cursor = min(best, max(len(t.nodes)-1, 0))
	if n := t.node(); n.Kind != audience.Group && len(p) > len(n.Path) && p.HasPrefix(n.Path) {
		t.openForm()
		t.open.focusPart(p, t.root)
	}
	t.rebuild()
	return true
}

// Typing reports whether letters are text.
func (t *Tree) Typing() bool { return t.open != nil && t.open.Form.Typing() }

// Modal reports whether a filter or the menu is open, which esc closes.
func (t *Tree) Modal() bool { return t.open != nil || t.menu != nil }

// LastWasOperation reports whether the last change was an operation on the tree.
func (t *Tree) LastWasOperation() bool { return t.wasOperation }

// locked returns why the value at p cannot be changed, or "".
func (o *outline) locked(p doc.Path) string {
	if o.cfg.Locked == nil {
		return ""
	}
	return o.cfg.Locked(p)
}

// Update handles a key, or a mouse event relative to the upper left corner.
func (t *Tree) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyMsg:
		cmd = t.handleRunes(msg)
	case tea.MouseMsg:
		t.mouse(msg)
	}
	if t.open != nil {
		cmd = tea.Batch(cmd, t.loadValues())
	}
	return cmd
}

// handleRunes handles letters that arrived in one message one by one, until they are text.
func (t *Tree) handleRunes(msg tea.KeyMsg) tea.Cmd {
	var cmds []tea.Cmd
	for msg.Type == tea.KeyRunes && !msg.Paste && !msg.Alt && len(msg.Runes) > 1 && !t.Typing() {
		first := msg
		first.Runes, msg.Runes = msg.Runes[:1:1], msg.Runes[1:]
		cmds = append(cmds, t.key(first))
	}
	return tea.Batch(append(cmds, t.key(msg))...)
}

func (t *Tree) key(msg tea.KeyMsg) tea.Cmd {
	t.failure = ""
	var cmd tea.Cmd
	switch {
	case t.menu != nil:
		t.menuKey(msg)
	case t.open != nil:
		cmd = t.formKey(msg)
	default:
		cmd = t.command(msg)
	}
	t.rebuild()
	return cmd
}
