package workspace

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/workspace/settings"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// savedRecord is a record that was saved.
type savedRecord struct {
	settings.Saved
	value doc.Value // as stored
	sent  doc.Value // the draft that was saved
}

func (s *Record) save() tea.Cmd {
	s.leaveAfterSave = false
	return s.store(s.draft.request())
}

func (s *Record) saveAndLeave() tea.Cmd {
	if s.draft.name != "" && !s.draft.dirty() {
		return screen.Back()
	}
	s.leaveAfterSave = true
	return s.store(s.draft.request())
}

// store stores the record unless it has known problems. One save runs at a time: another would be taken for that of
// somebody else.
func (s *Record) store(r settings.PutRequest) tea.Cmd {
	if s.saveAgain = s.Running(taskSave); s.saveAgain {
		return nil
	}
	s.draft.saveTried = true
	s.draft.Check()
	if bad := schema.Errors(s.draft.Problems()); len(bad) > 0 {
		return s.showProblem(bad[0])
	}
	sec, svc, sent := s.draft.section, s.deps.Service, s.draft.Root()
	return screen.Go(&s.Base, taskSave, func(ctx context.Context) (savedRecord, error) {
		out, err := sec.Put(ctx, svc, r)
		if err != nil {
			return savedRecord{}, err
		}
		k := savedRecord{Saved: out, sent: sent}
		k.value, err = sec.Get(ctx, svc, out.Name)
		return k, err
	}, s.saved)
}

// showProblem shows why the record is not saved, and goes to the field.
func (s *Record) showProblem(p schema.Problem) tea.Cmd {
	s.leaveAfterSave = false
	cmd := screen.Notify(widget.LevelWarning, "Not saved: "+s.draft.problemText(p))
	if len(p.Path) > 0 {
		s.goTo(p.Path)
	}
	return cmd
}

func (s *Record) saved(k savedRecord, err error) tea.Cmd {
	again := s.saveAgain
	s.saveAgain = false
	if err != nil {
		return s.showError(err)
	}
	s.draft.name = k.Name
	s.draft.adopt(k.value, k.sent)
	var next tea.Cmd
	if again && s.draft.dirty() {
		next = s.store(s.draft.request())
	}
	if k.Secret != "" {
		return tea.Batch(next, s.showSecret(k))
	}
	if next != nil {
		return next
	}
	leave := s.leaveAfterSave && !s.draft.dirty() // whoever types on stays
	s.leaveAfterSave = false
	words := "Saved " + recordName(s.draft.section, k.Name) + "."
	if k.Note != "" {
		words += " " + k.Note
	}
	cmds := []tea.Cmd{screen.Notify(widget.LevelSuccess, words), screen.Changed("")}
	if leave {
		cmds = append(cmds, screen.Back())
	}
	return tea.Sequence(cmds...)
}

// showSecret shows a secret that is only shown once, and closes the screen.
func (s *Record) showSecret(k savedRecord) tea.Cmd {
	return screen.Ask(screen.Question{
		Title: "The new " + s.draft.section.Singular, Body: k.Secret + "\n\n" + k.Note,
		Buttons: []widget.Option{{Label: "Copy", Key: "y"}, {Label: "Done", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			if a.Yes() {
				return tea.Sequence(screen.Copy(k.Secret, "the "+s.draft.section.Singular), screen.Changed(""), screen.Back())
			}
			return tea.Sequence(screen.Changed(""), screen.Back())
		},
	})
}

func (s *Record) showError(err error) tea.Cmd {
	var used *settings.InUse
	switch {
	case screen.Canceled(err):
		return nil
	case errors.As(err, &used):
		return s.askRename(used)
	case edit.IsConflict(err):
		return s.askOverwrite(engine.AsError(err))
	}
	s.leaveAfterSave = false
	if s.draft.refused = s.draft.section.Problems(err); len(s.draft.refused) > 0 {
		s.draft.Check()
		return s.showProblem(s.draft.refused[0])
	}
	return screen.Notify(widget.LevelError, "Not saved. "+phrase.Sentence(err.Error()))
}

// askRename asks whether to change a name that others refer to.
func (s *Record) askRename(used *settings.InUse) tea.Cmd {
	leave := s.leaveAfterSave
	return screen.Ask(screen.Question{
		Title: "Rename " + s.draft.name + "?", Danger: true, Focus: 1,
		Body: fmt.Sprintf("It is used in %s:\n%s\n\nThese will still use the old name.", phrase.Count(len(used.Uses), "place"), useLines(used.Uses)),
		Buttons: []widget.Option{
			{Label: "Rename", Key: "y"}, {Label: "Keep editing", Key: "n"},
		},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			r := s.draft.request()
			r.Force, s.leaveAfterSave = true, leave
			return s.store(r)
		},
	})
}

// askOverwrite asks what to do with a version that someone else has saved meanwhile.
func (s *Record) askOverwrite(e *engine.Error) tea.Cmd {
	leave := s.leaveAfterSave
	return screen.Ask(screen.Question{
		Title: "Not saved", Body: phrase.Sentence(e.Message), Focus: 2,
		Buttons: []widget.Option{
			{Label: "Keep mine", Key: "m"}, {Label: "Take theirs", Key: "t"}, {Label: "Keep editing", Key: "n"},
		},
		Then: func(a widget.Answer) tea.Cmd {
			switch a.Index {
			case 0:
				r := s.draft.request()
				r.Base, s.leaveAfterSave = doc.Value{}, leave
				return s.store(r)
			case 1:
				return s.Init()
			}
			return nil
		},
	})
}
