package campaigns

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/bulk"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/phrase"
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
func (r *bulkRun) line(t *themes.Theme, w int) string {
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
		return w.busy()
	}
	w.run = &bulkRun{task: t, rows: rows, running: true}
	if w.last != nil {
		w.last.Close()
	}
	svc, by := w.deps.Service, w.deps.Author
	return screen.Stream(w.tasks, taskRunBulk, func(ctx context.Context, emit func(bulk.Progress)) (bulk.Report, error) {
		if e, ok := t.op.(bulk.Export); ok {
			if err := os.MkdirAll(e.Folder, 0o755); err != nil {
				return bulk.Report{}, fmt.Errorf("can't create the folder: %w", err)
			}
		}
		var told time.Time
		return bulk.Run(ctx, svc, t.op, rows, by, func(p bulk.Progress) {
			if now := time.Now(); now.Sub(told) >= progressInterval {
				told = now
				emit(p)
			}
		}), nil
	}, func(p bulk.Progress) tea.Cmd {
		w.run.progress = p
		return nil
	}, w.finish)
}

// busy tells the user that a task is running.
func (w *bulkActions) busy() tea.Cmd {
	return screen.Notify(widget.LevelWarning, w.run.task.progressive+" is still running. Wait, or press X to cancel.")
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

// finish shows the result of the task.
func (w *bulkActions) finish(report bulk.Report, err error) tea.Cmd {
	w.run.running = false
	if err != nil {
		return screen.Notify(widget.LevelError, "Nothing was "+w.run.task.past+": "+err.Error())
	}
	undo := w.record(report)
	return tea.Batch(w.showReport(report, undo), w.notifyChanged(report))
}

// record records what has changed for undo, and reports whether it can be undone. A task that undoes something is part of
// that change.
func (w *bulkActions) record(report bulk.Report) bool {
	t, rows := w.run.task, w.run.rows
	if undo, ok := t.op.(bulk.Undo); ok {
		for _, s := range undo.Steps {
			failed := slices.IndexFunc(report.Failed, func(f bulk.Failure) bool { return f.Row.ID == s.ID })
			switch {
			case slices.Contains(report.Done, s.ID):
				w.deps.History.Done(s)
			case failed >= 0 && errors.As(report.Failed[failed].Err, new(*bulk.ConflictError)):
				w.deps.History.Drop(s)
			}
		}
		return false
	}
	var steps []edit.Step
	for i, id := range report.Done {
		switch c := report.Changes[i]; {
		case t.action != "":
			steps = append(steps, edit.Step{ID: id, Action: t.action})
		case len(c.Path) > 0:
			steps = append(steps, edit.Step{ID: id, Before: part(c.Path, c.Before), After: part(c.Path, c.After)})
		}
	}
	if len(steps) == 0 {
		return false
	}
	subject, verb := campaignCount(len(steps)), " were "
	if len(steps) == 1 {
		verb = " was "
		if i := slices.IndexFunc(rows, func(r engine.Summary) bool { return r.ID == steps[0].ID }); i >= 0 {
			subject = status.Name(rows[i])
		}
	}
	if len(steps) > edit.MaxSteps {
		steps = []edit.Step{{ID: steps[0].ID}}
	}
	for i := range steps {
		steps[i].What = subject + verb + t.past
		if tag, ok := t.op.(bulk.Tag); ok {
			steps[i].What += " " + strings.Join(append(tag.Add, tag.Remove...), ", ")
		}
	}
	can := steps[0].After.Exists() || steps[0].Reverse() != ""
	w.deps.History.Record(steps...)
	return can
}

// part returns a document that has only this value, in memory of its own.
func part(at doc.Path, v doc.Value) doc.Value {
	root, err := doc.NewObject().Set(at, v)
	if err == nil {
		root, err = doc.Parse(root.Encode())
	}
	if err != nil {
		return doc.NewObject()
	}
	return root
}

// showReport shows the result. Campaigns that failed stay selected.
func (w *bulkActions) showReport(report bulk.Report, undo bool) tea.Cmd {
	t := w.run.task
	var left []string
	for _, f := range append(append([]bulk.Failure(nil), report.Failed...), report.Skipped...) {
		left = append(left, f.Row.ID)
	}
	switch {
	case t.undoes != "" && len(w.run.rows) == 1 && len(report.Failed) == 1:
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelWarning, "Not "+t.past+" in "+status.Name(w.run.rows[0])+": "+status.Refusal(w.run.rows[0].Channel, report.Failed[0].Err)+".")
	case t.undoes != "" && len(left) == 0 && report.Unchanged == len(report.Done):
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelInfo, "Already "+t.past+t.undoes)
	case t.undoes != "" && len(left) == 0:
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, phrase.Capitalize(t.past)+t.undoes)
	}
	if w.keepSelected(left); len(left) > 0 {
		w.last = newReportPane(w, t, report)
		return w.tasks.Show(w.last, nil)
	}
	text := campaignCount(len(report.Done)) + " " + t.past
	if e, ok := t.op.(bulk.Export); ok {
		text += " to " + e.Folder
	}
	if report.Unchanged > 0 {
		text += fmt.Sprintf(" (%d already were)", report.Unchanged)
	}
	if undo {
		text += ". Press ctrl+z to undo."
	}
	return screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, text)
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
