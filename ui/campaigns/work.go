package campaigns

import (
	"context"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/search/index"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// change takes the news that a campaign, or the list, has changed.
func (s *Screen) change(msg screen.ChangedMsg) tea.Cmd {
	if msg.Select {
		s.home, s.under = msg.ID, msg.ID
	}
	if msg.ID == "" {
		return s.load()
	}
	if msg.Action != "" {
		s.bulk.acted(msg.Action, msg.Name, []string{msg.ID})
	}
	s.changed[msg.ID] = struct{}{}
	return s.refresh()
}

// look searches with the text of the bar.
func (l *listing) look(f follow) tea.Cmd {
	l.asks++
	a := ask{text: l.bar.text(), sort: l.settings.Sort, follow: f, under: l.under, home: l.home, now: l.now(), number: l.asks}
	ix, last := l.source.index(), l.answer
	return tea.Batch(l.keepCurrent(), l.tasks.Run(searching, func(ctx context.Context) (any, error) {
		out, err := search(ctx, ix, a, last)
		return out, err
	}))
}

// again searches again where there is something new to see.
func (l *listing) again(f follow) tea.Cmd {
	if l.answer == nil || l.answer.stale(l.source.index(), l.now()) {
		return l.look(f)
	}
	return nil
}

// searchFor puts a text into the bar and searches for it.
func (l *listing) searchFor(text string, f follow) tea.Cmd {
	l.bar.set(text)
	l.bar.complete(l.known(), l.now())
	return l.look(f)
}

// narrow shows the campaigns that a search finds, as a change that can be undone.
func (l *listing) narrow(text string) tea.Cmd {
	l.settled()
	before := l.shape()
	cmd := l.searchFor(text, followHome)
	l.reshaped(before)
	return cmd
}

// nap is how long the clock moves campaigns on before the list shows it.
const nap = 15 * time.Second

// wake returns the command that looks at the clock after a while. It is addressed to the screen, which may
// not be on top then.
func wake(id screen.ID) tea.Cmd {
	return tea.Tick(nap, func(time.Time) tea.Msg { return screen.Result{Screen: id, Kind: waking} })
}

// result takes what a task gave.
func (s *Screen) result(r screen.Result) tea.Cmd {
	if r.Kind == waking {
		return tea.Batch(s.keepCurrent(), s.again(followRow), wake(s.ID()))
	}
	if !s.Accept(r) {
		return nil
	}
	return s.outcome(r)
}

func (s *Screen) outcome(r screen.Result) tea.Cmd {
	if r.Kind == running {
		return s.bulk.ran(r)
	}
	if screen.Canceled(r.Err) {
		return nil
	}
	switch v := r.Value.(type) {
	case *answer:
		return s.show(v, r.Err)
	case []index.Facet:
		if r.Err == nil {
			s.facets.show(v)
		}
	case refreshed:
		if r.Err != nil {
			return tea.Batch(screen.Notify(widget.LevelWarning, "Can't read a changed campaign: "+status.Refusal(r.Err)), s.refresh())
		}
		return tea.Batch(s.again(followRow), s.refresh())
	case recalled:
		return s.remembered(v.settings, r.Err)
	case engine.Created:
		return s.cloned(v, r.Err)
	case everything:
		s.picked.markedAll(v)
	case *plan:
		return s.bulk.planned(v)
	case put:
		return s.bulk.wasPut(v)
	}
	switch r.Kind {
	case loading:
		return s.loadNews(r)
	case keeping:
		if r.Err != nil {
			return screen.Notify(widget.LevelWarning, "Can't save your settings: "+r.Err.Error())
		}
	}
	return nil
}

// loadNews takes what a load tells.
func (l *listing) loadNews(r screen.Result) tea.Cmd {
	if g, ok := r.Value.(grown); ok {
		l.loadRows = g.rows
		if l.loaded {
			return nil // the list is there; what is new shows at the end
		}
		return l.again(l.growing())
	}
	if r.Err != nil {
		first := l.failed == nil
		l.failed = r.Err
		l.describe()
		if !first || !l.loaded {
			return nil // the empty table says it
		}
		return screen.Notify(widget.LevelError, "Can't load campaigns: "+status.Refusal(r.Err))
	}
	goes := followRow
	if !l.loaded {
		goes = l.growing()
	}
	l.loaded, l.failed, l.loadedAt, l.loadRows = true, nil, l.clock(), 0
	return tea.Batch(l.again(goes), l.refresh())
}

// growing says where the cursor goes during the first load. Rows come in any order: until the person
// moves it, it stays at the top.
func (l *listing) growing() follow {
	if l.home == "" {
		return followTop
	}
	return followRow
}

// show shows what a search found.
func (l *listing) show(a *answer, err error) tea.Cmd {
	if err != nil || a == nil {
		return nil
	}
	at, top := a.at, a.follow == followTop
	if a.follow == followRow && a.under != l.under || top && a.home != l.home { // the cursor has moved meanwhile
		at, top = a.result.Find(l.under), false
	}
	l.answer = a
	l.bar.problems, l.bar.explain = a.problems, a.query.Explain()
	if l.bar.prompt.Focused() {
		l.bar.complete(a.known, a.now)
	}
	l.grid.show(a.result, a.sorted())
	if at >= 0 {
		l.grid.Select(at)
		if top {
			l.grid.Home()
		}
	}
	if row, ok := l.grid.selected(); ok {
		l.under = row.ID
	}
	l.layout()
	l.describe()
	result := a.result
	return l.tasks.Run(counting, func(ctx context.Context) (any, error) {
		facets, err := result.Facets(ctx)
		return facets, err
	})
}

func (s *Screen) clone(sum engine.Summary) tea.Cmd {
	curator, ok := s.deps.Service.(engine.CampaignManager)
	if !ok {
		return nil
	}
	return s.Run(cloning, func(ctx context.Context) (any, error) {
		return curator.Clone(ctx, sum.ID, s.deps.Author)
	})
}

func (s *Screen) cloned(c engine.Created, err error) tea.Cmd {
	if err != nil {
		return screen.Notify(widget.LevelError, "Can't clone: "+status.Refusal(err))
	}
	return tea.Batch(screen.Send(screen.ChangedMsg{ID: c.ID, Select: true}), screen.Open(screen.Route{Name: screen.Builder, ID: c.ID}))
}

// startSearch moves the keyboard to the search.
func (s *Screen) startSearch() tea.Cmd {
	s.focus = inTable
	s.bar.focus()
	if text := s.bar.text(); text != "" && !strings.HasSuffix(text, ":") {
		s.bar.set(strings.TrimRight(text, " ") + " ") // what is typed now is another word
	}
	s.bar.complete(s.known(), s.now())
	s.layout()
	return nil
}

// endSearch takes the highlighted offer or, where that is the text as it is, moves the keyboard back to the table.
func (s *Screen) endSearch() tea.Cmd {
	if i, ok := s.bar.accepts(); ok && s.bar.take(i) {
		s.bar.complete(s.known(), s.now())
		return s.look(followTop)
	}
	s.bar.blur()
	s.bar.set(strings.TrimSpace(s.bar.text()))
	s.settled()
	s.home = s.under
	s.layout()
	return s.remember()
}

// remember keeps the search of the bar among the earlier ones.
func (l *listing) remember() tea.Cmd {
	text := strings.TrimSpace(l.bar.text())
	if text == "" || len(l.bar.past) > 0 && l.bar.past[0] == text {
		return nil
	}
	l.bar.past = remember(l.bar.past, text)
	return l.keep(func(st settings) settings { st.Past = remember(st.Past, text); return st })
}

// clear goes back one step: to the table, to no selection, to no search.
func (s *Screen) clear() tea.Cmd {
	switch {
	case s.focus != inTable:
		return s.goTo(inTable)
	case s.bar.prompt.Focused() && s.bar.moved: // the offers alone
		s.bar.close()
		return nil
	case s.bar.prompt.Focused():
		kept := s.remember()
		s.bar.blur()
		return tea.Batch(kept, s.narrow(""))
	case s.picked.taking:
		s.picked.taking = false
		return nil
	case s.picked.len() > 0:
		s.picked.clear()
		return nil
	}
	return s.narrow("")
}

// dropWord takes the word out of the search that keeps everything out.
func (l *listing) dropWord() tea.Cmd {
	word, ok := l.culprit()
	if !ok {
		return nil
	}
	l.settled()
	before := l.shape()
	cmd := l.searchFor(dropTerm(l.answer.query, word.term), followTop)
	l.reshaped(before)
	return cmd
}
