package filters

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// addition is a kind of filter to add, and the place to add it at.
type addition struct {
	kind audience.Kind
	at   doc.Path
}

// addMsg delivers what was chosen to add.
type addMsg struct {
	to *Tree
	addition
}

// askKind asks what to add at the cursor. If only one kind is possible, it is added at once.
func (t *Tree) askKind() tea.Cmd {
	n := t.node()
	outer := n.Path
	if action, ok := t.actionAt(t.cursor); ok && n.Kind != audience.Action {
		outer = action.Path // anything but a condition goes after the action
	}
	choose := screen.ChooseMsg{Title: "Add a filter"}
	var all []addition
	for i, k := range audience.Kinds(t.root, outer) {
		a := addition{k, outer}
		if k == audience.EventAttribute {
			a.at = n.Path
			if n.Kind == audience.EventAttribute {
				choose.Cursor = i
			}
		}
		all = append(all, a)
		choose.Options = append(choose.Options, widget.Option{Label: k.Label(), Help: k.Help(), Key: fmt.Sprint(i + 1)})
	}
	if len(all) == 1 {
		t.add(all[0])
		return nil
	}
	choose.Then = func(a widget.Answer) tea.Cmd { return screen.Send(addMsg{t, all[a.Index]}) }
	return screen.Send(choose)
}

// actionAt returns the action that a node is, or is a condition of.
func (t *Tree) actionAt(i int) (audience.Node, bool) {
	depth := t.nodes[i].Depth + 1
	for ; i >= 0 && depth > 0; i-- {
		if n := t.nodes[i]; n.Depth < depth {
			if n.Kind == audience.Action {
				return n, true
			}
			depth = n.Depth
		}
	}
	return audience.Node{}, false
}

// add adds a filter and opens it at its name. It does not become part of the document until it is filled in.
func (t *Tree) add(a addition) {
	from, before := t.cursor, t.root
	root, p, err := audience.AddFilter(t.root, a.at, a.kind)
	if t.applyChange(root, p, err); t.failure == "" {
		t.draft = &draft{before, p, from}
		t.openForm()
	}
}
