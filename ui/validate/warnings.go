package validate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/message/check"
	"bugle/engine/phrase"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Kinds of tasks of the warnings.
const (
	taskWarnings = "warnings"
	taskOnline   = "online"
	taskDismiss  = "dismiss"
)

// warnings finds what is likely wrong with the campaign although it may be published, and dismisses and restores
// single warnings.
type warnings struct {
	deps   screen.Deps
	tasks  *screen.Base
	online check.OnlineOptions
	pushed func(screen.UndoStep) // adds a change that can be undone

	campaign engine.Campaign
	facts    check.Facts
	result   check.Result
	known    bool // result is that of campaign
	failed   error
	progress onlineProgress
	changed  string // a warning that undo or redo has just changed
}

// onlineProgress is how many addresses have been asked, of how many.
type onlineProgress struct {
	done, of int
	canceled bool
}

// found is the result of the task that finds warnings.
type found struct {
	facts  check.Facts
	result check.Result
}

// find starts to look for the warnings of a campaign.
func (w *warnings) find(c engine.Campaign) tea.Cmd {
	w.tasks.Cancel(taskOnline) // its result would be about the campaign of before
	w.campaign = c
	deps := w.deps
	return screen.Go(w.tasks, taskWarnings, func(ctx context.Context) (found, error) {
		f, r, err := check.LoadAndRun(ctx, deps.Service, deps.Dismissals(), c, deps.Now())
		return found{f, r}, err
	}, func(v found, err error) tea.Cmd {
		w.known, w.failed, w.result = err == nil, err, check.Result{}
		if err == nil {
			w.facts, w.result = v.facts, v.result
		}
		return nil
	})
}

// onlineInterval is the minimum time between updates of the progress.
const onlineInterval = 40 * time.Millisecond

// checkOnline asks the links and images of the campaign, and the DNS, if they answer.
func (w *warnings) checkOnline() tea.Cmd {
	w.progress = onlineProgress{}
	c, f, o, before := w.campaign, w.facts, w.online, w.result
	return screen.Stream(w.tasks, taskOnline, func(ctx context.Context, emit func(onlineProgress)) (check.Result, error) {
		var told time.Time
		o.Progress = func(done, of int) {
			if now := time.Now(); now.Sub(told) >= onlineInterval || done == of {
				told = now
				emit(onlineProgress{done: done, of: of})
			}
		}
		return check.Online(ctx, c, f, o, before)
	}, func(p onlineProgress) tea.Cmd {
		w.progress.done, w.progress.of = p.done, p.of
		return nil
	}, w.showOnline)
}

// cancelOnline cancels [warnings.checkOnline].
func (w *warnings) cancelOnline() tea.Cmd {
	w.progress.canceled = true
	w.tasks.Cancel(taskOnline)
	return nil
}

// showOnline adopts the result of checkOnline.
func (w *warnings) showOnline(r check.Result, err error) tea.Cmd {
	switch {
	case screen.Canceled(err):
		return screen.Notify(widget.LevelInfo, "Canceled. Links and images were not checked.")
	case err != nil:
		return screen.Notify(widget.LevelError, "Couldn't check links and images: "+err.Error())
	}
	before := len(w.result.Findings)
	w.result = r.WithDismissals(w.facts.Dismissed) // some may have been dismissed meanwhile
	if n := len(w.result.Findings) - before; n > 0 {
		return screen.Notify(widget.LevelWarning, fmt.Sprintf("Links and images are checked: %s more.", phrase.Count(n, "warning")))
	}
	return screen.Notify(widget.LevelSuccess, "Links and images are checked. All of them answer.")
}

// onlineDisabledReason returns why links cannot be checked now; empty if they can.
func (w *warnings) onlineDisabledReason() string {
	switch {
	case !w.campaign.Channel.Writable():
		return "Only the links of push and email campaigns can be checked."
	case !w.known:
		return "The other checks come first. Press r to make them."
	}
	return ""
}

// dismissDisabledReason returns why a warning cannot be dismissed or restored; empty if it can.
func (w *warnings) dismissDisabledReason(selected bool) string {
	switch {
	case !selected:
		return "Choose a warning first. Problems can't be dismissed."
	case w.deps.Dismissals() == nil:
		return "This service can't store which warnings are dismissed."
	}
	return ""
}

// dismiss asks why a warning does not matter, and dismisses it.
func (w *warnings) dismiss(f check.Finding) tea.Cmd {
	return screen.Send(screen.InputMsg{
		Title: "Why can this warning be ignored?", Placeholder: "for example: agreed with the legal team",
		Validate: func(text string) string {
			if strings.TrimSpace(text) == "" {
				return "Write a reason, so that others know why."
			}
			return ""
		},
		Then: func(reason string) tea.Cmd {
			d := f.Dismiss(w.deps.Author, strings.TrimSpace(reason), w.deps.Now())
			return w.change(d.Warning, &d, "Dismissed: "+f.Text(), &screen.UndoStep{
				Label: "dismissed: " + f.Text(),
				Undo:  func() tea.Cmd { return w.change(d.Warning, nil, "", nil) },
				Redo:  func() tea.Cmd { return w.change(d.Warning, &d, "", nil) },
			})
		},
	})
}

// restore makes a dismissed warning count again.
func (w *warnings) restore(f check.Finding) tea.Cmd {
	d := *f.Dismissed
	return w.change(d.Warning, nil, "Restored: "+f.Text(), &screen.UndoStep{
		Label: "restored: " + f.Text(),
		Undo:  func() tea.Cmd { return w.change(d.Warning, &d, "", nil) },
		Redo:  func() tea.Cmd { return w.change(d.Warning, nil, "", nil) },
	})
}

// change stores the dismissal of a warning, or deletes it if d is nil, and tells the user what was done. A change by undo
// or redo, which have notices of their own, has no step.
func (w *warnings) change(warning string, d *engine.Dismissal, done string, step *screen.UndoStep) tea.Cmd {
	kept, id := w.deps.Dismissals(), w.campaign.ID
	return screen.Write(w.tasks, taskDismiss, func(ctx context.Context) ([]engine.Dismissal, error) {
		var err error
		if d != nil {
			err = kept.PutDismissal(ctx, id, *d)
		} else {
			err = kept.DeleteDismissal(ctx, id, warning)
		}
		if err != nil {
			return nil, err
		}
		return kept.Dismissals(ctx, id)
	}, func(list []engine.Dismissal, err error) tea.Cmd {
		if err != nil {
			return screen.Notify(widget.LevelError, "Nothing was changed: "+err.Error())
		}
		w.facts.Dismissed = list
		w.result = w.result.WithDismissals(list)
		if step == nil {
			w.changed = warning
			return nil
		}
		w.pushed(*step)
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, done)
	})
}

// takeChanged returns the warning that undo or redo has just changed; empty if there is none.
func (w *warnings) takeChanged() string {
	changed := w.changed
	w.changed = ""
	return changed
}

// lines returns the warnings as text to copy, one per line.
func (w *warnings) lines() string {
	var b strings.Builder
	for _, f := range slices.Concat(w.result.Findings, w.result.Dismissed) {
		kind := string(f.Severity)
		if f.Dismissed != nil {
			kind = "dismissed"
		}
		fmt.Fprintf(&b, "%s\t%s\t%s. %s\n", kind, f.Path, f.Text(), f.Remedy)
	}
	return b.String()
}
