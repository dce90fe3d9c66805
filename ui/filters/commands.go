package filters

import (
	"fmt"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/forms"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

func bind(label, help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(label, help))
}

var (
	whoKey    = bind("W", "who matches", "W", "enter")
	closeKey  = bind("esc", "done", "esc")
	editorKey = bind("ctrl+e", "as JSON in your editor", "ctrl+e")
)

// command is what a key does in the tree while nothing is open.
type command struct {
	key.Binding
	applies bool // to the node under the cursor; if not, it is not in the help, and says why it does nothing
	reads   bool // it changes nothing, so that it works where the filters are locked
	run     func() tea.Cmd
}

// commands returns the commands, the most important first.
func (t *Tree) commands() []command {
	n := t.node()
	p, filter, nested := n.Path, n.Kind != audience.Group, n.Depth > 0
	full := filter || n.Count > 0
	locked := t.locked(p) != ""
	open := command{bind("enter", "edit", "enter"), filter, true, t.enterNode}
	if locked {
		open.SetHelp("enter", "view")
	}
	change := func(f func(doc.Value, doc.Path) (doc.Value, doc.Path, error)) func() tea.Cmd {
		return func() tea.Cmd {
			root, at, err := f(t.root, p)
			return t.applyChange(root, at, err)
		}
	}
	move := func(by int) func() tea.Cmd {
		return change(func(root doc.Value, p doc.Path) (doc.Value, doc.Path, error) { return audience.Move(root, p, by) })
	}
	return []command{
		open,
		{bind("a", "add", "a"), !locked, false, t.askKind},
		{bind("space", "and/or", " "), full && !locked, false, t.toggleJoin},
		{bind("!", "not", "!"), nested && !locked, false, change(func(root doc.Value, p doc.Path) (doc.Value, doc.Path, error) {
			root, err := audience.Negate(root, p)
			return root, p, err
		})},
		{bind("c", "clone", "c"), nested && !locked, false, change(audience.Duplicate)},
		{whoKey, true, true, func() tea.Cmd { return findInAudience(t.cfg, t.root) }},
		{bind("x", "delete", "x", "delete"), full && !locked, false, t.remove},
		{bind("K", "move up", "K", "alt+up"), nested && !locked, false, move(-1)},
		{bind("J", "move down", "J", "alt+down"), nested && !locked, false, move(1)},
		{bind(">", "move into the action above", ">", "tab"), nested && !locked, false, change(audience.Indent)},
		{bind("<", "move out of the action", "<", "shift+tab"), nested && !locked, false, change(audience.Outdent)},
		{editorKey, !locked, false, t.editJSON},
	}
}

// command handles a key in the tree while nothing is open.
func (t *Tree) command(msg tea.KeyMsg) tea.Cmd {
	for _, c := range t.commands() {
		if !key.Matches(msg, c.Binding) {
			continue
		}
		if why := t.locked(t.node().Path); why != "" && !c.reads {
			t.failure = why
			return nil
		}
		return c.run()
	}
	nodes := widget.Window{Cursor: t.cursor, Len: len(t.nodes), Height: t.window.Height}
	if nodes.Update(msg) {
		t.cursor = nodes.Cursor
	}
	return nil
}

// Bindings returns the keys that work now.
func (t *Tree) Bindings() []key.Binding {
	if t.open != nil {
		return append(t.open.bindings(t.open.Form.Bindings()), editorKey)
	}
	return append(t.applicable(), bind("↑/↓", "move", "up", "down", "k", "j"), bind("pgup/pgdn", "page", "pgup", "pgdown"), bind("home/end", "first, last", "home", "end", "g", "G"))
}

// Hints returns the most important keys.
func (t *Tree) Hints() []key.Binding {
	if t.open != nil {
		return t.open.bindings(t.open.Form.Hints())
	}
	all := t.applicable()
	last := slices.IndexFunc(all, func(b key.Binding) bool { return b.Help() == whoKey.Help() })
	return all[:last+1]
}

// applicable returns the keys that apply to the node under the cursor.
func (t *Tree) applicable() []key.Binding {
	var out []key.Binding
	for _, c := range t.commands() {
		if c.applies {
			out = append(out, c.Binding)
		}
	}
	return out
}

// enterNode opens a filter, or asks what to add to a group.
func (t *Tree) enterNode() tea.Cmd {
	n := t.node()
	switch why := t.locked(n.Path); {
	case n.Kind != audience.Group:
		t.openForm()
	case why != "":
		t.failure = why
	default:
		return t.askKind()
	}
	return nil
}

// applyChange adopts a change of the tree and moves the cursor to the changed node.
func (t *Tree) applyChange(root doc.Value, p doc.Path, err error) tea.Cmd {
	why := t.locked(p)
	if err != nil {
		why = phrase.Sentence(err.Error())
	}
	if t.failure = why; why == "" {
		t.root, t.wasOperation = root, true
		t.refresh()
		t.goTo(p)
	}
	return nil
}

func (t *Tree) remove() tea.Cmd {
	n := t.node()
	if n.Kind == audience.Group && n.Depth == 0 && n.Count == 0 {
		t.failure = "This group is already empty."
		return nil
	}
	root, err := audience.Remove(t.root, n.Path)
	t.applyChange(root, n.Path, err)
	if err == nil && t.cfg.Host.Notify != nil {
		what := "Removed."
		if n.Count == 1 {
			what = "Removed, with the filter in it."
		} else if n.Count > 1 {
			what = fmt.Sprintf("Removed, with the %d filters in it.", n.Count)
		}
		t.cfg.Host.Notify(what + " Press ctrl+z to undo.")
	}
	return nil
}

// toggleJoin switches between and and or in the group that contains the node, or is it.
func (t *Tree) toggleJoin() tea.Cmd {
	n := t.node()
	group := n
	for i := t.cursor; n.Kind != audience.Group && i >= 0; i-- {
		if t.nodes[i].Depth < n.Depth {
			group = t.nodes[i] // for a condition, its action
			break
		}
	}
	join := "or"
	if n.Join == join {
		join = "and"
	}
	root, err := audience.SetJoin(t.root, group.Path, join)
	return t.applyChange(root, n.Path, err)
}

// editJSON opens the node in the user's editor. A new filter becomes part of the document.
func (t *Tree) editJSON() tea.Cmd {
	t.draft = nil
	p, text := t.node().Path, "{}"
	if v := t.root.Lookup(p); v.Exists() {
		text = string(v.Indent())
	}
	return screen.Send(forms.OpenEditorMsg{Path: p, Text: text, JSON: true})
}
