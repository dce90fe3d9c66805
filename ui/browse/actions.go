package browse

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
)

// Labels are the texts of a list's actions.
type Labels struct {
	Entries          string   // the entries: "calls"
	Group            string   // the help heading of the list's keys
	Read             string   // what enter does: "read the message"
	Filter           string   // what can be filtered by
	Next, Prev       string   // labels for the next and the previous entry
	NextTab, PrevTab []string // the keys that switch the page's tabs
}

// groupMove is the help heading of the keys that move.
const groupMove = "Move"

// Actions returns the actions of the focused pane followed by more, which is left out while a filter is typed.
// none is the reason why the actions on an entry are disabled; it is empty if an entry is selected. For an
// empty list, the status bar has only the actions that work.
func (l *List[T]) Actions(none string, more []screen.Action) []screen.Action {
	acts := l.moveActions(none)
	if !l.Typing() {
		acts = append(acts, more...)
	}
	for i := range acts {
		if len(l.entries) == 0 && acts[i].DisabledReason != "" {
			acts[i].BarPriority = 0
		}
	}
	return acts
}

// moveActions are the actions of the list itself.
func (l *List[T]) moveActions(none string) []screen.Action {
	w := l.cfg.Labels
	switch {
	case l.typing:
		return []screen.Action{
			{Keys: []string{"enter"}, Label: "apply", Help: "apply the filter", Group: w.Group, BarPriority: 9, WhileTyping: true, Run: l.close},
			{Keys: []string{"esc"}, Label: "clear filter", Help: "show all " + w.Entries, Group: w.Group, BarPriority: 8, WhileTyping: true, Run: l.clear},
		}
	case l.Reading():
		return []screen.Action{
			{Keys: []string{"esc"}, Label: w.Entries, Help: "back to the " + w.Entries, Group: groupMove, BarPriority: 9, Run: l.close},
			{Name: "next view", Keys: w.NextTab, Label: "next tab", Help: "show the next tab", Group: groupMove, BarPriority: 8, Run: l.turn(1)},
			{Name: "previous view", Keys: w.PrevTab, Label: "previous tab", Help: "show the previous tab", Group: groupMove, Run: l.turn(-1)},
			{Keys: []string{"n"}, Label: w.Next, Group: groupMove, BarPriority: 3, Run: l.step(1)},
			{Keys: []string{"p"}, Label: w.Prev, Group: groupMove, Run: l.step(-1)},
			l.panes.ZoomAction("z", groupMove, l.layout),
		}
	}
	noFilter := ""
	if len(l.entries) == 0 {
		noFilter = "There are no " + w.Entries + " to filter."
	}
	acts := []screen.Action{
		{Keys: []string{"enter", "tab"}, Label: "read", Help: w.Read, Group: groupMove, BarPriority: 9, DisabledReason: none, Run: l.open},
		{Keys: []string{"/"}, Label: "filter", Help: w.Filter, Group: w.Group, BarPriority: 7, DisabledReason: noFilter, Run: l.focusFilter},
	}
	if l.filter.Value() != "" {
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "clear filter", Help: "show all " + w.Entries, Group: w.Group, BarPriority: 8, Run: l.clear})
	}
	return append(acts, l.panes.ZoomAction("z", groupMove, l.layout))
}

// open focuses the page.
func (l *List[T]) open() tea.Cmd {
	l.panes.Focus(panePage)
	l.show()
	return nil
}

// close focuses the list.
func (l *List[T]) close() tea.Cmd {
	l.filter.Blur()
	l.typing = false
	l.panes.Focus(paneList)
	l.show()
	return nil
}

func (l *List[T]) focusFilter() tea.Cmd {
	l.typing = true
	l.filter.Focus()
	l.layout()
	return nil
}

// clear clears the filter; the cursor stays on its entry.
func (l *List[T]) clear() tea.Cmd {
	l.filter.SetValue("")
	l.close()
	l.Set(l.entries)
	if l.cfg.OnClear != nil {
		l.cfg.OnClear()
	}
	return nil
}

func (l *List[T]) turn(n int) func() tea.Cmd {
	return func() tea.Cmd { l.cfg.Page.Turn(n); return nil }
}

func (l *List[T]) step(n int) func() tea.Cmd {
	return func() tea.Cmd {
		l.move(func() { l.table.Move(n) })
		l.show()
		return nil
	}
}
