package campaigns

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/bulk"
	"bugle/engine/edit"
	"bugle/engine/phrase"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// bulkRun is a running task.
type bulkRun struct {
	task     bulkTask
	rows     []engine.Summary
	progress bulk.Progress
	canceled bool // but still finishing started operations
}

// badge describes the progress.
func (r *bulkRun) badge() string {
	text := fmt.Sprintf("%s %d of %d", strings.ToLower(r.task.progressive), r.progress.Done, len(r.rows))
	switch {
	case r.canceled:
		text += ", canceling"
	case r.progress.Failed > 0:
		text += fmt.Sprintf(", %d failed", r.progress.Failed)
	}
	return text
}

// startBulk starts a task.
func (s *Screen) startBulk(t bulkTask, rows []engine.Summary) tea.Cmd {
	if s.running != nil {
		return s.bulkBusy()
	}
	run := &bulkRun{task: t, rows: rows}
	s.running = run
	svc, by := s.deps.Service, s.deps.Author
	return screen.Stream(&s.Base, taskRunBulk, func(ctx context.Context, emit func(bulk.Progress)) (bulk.Report, error) {
		return bulk.Run(ctx, svc, t.op, rows, by, emit), nil
	}, func(p bulk.Progress) tea.Cmd {
		run.progress = p
		return nil
	}, func(report bulk.Report, _ error) tea.Cmd {
		s.running = nil
		undo := s.recordBulk(t, rows, report)
		return tea.Batch(s.reportBulk(t, rows, report, undo), notifyChanged(report))
	})
}

// bulkBusy tells the user that a task is running.
func (s *Screen) bulkBusy() tea.Cmd {
	return screen.Notify(widget.LevelWarning, s.running.task.progressive+" is still running. Wait, or press X to cancel.")
}

// cancelBulk cancels the running task.
func (s *Screen) cancelBulk() tea.Cmd {
	s.running.canceled = true
	s.Cancel(taskRunBulk)
	return nil
}

// LeaveQuestion asks before a running task is canceled by leaving.
func (s *Screen) LeaveQuestion() *screen.Question {
	r := s.running
	if r == nil {
		return nil
	}
	return &screen.Question{
		Title:   fmt.Sprintf("Leave and cancel %s %s?", strings.ToLower(r.task.progressive), campaignsNamed(r.rows)),
		Body:    fmt.Sprintf("%s%d of %s done. Leaving cancels the rest.", namesOfSeveral(r.rows), r.progress.Done, phrase.Count(len(r.rows), "campaign")),
		Buttons: []widget.Option{{Label: "Leave", Key: "y"}, {Label: "Stay", Key: "n"}}, Focus: 1,
	}
}

// recordBulk records what has changed for undo, and reports whether it can be undone. A task that undoes something is part
// of that change.
func (s *Screen) recordBulk(t bulkTask, rows []engine.Summary, report bulk.Report) bool {
	history := s.deps.History
	if undo, ok := t.op.(bulk.Undo); ok {
		for _, step := range undo.Steps {
			failed := slices.IndexFunc(report.Failed, func(f bulk.Failure) bool { return f.Row.ID == step.ID })
			switch {
			case slices.Contains(report.Done, step.ID):
				history.Done(step)
			case failed >= 0 && errors.As(report.Failed[failed].Err, new(*bulk.ConflictError)):
				history.Drop(step)
			}
		}
		return false
	}
	steps := report.Steps(t.op)
	if len(steps) == 0 {
		return false
	}
	what := phrase.Count(len(steps), "campaign") + " were " + t.past
	if len(steps) == 1 {
		i := slices.IndexFunc(rows, func(r engine.Summary) bool { return r.ID == steps[0].ID })
		what = status.Name(rows[i]) + " was " + t.past
	}
	if tag, ok := t.op.(bulk.Tag); ok {
		what += " " + strings.Join(append(tag.Add, tag.Remove...), ", ")
	}
	if len(steps) > edit.MaxSteps { // too many to keep: they cannot be undone
		steps = []edit.Step{{ID: steps[0].ID}}
	}
	for i := range steps {
		steps[i].What = what
	}
	history.Record(steps...)
	return steps[0].After.Exists() || steps[0].Reverse() != ""
}

// reportBulk shows the result. Campaigns that are not done stay selected.
func (s *Screen) reportBulk(t bulkTask, rows []engine.Summary, report bulk.Report, undo bool) tea.Cmd {
	left := slices.Concat(report.Failed, report.Skipped)
	switch {
	case t.undoes != "" && len(rows) == 1 && len(report.Failed) == 1:
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelWarning, "Not "+t.past+" in "+status.Name(rows[0])+": "+status.Refusal(rows[0].Channel, report.Failed[0].Err)+".")
	case t.undoes != "" && len(left) == 0 && report.Unchanged == len(report.Done):
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelInfo, "Already "+t.past+t.undoes)
	case t.undoes != "" && len(left) == 0:
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, phrase.Capitalize(t.past)+t.undoes)
	}
	clear(s.selection)
	for _, f := range left {
		s.selection[f.Row.ID] = true
	}
	if len(left) > 0 {
		return s.showFailures(t, report, left)
	}
	text := phrase.Count(len(report.Done), "campaign") + " " + t.past
	if report.Unchanged > 0 {
		text += fmt.Sprintf(" (%d already were)", report.Unchanged)
	}
	if undo {
		text += ". Press ctrl+z to undo."
	}
	return screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, text)
}

// showFailures shows which campaigns are not done, and offers to try again.
func (s *Screen) showFailures(t bulkTask, report bulk.Report, left []bulk.Failure) tea.Cmd {
	done := phrase.Count(len(report.Done), "campaign")
	if len(report.Done) == 0 {
		done = "None"
	}
	head := done + " " + t.past + "."
	if n := len(report.Failed); n > 0 {
		head += fmt.Sprintf(" %d failed.", n)
	}
	if n := len(report.Skipped); n > 0 {
		head += fmt.Sprintf(" Canceled: %d not done.", n)
	}
	var lines []string
	whole := head
	for i, f := range report.Failed {
		line := status.Name(f.Row) + ": " + strings.ReplaceAll(status.Refusal(f.Row.Channel, f.Err), "\n", " · ")
		whole += "\n" + f.Row.ID + "  " + line
		switch {
		case i < maxListed:
			lines = append(lines, "· "+line)
		case i == maxListed:
			lines = append(lines, fmt.Sprintf("and %d more", len(report.Failed)-i))
		}
	}
	body := slices.DeleteFunc([]string{head, strings.Join(lines, "\n"), "Campaigns that are not done stay selected."}, func(text string) bool { return text == "" })
	return screen.Ask(screen.Question{
		Title: "Not all campaigns are " + t.past, Body: strings.Join(body, "\n\n"),
		Buttons: []widget.Option{{Label: "Try again", Key: "r"}, {Label: "Copy", Key: "y"}, {Label: "Close", Key: "c"}}, Focus: 2,
		Then: func(a widget.Answer) tea.Cmd {
			switch a.Index {
			case 0:
				return s.startBulk(t, s.currentRows(left))
			case 1:
				return tea.Batch(screen.Copy(whole, "the report"), s.showFailures(t, report, left))
			}
			return nil
		},
	})
}

// currentRows returns the campaigns of failures as they are now.
func (s *Screen) currentRows(failures []bulk.Failure) []engine.Summary {
	rows := make([]engine.Summary, len(failures))
	for i, f := range failures {
		rows[i] = f.Row
		if now, ok := s.ix.Get(f.Row.ID, s.now()); ok {
			rows[i] = now
		}
	}
	return rows
}

// maxSingleChanges is the number of changed campaigns up to which screens are notified one by one.
const maxSingleChanges = 10

// notifyChanged tells all screens what has changed, including failed campaigns, which may be outdated.
func notifyChanged(report bulk.Report) tea.Cmd {
	ids := slices.Clone(report.Done)
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
