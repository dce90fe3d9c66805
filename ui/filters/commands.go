package filters

import (
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/forms"
	"bugle/ui/screen"
)

// command handles a key in the tree while nothing is open.
func (t *Tree) command(msg tea.KeyMsg) tea.Cmd {
	k, n := t.keys, t.node()
	switch {
	case t.moveKey(msg):
		return nil
	case key.Matches(msg, k.Why):
		return findInAudience(t.cfg, t.root)
	case key.Matches(msg, k.Open) && n.Kind != audience.Group:
		t.openForm()
		return nil
	}
	if why := t.locked(n.Path); why != "" {
		t.failure = why
		return nil
	}
	switch {
	case key.Matches(msg, k.Open), key.Matches(msg, k.Add):
		t.askKind(false)
	case key.Matches(msg, k.AddOther):
		t.askKind(true)
	case key.Matches(msg, k.Editor):
		return t.editJSON()
	case key.Matches(msg, k.Join):
		t.toggleJoin()
	default:
		t.change(msg)
	}
	return nil
}

// change handles the keys that change the filter under the cursor.
func (o *outline) change(msg tea.KeyMsg) {
	k, p := o.keys, o.node().Path
	switch {
	case key.Matches(msg, k.Negate):
		root, err := audience.Negate(o.root, p)
		o.applyChange(root, p, err)
	case key.Matches(msg, k.Duplicate):
		o.applyChange(audience.Duplicate(o.root, p))
	case key.Matches(msg, k.Remove):
		o.remove()
	case key.Matches(msg, k.Up):
		o.applyChange(audience.Move(o.root, p, -1))
	case key.Matches(msg, k.Down):
		o.applyChange(audience.Move(o.root, p, 1))
	case key.Matches(msg, k.Indent):
		o.applyChange(audience.Indent(o.root, p))
	case key.Matches(msg, k.Outdent):
		o.applyChange(audience.Outdent(o.root, p))
	case key.Matches(msg, k.Other):
		to, ok := o.otherGroup()
		if !ok {
			o.failure = "There is no other group to move it to."
			return
		}
		o.applyChange(audience.MoveTo(o.root, p, to.Path))
	}
}

// applyChange adopts a change of the tree and moves the cursor to the changed node.
func (o *outline) applyChange(root doc.Value, p doc.Path, err error) {
	if err != nil {
		o.failure = phrase.Sentence(err.Error())
		return
	}
	if why := o.locked(p); why != "" {
		o.failure = why
		return
	}
	o.root, o.wasOperation = root, true
	o.refresh()
	o.goTo(p)
}

// goTo moves the cursor to the node at p, if it exists.
func (o *outline) goTo(p doc.Path) {
	for i, n := range o.nodes {
		if n.Path.Equal(p) {
			o.cursor = i
			return
		}
	}
}

func (o *outline) remove() {
	n := o.node()
	if n.Kind == audience.Group && n.Depth == 0 && n.Count == 0 {
		o.failure = "This group is already empty."
		return
	}
	root, err := audience.Remove(o.root, n.Path)
	o.applyChange(root, n.Path, err)
	if err == nil && o.cfg.Host.Notify != nil {
		what := "Removed."
		if n.Count == 1 {
			what = "Removed, with the filter in it."
		} else if n.Count > 1 {
			what = fmt.Sprintf("Removed, with the %d filters in it.", n.Count)
		}
		o.cfg.Host.Notify(what + " Press ctrl+z to undo.")
	}
}

// toggleJoin switches between and and or in the group that contains the node, or is it.
func (o *outline) toggleJoin() {
	n := o.node()
	group := n
	for i := o.cursor; n.Kind != audience.Group && i >= 0; i-- {
		if o.nodes[i].Depth < n.Depth {
			group = o.nodes[i] // for a condition, its action
			break
		}
	}
	join := "or"
	if n.Join == join {
		join = "and"
	}
	root, err := audience.SetJoin(o.root, group.Path, join)
	o.applyChange(root, n.Path, err)
}

// groupAt returns the index of the outermost group that contains a node.
func (o *outline) groupAt(i int) int {
	for ; i > 0 && o.nodes[i].Depth > 0; i-- {
	}
	return i
}

// otherGroup returns the outermost group after the current one, or the first.
func (o *outline) otherGroup() (audience.Node, bool) {
	var groups []audience.Node
	here := 0
	for i, n := range o.nodes {
		if n.Depth == 0 {
			if i == o.groupAt(o.cursor) {
				here = len(groups)
			}
			groups = append(groups, n)
		}
	}
	if len(groups) < 2 {
		return audience.Node{}, false
	}
	return groups[(here+1)%len(groups)], true
}

func (o *outline) moveKey(msg tea.KeyMsg) bool {
	to := o.cursor
	switch msg.String() {
	case "up", "k":
		to--
	case "down", "j":
		to++
	case "pgup":
		to -= max(o.visibleLines-1, 1)
	case "pgdown":
		to += max(o.visibleLines-1, 1)
	case "home", "g":
		to = 0
	case "end", "G":
		to = len(o.nodes) - 1
	default:
		return false
	}
	o.cursor = max(0, min(to, len(o.nodes)-1))
	return true
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
