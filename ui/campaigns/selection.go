package campaigns

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/index"
)

// selection are the campaigns that were marked, wherever sorting and searching put them.
type selection struct {
	ids    map[string]struct{}
	anchor string // the id that a range begins with
	taking bool   // a range is being taken: the cursor moves its end
	base   map[string]struct{}
}

func (p *selection) has(id string) bool {
	_, ok := p.ids[id]
	return ok
}

func (p *selection) len() int { return len(p.ids) }

func (p *selection) clear() { *p = selection{} }

// only selects these and no others.
func (p *selection) only(ids []string) {
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

// begin begins a range at a campaign.
func (p *selection) begin(id string) {
	p.anchor, p.taking = id, true
	p.base = make(map[string]struct{}, len(p.ids))
	for k := range p.ids {
		p.base[k] = struct{}{}
	}
	p.add(id)
}

// stretch marks what is between the anchor and a place, and nothing else beside what was marked before
// the range began.
func (p *selection) stretch(r *index.Result, to int) {
	from := r.Find(p.anchor)
	if from < 0 {
		p.taking = false
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

// mark marks the campaign under the cursor, or no longer, and goes on to the next one.
func (s *Screen) mark() tea.Cmd {
	if row, ok := s.grid.selected(); ok {
		s.picked.taking = false
		s.picked.toggle(row.ID)
		s.grid.Down()
		s.moved()
	}
	return nil
}

// markRange begins a range, or ends the one that is being taken.
func (s *Screen) markRange() tea.Cmd {
	if s.picked.taking {
		s.picked.taking = false
		return nil
	}
	if row, ok := s.grid.selected(); ok {
		s.picked.begin(row.ID)
	}
	return nil
}

// markOn marks the campaigns that the cursor passes.
func (s *Screen) markOn(step func()) func() tea.Cmd {
	return func() tea.Cmd {
		for range 2 {
			if row, ok := s.grid.selected(); ok {
				s.picked.add(row.ID)
				s.picked.anchor = row.ID
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

// everything is what the task that marks all found.
type everything struct {
	ids    []string
	result *index.Result
}

// markAll marks all that the search found; where all are marked, none.
func (s *Screen) markAll() tea.Cmd {
	if s.answer == nil {
		return nil
	}
	r := s.answer.result
	return s.Run(marking, func(ctx context.Context) (any, error) {
		ids := make([]string, r.Len())
		for i := range ids {
			if i%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			ids[i] = r.ID(i)
		}
		return everything{ids, r}, nil
	})
}

func (s *Screen) markedAll(e everything) {
	all := s.picked.len() >= len(e.ids)
	for i := 0; all && i < len(e.ids); i++ {
		all = s.picked.has(e.ids[i])
	}
	s.picked.taking = false
	if all {
		s.picked.clear()
		return
	}
	s.picked.add(e.ids...)
}

// markNone marks none any more.
func (s *Screen) markNone() tea.Cmd {
	s.picked.clear()
	return nil
}
