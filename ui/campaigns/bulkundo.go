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

// inverseAction maps actions to their inverse.
var inverseAction = map[catalog.Action]catalog.Action{catalog.Archive: catalog.Restore, catalog.Restore: catalog.Archive}

// pastTense has the past tense of actions for notices.
var pastTense = map[catalog.Action]string{
	catalog.Publish: "published", catalog.Stop: "stopped", catalog.Pause: "paused", catalog.Resume: "resumed", catalog.Archive: "archived",
	catalog.Restore: "restored", catalog.Delete: "deleted",
}

// recordAction records an action on campaigns for undo; named is how the notice names them.
func (w *bulkActions) recordAction(a catalog.Action, named string, ids []string) {
	if len(ids) == 0 || pastTense[a] == "" {
		return
	}
	back, ok := inverseAction[a]
	if !ok {
		w.pushUndo(screen.UndoStep{IrreversibleReason: irreversibleReason(a, named, len(ids) > 1)})
		return
	}
	what := pastTense[a] + " " + named
	w.pushUndo(screen.UndoStep{
		Label: what, OwnNotice: true,
		Undo: func() tea.Cmd { return w.revert(back, ids, "Undone: "+what) },
		Redo: func() tea.Cmd { return w.revert(a, ids, "Redone: "+what) },
	})
}

// irreversibleReason explains why an action cannot be undone, and what to do instead.
func irreversibleReason(a catalog.Action, named string, several bool) string {
	verb, key := " was ", "s"
	if several {
		verb, key = " were ", "b"
	}
	text := named + verb + pastTense[a] + ", which can't be undone."
	switch a {
	case catalog.Pause:
		text += " Press " + key + " to resume."
	case catalog.Resume:
		text += " Press " + key + " to pause."
	}
	return text
}

// reverted is the result of an undo.
type reverted struct {
	ids    []string
	action catalog.Action
	report bulk.Report
	notice string
}

// revert runs an action on campaigns without asking, to undo another one.
func (w *bulkActions) revert(a catalog.Action, ids []string, said string) tea.Cmd {
	var rows []engine.Summary
	for _, id := range ids {
		if row, ok := w.row(id); ok {
			rows = append(rows, row)
		}
	}
	svc, by := w.deps.Service, w.deps.Author
	return w.tasks.Run(taskRevert, func(ctx context.Context) (any, error) {
		return reverted{ids, a, bulk.Run(ctx, svc, bulk.Action{Name: a}, rows, by, func(bulk.Progress) {}), said}, nil
	})
}

// showReverted shows the result, with the cursor on the first of the campaigns.
func (w *bulkActions) showReverted(p reverted) tea.Cmd {
	cmds := make([]tea.Cmd, 0, len(p.ids)+1)
	for i, id := range p.ids[:min(len(p.ids), maxSingleChanges)] {
		cmds = append(cmds, screen.Send(screen.ChangedMsg{ID: id, Select: i == 0}))
	}
	if len(p.ids) > maxSingleChanges {
		cmds = append(cmds, screen.Changed(""))
	}
	about := screen.TopicEdit
	if len(p.ids) == 1 {
		about = screen.CampaignTopic(p.ids[0]) // replaces the notice about its previous state
	}
	if f := append(p.report.Failed, p.report.Skipped...); len(f) > 0 {
		return tea.Batch(append(cmds, screen.NotifyAbout(about, widget.LevelError,
			"Can't "+strings.ToLower(p.action.Label())+" "+status.Name(f[0].Row)+": "+status.Refusal(f[0].Row.Channel, f[0].Err)))...)
	}
	return tea.Batch(append(cmds, screen.NotifyAbout(about, widget.LevelSuccess, p.notice))...)
}
