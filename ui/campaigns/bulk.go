package campaigns

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/bulk"
	"bugle/engine/catalog"
	"bugle/engine/phrase"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// bulkTask is an action on many campaigns and its texts.
type bulkTask struct {
	label       string // the menu entry: "Archive"
	verb        string // "archive", in the question
	progressive string // "Archiving", while it runs
	past        string // "archived", when it is done
	op          bulk.Operation
	action      catalog.Action // of the life cycle; empty for other tasks
	danger      bool
	ask         string // for tags first: "Add tags to"; empty if the task needs none
	undoes      string // what it undoes or redoes, for the notice; empty if it is a change of its own
}

// bulkTasks are the actions on many campaigns, in menu order.
var bulkTasks = []bulkTask{
	{label: "Add tags…", verb: "tag", progressive: "Tagging", past: "tagged", op: bulk.Tag{}, ask: "Add tags to "},
	{label: "Remove tags…", verb: "untag", progressive: "Untagging", past: "untagged", op: bulk.Tag{}, ask: "Remove tags from "},
	lifeCycleTask(catalog.Pause, "Pausing", "paused", false),
	lifeCycleTask(catalog.Resume, "Resuming", "resumed", false),
	lifeCycleTask(catalog.Stop, "Stopping", "stopped", true),
	lifeCycleTask(catalog.Archive, "Archiving", "archived", false),
	lifeCycleTask(catalog.Restore, "Restoring", "restored", false),
	lifeCycleTask(catalog.Delete, "Deleting", "deleted", true),
}

func lifeCycleTask(a catalog.Action, progressive, past string, danger bool) bulkTask {
	return bulkTask{label: a.Label(), verb: strings.ToLower(a.Label()), progressive: progressive, past: past, op: bulk.Action{Name: a}, action: a, danger: danger}
}

// taskPlan is a task and the campaigns that it is allowed for.
type taskPlan struct {
	bulk.Plan
	task bulkTask
}

// offerBulk plans the tasks for the selected campaigns or, if there are none, for the one under the cursor, and shows
// them.
func (s *Screen) offerBulk() tea.Cmd {
	ids := slices.Collect(maps.Keys(s.selection))
	if row, ok := s.selected(); ok && len(ids) == 0 {
		ids = []string{row.ID}
	}
	svc, ix, now := s.deps.Service, s.ix, s.now()
	type planned struct {
		rows  []engine.Summary
		plans []taskPlan
	}
	return screen.Go(&s.Base, taskPlanBulk, func(ctx context.Context) (planned, error) {
		var p planned
		for _, id := range ids {
			if row, ok := ix.Get(id, now); ok {
				p.rows = append(p.rows, row)
			}
		}
		slices.SortFunc(p.rows, func(a, b engine.Summary) int {
			return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), strings.Compare(a.ID, b.ID))
		})
		for _, t := range bulkTasks {
			p.plans = append(p.plans, taskPlan{bulk.Prepare(svc, t.op, p.rows), t})
		}
		return p, ctx.Err()
	}, func(p planned, err error) tea.Cmd {
		switch {
		case err != nil:
			return nil
		case len(p.rows) == 0:
			return screen.Notify(widget.LevelInfo, "The selected campaigns no longer exist.")
		}
		return s.showBulkMenu(p.rows, p.plans)
	})
}

// showBulkMenu shows the possible tasks.
func (s *Screen) showBulkMenu(rows []engine.Summary, plans []taskPlan) tea.Cmd {
	options := make([]widget.Option, len(plans))
	for i, p := range plans {
		o := widget.Option{Label: p.task.label}
		switch {
		case len(p.Allowed) == 0:
			o.Dim, o.DisabledReason = true, p.Reasons[0].Text
		case p.Refused > 0:
			o.Help = fmt.Sprintf("%d of %d campaigns", len(p.Allowed), len(rows))
		}
		options[i] = o
	}
	again := func() tea.Cmd { return s.showBulkMenu(rows, plans) }
	return screen.Send(screen.ChooseMsg{
		Title: campaignsNamed(rows), Body: namesOfSeveral(rows) + "Choose an action.", Options: options,
		Then: func(a widget.Answer) tea.Cmd {
			p := plans[a.Index]
			if p.task.ask != "" {
				return s.askTags(p.task, rows, "", again)
			}
			return s.askBulk(p, again)
		},
	})
}

// askTags asks for tags to add or to remove, starting with text, and then for confirmation.
func (s *Screen) askTags(t bulkTask, rows []engine.Summary, text string, back func() tea.Cmd) tea.Cmd {
	remove := t.verb == "untag"
	if remove && text == "" {
		text = strings.Join(commonTags(rows), ", ")
	}
	return screen.Send(screen.InputMsg{
		Title: t.ask + campaignsNamed(rows), Body: namesOfSeveral(rows) + "Separate tags with commas.", Value: text, Placeholder: "sale, spring",
		Validate: func(text string) string {
			if len(splitList(text)) == 0 {
				return "Enter at least one tag."
			}
			return ""
		},
		Then: func(text string) tea.Cmd {
			t.op = bulk.Tag{Add: splitList(text)}
			if remove {
				t.op = bulk.Tag{Remove: splitList(text)}
			}
			p := taskPlan{bulk.Prepare(s.deps.Service, t.op, rows), t}
			return s.askBulk(p, func() tea.Cmd { return s.askTags(t, rows, text, back) })
		},
		OnCancel: back,
	})
}

// campaignsNamed names campaigns in the title of a question: the only one, or how many.
func campaignsNamed(rows []engine.Summary) string {
	if len(rows) == 1 {
		return status.Name(rows[0])
	}
	return phrase.Count(len(rows), "campaign")
}

// namesOfSeveral returns a sentence with the first names, for a question whose title has only their number.
func namesOfSeveral(rows []engine.Summary) string {
	if len(rows) == 1 {
		return ""
	}
	return status.Names(rows) + ". "
}

// maxListed is how many reasons, effects or failures a question lists.
const maxListed = 3

// listed returns lines with the first texts.
func listed(texts []bulk.Counted) string {
	var lines []string
	for i, t := range texts {
		if i == maxListed {
			lines = append(lines, "…")
			break
		}
		lines = append(lines, fmt.Sprintf("· %d: %s", t.Count, t.Text))
	}
	return strings.Join(lines, "\n")
}

// askBulk asks for confirmation: what will happen, to how many campaigns, and which are left out. Canceling goes
// back one step.
func (s *Screen) askBulk(p taskPlan, back func() tea.Cmd) tea.Cmd {
	t, body := p.task, []string{strings.TrimSpace(namesOfSeveral(p.Allowed))}
	switch {
	case t.action == "":
		body = append(body, t.describe()+".")
	case len(p.Effects) == 1:
		body = append(body, p.Effects[0].Text)
	default:
		body = append(body, listed(p.Effects))
	}
	if p.Refused > 0 {
		body = append(body, phrase.Count(p.Refused, "campaign")+" will be skipped:\n"+listed(p.Reasons))
	}
	body = slices.DeleteFunc(body, func(text string) bool { return text == "" })
	verb := phrase.Capitalize(t.verb)
	label := verb
	if n := len(p.Allowed); n > 1 {
		label = fmt.Sprintf("%s %d", verb, n)
	}
	q := screen.Question{
		Title: fmt.Sprintf("%s %s?", verb, campaignsNamed(p.Allowed)), Body: strings.Join(body, "\n\n"), Danger: t.danger,
		Buttons: []widget.Option{{Label: label, Key: "y"}, {Label: "Cancel", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			switch {
			case a.Canceled():
				return back()
			case !a.Yes():
				return nil
			}
			return s.startBulk(t, p.Allowed)
		},
	}
	if t.danger {
		q.Focus = 1
	}
	return screen.Ask(q)
}

// describe describes a task that is not an action of the life cycle.
func (t bulkTask) describe() string {
	switch op := t.op.(type) {
	case bulk.Tag:
		if len(op.Add) > 0 {
			return "Adds the tags " + strings.Join(op.Add, ", ") + " to each campaign"
		}
		return "Removes the tags " + strings.Join(op.Remove, ", ") + " from each campaign"
	case bulk.Undo:
		return t.progressive + ": " + op.Steps[0].What
	}
	return ""
}

// splitList returns the parts of a typed list, without blanks and repetitions.
func splitList(text string) []string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" && !slices.Contains(out, part) {
			out = append(out, part)
		}
	}
	return out
}

// commonTags returns the tags that all campaigns have.
func commonTags(rows []engine.Summary) []string {
	return slices.DeleteFunc(slices.Clone(rows[0].Tags), func(tag string) bool {
		return slices.ContainsFunc(rows, func(r engine.Summary) bool { return !slices.Contains(r.Tags, tag) })
	})
}
