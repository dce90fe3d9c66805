package workspace

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/settings"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// kept is a record that was saved.
type kept struct {
	settings.Saved
	value doc.Value // as it is kept
}

func (s *Record) save() tea.Cmd {
	s.leaving = false
	return s.put(s.request())
}

func (s *Record) saveAndLeave() tea.Cmd {
	if s.was != "" && !s.dirty() {
		return screen.Back()
	}
	s.leaving = true
	return s.put(s.request())
}

func (s *Record) request() settings.PutRequest {
	return settings.PutRequest{Was: s.was, Value: s.plain(), Base: s.base}
}

// put keeps the record, unless something is known to be wrong with it.
func (s *Record) put(r settings.PutRequest) tea.Cmd {
	s.tried = true
	s.check()
	if bad := schema.Errors(s.problems); len(bad) > 0 {
		s.leaving = false
		s.toProblem(bad[0])
		return screen.Notify(widget.LevelWarning, "Not saved: "+s.where(bad[0])+bad[0].Words()+".")
	}
	sec, svc := s.section, s.deps.Service
	return s.Run(taskSave, func(ctx context.Context) (any, error) {
		out, err := sec.Put(ctx, svc, r)
		if err != nil {
			return nil, err
		}
		k := kept{Saved: out}
		k.value, err = sec.Get(ctx, svc, out.Name)
		return k, err
	})
}

// where names the place of a problem, to stand before its words.
func (s *Record) where(p schema.Problem) string {
	trail := s.table.Trail(p.Path)
	if len(trail) == 0 {
		return ""
	}
	out := ""
	for i, t := range trail {
		if i > 0 {
			out += " › "
		}
		out += t
	}
	return out + ": "
}

// toProblem goes to the field of a problem.
func (s *Record) toProblem(p schema.Problem) {
	if len(p.Path) > 0 {
		s.goTo(p.Path)
	}
}

func (s *Record) saved(r screen.Result) tea.Cmd {
	if r.Err != nil {
		return s.notSaved(r.Err)
	}
	k := r.Value.(kept)
	s.was, s.base, s.origin, s.refused = k.Name, k.value, k.value, nil
	s.root = k.value
	s.history = history{}
	s.check()
	s.openAgain()
	leave := s.leaving
	s.leaving = false
	if k.Secret != "" {
		return s.showSecret(k)
	}
	words := "Saved " + named(s.section, k.Name) + "."
	if k.Note != "" {
		words += " " + k.Note
	}
	cmds := []tea.Cmd{screen.Notify(widget.LevelSuccess, words), screen.Changed("")}
	if leave {
		cmds = append(cmds, screen.Back())
	}
	return tea.Sequence(cmds...)
}

// showSecret shows what nobody will be shown again, and leaves.
func (s *Record) showSecret(k kept) tea.Cmd {
	return screen.Ask(screen.Question{
		Title: "The new " + s.section.One, Body: k.Secret + "\n\n" + k.Note,
		Buttons: []widget.Button{{Label: "Copy", Key: "y"}, {Label: "Done", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			if a.Yes() {
				return tea.Sequence(screen.Copy(k.Secret, "the "+s.section.One), screen.Changed(""), screen.Back())
			}
			return tea.Sequence(screen.Changed(""), screen.Back())
		},
	})
}

func (s *Record) notSaved(err error) tea.Cmd {
	var used *settings.InUse
	e := engine.AsError(err)
	switch {
	case screen.Canceled(err):
		return nil
	case errors.As(err, &used):
		return s.askRename(used)
	case e != nil && e.HTTP == http.StatusConflict:
		return s.askOverwrite(e)
	}
	s.leaving = false
	if s.refused = s.section.Problems(err); len(s.refused) > 0 {
		s.check()
		s.toProblem(s.refused[0])
		return screen.Notify(widget.LevelWarning, "Not saved: "+s.where(s.refused[0])+s.refused[0].Words()+".")
	}
	return screen.Notify(widget.LevelError, "Not saved. "+sentence(err.Error()))
}

// askRename asks whether a name that others refer to is given up.
func (s *Record) askRename(used *settings.InUse) tea.Cmd {
	leave := s.leaving
	return screen.Ask(screen.Question{
		Title: "Rename " + s.was + "?", Danger: true, Focus: 1,
		Body: fmt.Sprintf("It is used in %s:\n%s\n\nThese will still use the old name.", places(len(used.Uses)), useLines(used.Uses, maxUses)),
		Buttons: []widget.Button{
			{Label: "Rename", Key: "y", Danger: true}, {Label: "Keep editing", Key: "n"},
		},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			r := s.request()
			r.Force, s.leaving = true, leave
			return s.put(r)
		},
	})
}

// askOverwrite asks what becomes of what somebody else saved meanwhile.
func (s *Record) askOverwrite(e *engine.Error) tea.Cmd {
	leave := s.leaving
	return screen.Ask(screen.Question{
		Title: "Not saved", Body: sentence(e.Message), Focus: 2,
		Buttons: []widget.Button{
			{Label: "Keep mine", Key: "m", Danger: true}, {Label: "Take theirs", Key: "t"}, {Label: "Keep editing", Key: "n"},
		},
		Then: func(a widget.Answer) tea.Cmd {
			switch a.Index {
			case 0:
				r := s.request()
				r.Base, s.leaving = doc.Value{}, leave
				return s.put(r)
			case 1:
				s.start = s.path
				return s.Init()
			}
			return nil
		},
	})
}

// history is what can be undone until the record is saved. Keys in one field are one step.
type history struct {
	past, future []doc.Value
	field        doc.Path
}

func (h *history) record(before doc.Value, field doc.Path) {
	same := field != nil && h.field != nil && field.Equal(h.field)
	h.future, h.field = nil, field
	if !same {
		h.past = append(h.past, before)
	}
}

func (h *history) undo(now doc.Value) (doc.Value, bool) { return step(&h.past, &h.future, now, h) }
func (h *history) redo(now doc.Value) (doc.Value, bool) { return step(&h.future, &h.past, now, h) }

func step(from, to *[]doc.Value, now doc.Value, h *history) (doc.Value, bool) {
	n := len(*from)
	if n == 0 {
		return now, false
	}
	out := (*from)[n-1]
	*from, *to, h.field = (*from)[:n-1], append(*to, now), nil
	return out, true
}
