package campaigns

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/bulk"
	"bugle/engine/catalog"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// shape is what the list shows, and how.
type shape struct {
	text    string
	sort    order
	columns []string // as in [settings]
}

func (s *Screen) shape() shape {
	return shape{strings.TrimSpace(s.bar.text()), s.settings.Sort, s.settings.Columns}
}

// as shows the list in another shape, with the cursor on the campaign that the person had chosen.
func (s *Screen) as(to shape) tea.Cmd {
	s.over = nil
	var kept tea.Cmd
	if now := s.shape(); now.sort != to.sort || !slices.Equal(now.columns, to.columns) {
		s.grid.arrange(chosenColumns(to.columns))
		kept = s.keep(func(st settings) settings { st.Sort, st.Columns = to.sort, to.columns; return st })
	}
	s.typed = to.text
	return tea.Batch(kept, s.searchFor(to.text, followHome))
}

// reshaped notes that the list was shown in another shape before.
func (s *Screen) reshaped(before shape) {
	now := s.shape()
	what := ""
	switch {
	case now.text != before.text && now.text == "":
		what = "cleared “" + before.text + "”"
	case now.text != before.text:
		what = "searched for “" + now.text + "”"
	case now.sort != before.sort:
		what = "changed the sorting"
	case !slices.Equal(now.columns, before.columns):
		what = "changed the columns"
	default:
		return
	}
	s.typed = now.text
	s.Did(screen.Step{
		What: widget.Clean(what),
		Undo: func() tea.Cmd { return s.as(before) },
		Redo: func() tea.Cmd { return s.as(now) },
	})
}

// settled notes the search that was typed as one change.
func (s *Screen) settled() {
	before := s.shape()
	before.text = s.typed
	s.reshaped(before)
}

// Undo undoes the last change of the list: of what it shows, or of campaigns.
func (s *Screen) Undo() (tea.Cmd, bool) {
	s.settled()
	return s.Steps.Undo()
}

// Redo makes the change again that was undone last.
func (s *Screen) Redo() (tea.Cmd, bool) {
	s.settled()
	return s.Steps.Redo()
}

// opposite are the actions that undo one another.
var opposite = map[catalog.Action]catalog.Action{catalog.Archive: catalog.Restore, catalog.Restore: catalog.Archive}

// past are the actions as they are told of once they are done.
var past = map[catalog.Action]string{
	catalog.Publish: "published", catalog.Stop: "stopped", catalog.Pause: "paused", catalog.Resume: "resumed", catalog.Archive: "archived",
	catalog.Restore: "restored", catalog.Delete: "deleted",
}

// acted notes what was done to campaigns. named names them.
func (s *Screen) acted(a catalog.Action, named string, ids []string) {
	if len(ids) == 0 || past[a] == "" {
		return
	}
	back, ok := opposite[a]
	if !ok {
		s.Did(screen.Step{Why: s.noWayBack(a, named, len(ids) > 1)})
		return
	}
	what := past[a] + " " + named
	s.Did(screen.Step{
		What: what, Told: true,
		Undo: func() tea.Cmd { return s.put(back, ids, "Undone: "+what) },
		Redo: func() tea.Cmd { return s.put(a, ids, "Redone: "+what) },
	})
}

// noWayBack says why an action cannot be undone, and what can be done instead.
func (s *Screen) noWayBack(a catalog.Action, named string, several bool) string {
	verb, key := " was ", "s"
	if several {
		verb, key = " were ", "b"
	}
	text := named + verb + past[a] + ", which can't be undone."
	switch a {
	case catalog.Pause:
		text += " Press " + key + " to resume."
	case catalog.Resume:
		text += " Press " + key + " to pause."
	}
	return text
}

// put is what an action that undoes another one led to.
type put struct {
	ids    []string
	action catalog.Action
	report bulk.Report
	said   string
}

// put does an action to campaigns without asking, because a person took another one back.
func (s *Screen) put(a catalog.Action, ids []string, said string) tea.Cmd {
	var rows []engine.Summary
	for _, id := range ids {
		if row, ok := s.source.index().Get(id, s.now()); ok {
			rows = append(rows, row)
		}
	}
	svc, by := s.deps.Service, s.deps.Author
	return s.Run(putting, func(ctx context.Context) (any, error) {
		return put{ids, a, bulk.Run(ctx, svc, bulk.Action{Name: a}, rows, by, func(bulk.Progress) {}), said}, nil
	})
}

// wasPut tells how it went, with the cursor on the first of the campaigns.
func (s *Screen) wasPut(p put) tea.Cmd {
	cmds := make([]tea.Cmd, 0, len(p.ids)+1)
	for i, id := range p.ids[:min(len(p.ids), few)] {
		cmds = append(cmds, screen.Send(screen.ChangedMsg{ID: id, Select: i == 0}))
	}
	if len(p.ids) > few {
		cmds = append(cmds, screen.Changed(""))
	}
	about := screen.AboutEdit
	if len(p.ids) == 1 {
		about = screen.AboutCampaign(p.ids[0]) // what was said of its state does not hold any more
	}
	if f := append(p.report.Failed, p.report.Left...); len(f) > 0 {
		return tea.Batch(append(cmds, screen.NotifyAbout(about, widget.LevelError,
			"Can't "+strings.ToLower(p.action.Label())+" "+status.Name(f[0].Row)+": "+status.Refusal(f[0].Err)))...)
	}
	return tea.Batch(append(cmds, screen.NotifyAbout(about, widget.LevelSuccess, p.said))...)
}
