package campaigns

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/bulk"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// bulkRun is a running bulk action.
type bulkRun struct {
	task     bulkTask
	rows     []engine.Summary
	progress bulk.Progress
	running  bool
	canceled bool // canceled, but still finishing started operations
}

func (r *bulkRun) badge() string {
	return fmt.Sprintf("%s %d of %d", strings.ToLower(r.task.progressive), r.progress.Done, len(r.rows))
}

// line draws the progress, w cells wide.
func (r *bulkRun) line(t themes.Theme, w int) string {
	label := r.task.progressive
	switch {
	case r.canceled:
		label += ", canceling"
	case r.progress.Failed > 0:
		label += fmt.Sprintf(", %d failed", r.progress.Failed)
	}
	hint := t.Key.Render("X") + t.KeyLabel.Render(" cancel")
	p := widget.NewProgress(t, label)
	p.Done, p.Total, p.Frame = r.progress.Done, len(r.rows), -1
	p.SetSize(w-widget.Width(hint)-2, 1)
	return widget.Fit(p.View()+"  "+hint, w, 1)
}

// progressInterval is the minimum time between progress updates.
const progressInterval = 40 * time.Millisecond

// start starts a task.
func (w *bulkActions) start(t bulkTask, rows []engine.Summary) tea.Cmd {
	if w.running() {
		return screen.Notify(widget.LevelWarning, w.run.task.progressive+" is still running. Wait, or press X to cancel.")
	}
	w.run = &bulkRun{task: t, rows: rows, running: true}
	w.show(nil)
	svc, by := w.deps.Service, w.deps.Author
	return w.tasks.Stream(taskRunBulk, func(ctx context.Context, emit func(any)) (any, error) {
		if e, ok := t.op.(bulk.Export); ok {
			if err := os.MkdirAll(e.Folder, 0o755); err != nil {
				return nil, fmt.Errorf("can't create the folder: %w", err)
			}
		}
		var told time.Time
		return bulk.Run(ctx, svc, t.op, rows, by, func(p bulk.Progress) {
			if now := time.Now(); now.Sub(told) >= progressInterval {
				told = now
				emit(p)
			}
		}), nil
	})
}

// cancel cancels the running task.
func (w *bulkActions) cancel() tea.Cmd {
	if w.run != nil {
		w.run.canceled = true
		w.tasks.Cancel(taskRunBulk)
	}
	return nil
}

// leaveQuestion asks before a running task is canceled by leaving.
func (w *bulkActions) leaveQuestion() *screen.Question {
	if !w.running() {
		return nil
	}
	return &screen.Question{
		Title:   fmt.Sprintf("Leave and cancel %s %s?", strings.ToLower(w.run.task.progressive), campaignsNamed(w.run.rows)),
		Body:    fmt.Sprintf("%s%d of %s done. Leaving cancels the rest.", namesOfSeveral(w.run.rows), w.run.progress.Done, campaignCount(len(w.run.rows))),
		Buttons: []widget.Button{{Label: "Leave", Key: "y"}, {Label: "Stay", Key: "n"}}, Focus: 1,
	}
}

// handleResult handles progress and the result of the task.
func (w *bulkActions) handleResult(r screen.Result) tea.Cmd {
	if w.run == nil {
		return nil
	}
	if p, ok := r.Value.(bulk.Progress); ok {
		w.run.progress = p
		return nil
	}
	w.run.running = false
	if r.Err != nil {
		return screen.Notify(widget.LevelError, "Nothing was "+w.run.task.past+": "+r.Err.Error())
	}
	report, ok := r.Value.(bulk.Report)
	if !ok {
		return nil
	}
	w.recordUndo(report)
	return tea.Batch(w.showReport(report), w.notifyChanged(report))
}

// recordUndo records the changed campaigns for undo. Campaigns that did not need the change are not included.
func (w *bulkActions) recordUndo(report bulk.Report) {
	t := w.run.task
	switch op := t.op.(type) {
	case bulk.Export:
	case bulk.Tag:
		if len(report.Done) > report.Unchanged {
			back, tags := "remove", op.Add
			if len(tags) == 0 {
				back, tags = "add", op.Remove
			}
			w.pushUndo(screen.UndoStep{IrreversibleReason: fmt.Sprintf("%s %s, which can't be undone. Press b to %s %s.", campaignCount(len(report.Done)), t.past, back, strings.Join(tags, ", "))})
		}
	default:
		named := campaignCount(len(report.Done))
		if len(report.Done) == 1 {
			if i := slices.IndexFunc(w.run.rows, func(r engine.Summary) bool { return r.ID == report.Done[0] }); i >= 0 {
				named = status.Name(w.run.rows[i])
			}
		}
		w.recordAction(t.action, named, report.Done)
	}
}

// showReport shows the result. Campaigns that failed stay selected.
func (w *bulkActions) showReport(report bulk.Report) tea.Cmd {
	t := w.run.task
	var left []string
	for _, f := range append(append([]bulk.Failure(nil), report.Failed...), report.Skipped...) {
		left = append(left, f.Row.ID)
	}
	if w.keepSelected(left); len(left) > 0 {
		w.show(newReportPane(w, t, report))
		return nil
	}
	text := campaignCount(len(report.Done)) + " " + t.past
	if e, ok := t.op.(bulk.Export); ok {
		text += " to " + e.Folder
	}
	if report.Unchanged > 0 {
		text += fmt.Sprintf(" (%d already were)", report.Unchanged)
	}
	return screen.Notify(widget.LevelSuccess, text)
}

// maxSingleChanges is the number of changed campaigns up to which screens are notified one by one.
const maxSingleChanges = 50

// notifyChanged tells all screens what has changed, including failed campaigns, which may be outdated.
func (w *bulkActions) notifyChanged(report bulk.Report) tea.Cmd {
	if _, ok := w.run.task.op.(bulk.Export); ok {
		return nil
	}
	ids := append([]string(nil), report.Done...)
	for _, f := range report.Failed {
		ids = append(ids, f.Row.ID)
	}
	if len(ids) > maxSingleChanges {
		return screen.Changed("")
	}
	cmds := make([]tea.Cmd, len(ids))
	for i, id := range ids {
		cmds[i] = screen.Changed(id)
	}
	return tea.Batch(cmds...)
}
