package campaigns

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/bulk"
	"bugle/engine/catalog"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// opposite are the actions that undo one another.
var opposite = map[catalog.Action]catalog.Action{catalog.Archive: catalog.Restore, catalog.Restore: catalog.Archive}

// past are the actions as they are told of once they are done.
var past = map[catalog.Action]string{
	catalog.Publish: "published", catalog.Stop: "stopped", catalog.Pause: "paused", catalog.Resume: "resumed", catalog.Archive: "archived",
	catalog.Restore: "restored", catalog.Delete: "deleted",
}

// acted notes what was done to campaigns. named names them.
func (w *bulkWork) acted(a catalog.Action, named string, ids []string) {
	if len(ids) == 0 || past[a] == "" {
		return
	}
	back, ok := opposite[a]
	if !ok {
		w.did(screen.UndoStep{IrreversibleReason: noWayBack(a, named, len(ids) > 1)})
		return
	}
	what := past[a] + " " + named
	w.did(screen.UndoStep{
		Label: what, OwnNotice: true,
		Undo: func() tea.Cmd { return w.put(back, ids, "Undone: "+what) },
		Redo: func() tea.Cmd { return w.put(a, ids, "Redone: "+what) },
	})
}

// noWayBack says why an action cannot be undone, and what can be done instead.
func noWayBack(a catalog.Action, named string, several bool) string {
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
func (w *bulkWork) put(a catalog.Action, ids []string, said string) tea.Cmd {
	var rows []engine.Summary
	for _, id := range ids {
		if row, ok := w.row(id); ok {
			rows = append(rows, row)
		}
	}
	svc, by := w.deps.Service, w.deps.Author
	return w.tasks.Run(putting, func(ctx context.Context) (any, error) {
		return put{ids, a, bulk.Run(ctx, svc, bulk.Action{Name: a}, rows, by, func(bulk.Progress) {}), said}, nil
	})
}

// wasPut tells how it went, with the cursor on the first of the campaigns.
func (w *bulkWork) wasPut(p put) tea.Cmd {
	cmds := make([]tea.Cmd, 0, len(p.ids)+1)
	for i, id := range p.ids[:min(len(p.ids), few)] {
		cmds = append(cmds, screen.Send(screen.ChangedMsg{ID: id, Select: i == 0}))
	}
	if len(p.ids) > few {
		cmds = append(cmds, screen.Changed(""))
	}
	about := screen.TopicEdit
	if len(p.ids) == 1 {
		about = screen.CampaignTopic(p.ids[0]) // what was said of its state does not hold any more
	}
	if f := append(p.report.Failed, p.report.Skipped...); len(f) > 0 {
		return tea.Batch(append(cmds, screen.NotifyAbout(about, widget.LevelError,
			"Can't "+strings.ToLower(p.action.Label())+" "+status.Name(f[0].Row)+": "+status.Refusal(f[0].Err)))...)
	}
	return tea.Batch(append(cmds, screen.NotifyAbout(about, widget.LevelSuccess, p.said))...)
}
