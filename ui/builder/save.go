package builder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/phrase"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// Badge reports what is left to do, and whether the edits are saved.
func (s *Screen) Badge() (string, themes.Tone) {
	if !s.loaded {
		return "", themes.ToneMuted
	}
	todo, tone := s.toDo()
	saved, savedTone := s.saveState()
	if savedTone != themes.ToneSuccess {
		tone = savedTone
	}
	if todo != "" {
		saved = todo + " · " + saved
	}
	return saved, tone
}

// toDo returns what is left to do before the campaign can be published, or how many warnings there are.
func (s *Screen) toDo() (text string, tone themes.Tone) {
	errors, warnings := errorCount(s.edit), s.warnings.count()
	switch {
	case errors > 0:
		return phrase.Thousands(errors) + " to do", themes.ToneWarning
	case warnings > 0:
		return phrase.Count(warnings, "warning"), themes.ToneWarning
	case s.edit.Head().Status == catalog.Draft:
		return "no problems", themes.ToneSuccess
	}
	return "", themes.ToneSuccess
}

// saveState reports whether the edits are saved.
func (s *Screen) saveState() (string, themes.Tone) {
	st := s.edit.Head().Status
	switch {
	case errors.As(s.edit.SaveErr(), new(*edit.SavedLocallyError)):
		return "kept on this machine", themes.ToneWarning
	case s.edit.SaveErr() != nil:
		return "NOT SAVED", themes.ToneDanger
	case s.edit.Saving():
		return "saving…", themes.ToneMuted
	case s.edit.HasPending() && st != catalog.Draft:
		return st.Label() + " · changes not applied", themes.ToneWarning
	case s.edit.HasPending():
		return "changes not applied", themes.ToneWarning
	case slices.ContainsFunc(catalog.Locked(st), func(l catalog.Lock) bool { return len(l.Path) == 0 }):
		return st.Label() + " · read only", themes.ToneMuted
	case st != catalog.Draft:
		return st.Label(), themes.ToneInfo
	}
	return "saved", themes.ToneSuccess
}

// save stores the edits: a draft in place, any other campaign as a working copy until they are applied.
func (s *Screen) save(note string, coalesce bool) tea.Cmd { return s.run(s.edit.Save(note, coalesce)) }

func (s *Screen) run(save edit.SaveFunc) tea.Cmd {
	if save == nil {
		return nil
	}
	return screen.Go(&s.Base, taskSave, save, s.saved)
}

// saved handles the result of a save, and saves again if there are newer edits.
func (s *Screen) saved(done edit.SaveResult, err error) tea.Cmd {
	failed := s.edit.SaveErr() != nil
	next := s.edit.FinishSave(done, err)
	switch {
	case edit.IsConflict(err):
		return s.conflict()
	case errors.As(err, new(*edit.SavedLocallyError)):
		return screen.NotifyAbout(screen.TopicSave, widget.LevelWarning, "The database cannot be reached. Your text is kept on this machine, and saved when it is back.")
	case err != nil:
		return screen.NotifyAbout(screen.TopicSave, widget.LevelError, "Not saved: "+strings.TrimSuffix(err.Error(), ".")+". Your text is still here. Press ctrl+s to try again.")
	case next != nil:
		return s.run(next)
	case s.stale:
		s.stale = false
		return s.reread()
	case failed:
		return screen.NotifyAbout(screen.TopicSave, widget.LevelSuccess, "Saved")
	}
	return nil
}

// conflict asks which changes to keep after the draft was changed elsewhere.
func (s *Screen) conflict() tea.Cmd {
	return screen.Ask(screen.Question{
		Title:   s.document.Name() + " was changed elsewhere",
		Body:    "Someone else saved this draft after you opened it. Which version do you want to keep? If you keep yours, theirs stays in the history. If you take theirs, yours is discarded.",
		Buttons: []widget.Option{{Label: "Keep mine", Key: "k"}, {Label: "Take theirs", Key: "t"}},
		Then: func(a widget.Answer) tea.Cmd {
			switch a.Index {
			case 0:
				return s.run(s.edit.KeepMine("kept over someone else's change"))
			case 1:
				return s.discard()
			}
			return nil
		},
	})
}

// discard drops the edits and reads the campaign again.
func (s *Screen) discard() tea.Cmd {
	drop, read := s.edit.DiscardUnsaved(), s.reread()
	if drop == nil {
		return read
	}
	return tea.Sequence(func() tea.Msg {
		if err := drop(context.Background()); err != nil {
			return screen.NotifyMsg{Level: widget.LevelError, Text: err.Error()}
		}
		return nil
	}, read)
}

// flush returns the command that stores all unsaved edits.
func (s *Screen) flush() tea.Cmd {
	store := s.edit.Flush()
	if store == nil {
		return nil
	}
	return func() tea.Msg {
		store()
		return nil
	}
}

// review checks the pending edits before they are applied. Edits of a draft that is saved in place have been saved already.
func (s *Screen) review() tea.Cmd {
	if s.edit.SavesInPlace() {
		return s.save("saved", false)
	}
	return screen.Go(&s.Base, taskReview, s.edit.Review(), s.reviewed)
}

// reviewed shows what must be fixed before the edits can be applied, or asks whether to apply them.
func (s *Screen) reviewed(r edit.Review, err error) tea.Cmd {
	if err != nil {
		return s.notApplied(err)
	}
	question, problems := s.edit.FinishReview(r)
	switch {
	case len(problems) > 0:
		return s.showProblems()
	case question == "":
		return s.apply(edit.Ask)
	}
	head := s.edit.Head()
	return screen.Ask(screen.Question{
		Title: "Apply your changes to " + s.document.Name(), Body: strings.TrimSpace(question + "\n\n" + catalog.Propagation(head.DeliveryType, head.Status)),
		Buttons: []widget.Option{{Label: "Apply", Key: "y"}, {Label: "Cancel", Key: "n"}}, Focus: 1,
		Then: func(a widget.Answer) tea.Cmd {
			switch {
			case !a.Yes():
				return nil
			case s.edit.Head().Status != head.Status: // somebody else did something meanwhile
				return s.review()
			}
			return s.apply(edit.Ask)
		},
	})
}

func (s *Screen) showProblems() tea.Cmd {
	return s.afterSave(screen.Open(screen.Route{Name: screen.Validate, ID: s.edit.ID()}))
}

func (s *Screen) notApplied(err error) tea.Cmd {
	return screen.NotifyAbout(screen.TopicSave, widget.LevelError, "Cannot apply your changes: "+status.Refusal(s.edit.Head().Channel, err))
}

// apply sends the pending edits.
func (s *Screen) apply(side edit.Resolution) tea.Cmd {
	return screen.Go(&s.Base, taskApply, s.edit.Apply(side), s.applied)
}

// applied reads the current campaign, or asks which version to keep.
func (s *Screen) applied(done edit.ApplyResult, err error) tea.Cmd {
	if e := engine.AsError(err); e != nil && len(e.Problems) > 0 { // merged with what others changed
		return tea.Sequence(s.reread(), s.notApplied(err), s.showProblems())
	}
	if err != nil {
		return tea.Sequence(s.reread(), s.notApplied(err))
	}
	if len(done.Conflicts) > 0 {
		return s.askVersion(done.Conflicts)
	}
	drop := s.edit.FinishApply(done)
	s.newer = s.edit.HasPending()
	news := screen.NotifyAbout(screen.TopicSave, widget.LevelSuccess, "Applied. "+catalog.Propagation(s.edit.Head().DeliveryType, s.edit.Head().Status))
	if len(done.Removed) > 0 {
		news = screen.NotifyAbout(screen.TopicSave, widget.LevelWarning, "Applied, but "+s.titles(done.Removed)+" stays. An update cannot remove a section.")
	}
	dropped := func() tea.Msg {
		_ = drop(context.Background()) // a copy that stays is offered again
		return nil
	}
	return tea.Sequence(dropped, s.reread(), screen.Changed(""), news)
}

// askVersion asks which side's version to keep of the components that both sides changed. What only one side
// changed is always kept.
func (s *Screen) askVersion(names []string) tea.Cmd {
	return screen.Ask(screen.Question{
		Title: s.document.Name() + " was changed elsewhere",
		Body: "Someone else changed the same section while you were editing: " + s.titles(names) + ". Which version do you want to keep? " +
			"All other changes of both are kept.",
		Buttons: []widget.Option{{Label: "Mine", Key: "m"}, {Label: "Theirs", Key: "t"}, {Label: "Not yet", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			switch a.Index {
			case 0:
				return s.apply(edit.Mine)
			case 1:
				return s.apply(edit.Theirs)
			}
			return nil
		},
	})
}

// noteWhenApplied tells the user, at the first change of a live campaign, when changes take effect.
func (s *Screen) noteWhenApplied() tea.Cmd {
	when := catalog.Propagation(s.edit.Head().DeliveryType, s.edit.Head().Status)
	if s.warned || when == "" || s.edit.SavesInPlace() {
		return nil
	}
	s.warned = true
	return screen.NotifyAbout(screen.TopicSave, widget.LevelInfo, "Press ctrl+s to apply your changes. "+when)
}

// LeaveQuestion asks before the user leaves unapplied edits of a live campaign, which are kept.
func (s *Screen) LeaveQuestion() *screen.Question {
	if !s.edit.HasPending() {
		return nil
	}
	return &screen.Question{
		Title:   "Leave " + s.document.Name() + " without applying?",
		Body:    fmt.Sprintf("Your changes to this campaign (%s) are kept and will be here when you come back, but they are not applied yet. %s", s.edit.Head().Status.Label(), catalog.Propagation(s.edit.Head().DeliveryType, s.edit.Head().Status)),
		Buttons: []widget.Option{{Label: "Leave", Key: "y"}, {Label: "Stay", Key: "n"}},
	}
}

// afterSave runs cmd after the edits are stored, so that other screens see them.
func (s *Screen) afterSave(cmd tea.Cmd) tea.Cmd {
	flush := s.flush()
	if flush == nil {
		return cmd
	}
	return tea.Sequence(flush, cmd)
}

// editNote describes an edit for the history by its place; for a list entry, by its list.
func editNote(at doc.Path) string {
	if len(at) == 0 {
		return "edited"
	}
	for len(at) > 1 && at.Last().IsIndex {
		at = at.Parent()
	}
	return "edited " + at.String()
}

// titles joins the names of sections for display.
func (s *Screen) titles(names []string) string {
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = edit.PlaceName(s.edit.Schema(), doc.P(n))
	}
	return strings.Join(words, ", ")
}
