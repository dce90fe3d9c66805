package filters

import (
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/engine/doc"
)

// command takes a key in the tree, while nothing is open.
func (t *Tree) command(msg tea.KeyMsg) tea.Cmd {
	k, n := t.keys, t.node()
	switch {
	case t.moveKey(msg):
		return nil
	case key.Matches(msg, k.Why):
		return askWhom(t.cfg, func() doc.Value { return t.root.Lookup(t.place) })
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
		t.editJSON()
	case key.Matches(msg, k.Join):
		t.toggleJoin()
	default:
		t.change(msg)
	}
	return nil
}

// change takes the keys that change the filter under the cursor.
func (t *Tree) change(msg tea.KeyMsg) {
	k, p := t.keys, t.node().Path
	switch {
	case key.Matches(msg, k.Negate):
		root, err := audience.Negate(t.root, p)
		t.take(root, p, err)
	case key.Matches(msg, k.Duplicate):
		t.take(audience.Duplicate(t.root, p))
	case key.Matches(msg, k.Remove):
		t.remove()
	case key.Matches(msg, k.Up):
		t.take(audience.Move(t.root, p, -1))
	case key.Matches(msg, k.Down):
		t.take(audience.Move(t.root, p, 1))
	case key.Matches(msg, k.Indent):
		t.take(audience.Indent(t.root, p))
	case key.Matches(msg, k.Outdent):
		t.take(audience.Outdent(t.root, p))
	case key.Matches(msg, k.Other):
		to, ok := t.otherGroup()
		if !ok {
			t.failure = "There is no other group to move it to."
			return
		}
		t.take(audience.MoveTo(t.root, p, to.Path))
	}
}

// take takes over a change of the tree, the cursor on the node that it was about.
func (t *Tree) take(root doc.Value, p doc.Path, err error) {
	if err != nil {
		t.failure = sentence(err)
		return
	}
	if why := t.locked(p); why != "" {
		t.failure = why
		return
	}
	t.root, t.stepped = root, true
	t.refresh()
	t.goTo(p)
}

// goTo puts the cursor on the node at p, where there is one.
func (t *Tree) goTo(p doc.Path) {
	for i, n := range t.nodes {
		if n.Path.Equal(p) {
			t.at = i
			return
		}
	}
}

func (t *Tree) remove() {
	n := t.node()
	if n.Kind == audience.Group && n.Depth == 0 && n.Count == 0 {
		t.failure = "This group is already empty."
		return
	}
	root, err := audience.Remove(t.root, n.Path)
	t.take(root, n.Path, err)
	if err == nil && t.cfg.Host.Notify != nil {
		what := "Removed."
		if n.Count == 1 {
			what = "Removed, with the filter in it."
		} else if n.Count > 1 {
			what = fmt.Sprintf("Removed, with the %d filters in it.", n.Count)
		}
		t.cfg.Host.Notify(what + " Press ctrl+z to undo.")
	}
}

// toggleJoin turns and into or, for the group that the line stands in, or is.
func (t *Tree) toggleJoin() {
	n := t.node()
	group := n
	for i := t.at; n.Kind != audience.Group && i >= 0; i-- {
		if t.nodes[i].Depth < n.Depth {
			group = t.nodes[i] // of a condition, its action
			break
		}
	}
	join := "or"
	if n.Join == join {
		join = "and"
	}
	root, err := audience.SetJoin(t.root, group.Path, join)
	t.take(root, n.Path, err)
}

// groupAt gives the index of the outermost group that a node is in.
func (t *Tree) groupAt(i int) int {
	for ; i > 0 && t.nodes[i].Depth > 0; i-- {
	}
	return i
}

// otherGroup gives the outermost group after that of the cursor, or the first.
func (t *Tree) otherGroup() (audience.Node, bool) {
	var groups []audience.Node
	here := 0
	for i, n := range t.nodes {
		if n.Depth == 0 {
			if i == t.groupAt(t.at) {
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

func (t *Tree) moveKey(msg tea.KeyMsg) bool {
	to := t.at
	switch msg.String() {
	case "up", "k":
		to--
	case "down", "j":
		to++
	case "pgup":
		to -= max(t.body-1, 1)
	case "pgdown":
		to += max(t.body-1, 1)
	case "home", "g":
		to = 0
	case "end", "G":
		to = len(t.nodes) - 1
	default:
		return false
	}
	t.at = max(0, min(to, len(t.nodes)-1))
	return true
}

// outside is a JSON text that a person wrote and that does not parse.
type outside struct {
	path doc.Path
	text string
}

// editJSON opens the node in the person's editor; a text that did not parse is offered again.
func (t *Tree) editJSON() {
	p := t.node().Path
	if t.cfg.Host.Outside == nil {
		return
	}
	before := string(t.root.Lookup(p).Indent())
	text := before
	if t.outside != nil && t.outside.path.Equal(p) {
		text = t.outside.text
	}
	if text == "" {
		text = "{}"
	}
	t.cfg.Host.Outside(text, ".json", func(after string) {
		t.outside = nil
		if after != before {
			t.takeJSON(p, after)
		}
		t.settle()
	})
}

func (t *Tree) takeJSON(p doc.Path, text string) {
	v, err := doc.Parse([]byte(text))
	if err != nil {
		t.outside = &outside{p, text}
		t.failure = "Invalid JSON, not applied: " + err.Error() + ". Press e to keep editing."
		return
	}
	if !t.root.Lookup(p).Exists() && len(v.Encode()) == len("{}") {
		return
	}
	root, err := t.root.Set(p, v)
	t.take(root, p, err)
	if t.open != nil {
		t.reopen()
	}
}

// sentence makes an error one for people to read.
func sentence(err error) string {
	text := err.Error()
	if text == "" {
		return text
	}
	r := []rune(text)
	if r[0] >= 'a' && r[0] <= 'z' {
		r[0] -= 'a' - 'A'
	}
	text = string(r)
	if last := text[len(text)-1]; last != '.' && last != '!' {
		text += "."
	}
	return text
}
