package campaigns

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/bulk"
	"bugle/engine/catalog"
	"bugle/engine/edit"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// Undo undoes the last edit of the campaign under the cursor or, if it is newer, the last action on any campaigns. What
// was searched for, and how the list looks, are not changes.
func (s *Screen) Undo() (tea.Cmd, bool) { return s.walk(true) }

// Redo redoes the last undone change.
func (s *Screen) Redo() (tea.Cmd, bool) { return s.walk(false) }

func (s *Screen) walk(back bool) (tea.Cmd, bool) {
	if s.Typing() {
		return nil, false
	}
	if s.running != nil {
		return s.bulkBusy(), true
	}
	steps := s.deps.History.Next(back, func(st *edit.Step) bool { return st.Batch > 0 || st.ID == s.current })
	if len(steps) == 0 {
		return nil, false
	}
	var rows []engine.Summary
	for _, st := range steps {
		if row, ok := s.ix.Get(st.ID, s.now()); ok {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 && s.grid.missing == notLoaded {
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelInfo, notLoaded), true
	}
	var follow tea.Cmd
	if len(rows) > 0 {
		follow = s.follow(rows[0].ID)
	}
	return tea.Batch(follow, s.undoSteps(back, steps, rows)), true
}

// undoSteps undoes or redoes one change of campaigns.
func (s *Screen) undoSteps(back bool, steps []*edit.Step, rows []engine.Summary) tea.Cmd {
	first, action := steps[0], steps[0].Reverse()
	edited := first.Before.Exists() || first.After.Exists()
	switch {
	case !edited && action == "":
		return status.Undo(s.deps, engine.Summary{}, steps...)
	case len(rows) == 0:
		s.deps.History.Drop(steps...)
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelWarning, "This can't be undone, because the campaign no longer exists.")
	case !edited && len(steps) == 1:
		return status.Undo(s.deps, rows[0], first)
	}
	drafts := !slices.ContainsFunc(rows, func(r engine.Summary) bool { return r.Status != catalog.Draft })
	if _, ok := s.deps.Service.(engine.DraftSaver); first.Batch == 0 && !(ok && drafts) {
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelWarning, "A change of "+status.Name(rows[0])+" is undone in the builder. Press enter, then ctrl+z.")
	}
	t := bulkTask{verb: "change", progressive: "Undoing", past: "undone"}
	if !back {
		t.progressive, t.past = "Redoing", "redone"
	}
	what, in := first.What, ""
	if what == "" {
		what, in = widget.Clean(edit.ChangeName(catalog.Campaign(rows[0].Channel), first.Changes())), " in "+status.Name(rows[0])
	}
	t.undoes, t.op = in+": "+what, bulk.Undo{History: s.deps.History, Steps: steps, As: s.deps.History.Copies(steps), Note: t.past + ": " + what, Drafts: drafts}
	if !edited {
		t = bulkTasks[slices.IndexFunc(bulkTasks, func(t bulkTask) bool { return t.action == action })]
	}
	plan := taskPlan{bulk.Prepare(s.deps.Service, t.op, rows), t}
	switch {
	case len(plan.Allowed) == 0:
		s.deps.History.Drop(steps...)
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelWarning, plan.Reasons[0].Text)
	case edited && drafts:
		return s.startBulk(t, plan.Allowed)
	}
	return s.askBulk(plan, func() tea.Cmd { return nil })
}
