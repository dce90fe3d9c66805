package builder

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	"bugle/engine/edit"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// apply sends the edits that wait. Edits of a draft that is saved in place are saved already.
func (s *Screen) apply(side edit.Side) tea.Cmd {
	if s.edit.InPlace() {
		return s.save("saved", false)
	}
	send := s.edit.Apply(side)
	return s.Run(taskApply, func(ctx context.Context) (any, error) { return send(ctx) })
}

// applied reads the campaign as it is now, or asks whose changes shall count.
func (s *Screen) applied(r screen.Result) tea.Cmd {
	if r.Err != nil {
		return screen.NotifyAbout(screen.AboutSave, widget.LevelError, "Cannot apply your changes: "+r.Err.Error())
	}
	done := r.Value.(edit.Applied)
	if len(done.Both) > 0 {
		return s.askWhose(done.Both)
	}
	drop := s.edit.Applied(done)
	s.start = s.place()
	news := screen.NotifyAbout(screen.AboutSave, widget.LevelSuccess, "Applied. "+catalog.Propagation(s.edit.Head().DeliveryType, s.edit.Head().Status))
	if len(done.Removed) > 0 {
		news = screen.NotifyAbout(screen.AboutSave, widget.LevelWarning, "Applied, but "+s.titles(done.Removed)+" stays. An update cannot remove a section.")
	}
	dropped := func() tea.Msg {
		_ = drop(context.Background()) // a copy that stays is offered again, and says so
		return nil
	}
	return tea.Sequence(dropped, s.load(), screen.Changed(""), news)
}

// askWhose asks what shall count of the components that both sides changed. What only one side
// changed is kept in any case.
func (s *Screen) askWhose(names []string) tea.Cmd {
	return screen.Ask(screen.Question{
		Title: "The campaign was changed elsewhere",
		Body: "Someone else changed the same section while you were editing: " + s.titles(names) + ". Which version do you want to keep? " +
			"All other changes of both are kept.",
		Buttons: []widget.Button{{Label: "Mine", Key: "m"}, {Label: "Theirs", Key: "t", Danger: true}, {Label: "Not yet", Key: "n"}},
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

// titles names components for people.
func (s *Screen) titles(names []string) string {
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = n
		for _, p := range s.parts {
			if p.name == n {
				words[i] = p.title
			}
		}
	}
	return strings.Join(words, ", ")
}
