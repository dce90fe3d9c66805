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
	return tea.Batch(follow, s.refresh(msg.ID))
}

// notLoaded is why the cursor is on no row while the campaign that was opened is not in the list yet.
const notLoaded = "The campaign that was open last is not loaded yet."

// follow moves the cursor to a campaign that was opened or changed. Until its row has been found, the cursor is on
// none, so that no action means the campaign that had it before.
func (s *Screen) follow(id string) tea.Cmd {
	s.home = id
	if id == s.current && s.grid.missing == "" {
		return nil
	}
	s.current, s.grid.missing = id, notLoaded
	var read tea.Cmd
	if _, ok := s.ix.Get(id, s.now()); !ok {
		read = s.refresh(id)
	}
	return tea.Batch(read, s.searchBarText(cursorKeepRow))
}

// missing returns why the campaign of the cursor is not in the result; empty if it no longer exists.
func (s *Screen) missing() string {
	row, ok := s.ix.Get(s.current, s.now())
	shown := s.answer.query
	switch {
	case ok && row.Status == catalog.Archived && !shown.Has(query.Is, query.IsAll) && !shown.Has(query.Is, query.IsArchived):
		return status.Name(row) + " is archived. Press esc to show it."
	case ok && !shown.Empty():
		return status.Name(row) + " is hidden by the search. Press esc to show it."
	case ok || !s.loaded || s.Running(taskLoad) || s.Running(taskRefresh+s.current):
		return notLoaded
	}
	return ""
}

// hidden reports whether the campaign of the cursor is one that another search would show.
func (s *Screen) hidden() bool { return s.grid.missing != "" && s.grid.missing != notLoaded }

// reveal shows the campaign that the search hides.
func (s *Screen) reveal() tea.Cmd {
	s.home = s.current
	var all query.Query
	if row, ok := s.ix.Get(s.current, s.now()); ok && row.Status == catalog.Archived {
		all = all.Toggle(query.Is, query.IsAll)
	}
	return s.searchFor(all.String(), cursorHome)
}

// drawTime is how long a search waits until the frame with the typed letter is drawn: it then takes all processors.
const drawTime = 3 * time.Millisecond

// searchBarText searches for the text of the search bar.
func (s *Screen) searchBarText(f cursorMode) tea.Cmd {
	a := searchRequest{text: s.bar.text(), sort: s.settings.Sort, cursorMode: f, current: s.current, home: s.home, now: s.now()}
	ix, last := s.ix, s.answer
	return tea.Batch(s.keepCurrent(), screen.Go(&s.Base, taskSearch, func(ctx context.Context) (*searchResult, error) {
		if err := screen.Pause(ctx, drawTime); err != nil {
			return nil, err
		}
		return search(ctx, ix, a, last)
	}, s.show))
}

// searchAgain repeats the search if its result may have changed, or lacks the campaign of the cursor.
func (s *Screen) searchAgain(f cursorMode) tea.Cmd {
	if s.answer == nil || s.grid.missing != "" || s.answer.stale(s.ix, s.now()) {
		return s.searchBarText(f)
	}
	return nil
}

// searchFor sets the text of the search bar and searches for it.
func (s *Screen) searchFor(text string, f cursorMode) tea.Cmd {
	s.bar.set(text)
	s.bar.complete(s.answer.env(s.now()), false)
	return s.searchBarText(f)
}

// clockInterval is how often the list is updated for changes that depend on the time.
const clockInterval = 15 * time.Second

// keepTime updates the list regularly.
func (s *Screen) keepTime() tea.Cmd {
	return screen.Every(&s.Base, taskClock, clockInterval, func() tea.Cmd {
		return tea.Batch(s.keepCurrent(), s.searchAgain(cursorKeepRow))
	})
}

// showProgress shows the rows that a load has read.
func (s *Screen) showProgress(p loading) tea.Cmd {
	s.loadRows = p.rows
	if s.loaded {
		return nil // the list is shown already; new rows appear at the end
	}
	s.ix = p.ix
	return s.searchAgain(s.cursorModeForLoad())
}

// finishLoad shows that all rows are loaded, or why they are not.
func (s *Screen) finishLoad(ix *index.Index, err error) tea.Cmd {
	if screen.Canceled(err) {
		return nil
	}
	if err != nil {
		first := s.failed == nil
		s.failed = err
		if !first || !s.loaded {
			return nil // the empty table shows it
		}
		return screen.Notify(widget.LevelError, "Can't load campaigns: "+status.Refusal("", err))
	}
	goes := cursorKeepRow
	if !s.loaded {
		goes = s.cursorModeForLoad()
	}
	s.ix = ix
	s.loaded, s.failed, s.loadedAt, s.loadRows = true, nil, s.deps.Now(), 0
	return s.searchAgain(goes)
}

// cursorModeForLoad returns the cursor mode during the first load. Rows arrive in any order, so the cursor
// stays at the top until the user moves it.
func (s *Screen) cursorModeForLoad() cursorMode {
	if s.home == "" {
		return cursorTop
	}
	return cursorKeepRow
}

// show shows a search result.
func (s *Screen) show(a *searchResult, err error) tea.Cmd {
	if err != nil || a == nil {
		return nil
	}
	at, top := a.cursor, a.cursorMode == cursorTop
	if a.current != s.current { // the cursor has moved meanwhile
		at, top = a.result.Find(s.current), false
	}
	s.answer = a
	s.bar.problems, s.bar.explain = a.problems, a.query.Explain()
	if s.bar.prompt.Focused() {
		s.bar.complete(a.env(a.now), false)
	}
	s.grid.show(a.result, a.sorted())
	s.grid.missing = ""
	if at < 0 {
		s.grid.missing = s.missing()
	} else {
		s.grid.Select(at)
		if top {
			s.grid.Select(0)
		}
	}
	if row, ok := s.grid.selected(); ok {
		s.current = row.ID
	}
	s.layoutPanes()
	result := a.result
	return screen.Go(&s.Base, taskCount, result.Facets, func(facets []index.Facet, err error) tea.Cmd {
		if err == nil {
			s.facets.Set(facetRows(facets))
			s.states.show(statesOf(facets))
		}
		return nil
	})
}

// clone starts a draft as a copy of a campaign, and opens it.
func (s *Screen) clone(sum engine.Summary) tea.Cmd {
	manager, ok := s.deps.Service.(engine.CampaignManager)
	if !ok {
		return nil
	}
	return screen.Go(&s.Base, taskClone, func(ctx context.Context) (engine.Created, error) {
		return manager.Clone(ctx, sum.ID, s.deps.Author)
	}, func(c engine.Created, err error) tea.Cmd {
		if err != nil {
			return screen.Notify(widget.LevelError, "Can't clone: "+status.Refusal("", err))
		}
		return tea.Batch(screen.Changed(c.ID), screen.Open(screen.Route{Name: screen.Builder, ID: c.ID}))
	})
}

// startSearch focuses the search field.
func (s *Screen) startSearch() tea.Cmd {
	s.panes.Focus(paneTable)
	s.bar.prompt.Focus()
	if text := s.bar.text(); text != "" && !strings.HasSuffix(text, ":") {
		s.bar.set(strings.TrimRight(text, " ") + " ") // start another word
	}
	s.bar.complete(s.answer.env(s.now()), false)
	s.layoutPanes()
	return nil
}

// endSearch accepts the highlighted completion or, if that is the text itself, focuses the table.
func (s *Screen) endSearch() tea.Cmd {
	if i, ok := s.bar.acceptIndex(); ok && s.bar.applyCompletion(i) {
		s.bar.complete(s.answer.env(s.now()), false)
		return s.searchBarText(cursorTop)
	}
	s.bar.blur()
	s.bar.set(strings.TrimSpace(s.bar.text()))
	s.home = s.current
	s.layoutPanes()
	return nil
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
		s.bar.blur()
		return s.searchFor("", cursorHome)
	case s.hidden():
		return s.reveal()
	case len(s.selection) > 0:
		clear(s.selection)
		return nil
	}
	return s.searchFor("", cursorHome)
}
