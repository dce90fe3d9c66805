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
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// task is one of the things that can be done to many campaigns, with its words.
type task struct {
	label string // the offer: "Archive"
	verb  string // "archive", in the question
	going string // "Archiving", while it goes on
	done  string // "archived", when it is done
	op    bulk.Operation
	act   catalog.Action
	harm  bool
	ask   func(*bulkWork, *plan, task, string) tea.Cmd // asks for more first, beginning with a text; nil: the question comes at once
}

// tasks are what can be done to many campaigns, in the order in which they are offered.
func tasks() []task {
	life := func(a catalog.Action, verb, going, done string, harm bool) task {
		return task{label: a.Label(), verb: verb, going: going, done: done, op: bulk.Action{Name: a}, act: a, harm: harm}
	}
	return []task{
		{label: "Add tags…", op: bulk.Tag{}, ask: (*bulkWork).askTags},
		{label: "Remove tags…", op: bulk.Tag{}, ask: (*bulkWork).askUntags},
		{label: "Export…", op: bulk.Export{}, ask: (*bulkWork).askFolder},
		life(catalog.Pause, "pause", "Pausing", "paused", false),
		life(catalog.Resume, "resume", "Resuming", "resumed", false),
		life(catalog.Stop, "stop", "Stopping", "stopped", true),
		life(catalog.Archive, "archive", "Archiving", "archived", false),
		life(catalog.Restore, "restore", "Restoring", "restored", false),
		life(catalog.Delete, "delete", "Deleting", "deleted", true),
	}
}

// plan is what can be done to the marked campaigns.
type plan struct {
	rows  []engine.Summary
	parts []part // one for each of the tasks
}

// part is to whom a task can be done, and why not to the others.
type part struct {
	can     []engine.Summary
	cannot  int
	reasons []reason // the most frequent first
	effects []reason
}

// reason is a sentence, and for how many campaigns it holds.
type reason struct {
	text string
	n    int
}

// tasker runs the tasks of a screen.
type tasker interface {
	Run(kind string, do func(context.Context) (any, error)) tea.Cmd
	Stream(kind string, do func(ctx context.Context, emit func(any)) (any, error)) tea.Cmd
	Running(kind string) bool
	Cancel(kind string)
}

// bulkWork does things to many campaigns: it offers them, asks, does them, tells how it went, and undoes them.
type bulkWork struct {
	deps  screen.Deps
	tasks tasker
	run   *bulkRun // nil while nothing is done to many

	row    func(id string) (engine.Summary, bool) // as it is now
	did    func(screen.UndoStep)
	show   func(pane)         // over the list; nil takes away what lies there
	picked func(ids []string) // only these stay selected
	folder func() string      // of the last export
	export func(folder string) tea.Cmd
}

// going reports whether something is being done to many campaigns.
func (w *bulkWork) going() bool { return w.run != nil && w.run.going }

// action offers what can be done: to the selected campaigns, or with none to the one under the cursor.
func (w *bulkWork) action(group string, selected int, any bool, offer func() tea.Cmd) screen.Action {
	if w.going() {
		return screen.Action{Keys: []string{"X"}, Label: "cancel", Help: "cancel; campaigns that are not done stay selected", Group: group, BarPriority: 22, Run: w.cancel}
	}
	a := screen.Action{Keys: []string{"b"}, Label: "change selected", Help: "tag, export, pause, resume, stop or archive selected campaigns", Group: group, Run: offer}
	if selected > 0 {
		a.BarPriority = 21
	} else if !any {
		a.DisabledReason = "No campaign selected."
	}
	return a
}

// offer looks at campaigns, and offers what can be done to them.
func (w *bulkWork) offer(ids []string) tea.Cmd {
	svc, rowOf := w.deps.Service, w.row
	return w.tasks.Run(planning, func(ctx context.Context) (any, error) {
		p := &plan{}
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
		for _, t := range tasks() {
			p.parts = append(p.parts, divide(svc, t, p.rows))
		}
		return p, nil
	})
}

// divide says to which campaigns a task can be done. Campaigns of one kind and state have one answer.
func divide(svc engine.Service, t task, rows []engine.Summary) part {
	type kind struct {
		channel engine.Channel
		typ     engine.DeliveryType
		state   engine.State
	}
	type verdict struct{ why, effect string }
	known := map[kind]verdict{}
	var out part
	why, effects := map[string]int{}, map[string]int{}
	for _, row := range rows {
		k := kind{row.Channel, row.DeliveryType, row.Status}
		v, ok := known[k]
		if !ok {
			v.why = t.op.Blocked(svc, row)
			if t.act != "" {
				v.effect = catalog.Effect(t.act, row.Channel, row.DeliveryType, row.Status)
			}
			known[k] = v
		}
		if v.why != "" {
			out.cannot++
			why[clause(v.why)]++
			continue
		}
		out.can = append(out.can, row)
		effects[v.effect]++
	}
	out.reasons, out.effects = ranked(why), ranked(effects)
	return out
}

// clause returns the reason in a refusal without the action, which the question names.
func clause(why string) string {
	if head, rest, ok := strings.Cut(why, ": "); ok && strings.HasPrefix(head, "You can't ") && rest != "" {
		return strings.ToUpper(rest[:1]) + rest[1:]
	}
	return why
}

func ranked(counts map[string]int) []reason {
	var out []reason
	for text, n := range counts {
		if text != "" {
			out = append(out, reason{text, n})
		}
	}
	slices.SortFunc(out, func(a, b reason) int { return cmp.Or(b.n-a.n, strings.Compare(a.text, b.text)) })
	return out
}

// planned offers what can be done.
func (w *bulkWork) planned(p *plan) tea.Cmd {
	if len(p.rows) == 0 {
		return screen.Notify(widget.LevelInfo, "The selected campaigns no longer exist.")
	}
	all := tasks()
	options := make([]widget.Option, len(all))
	for i, t := range all {
		part := p.parts[i]
		o := widget.Option{Label: t.label}
		switch {
		case len(part.can) == 0:
			o.Dim, o.DisabledReason = true, part.reasons[0].text
		case part.cannot > 0:
			o.Help = fmt.Sprintf("%d of %d campaigns", len(part.can), len(p.rows))
		}
		options[i] = o
	}
	return screen.Send(screen.ChooseMsg{
		Title: campaignsOf(len(p.rows)), Body: "Choose an action.", Options: options,
		Then: func(a widget.Answer) tea.Cmd {
			t := all[a.Index]
			part := p.parts[a.Index]
			if t.ask != nil {
				return t.ask(w, p, t, "")
			}
			return w.ask(t, part, func() tea.Cmd { return w.planned(p) })
		},
	})
}

// campaignsOf counts campaigns in words.
func campaignsOf(n int) string {
	if n == 1 {
		return "1 campaign"
	}
	return fmt.Sprintf("%d campaigns", n)
}

// mostReasons is how many reasons a question tells.
const mostReasons = 3

// askBulk asks the one question: what will happen, to how many, and to whom not. Leaving it leads back one step.
func (w *bulkWork) ask(t task, p part, back func() tea.Cmd) tea.Cmd {
	var body []string
	for i, e := range p.effects {
		switch {
		case len(p.effects) == 1:
			body = append(body, e.text)
		case i < mostReasons:
			body = append(body, fmt.Sprintf("· %d: %s", e.n, e.text))
		}
	}
	if t.act == "" {
		body = append(body, t.describe()+".")
	}
	if p.cannot > 0 {
		left := []string{fmt.Sprintf("%s will be skipped:", campaignsOf(p.cannot))}
		for i, r := range p.reasons {
			if i == mostReasons {
				left = append(left, "…")
				break
			}
			left = append(left, fmt.Sprintf("· %d: %s", r.n, r.text))
		}
		body = append(body, strings.Join(left, "\n"))
	}
	verb := strings.ToUpper(t.verb[:1]) + t.verb[1:]
	label := fmt.Sprintf("%s %d", verb, len(p.can))
	q := screen.Question{
		Title: fmt.Sprintf("%s %s?", verb, campaignsOf(len(p.can))), Body: strings.Join(body, "\n\n"), Danger: t.harm,
		Buttons: []widget.Button{{Label: label, Key: "y", Danger: t.harm}, {Label: "Cancel", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			switch {
			case a.Canceled():
				return back()
			case !a.Yes():
				return nil
			}
			return w.start(t, p.can)
		},
	}
	if t.harm {
		q.Focus = 1
	}
	return screen.Ask(q)
}

// describe says what a task that is no action of the life cycle will do.
func (t task) describe() string {
	switch op := t.op.(type) {
	case bulk.Tag:
		if len(op.Add) > 0 {
			return "Adds the tags " + strings.Join(op.Add, ", ") + " to each campaign"
		}
		return "Removes the tags " + strings.Join(op.Remove, ", ") + " from each campaign"
	case bulk.Export:
		return "Writes a JSON file for each campaign to " + op.Folder + " and replaces files with the same names"
	}
	return ""
}

// typedTags returns the tags of a typed list.
func typedTags(text string) []string {
	var out []string
	for _, tag := range strings.Split(text, ",") {
		if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	return out
}

func whyNoTags(text string) string {
	if len(typedTags(text)) == 0 {
		return "Enter at least one tag."
	}
	return ""
}

func (w *bulkWork) askTags(p *plan, t task, text string) tea.Cmd {
	return screen.Send(screen.InputMsg{
		Title: "Tags to add, separated by commas", Value: text, Placeholder: "sale, spring", Validate: whyNoTags,
		OnCancel: func() tea.Cmd { return w.planned(p) },
		Then: func(text string) tea.Cmd {
			t.op, t.verb, t.going, t.done = bulk.Tag{Add: typedTags(text)}, "tag", "Tagging", "tagged"
			return w.ask(t, divide(w.deps.Service, t, p.rows), func() tea.Cmd { return w.askTags(p, t, text) })
		},
	})
}

func (w *bulkWork) askUntags(p *plan, t task, text string) tea.Cmd {
	return screen.Send(screen.InputMsg{
		Title: "Tags to remove, separated by commas", Value: cmp.Or(text, strings.Join(common(p.rows), ", ")), Placeholder: "sale, spring", Validate: whyNoTags,
		OnCancel: func() tea.Cmd { return w.planned(p) },
		Then: func(text string) tea.Cmd {
			t.op, t.verb, t.going, t.done = bulk.Tag{Remove: typedTags(text)}, "untag", "Untagging", "untagged"
			having := slices.DeleteFunc(slices.Clone(p.rows), func(r engine.Summary) bool { return !r.HasTag(typedTags(text)) })
			if len(having) == 0 {
				return screen.Notify(widget.LevelInfo, "No selected campaign has these tags.")
			}
			return w.ask(t, divide(w.deps.Service, t, having), func() tea.Cmd { return w.askUntags(p, t, text) })
		},
	})
}

// common returns the tags that all of the campaigns have.
func common(rows []engine.Summary) []string {
	return slices.DeleteFunc(slices.Clone(rows[0].Tags), func(tag string) bool {
		return slices.ContainsFunc(rows, func(r engine.Summary) bool { return !slices.Contains(r.Tags, tag) })
	})
}

// exportFolder is where campaigns are exported to until the person says otherwise.
const exportFolder = "campaigns"

func (w *bulkWork) askFolder(p *plan, t task, text string) tea.Cmd {
	return screen.Send(screen.InputMsg{
		Title: "Folder for the files", Value: cmp.Or(text, w.folder(), exportFolder), OnCancel: func() tea.Cmd { return w.planned(p) },
		Validate: func(text string) string {
			if strings.TrimSpace(text) == "" {
				return "Enter a folder."
			}
			if info, err := os.Stat(inHome(text)); err == nil && !info.IsDir() {
				return "This is a file. Enter a folder."
			}
			return ""
		},
		Then: func(text string) tea.Cmd {
			folder := inHome(text)
			if abs, err := filepath.Abs(folder); err == nil {
				folder = abs
			}
			t.op, t.verb, t.going, t.done = bulk.Export{Folder: folder}, "export", "Exporting", "exported"
			kept := w.export(strings.TrimSpace(text))
			return tea.Batch(kept, w.ask(t, divide(w.deps.Service, t, p.rows), func() tea.Cmd { return w.askFolder(p, t, text) }))
		},
	})
}

// inHome returns a typed path with ~ as the home folder.
func inHome(text string) string {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "~"); ok && (rest == "" || rest[0] == '/') {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return text
}
