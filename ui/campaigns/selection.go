package campaigns

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/search/index"
	"bugle/ui/screen"
)

// selection is the set of selected campaigns, independent of sorting and searching.
type selection struct {
	ids    map[string]struct{}
	anchor string // the ID that was selected last, at which a range begins
}

func (p *selection) has(id string) bool {
	_, ok := p.ids[id]
	return ok
}

func (p *selection) len() int { return len(p.ids) }

func (p *selection) add(id string) {
	if p.ids == nil {
		p.ids = map[string]struct{}{}
	}
	p.ids[id] = struct{}{}
	p.anchor = id
}

func (p *selection) toggle(id string) {
	if p.has(id) {
		delete(p.ids, id)
		return
	}
	p.add(id)
}

// addRange selects what is between the anchor and a row; only that row if the anchor is not in the result.
func (p *selection) addRange(r *index.Result, to int) {
	from := r.Find(p.anchor)
	if from < 0 {
		from = to
	}
	for i := min(from, to); i <= max(from, to); i++ {
		p.add(r.ID(i))
	}
	p.anchor = r.ID(to)
}

// selectActions are the actions that select campaigns; none is why no campaign is under the cursor.
func (s *Screen) selectActions(group, none string) []screen.Action {
	empty := ""
	if s.grid.Len() == 0 {
		empty = "There are no campaigns to select."
	}
	return []screen.Action{
		{Keys: []string{" "}, Label: "select", Help: "select or deselect, and go to the next", Group: group, BarPriority: 13, DisabledReason: none, Run: s.mark},
		{Keys: []string{"V"}, Label: "select range", Help: "select from the campaign that was selected last to this one", Group: group, DisabledReason: none, Run: s.markRange},
		{Keys: []string{"*"}, Label: "select all", Help: "select all campaigns found; again to select none", Group: group, DisabledReason: empty, Run: s.markAll},
	}
}

// markedAt reports whether the campaign in a row is selected.
func (s *Screen) markedAt(i int) bool {
	row, ok := s.grid.at(i)
	return ok && s.selection.has(row.ID)
}

// mark toggles the campaign under the cursor and moves to the next one.
func (s *Screen) mark() tea.Cmd {
	if row, ok := s.selected(); ok {
		s.selection.toggle(row.ID)
		s.grid.Move(1)
		s.moved()
	}
	return s.updateOutlook()
}

// markRange selects up to the campaign under the cursor.
func (s *Screen) markRange() tea.Cmd {
	if _, ok := s.selected(); ok {
		s.selection.addRange(s.grid.result, s.grid.Cursor)
	}
	return nil
}

// markAll selects everything found, or nothing if all is selected.
func (s *Screen) markAll() tea.Cmd {
	r := s.grid.result
	if r == nil {
		return nil
	}
	return screen.Go(&s.Base, taskSelectAll, func(ctx context.Context) ([]string, error) {
		ids := make([]string, r.Len())
		for i := range ids {
			if i%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			ids[i] = r.ID(i)
		}
		return ids, nil
	}, func(ids []string, err error) tea.Cmd {
		if err == nil {
			s.toggleAll(ids)
		}
		return nil
	})
}

// toggleAll selects campaigns, or nothing if they are selected.
func (s *Screen) toggleAll(ids []string) {
	if !slices.ContainsFunc(ids, func(id string) bool { return !s.selection.has(id) }) {
		s.selection = selection{}
		return
	}
	for _, id := range ids {
		s.selection.add(id)
	}
}
