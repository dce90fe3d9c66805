package builder

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/check"
	"bugle/engine/schema"
	"bugle/ui/screen"
)

// Kinds of tasks of the warnings.
const (
	taskFacts    = "facts"
	taskWarnings = "warnings"
)

// recountFactor is how many times as long as the checks the counting of an edited audience waits, because it reads
// users.
const recountFactor = 5

// warner checks the edited document beside typing. Keys never wait for it: each edit cancels the check of the one
// before, and a check begins once there was no edit for some time.
type warner struct {
	edit  *edit.Session
	deps  screen.Deps
	tasks *screen.Base
	delay time.Duration // from the last edit to the check

	facts  *check.Facts // nil until they have been read
	root   doc.Value    // the document of the newest check
	result check.Result
}

// checked is the result of a check.
type checked struct {
	result check.Result
	// uncounted reports that the audience or the expressions were edited after users were counted.
	uncounted bool
}

// read reads what the checks need to know beside the document, and then checks it.
func (w *warner) read() tea.Cmd { return w.readAfter(0) }

func (w *warner) readAfter(delay time.Duration) tea.Cmd {
	deps, c := w.deps, w.edit.Campaign()
	return screen.Go(w.tasks, taskFacts, func(ctx context.Context) (check.Facts, error) {
		if err := screen.Pause(ctx, delay); err != nil {
			return check.Facts{}, err
		}
		return check.Load(ctx, deps.Service, deps.Dismissals(), c, deps.Now())
	}, func(f check.Facts, err error) tea.Cmd {
		if err != nil { // the warnings stay as they were: Validate tells why
			return nil
		}
		w.facts = &f
		return w.checkAfter(0)
	})
}

// follow checks the document if it was edited since the newest check.
func (w *warner) follow() tea.Cmd {
	if w.facts == nil || w.root.Same(w.edit.Root()) {
		return nil
	}
	return w.checkAfter(w.delay)
}

func (w *warner) checkAfter(delay time.Duration) tea.Cmd {
	w.root = w.edit.Root()
	f, c := *w.facts, w.edit.Campaign()
	f.Now, f.CompilesMJML = w.deps.Now(), true
	return screen.Go(w.tasks, taskWarnings, func(ctx context.Context) (checked, error) {
		if err := screen.Pause(ctx, delay); err != nil {
			return checked{}, err
		}
		counted := f.Counted(ctx, c)
		if !counted {
			f.Audience = nil // nothing is better than numbers of another audience
		}
		r, err := check.Run(ctx, c, f)
		return checked{result: r, uncounted: !counted}, err
	}, func(v checked, err error) tea.Cmd {
		if err != nil {
			return nil
		}
		w.result = v.result
		if v.uncounted {
			return w.readAfter(w.delay * recountFactor)
		}
		return nil
	})
}

// count returns how many warnings there are; notes do not count.
func (w *warner) count() int { return w.result.Count(check.Warning) }

// at returns the warnings and notes about the field at p.
func (w *warner) at(p doc.Path) []check.Finding {
	var out []check.Finding
	for _, f := range w.result.Findings {
		if f.Path.Equal(p) {
			out = append(out, f)
		}
	}
	return out
}

// asProblems returns the warnings and notes as problems of their fields.
func (w *warner) asProblems() []schema.Problem {
	out := make([]schema.Problem, len(w.result.Findings))
	for i, f := range w.result.Findings {
		out[i] = schema.Problem{Path: f.Path, Severity: schema.Notice, Message: f.Text() + ". " + f.Remedy}
	}
	return out
}
