package list

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
)

// Labels are the texts of a browser's actions.
type Labels struct {
	Noun             string   // one entry: "call"
	Entries          string   // the entries: "calls"
	Group            string   // the help heading of the list's keys
	Read             string   // what enter does: "read the message"
	Filter           string   // what can be filtered by
	Next, Prev       string   // labels for the next and the previous entry
	NextTab, PrevTab []string // the keys that switch the page's tabs; none if it has no tabs
}

// groupMove is the help heading of the keys that move.
const groupMove = "Move"

// Actions returns the actions of the focused pane followed by more, which is left out while a filter is typed.
func (b *Browser[T]) Actions(more []screen.Action) []screen.Action {
	acts := b.moveActions()
	if !b.Filtering() {
		acts = append(acts, more...)
	}
	for i := range acts { // for an empty list, the status bar has only the actions that work
		if b.Len() == 0 && acts[i].DisabledReason != "" {
			acts[i].BarPriority = 0
		}
	}
	return acts
}

// moveActions are the actions of the browser itself.
func (b *Browser[T]) moveActions() []screen.Action {
	w := b.cfg.Labels
	zoom := b.panes.ZoomAction("z", groupMove, b.layout)
	switch {
	case b.Filtering():
		return []screen.Action{
			{Keys: []string{"enter"}, Label: "apply", Help: "apply the filter", Group: w.Group, BarPriority: 9, WhileTyping: true, Run: b.close},
			{Keys: []string{"esc"}, Label: "clear filter", Help: "show all " + w.Entries, Group: w.Group, BarPriority: 8, WhileTyping: true, Run: b.clear},
		}
	case b.Reading():
		acts := []screen.Action{
			{Keys: []string{"esc"}, Label: w.Entries, Help: "back to the " + w.Entries, Group: groupMove, BarPriority: 9, Run: b.close},
		}
		if len(w.NextTab) > 0 {
			acts = append(acts,
				screen.Action{Name: "next view", Keys: w.NextTab, Label: "next tab", Help: "show the next tab", Group: groupMove, BarPriority: 8, Run: b.turn(1)},
				screen.Action{Name: "previous view", Keys: w.PrevTab, Label: "previous tab", Help: "show the previous tab", Group: groupMove, Run: b.turn(-1)})
		}
		return append(acts,
			screen.Action{Keys: []string{"."}, Label: w.Next, Group: groupMove, BarPriority: 3, Run: b.step(tea.KeyDown)},
			screen.Action{Keys: []string{","}, Label: w.Prev, Group: groupMove, Run: b.step(tea.KeyUp)}, zoom)
	}
	noFilter := ""
	if b.Len() == 0 && b.has != nil {
		noFilter = "There are no " + w.Entries + " to filter."
	}
	acts := []screen.Action{
		{Keys: []string{"enter", "tab"}, Label: "read", Help: w.Read, Group: groupMove, BarPriority: 9, DisabledReason: b.None(), Run: b.open},
		{Keys: []string{"/"}, Label: "filter", Help: w.Filter, Group: w.Group, BarPriority: 7, DisabledReason: noFilter, Run: b.TypeFilter},
	}
	if b.FilterText() != "" {
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "clear filter", Help: "show all " + w.Entries, Group: w.Group, BarPriority: 8, Run: b.clear})
	}
	return append(acts, zoom)
}

// open focuses the page.
func (b *Browser[T]) open() tea.Cmd {
	b.panes.Focus(panePage)
	b.show()
	return nil
}

// close focuses the list.
func (b *Browser[T]) close() tea.Cmd {
	b.ApplyFilter()
	b.panes.Focus(paneList)
	b.show()
	return nil
}

// clear clears the filter; the cursor stays on its row.
func (b *Browser[T]) clear() tea.Cmd {
	b.ClearFilter()
	return b.close()
}

func (b *Browser[T]) turn(n int) func() tea.Cmd {
	return func() tea.Cmd { return b.Page.turn(n) }
}

// step moves the cursor as an arrow does.
func (b *Browser[T]) step(arrow tea.KeyType) func() tea.Cmd {
	return func() tea.Cmd {
		b.List.Key(tea.KeyMsg{Type: arrow})
		b.show()
		return nil
	}
}
