package filters

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/ui/widget"
)

// menu asks what kind of filter to add.
type menu struct {
	title   string
	options []option
	at      int
}

// option is a kind of filter to add, and the place to add it at.
type option struct {
	kind audience.Kind
	at   doc.Path
	help string
}

// askKind asks what to add at the cursor, or to the other group. If only one kind is possible, it is added at
// once.
func (t *Tree) askKind(other bool) {
	at, n := t.cursor, t.node()
	if other {
		group, ok := t.otherGroup()
		if !ok {
			t.failure = "There is no other group."
			return
		}
		if why := t.locked(group.Path); why != "" {
			t.failure = why
			return
		}
		t.goTo(group.Path)
		at, n = t.cursor, group
	}
	title := t.nodes[t.groupAt(at)].Title
	if title == "" {
		title = "the group"
	}
	m := &menu{title: "Add to " + title}
	outer := n.Path
	if action, ok := t.actionAt(at); ok && n.Kind != audience.Action {
		outer = action.Path // anything but a condition goes after the action
	}
	for _, k := range audience.Kinds(t.root, outer) {
		o := option{k, outer, k.Help()}
		if k == audience.EventAttribute {
			o.at = n.Path
			if n.Kind == audience.EventAttribute {
				m.at = len(m.options)
			}
		}
		m.options = append(m.options, o)
	}
	t.menu = m
	if len(m.options) == 1 {
		t.add(m.options[0])
	}
}

// actionAt returns the action that a node is, or is a condition of.
func (o *outline) actionAt(i int) (audience.Node, bool) {
	depth := o.nodes[i].Depth + 1
	for ; i >= 0 && depth > 0; i-- {
		if n := o.nodes[i]; n.Depth < depth {
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
	case "up", "k", "ctrl+p", "shift+tab":
		m.at = max(m.at-1, 0)
	case "down", "j", "ctrl+n", "tab":
		m.at = min(m.at+1, len(m.options)-1)
	case "enter", " ":
		t.add(m.options[m.at])
	default:
		if len(s) == 1 && s[0] >= '1' && int(s[0]-'1') < len(m.options) {
			t.add(m.options[s[0]-'1'])
		}
	}
}

// add adds a filter and opens it at its name. It does not become part of the document until it is filled in.
func (t *Tree) add(o option) {
	from := t.cursor
	t.menu = nil
	root, p, err := audience.AddFilter(t.root, o.at, o.kind)
	if err != nil {
		t.failure = phrase.Sentence(err.Error())
		return
	}
	before := t.root
	t.applyChange(root, p, nil)
	if !t.root.Same(root) {
		return // locked
	}
	t.draft = &draft{before: before, path: p, from: from}
	t.openForm()
}

// layMenu adds the lines of the menu.
func (t *Tree) layMenu(i int) {
	th, m := t.cfg.Theme, t.menu
	put := func(kind int, text string) {
		t.lines = append(t.lines, line{node: i, kind: kind, text: text, drawn: true})
	}
	put(-1, "    "+th.Accent.Render(widget.Truncate(widget.Clean(m.title), max(t.cfg.Width-4, 0))))
	for j, o := range m.options {
		text := fmt.Sprintf("%d %s", j+1, widget.PadRight(o.kind.Label(), 15))
		help := o.help
		if widget.Width(help) > t.cfg.Width-7-widget.Width(text) {
			help = ""
		}
		if j == m.at {
			put(j, "    "+th.Selected.Render(widget.PadRight("▸ "+text+" "+help, max(t.cfg.Width-4, 0))))
			continue
		}
		put(j, "      "+th.Text.Render(text)+" "+th.Faint.Render(help))
	}
}
