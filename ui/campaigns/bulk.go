package campaigns

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
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
	action      catalog.Action
	danger      bool
	ask         func(*bulkActions, *bulkPlan, bulkTask, string) tea.Cmd // asks for input first, starting with a text; nil if there is no input
	undoes      string                                                  // what it undoes or redoes, for the notice; empty if it is a change of its own
}

// bulkTasks returns the actions on many campaigns, in menu order.
func bulkTasks() []bulkTask {
	life := func(a catalog.Action, verb, going, done string, harm bool) bulkTask {
		return bulkTask{label: a.Label(), verb: verb, progressive: going, past: done, op: bulk.Action{Name: a}, action: a, danger: harm}
	}
	return []bulkTask{
		{label: "Add tags…", op: bulk.Tag{}, ask: (*bulkActions).askTags},
		{label: "Remove tags…", op: bulk.Tag{}, ask: (*bulkActions).askUntags},
		{label: "Export…", op: bulk.Export{}, ask: (*bulkActions).askFolder},
		life(catalog.Pause, "pause", "Pausing", "paused", false),
		life(catalog.Resume, "resume", "Resuming", "resumed", false),
		life(catalog.Stop, "stop", "Stopping", "stopped", true),
		life(catalog.Archive, "archive", "Archiving", "archived", false),
		life(catalog.Restore, "restore", "Restoring", "restored", false),
		life(catalog.Delete, "delete", "Deleting", "deleted", true),
	}
}

// bulkPlan is which bulk actions are possible for the selected campaigns.
type bulkPlan struct {
	rows  []engine.Summary
	tasks []taskPlan // one for each task
}

// taskPlan is which campaigns a task is allowed for, and why not for the others.
type taskPlan struct {
	allowed []engine.Summary
	refused int
	reasons []countedReason // the most frequent first
	effects []countedReason
}

// countedReason is a reason and the number of campaigns that it applies to.
type countedReason struct {
	text  string
	count int
}

// bulkActions runs actions on many campaigns: it shows the menu, asks, runs, reports and undoes.
type bulkActions struct {
	deps  screen.Deps
	tasks *screen.Base
	run   *bulkRun    // nil while none is running
	last  *reportPane // nil if nothing has failed yet

	row          func(id string) (engine.Summary, bool) // returns the current row
	keepSelected func(ids []string)                     // reduces the selection to these
	lastFolder   func() string                          // of the last export
	export       func(folder string) tea.Cmd
}

// running reports whether a bulk action is running.
func (w *bulkActions) running() bool { return w.run != nil && w.run.running }

// action returns the action that opens the menu for the selected campaigns or, if there are none, for the one
// under the cursor; none is why there is no such one.
func (w *bulkActions) action(group string, selected int, none string, offer func() tea.Cmd) screen.Action {
	if w.running() {
		return screen.Action{Keys: []string{"X"}, Label: "cancel", Help: "cancel; campaigns that are not done stay selected", Group: group, BarPriority: 22, Run: w.cancel}
	}
	a := screen.Action{Keys: []string{"b"}, Label: "change selected", Help: "tag, export, pause, resume, stop or archive selected campaigns", Group: group, Run: offer}
	if selected > 0 {
		a.BarPriority = 21
	} else {
		a.DisabledReason = none
	}
	return a
}

// offer loads the campaigns and shows the possible actions.
func (w *bulkActions) offer(ids []string) tea.Cmd {
	svc, rowOf := w.deps.Service, w.row
	return screen.Go(w.tasks, taskPlanBulk, func(ctx context.Context) (*bulkPlan, error) {
		p := &bulkPlan{}
		for i, id := range ids {
			if i%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if row, ok := rowOf(id); ok {
				p.rows = append(p.rows, row)
			}
		}
		slices.SortFunc(p.rows, func(a, b engine.Summary) int {
			return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), strings.Compare(a.ID, b.ID))
		})
		for _, t := range bulkTasks() {
			p.tasks = append(p.tasks, planTask(svc, t, p.rows))
		}
		return p, nil
	}, func(p *bulkPlan, err error) tea.Cmd {
		if err != nil {
			return nil
		}
		return w.showMenu(p)
	})
}

// planTask finds the campaigns that a task is allowed for. The answer is the same for all campaigns of one kind
// and state.
func planTask(svc engine.Service, t bulkTask, rows []engine.Summary) taskPlan {
	type kind struct {
		channel engine.Channel
		typ     engine.DeliveryType
		state   engine.State
	}
	type verdict struct{ why, effect string }
	known := map[kind]verdict{}
	var out taskPlan
	why, effects := map[string]int{}, map[string]int{}
	for _, row := range rows {
		k := kind{row.Channel, row.DeliveryType, row.Status}
		v, ok := known[k]
		if !ok {
			v.why = t.op.Blocked(svc, row)
			if t.action != "" {
				v.effect = catalog.Effect(t.action, row.Channel, row.DeliveryType, row.Status)
			}
			known[k] = v
		}
		if v.why != "" {
			out.refused++
			why[reasonClause(v.why)]++
			continue
		}
		out.allowed = append(out.allowed, row)
		effects[v.effect]++
	}
	out.reasons, out.effects = byCount(why), byCount(effects)
	return out
}

// reasonClause removes the action from a reason, because the question names it.
func reasonClause(why string) string {
	if head, rest, ok := strings.Cut(why, ": "); ok && strings.HasPrefix(head, "You can't ") {
		return phrase.Capitalize(rest)
	}
	return why
}

func byCount(counts map[string]int) []countedReason {
	var out []countedReason
	for text, n := range counts {
		if text != "" {
			out = append(out, countedReason{text, n})
		}
	}
	slices.SortFunc(out, func(a, b countedReason) int { return cmp.Or(b.count-a.count, strings.Compare(a.text, b.text)) })
	return out
}

// showMenu shows the possible actions.
func (w *bulkActions) showMenu(p *bulkPlan) tea.Cmd {
	if len(p.rows) == 0 {
		return screen.Notify(widget.LevelInfo, "The selected campaigns no longer exist.")
	}
	all := bulkTasks()
	options := make([]widget.Option, len(all))
	for i, t := range all {
		part := p.tasks[i]
		o := widget.Option{Label: t.label}
		switch {
		case len(part.allowed) == 0:
			o.Dim, o.DisabledReason = true, part.reasons[0].text
		case part.refused > 0:
			o.Help = fmt.Sprintf("%d of %d campaigns", len(part.allowed), len(p.rows))
		}
		options[i] = o
	}
	return screen.Send(screen.ChooseMsg{
		Title: campaignsNamed(p.rows), Body: namesOfSeveral(p.rows) + "Choose an action.", Options: options,
		Then: func(a widget.Answer) tea.Cmd {
			t := all[a.Index]
			part := p.tasks[a.Index]
			if t.ask != nil {
				return t.ask(w, p, t, "")
			}
			return w.ask(t, part, func() tea.Cmd { return w.showMenu(p) })
		},
	})
}

// campaignCount formats a number of campaigns.
func campaignCount(n int) string {
	if n == 1 {
		return "1 campaign"
	}
	return fmt.Sprintf("%d campaigns", n)
}

// campaignsNamed names campaigns in the title of a question: the only one, or how many.
func campaignsNamed(rows []engine.Summary) string {
	if len(rows) == 1 {
		return status.Name(rows[0])
	}
	return campaignCount(len(rows))
}

// namesOfSeveral returns a sentence with the first names, for a question whose title has only their number.
func namesOfSeveral(rows []engine.Summary) string {
	if len(rows) == 1 {
		return ""
	}
	return status.Names(rows) + ". "
}

// maxReasons is how many reasons a question lists.
const maxReasons = 3

// ask asks for confirmation: what will happen, to how many campaigns, and which are left out. Canceling goes
// back one step.
func (w *bulkActions) ask(t bulkTask, p taskPlan, back func() tea.Cmd) tea.Cmd {
	var body []string
	if names := namesOfSeveral(p.allowed); names != "" {
		body = append(body, strings.TrimSpace(names))
	}
	for i, e := range p.effects {
		switch {
		case len(p.effects) == 1:
			body = append(body, e.text)
		case i < maxReasons:
			body = append(body, fmt.Sprintf("· %d: %s", e.count, e.text))
		}
	}
	if t.action == "" {
		body = append(body, t.describe()+".")
	}
	if p.refused > 0 {
		left := []string{fmt.Sprintf("%s will be skipped:", campaignCount(p.refused))}
		for i, r := range p.reasons {
			if i == maxReasons {
				left = append(left, "…")
				break
			}
			left = append(left, fmt.Sprintf("· %d: %s", r.count, r.text))
		}
		body = append(body, strings.Join(left, "\n"))
	}
	verb := phrase.Capitalize(t.verb)
	label := verb
	if n := len(p.allowed); n > 1 {
		label = fmt.Sprintf("%s %d", verb, n)
	}
	q := screen.Question{
		Title: fmt.Sprintf("%s %s?", verb, campaignsNamed(p.allowed)), Body: strings.Join(body, "\n\n"), Danger: t.danger,
		Buttons: []widget.Button{{Label: label, Key: "y", Danger: t.danger}, {Label: "Cancel", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			switch {
			case a.Canceled():
				return back()
			case !a.Yes():
				return nil
			}
			return w.start(t, p.allowed)
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
	case bulk.Export:
		return "Writes a JSON file for each campaign to " + op.Folder + " and replaces files with the same names"
	}
	return ""
}

// parseTags parses a typed list of tags.
func parseTags(text string) []string {
	var out []string
	for _, tag := range strings.Split(text, ",") {
		if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	return out
}

func tagsError(text string) string {
	if len(parseTags(text)) == 0 {
		return "Enter at least one tag."
	}
	return ""
}

func (w *bulkActions) askTags(p *bulkPlan, t bulkTask, text string) tea.Cmd {
	return screen.Send(screen.InputMsg{
		Title: "Add tags to " + campaignsNamed(p.rows), Body: namesOfSeveral(p.rows) + "Separate tags with commas.", Value: text, Placeholder: "sale, spring", Validate: tagsError,
		OnCancel: func() tea.Cmd { return w.showMenu(p) },
		Then: func(text string) tea.Cmd {
			t.op, t.verb, t.progressive, t.past = bulk.Tag{Add: parseTags(text)}, "tag", "Tagging", "tagged"
			return w.ask(t, planTask(w.deps.Service, t, p.rows), func() tea.Cmd { return w.askTags(p, t, text) })
		},
	})
}

func (w *bulkActions) askUntags(p *bulkPlan, t bulkTask, text string) tea.Cmd {
	having := func(text string) []engine.Summary {
		return slices.DeleteFunc(slices.Clone(p.rows), func(r engine.Summary) bool { return !r.HasTag(parseTags(text)) })
	}
	return screen.Send(screen.InputMsg{
		Title: "Remove tags from " + campaignsNamed(p.rows), Body: namesOfSeveral(p.rows) + "Separate tags with commas.", Value: cmp.Or(text, strings.Join(commonTags(p.rows), ", ")), Placeholder: "sale, spring",
		Validate: func(text string) string {
			if tagsError(text) == "" && len(having(text)) == 0 {
				return "No selected campaign has these tags."
			}
			return tagsError(text)
		},
		OnCancel: func() tea.Cmd { return w.showMenu(p) },
		Then: func(text string) tea.Cmd {
			t.op, t.verb, t.progressive, t.past = bulk.Tag{Remove: parseTags(text)}, "untag", "Untagging", "untagged"
			return w.ask(t, planTask(w.deps.Service, t, having(text)), func() tea.Cmd { return w.askUntags(p, t, text) })
		},
	})
}

// commonTags returns the tags that all campaigns have.
func commonTags(rows []engine.Summary) []string {
	return slices.DeleteFunc(slices.Clone(rows[0].Tags), func(tag string) bool {
		return slices.ContainsFunc(rows, func(r engine.Summary) bool { return !slices.Contains(r.Tags, tag) })
	})
}

// exportFolder is the default folder for exports.
const exportFolder = "campaigns"

func (w *bulkActions) askFolder(p *bulkPlan, t bulkTask, text string) tea.Cmd {
	return screen.Send(screen.InputMsg{
		Title: "Export " + campaignsNamed(p.rows), Body: namesOfSeveral(p.rows) + "Enter the folder for the files.", Value: cmp.Or(text, w.lastFolder(), exportFolder), OnCancel: func() tea.Cmd { return w.showMenu(p) },
		Validate: func(text string) string {
			if strings.TrimSpace(text) == "" {
				return "Enter a folder."
			}
			if info, err := os.Stat(expandHome(text)); err == nil && !info.IsDir() {
				return "This is a file. Enter a folder."
			}
			return ""
		},
		Then: func(text string) tea.Cmd {
			folder := expandHome(text)
			if abs, err := filepath.Abs(folder); err == nil {
				folder = abs
			}
			t.op, t.verb, t.progressive, t.past = bulk.Export{Folder: folder}, "export", "Exporting", "exported"
			kept := w.export(strings.TrimSpace(text))
			return tea.Batch(kept, w.ask(t, planTask(w.deps.Service, t, p.rows), func() tea.Cmd { return w.askFolder(p, t, text) }))
		},
	})
}

// expandHome replaces ~ with the home folder.
func expandHome(text string) string {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "~"); ok && (rest == "" || rest[0] == '/') {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return text
}
