package builder

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// side says whose components count where both sides changed one.
type side uint8

const (
	ask side = iota
	mine
	theirs
)

// contested is the outcome of an apply that found the campaign changed meanwhile.
type contested struct{ names []string }

// appliedAs is the outcome of one that went through.
type appliedAs struct {
	id      string
	removed []string // components that an update cannot take away
}

// apply sends the edits that wait, the changed components in one update. Edits of a draft that is
// saved in place are saved already.
func (s *Screen) apply(who side) tea.Cmd {
	if s.inPlace(s.campaign.Head) {
		return s.save("saved", false)
	}
	head, origin, body := s.campaign.Head, s.origin, engine.BodyOf(s.root)
	service, author := s.deps.Service, s.deps.Author
	return s.Run(taskApply, func(ctx context.Context) (any, error) {
		now, err := service.Get(ctx, head.ID)
		if err != nil {
			return nil, err
		}
		merged, both := engine.Rebase(origin, body, now.Body)
		if len(both) > 0 && who == ask {
			return contested{both}, nil
		}
		if who == theirs {
			merged = withTheirs(merged, now.Body, both)
		}
		changed, removed := engine.ChangedComponents(now.Body, merged)
		if len(changed) == 0 {
			return appliedAs{head.ID, removed}, nil
		}
		up, err := service.Update(ctx, engine.UpdateRequest{
			Call: engine.NewCall(), ID: head.ID, Body: engine.UpdateBody(head, author, changed...),
		})
		return appliedAs{up.ID, removed}, err
	})
}

func withTheirs(merged, now doc.Value, names []string) doc.Value {
	for _, name := range names {
		p := doc.P(name)
		merged = merged.Delete(p)
		if v := now.Get(name); v.Exists() {
			if out, err := merged.Set(p, v); err == nil {
				merged = out
			}
		}
	}
	return merged
}

// applied reads the campaign as it is now, or asks whose changes shall count.
func (s *Screen) applied(r screen.Result) tea.Cmd {
	if r.Err != nil {
		return screen.NotifyAbout(screen.AboutSave, widget.LevelError, "Cannot apply your changes: "+r.Err.Error())
	}
	if c, ok := r.Value.(contested); ok {
		return s.askWhose(c.names)
	}
	done := r.Value.(appliedAs)
	s.saving = saving{edits: s.saving.edits}
	old := s.id
	s.id, s.start = done.id, s.place()
	news := screen.NotifyAbout(screen.AboutSave, widget.LevelSuccess, "Applied. "+catalog.Propagation(s.campaign.DeliveryType, s.campaign.Status))
	if len(done.removed) > 0 {
		news = screen.NotifyAbout(screen.AboutSave, widget.LevelWarning, "Applied, but "+s.titles(done.removed)+" stays. An update cannot remove a section.")
	}
	return tea.Sequence(s.dropCopy(old), s.load(), screen.Changed(""), news)
}

func (s *Screen) dropCopy(id string) tea.Cmd {
	k, ok := s.deps.WorkingCopies()
	if !ok {
		return nil
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), saveTime)
		defer cancel()
		_ = k.DropCopy(ctx, id) // a copy that stays is offered again, and says so
		return nil
	}
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
				return s.apply(mine)
			case 1:
				return s.apply(theirs)
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
