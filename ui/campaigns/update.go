package campaigns

import (
	"context"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/search/index"
	"bugle/engine/search/query"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// change handles a notification that a campaign or the list has changed.
func (s *Screen) change(msg screen.ChangedMsg) tea.Cmd {
	if msg.ID == "" {
		return s.load()
	}
	var follow tea.Cmd
	if msg.Select {
		follow = s.follow(msg.ID)
	}
	s.changed[msg.ID] = struct{}{}
	return tea.Batch(follow, s.refresh())
}

// notLoaded is why the cursor is on no row while the campaign that was opened is not in the list yet.
const notLoaded = "The campaign that was open last is not loaded yet."

// follow moves the cursor to a campaign that was opened or changed. Until its row has been found, the cursor is on
// none, so that no action means the campaign that had it before.
func (l *listing) follow(id string) tea.Cmd {
	l.home = id
	if id == l.current && l.grid.missing == "" {
		return nil
	}
	l.current, l.grid.missing = id, notLoaded
	l.moves++
	l.onDescribe()
	var read tea.Cmd
	if _, ok := l.source.index().Get(id, l.now()); !ok {
		l.changed[id] = struct{}{}
		read = l.refresh()
	}
	return tea.Batch(read, l.searchBarText(cursorKeepRow))
}

// missing returns why the campaign of the cursor is not in the result; empty if it no longer exists.
func (l *listing) missing() string {
	row, ok := l.source.index().Get(l.current, l.now())
	shown := l.answer.query
	switch {
	case ok && row.Status == catalog.Archived && !shown.Has(query.Is, query.IsAll) && !shown.Has(query.Is, query.IsArchived):
		return status.Name(row) + " is archived. Press esc to show it."
	case ok && !shown.Empty():
		return status.Name(row) + " is hidden by the search. Press esc to show it."
	case ok || !l.loaded || l.tasks.Running(taskLoad) || l.tasks.Running(taskRefresh) || len(l.changed) > 0:
		return notLoaded
	}
	return ""
}

// hidden reports whether the campaign of the cursor is one that another search would show.
func (l *listing) hidden() bool { return l.grid.missing != "" && l.grid.missing != notLoaded }

// reveal shows the campaign that the search hides.
func (l *listing) reveal() tea.Cmd {
	l.home = l.current
	var all query.Query
	if row, ok := l.source.index().Get(l.current, l.now()); ok && row.Status == catalog.Archived {
		all = all.Toggle(query.Is, query.IsAll)
	}
	return l.searchFor(all.String(), cursorHome)
}

// searchBarText searches for the text of the search bar.
func (l *listing) searchBarText(f cursorMode) tea.Cmd {
	l.searches++
	a := searchRequest{text: l.bar.text(), sort: l.settings.Sort, cursorMode: f, current: l.current, home: l.home, moves: l.moves, now: l.now(), number: l.searches}
	ix, last := l.source.index(), l.answer
	return tea.Batch(l.keepCurrent(), screen.Go(l.tasks, taskSearch, func(ctx context.Context) (*searchResult, error) {
		return search(ctx, ix, a, last)
	}, l.show))
}

// searchAgain repeats the search if its result may have changed, or lacks the campaign of the cursor.
func (l *listing) searchAgain(f cursorMode) tea.Cmd {
	if l.answer == nil || l.grid.missing != "" || l.answer.stale(l.source.index(), l.now()) {
		return l.searchBarText(f)
	}
	return nil
}

// searchFor sets the text of the search bar and searches for it.
func (l *listing) searchFor(text string, f cursorMode) tea.Cmd {
	l.bar.set(text)
	l.bar.complete(l.known(), l.now())
	return l.searchBarText(f)
}

// clockInterval is how often the list is updated for changes that depend on the time.
const clockInterval = 15 * time.Second

// keepTime updates the list regularly.
func (l *listing) keepTime() tea.Cmd {
	return screen.Every(l.tasks, taskClock, clockInterval, func() tea.Cmd {
		return tea.Batch(l.keepCurrent(), l.searchAgain(cursorKeepRow))
	})
}

// showProgress shows the rows that a load has read.
func (l *listing) showProgress(p loadProgress) tea.Cmd {
	if p.complete {
		return l.finishLoad(nil)
	}
	l.loadRows = p.rows
	if l.loaded {
		return nil // the list is shown already; new rows appear at the end
	}
	return l.searchAgain(l.cursorModeForLoad())
}

// finishLoad shows that all rows are loaded, or why they are not.
func (l *listing) finishLoad(err error) tea.Cmd {
	if screen.Canceled(err) {
		return nil
	}
	if err != nil {
		first := l.failed == nil
		l.failed = err
		l.onDescribe()
		if !first || !l.loaded {
			return nil // the empty table shows it
		}
		return screen.Notify(widget.LevelError, "Can't load campaigns: "+status.Refusal("", err))
	}
	goes := cursorKeepRow
	if !l.loaded {
		goes = l.cursorModeForLoad()
	}
	l.loaded, l.failed, l.loadedAt, l.loadRows = true, nil, l.clock(), 0
	return tea.Batch(l.searchAgain(goes), l.refresh())
}

// cursorModeForLoad returns the cursor mode during the first load. Rows arrive in any order, so the cursor
// stays at the top until the user moves it.
func (l *listing) cursorModeForLoad() cursorMode {
	if l.home == "" {
		return cursorTop
	}
	return cursorKeepRow
}

// show shows a search result.
func (l *listing) show(a *searchResult, err error) tea.Cmd {
	if err != nil || a == nil {
		return nil
	}
	at, top := a.cursor, a.cursorMode == cursorTop
	if a.moves != l.moves { // the cursor has moved meanwhile
		at, top = a.result.Find(l.current), false
	}
	l.answer = a
	l.bar.problems, l.bar.explain = a.problems, a.query.Explain()
	if l.bar.prompt.Focused() {
		l.bar.complete(a.known, a.now)
	}
	l.grid.show(a.result, a.sorted())
	l.grid.missing = ""
	if at < 0 {
		l.grid.missing = l.missing()
	} else {
		l.grid.Select(at)
		if top {
			l.grid.Home()
		}
	}
	if row, ok := l.grid.selected(); ok {
		l.current = row.ID
	}
	l.onLayout()
	l.onDescribe()
	result := a.result
	return screen.Go(l.tasks, taskCount, result.Facets, func(facets []index.Facet, err error) tea.Cmd {
		if err == nil {
			l.facets.show(facets)
		}
		return nil
	})
}

func (s *Screen) clone(sum engine.Summary) tea.Cmd {
	curator, ok := s.deps.Service.(engine.CampaignManager)
	if !ok {
		return nil
	}
	return screen.Go(&s.Base, taskClone, func(ctx context.Context) (engine.Created, error) {
		return curator.Clone(ctx, sum.ID, s.deps.Author)
	}, s.cloned)
}

func (s *Screen) cloned(c engine.Created, err error) tea.Cmd {
	if screen.Canceled(err) {
		return nil
	}
	if err != nil {
		return screen.Notify(widget.LevelError, "Can't clone: "+status.Refusal("", err))
	}
	return tea.Batch(screen.Changed(c.ID), screen.Open(screen.Route{Name: screen.Builder, ID: c.ID}))
}

// startSearch focuses the search field.
func (s *Screen) startSearch() tea.Cmd {
	s.panes.Focus(paneTable)
	s.bar.focus()
	if text := s.bar.text(); text != "" && !strings.HasSuffix(text, ":") {
		s.bar.set(strings.TrimRight(text, " ") + " ") // start another word
	}
	s.bar.complete(s.known(), s.now())
	s.onLayout()
	return nil
}

// endSearch accepts the highlighted completion or, if that is the text itself, focuses the table.
func (s *Screen) endSearch() tea.Cmd {
	if i, ok := s.bar.acceptIndex(); ok && s.bar.applyCompletion(i) {
		s.bar.complete(s.known(), s.now())
		return s.searchBarText(cursorTop)
	}
	s.bar.blur()
	s.bar.set(strings.TrimSpace(s.bar.text()))
	s.home = s.current
	s.onLayout()
	return s.rememberSearch()
}

// rememberSearch adds the search to the recent ones.
func (l *listing) rememberSearch() tea.Cmd {
	text := strings.TrimSpace(l.bar.text())
	if text == "" || len(l.bar.recent) > 0 && l.bar.recent[0] == text {
		return nil
	}
	l.bar.recent = addRecent(l.bar.recent, text)
	return l.update(func(st settings) settings { st.Past = addRecent(st.Past, text); return st })
}

// clear clears one thing: the focus on the search, the selection, the search.
func (s *Screen) clear() tea.Cmd {
	switch {
	case s.panes.Focused() != paneTable:
		return s.focusPane(paneTable)
	case s.bar.prompt.Focused() && s.bar.moved: // close the completions first
		s.bar.close()
		return nil
	case s.bar.prompt.Focused():
		kept := s.rememberSearch()
		s.bar.blur()
		return tea.Batch(kept, s.searchFor("", cursorHome))
	case s.hidden():
		return s.reveal()
	case s.selection.ranging:
		s.selection.ranging = false
		return nil
	case s.selection.len() > 0:
		s.selection.clear()
		return nil
	}
	return s.searchFor("", cursorHome)
}

// dropWord removes the blocking word from the search.
func (l *listing) dropWord() tea.Cmd {
	word, ok := l.blockingTerm()
	if !ok {
		return nil
	}
	return l.searchFor(textWithoutTerm(l.answer.query, word.term), cursorTop)
}
