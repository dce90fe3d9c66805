package builder

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	"bugle/engine/edit"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// badge says whether the work of a session is saved.
func badge(e *edit.Session) (string, themes.Tone) {
	st := e.Head().Status
	switch {
	case e.SaveErr() != nil:
		return "NOT SAVED", themes.ToneDanger
	case e.Saving():
		return "saving…", themes.ToneMuted
	case e.Pending() && st != catalog.Draft:
		return st.Label() + " · changes not applied", themes.ToneWarning
	case e.Pending():
		return "changes not applied", themes.ToneWarning
	case slices.ContainsFunc(catalog.Locked(st), func(l catalog.Lock) bool { return len(l.Path) == 0 }):
		return st.Label() + " · read only", themes.ToneMuted
	case st != catalog.Draft:
		return st.Label(), themes.ToneInfo
	}
	return "saved", themes.ToneSuccess
}

// save stores the edits: a draft in place, others as a working copy until they are applied.
func (s *Screen) save(note string, coalesce bool) tea.Cmd {
	return s.run(s.edit.Save(note, coalesce))
}

func (s *Screen) run(save edit.Saver) tea.Cmd {
	if save == nil {
		return nil
	}
	return s.Run(taskSave, func(ctx context.Context) (any, error) { return save(ctx) })
}

// saved notes the outcome, and saves again where there are newer edits.
func (s *Screen) saved(r screen.Result) tea.Cmd {
	failed := s.edit.SaveErr() != nil
	done, _ := r.Value.(edit.Saved)
	next := s.edit.Saved(done, r.Err)
	switch {
	case edit.IsConflict(r.Err):
		return s.conflict()
	case r.Err != nil:
		return screen.NotifyAbout(screen.AboutSave, widget.LevelError, "Not saved: "+r.Err.Error()+" Your text is still here. Press ctrl+s to try again.")
	case next != nil:
		return s.run(next)
	case s.stale:
		s.stale = false
		return s.reread()
	case failed:
		return screen.NotifyAbout(screen.AboutSave, widget.LevelSuccess, "Saved")
	}
	return nil
}

// conflict asks what shall count after somebody else changed the draft.
func (s *Screen) conflict() tea.Cmd {
	return screen.Ask(screen.Question{
		Title:   "The campaign was changed elsewhere",
		Body:    "Someone else saved this draft after you opened it. Which version do you want to keep? If you keep yours, theirs stays in the history. If you take theirs, yours is discarded.",
		Buttons: []widget.Button{{Label: "Keep mine", Key: "k"}, {Label: "Take theirs", Key: "t", Danger: true}},
		Then: func(a widget.Answer) tea.Cmd {
			switch a.Index {
			case 0:
				return s.run(s.edit.KeepMine("kept over someone else's change"))
			case 1:
				s.edit.Forget()
				s.start = s.place()
				return s.load()
			}
			return nil
		},
	})
}

// flush returns the command that stores what is not stored yet, in one go.
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
