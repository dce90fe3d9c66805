package filters

import (
	"fmt"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/widget"
)

// menu asks what kind of filter to add.
type menu struct {
	title string
	list  *list.List[option]
}

// option is a kind of filter to add, and the place to add it at.
type option struct {
	kind   audience.Kind
	at     doc.Path
	number int // its key, from 1
}

// askKind asks what to add at the cursor. If only one kind is possible, it is added at once.
func (t *Tree) askKind() tea.Cmd {
	n := t.node()
	m := &menu{title: "Add to " + widget.Clean(t.nodes[t.groupAt(t.cursor)].Title), list: list.Items(t.cfg.Theme, "kind", func(o option) widget.Item {
		return widget.Item{Text: fmt.Sprintf("%d %s", o.number, o.kind.Label()), Info: o.kind.Help(), InfoTone: themes.ToneFaint}
	})}
	if m.title == "Add to " {
		m.title += "the group"
	}
	outer := n.Path
	if action, ok := t.actionAt(t.cursor); ok && n.Kind != audience.Action {
		outer = action.Path // anything but a condition goes after the action
	}
	var options []option
	cursor := 0
	for i, k := range audience.Kinds(t.root, outer) {
		o := option{k, outer, i + 1}
		if k == audience.EventAttribute {
			o.at = n.Path
			if n.Kind == audience.EventAttribute {
				cursor = i
			}
		}
		options = append(options, o)
	}
	m.list.Focused = true
	m.list.SetSize(max(t.cfg.Width-4, 0), len(options))
	m.list.Set(options)
	m.list.SelectIndex(cursor)
	if t.menu = m; len(options) == 1 {
		t.add(options[0])
	}
	return nil
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

func (t *Tree) menuKey(msg tea.KeyMsg) {
	m := t.menu
	switch s := msg.String(); s {
	case "esc", "q":
		t.menu = nil
	case "tab":
		m.list.Key(tea.KeyMsg{Type: tea.KeyDown})
	case "shift+tab":
		m.list.Key(tea.KeyMsg{Type: tea.KeyUp})
	case "enter", " ":
		if o, ok := m.list.Selected(); ok {
			t.add(o)
		}
	default:
		if len(s) == 1 && m.list.Select(func(o option) bool { return strconv.Itoa(o.number) == s }) {
			o, _ := m.list.Selected()
			t.add(o)
			return
		}
		m.list.Key(msg)
	}
}

// add adds a filter and opens it at its name. It does not become part of the document until it is filled in.
func (t *Tree) add(o option) {
	t.menu = nil
	from, before := t.cursor, t.root
	root, p, err := audience.AddFilter(t.root, o.at, o.kind)
	if t.applyChange(root, p, err); t.failure == "" {
		t.draft = &draft{before, p, from}
		t.openForm()
	}
}

// layMenu adds the lines of the menu.
func (t *Tree) layMenu() {
	m, w := t.menu, max(t.cfg.Width-4, 0)
	m.list.SetSize(w, m.list.Len())
	t.lines = append(t.lines, line{node: t.cursor, option: -1, text: "    " + t.cfg.Theme.Accent.Render(widget.Truncate(m.title, w))})
	for i, text := range strings.Split(m.list.View(), "\n") {
		t.lines = append(t.lines, line{node: t.cursor, option: i, text: "    " + text})
	}
}
