package validate

import (
	"context"
	"fmt"
	"strings"

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

// onlineProgress is how many addresses have been asked, of how many.
type onlineProgress struct{ done, of int }

// warnings are what is likely wrong with a campaign although it may be published, and what they were found with.
type warnings struct {
	facts check.Facts
	found check.Result
}

// find starts to look for warnings.
func (s *Screen) find() tea.Cmd {
	s.Cancel(taskOnline) // its result would be about the campaign of before
	deps, c := s.deps, s.campaign
	return screen.Go(&s.Base, taskWarnings, func(ctx context.Context) (warnings, error) {
		f, r, err := check.LoadAndRun(ctx, deps.Service, deps.Dismissals(), c, deps.Now())
		return warnings{f, r}, err
	}, func(w warnings, err error) tea.Cmd {
		s.known, s.warningsFailed = err == nil, err
		if err != nil {
			w = warnings{}
		}
		s.warnings = w
		return nil
	})
}

// checkOnline asks the links and images of the campaign, and the DNS, if they answer.
func (s *Screen) checkOnline() tea.Cmd {
	s.progress = onlineProgress{}
	c, f, o, before := s.campaign, s.facts, s.online, s.found
	return screen.Stream(&s.Base, taskOnline, func(ctx context.Context, emit func(onlineProgress)) (check.Result, error) {
		o.Progress = func(done, of int) { emit(onlineProgress{done, of}) }
		return check.Online(ctx, c, f, o, before)
	}, func(p onlineProgress) tea.Cmd {
		s.progress = p
		return nil
	}, s.showOnline)
}

// showOnline adopts the result of checkOnline.
func (s *Screen) showOnline(r check.Result, err error) tea.Cmd {
	switch {
	case screen.Canceled(err):
		return screen.Notify(widget.LevelInfo, "Canceled. Links and images were not checked.")
	case err != nil:
		return screen.Notify(widget.LevelError, "Couldn't check links and images: "+err.Error())
	}
	before := len(s.found.Findings)
	s.found = r.WithDismissals(s.facts.Dismissed) // some may have been dismissed meanwhile
	if n := len(s.found.Findings) - before; n > 0 {
		return screen.Notify(widget.LevelWarning, fmt.Sprintf("Links and images are checked: %s more.", phrase.Count(n, "warning")))
	}
	return screen.Notify(widget.LevelSuccess, "Links and images are checked. All of them answer.")
}

// onlineDisabledReason returns why links cannot be checked now; empty if they can.
func (s *Screen) onlineDisabledReason() string {
	switch {
	case !s.campaign.Channel.Writable():
		return "Only the links of push and email campaigns can be checked."
	case !s.known:
		return "The other checks come first. Press r to make them."
	}
	return ""
}

// dismissDisabledReason returns why a warning cannot be dismissed or restored; empty if it can.
func (s *Screen) dismissDisabledReason(selected bool) string {
	switch {
	case !selected:
		return "Choose a warning first. Problems can't be dismissed."
	case s.deps.Dismissals() == nil:
		return "This service can't store which warnings are dismissed."
	}
	return ""
}

// dismiss asks why a warning does not matter, and dismisses it.
func (s *Screen) dismiss(f check.Finding) tea.Cmd {
	return screen.Send(screen.InputMsg{
		Title: "Why can this warning be ignored?", Placeholder: "for example: agreed with the legal team",
		Validate: func(text string) string {
			if strings.TrimSpace(text) == "" {
				return "Write a reason, so that others know why."
			}
			return ""
		},
		Then: func(reason string) tea.Cmd {
			d := f.Dismiss(s.deps.Author, strings.TrimSpace(reason), s.deps.Now())
			return s.change(f, nil, &d, "dismissed: ")
		},
	})
}

// restore makes a dismissed warning count again.
func (s *Screen) restore(f check.Finding) tea.Cmd { return s.change(f, f.Dismissed, nil, "restored: ") }

// change replaces the dismissal of a warning, as a step that can be undone.
func (s *Screen) change(f check.Finding, before, after *engine.Dismissal, label string) tea.Cmd {
	label += f.Text()
	store := func(d *engine.Dismissal) func() tea.Cmd {
		return func() tea.Cmd {
			return s.store(f, d, func() tea.Cmd { s.list.SelectWarning(f.ID()); return nil })
		}
	}
	return s.store(f, after, func() tea.Cmd {
		s.PushUndo(screen.UndoStep{Label: label, Undo: store(before), Redo: store(after)})
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, phrase.Capitalize(label))
	})
}

// store stores the dismissal of a warning, or deletes it if d is nil, and then does something else.
func (s *Screen) store(f check.Finding, d *engine.Dismissal, then func() tea.Cmd) tea.Cmd {
	kept, id := s.deps.Dismissals(), s.campaign.ID
	return screen.Write(&s.Base, taskDismiss, func(ctx context.Context) ([]engine.Dismissal, error) {
		var err error
		if d != nil {
			err = kept.PutDismissal(ctx, id, *d)
		} else {
			err = kept.DeleteDismissal(ctx, id, f.ID())
		}
		if err != nil {
			return nil, err
		}
		return kept.Dismissals(ctx, id)
	}, func(list []engine.Dismissal, err error) tea.Cmd {
		if err != nil {
			return screen.Notify(widget.LevelError, "Nothing was changed: "+err.Error())
		}
		s.facts.Dismissed = list
		s.found = s.found.WithDismissals(list)
		s.list.SetWarnings(s.found)
		return then()
	})
}
