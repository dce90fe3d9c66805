// Package filters edits the filters of an audience as a tree, below a sentence that says in plain
// words whom they pick, and tells beside it how many people that is.
package filters

import (
	"slices"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/ui/editor"
)

// Tree edits the filter groups of a component. Make one with [New]; it must not be copied.
type Tree struct {
	*outline
	base    doc.Value // what Edits compares with
	open    *form     // of the node under the cursor; nil where none is open
	menu    *menu     // what to add; nil where that is not asked
	outside *outside  // a JSON text that could not be taken over

	sentence []string
	lines    []line
	top      int // the first line in sight
}

// outline is the filters as rows with a cursor, and what is done with the one under it.
type outline struct {
	cfg   editor.Config
	place doc.Path // of the component, or of a group that stands alone
	keys  keyMap
	root  doc.Value
	draft *draft

	nodes    []audience.Node
	last     []bool // of each node: no other follows in its group
	at       int    // the node under the cursor
	problems []schema.Problem
	failure  string
	stepped  bool // the last change was an operation, not something typed
	resting  bool // the keyboard is elsewhere
	body     int  // how many lines are in sight
}

// draft is a filter that was added and is as it was made: it is no part of the document yet.
type draft struct {
	before doc.Value
	path   doc.Path
	from   int // the node that the cursor was on
}

var _ editor.Editor = (*Tree)(nil)

// New makes the editor of a filter group, or of a component that has some. The groups of one component
// are shown together, the cursor in the one at the path.
func New(cfg editor.Config) editor.Editor {
	t := &Tree{outline: &outline{cfg: cfg, place: placeOf(cfg.Path), keys: newKeyMap(), root: cfg.Root}, base: cfg.Root}
	t.refresh()
	for i, n := range t.nodes {
		if n.Path.Equal(cfg.Path) {
			t.at = i
		}
	}
	if len(cfg.Focus) > 0 {
		t.FocusPath(cfg.Path.Child(cfg.Focus))
	}
	t.settle()
	return t
}

// placeOf returns the component around a group, and any other path as it is.
func placeOf(p doc.Path) doc.Path {
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

// SetSize sets the cells and lines that View may take.
func (t *Tree) SetSize(w, h int) {
	t.cfg.Width, t.cfg.Height = w, h
	t.settle()
}

// SetActive tells the tree whether it has the keyboard.
func (t *Tree) SetActive(on bool) {
	if t.resting == on {
		t.resting = !on
		t.settle()
	}
}

// Edited returns the document with everything that a person changed. A filter that was added and has
// nothing in it yet is not in it.
func (t *Tree) Edited() (doc.Value, bool) {
	root := t.root
	if t.untouched() {
		root = t.draft.before
	}
	return root, !root.Same(t.base)
}

// untouched reports a draft that nobody has filled in.
func (o *outline) untouched() bool {
	return o.draft != nil && audience.IsNewFilter(o.root, o.draft.path)
}

// Reload takes over a document that was changed elsewhere, or saved.
func (t *Tree) Reload(root doc.Value) {
	t.base = root
	if root.Same(t.root) || t.untouched() && root.Same(t.draft.before) {
		return
	}
	before := t.root
	t.root, t.draft, t.menu, t.failure = root, nil, nil, ""
	t.refresh()
	if t.open != nil {
		t.reopen()
	} else {
		t.toChange(before)
	}
	t.settle()
}

// toChange puts the cursor where the document differs from what it was before.
func (o *outline) toChange(before doc.Value) {
	changes := doc.Diff(before.Lookup(o.place), o.root.Lookup(o.place))
	if len(changes) == 0 {
		return
	}
	c, best := changes[0], -1
	p := o.place.Join(c.Path...)
	if last := p.Last(); last.IsIndex && last.Index > 0 && !c.After.Exists() {
		p = p.Parent().Elem(last.Index - 1) // what stood before one that went
	}
	for i, n := range o.nodes {
		if p.HasPrefix(n.Path) && (best < 0 || len(n.Path) >= len(o.nodes[best].Path)) {
			best = i
		}
	}
	if best >= 0 {
		o.at = best
	}
}

// SetProblems hands in the problems of the document.
func (t *Tree) SetProblems(ps []schema.Problem) {
	t.problems = ps
	t.refresh()
	t.settle()
}

// refresh reads the nodes anew, and keeps the cursor on its place.
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
	o.at = max(0, min(o.at, len(o.nodes)-1))
}

// node returns the node under the cursor; a tree always has one.
func (o *outline) node() audience.Node {
	if o.at < len(o.nodes) {
		return o.nodes[o.at]
	}
	return audience.Node{Kind: audience.Group, Path: o.place}
}

// Focused returns the place that the keyboard is at.
func (t *Tree) Focused() (schema.FieldState, bool) {
	p := t.node().Path
	if t.open != nil {
		if r, ok := t.open.row(); ok {
			return r.input.State, true
		}
	}
	if s, ok := t.cfg.Schema.Field(t.root, audience.Subject(t.root, p), t.cfg.Env); ok {
		return s, true
	}
	return t.cfg.Schema.Field(t.root, p, t.cfg.Env)
}

// FocusPath puts the cursor on the node at p, and opens it where p leads to something in it.
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
	t.at = min(best, max(len(t.nodes)-1, 0))
	if n := t.node(); n.Kind != audience.Group && len(p) > len(n.Path) && p.HasPrefix(n.Path) {
		t.openForm()
		t.open.focusPath(p)
	}
	t.settle()
	return true
}

// Typing reports that letters are text.
func (t *Tree) Typing() bool { return t.open != nil && t.open.typing }

// Modal reports that a filter is open, or something to add is chosen: Escape closes that.
func (t *Tree) Modal() bool { return t.open != nil || t.menu != nil }

// LastWasOperation says whether the last change was an operation on the tree.
func (t *Tree) LastWasOperation() bool { return t.stepped }

// locked says why what is at p may not be changed, or "".
func (o *outline) locked(p doc.Path) string {
	if o.cfg.Locked == nil {
		return ""
	}
	return o.cfg.Locked(p)
}

// Update takes a key, or a mouse event relative to the upper left corner.
func (t *Tree) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return t.typed(msg)
	case tea.MouseMsg:
		t.mouse(msg)
	}
	return nil
}

// typed hands on letters that arrived together one by one, until they are text.
func (t *Tree) typed(msg tea.KeyMsg) tea.Cmd {
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
		if _, ok := t.open.row(); ok && key.Matches(msg, t.keys.FormEditor) {
			t.editJSON()
		} else if t.open.key(msg) {
			t.closeForm()
		}
	default:
		cmd = t.command(msg)
	}
	t.settle()
	return cmd
}
