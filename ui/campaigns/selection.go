package campaigns

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/search/index"
	"bugle/ui/screen"
)

// selection is the set of selected campaigns, independent of sorting and searching.
type selection struct {
	ids     map[string]struct{}
	anchor  string // the ID at the start of a range
	ranging bool   // the cursor extends a range
	base    map[string]struct{}
}

func (p *selection) has(id string) bool {
	_, ok := p.ids[id]
	return ok
}

func (p *selection) len() int { return len(p.ids) }

func (p *selection) clear() { *p = selection{} }

// set selects exactly these campaigns.
func (p *selection) set(ids []string) {
	p.clear()
	p.add(ids...)
}

func (p *selection) add(ids ...string) {
	if p.ids == nil {
		p.ids = make(map[string]struct{}, len(ids))
	}
	for _, id := range ids {
		p.ids[id] = struct{}{}
	}
}

func (p *selection) drop(ids ...string) {
	for _, id := range ids {
		delete(p.ids, id)
	}
}

func (p *selection) toggle(id string) {
	if p.has(id) {
		p.drop(id)
	} else {
		p.add(id)
	}
	p.anchor = id
}

// beginRange starts a range at a campaign.
func (p *selection) beginRange(id string) {
	p.anchor, p.ranging = id, true
	p.base = make(map[string]struct{}, len(p.ids))
	for k := range p.ids {
		p.base[k] = struct{}{}
	}
	p.add(id)
}

// extendRange selects what is between the anchor and a row, and what was selected before.
func (p *selection) extendRange(r *index.Result, to int) {
	from := r.Find(p.anchor)
	if from < 0 {
		p.ranging = false
		return
	}
	if from > to {
		from, to = to, from
	}
	p.ids = make(map[string]struct{}, len(p.base)+to-from+1)
	for k := range p.base {
		p.ids[k] = struct{}{}
	}
	for i := from; i <= to; i++ {
		p.ids[r.ID(i)] = struct{}{}
	}
}

// selectActions are the actions that select campaigns; none is why no campaign is under the cursor.
func (s *Screen) selectActions(group, none string) []screen.Action {
	empty := ""
	if s.grid.Len() == 0 {
		empty = "There are no campaigns to select."
	}
	label := "select range"
	if s.selection.ranging {
		label = "end range"
	}
	return []screen.Action{
		{Keys: []string{" "}, Label: "select", Help: "select or deselect, and go to the next", Group: group, BarPriority: 13, DisabledReason: none, Run: s.mark},
		{Name: "select range", Keys: []string{"V"}, Label: label, Help: "select from here to the cursor; again to stop", Group: group, DisabledReason: none, Run: s.markRange},
		{Keys: []string{"shift+down"}, Label: "select down", Help: "select this campaign and the next", Group: group, DisabledReason: none, Run: s.markWhileMoving(s.grid.Down)},
		{Keys: []string{"shift+up"}, Label: "select up", Help: "select this campaign and the one above", Group: group, DisabledReason: none, Run: s.markWhileMoving(s.grid.Up)},
		{Keys: []string{"*", "ctrl+a"}, Label: "select all", Help: "select all campaigns found; again to select none", Group: group, DisabledReason: empty, Run: s.markAll},
	}
}

// markedAt reports whether the campaign in a row is selected.
func (s *Screen) markedAt(i int) bool {
	row, ok := s.grid.at(i)
	return ok && s.selection.has(row.ID)
}

// mark toggles the campaign under the cursor and moves to the next one.
func (s *Screen) mark() tea.Cmd {
	if row, ok := s.grid.selected(); ok {
		s.selection.ranging = false
		s.selection.toggle(row.ID)
		s.grid.Down()
		s.moved()
	}
	return nil
}

// markRange starts a range, or ends the current one.
func (s *Screen) markRange() tea.Cmd {
	if s.selection.ranging {
		s.selection.ranging = false
		return nil
	}
	if row, ok := s.grid.selected(); ok {
		s.selection.beginRange(row.ID)
	}
	return nil
}

// markWhileMoving selects the campaigns that the cursor passes.
func (s *Screen) markWhileMoving(step func()) func() tea.Cmd {
	return func() tea.Cmd {
		for range 2 {
			if row, ok := s.grid.selected(); ok {
				s.selection.add(row.ID)
				s.selection.anchor = row.ID
			}
			if step != nil {
				step()
				s.moved()
			}
			step = nil
		}
		return nil
	}
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
	all := s.selection.len() >= len(ids)
	for i := 0; all && i < len(ids); i++ {
		all = s.selection.has(ids[i])
	}
	s.selection.ranging = false
	if all {
		s.selection.clear()
		return
	}
	s.selection.add(ids...)
}
