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

// bulkRun is work on many campaigns that goes on.
type bulkRun struct {
	task     task
	rows     []engine.Summary
	progress bulk.Progress
	going    bool
	ending   bool // it was canceled, and finishes what is under way
}

func (r *bulkRun) badge() string {
	return fmt.Sprintf("%s %d of %d", strings.ToLower(r.task.going), r.progress.Done, len(r.rows))
}

// line draws how far the work is, w cells wide.
func (r *bulkRun) line(t themes.Theme, w int) string {
	label := r.task.going
	switch {
	case r.ending:
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

// often is how often work that goes on tells of itself at most.
const often = 40 * time.Millisecond

// start does a task to campaigns.
func (w *bulkWork) start(t task, rows []engine.Summary) tea.Cmd {
	if w.going() {
		return screen.Notify(widget.LevelWarning, w.run.task.going+" is still running. Wait, or press X to cancel.")
	}
	w.run = &bulkRun{task: t, rows: rows, going: true}
	w.show(nil)
	svc, by := w.deps.Service, w.deps.Author
	return w.tasks.Stream(running, func(ctx context.Context, emit func(any)) (any, error) {
		if e, ok := t.op.(bulk.Export); ok {
			if err := os.MkdirAll(e.Folder, 0o755); err != nil {
				return nil, fmt.Errorf("can't create the folder: %w", err)
			}
		}
		var told time.Time
		return bulk.Run(ctx, svc, t.op, rows, by, func(p bulk.Progress) {
			if now := time.Now(); now.Sub(told) >= often {
				told = now
				emit(p)
			}
		}), nil
	})
}

// cancel ends the work on many campaigns.
func (w *bulkWork) cancel() tea.Cmd {
	if w.run != nil {
		w.run.ending = true
		w.tasks.Cancel(running)
	}
	return nil
}

// leaving asks before work on many campaigns is ended.
func (w *bulkWork) leaving() *screen.Question {
	if !w.going() {
		return nil
	}
	return &screen.Question{
		Title: "Cancel " + strings.ToLower(w.run.task.going) + "?", Body: fmt.Sprintf("%d of %s done. Leaving cancels the rest.", w.run.progress.Done, campaignsOf(len(w.run.rows))),
		Buttons: []widget.Button{{Label: "Leave", Key: "y"}, {Label: "Stay", Key: "n"}}, Focus: 1,
	}
}

// ran takes what the work on many campaigns tells.
func (w *bulkWork) ran(r screen.Result) tea.Cmd {
	if w.run == nil {
		return nil
	}
	if p, ok := r.Value.(bulk.Progress); ok {
		w.run.progress = p
		return nil
	}
	w.run.going = false
	if r.Err != nil {
		return screen.Notify(widget.LevelError, "Nothing was "+w.run.task.done+": "+r.Err.Error())
	}
	report, ok := r.Value.(bulk.Report)
	if !ok {
		return nil
	}
	w.noted(report)
	return tea.Batch(w.reported(report), w.changes(report))
}

// noted keeps what was done for undo. Campaigns that were as they should be already are none of it.
func (w *bulkWork) noted(report bulk.Report) {
	t := w.run.task
	switch op := t.op.(type) {
	case bulk.Export:
	case bulk.Tag:
		if len(report.Done) > report.Unchanged {
			back, tags := "remove", op.Add
			if len(tags) == 0 {
				back, tags = "add", op.Remove
			}
			w.did(screen.UndoStep{IrreversibleReason: fmt.Sprintf("%s %s, which can't be undone. Press b to %s %s.", campaignsOf(len(report.Done)), t.done, back, strings.Join(tags, ", "))})
		}
	default:
		named := campaignsOf(len(report.Done))
		if len(report.Done) == 1 {
			if i := slices.IndexFunc(w.run.rows, func(r engine.Summary) bool { return r.ID == report.Done[0] }); i >= 0 {
				named = status.Name(w.run.rows[i])
			}
		}
		w.acted(t.act, named, report.Done)
	}
}

// reported tells how the work went. What was not done stays selected.
func (w *bulkWork) reported(report bulk.Report) tea.Cmd {
	t := w.run.task
	var left []string
	for _, f := range append(append([]bulk.Failure(nil), report.Failed...), report.Skipped...) {
		left = append(left, f.Row.ID)
	}
	if w.picked(left); len(left) > 0 {
		w.show(newReportPane(w, t, report))
		return nil
	}
	text := campaignsOf(len(report.Done)) + " " + t.done
	if e, ok := t.op.(bulk.Export); ok {
		text += " to " + e.Folder
	}
	if report.Unchanged > 0 {
		text += fmt.Sprintf(" (%d already were)", report.Unchanged)
	}
	return screen.Notify(widget.LevelSuccess, text)
}

// few is up to how many changed campaigns other screens are told of one by one.
const few = 50

// changes tells all screens what has changed. What failed was perhaps shown as it no longer is.
func (w *bulkWork) changes(report bulk.Report) tea.Cmd {
	if _, ok := w.run.task.op.(bulk.Export); ok {
		return nil
	}
	ids := append([]string(nil), report.Done...)
	for _, f := range report.Failed {
		ids = append(ids, f.Row.ID)
	}
	if len(ids) > few {
		return screen.Changed("")
	}
	cmds := make([]tea.Cmd, len(ids))
	for i, id := range ids {
		cmds[i] = screen.Changed(id)
	}
	return tea.Batch(cmds...)
}
