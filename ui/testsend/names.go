package testsend

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/when"
	"bugle/ui/widget"
)

// who names a recipient for people: by their name where the workspace knows it, else by the value.
func (s *Screen) who(identifier, value string) string {
	if name := s.called[personKey(identifier, value)]; name != "" {
		return name
	}
	return value
}

// nameBeside returns the name of a recipient to show beside the value; empty where it says no more.
func (s *Screen) nameBeside(identifier, value string) string {
	if name := s.who(identifier, value); name != value {
		return name
	}
	return ""
}

// recipient names who gets a message of the run.
func (s *Screen) recipient(d *sendState) string {
	if d.recipient == "" {
		return "all recipients"
	}
	identifier, _ := peopleOf(s.workspace, s.run.ask)
	return s.who(identifier, d.recipient)
}

// named draws a recipient and the name beside the value in w cells, behind a lead.
func (s *Screen) named(lead, identifier, value string, w int) string {
	text := widget.Truncate(lead+widget.Clean(value), max(w, 1))
	name, room := widget.Clean(s.nameBeside(identifier, value)), w-widget.Width(text)-2
	if name == "" || room < 4 {
		return text
	}
	return text + "  " + s.theme.Muted.Render(widget.Truncate(name, room))
}

// recipientsOf names the recipients of a test in a few words.
func (s *Screen) recipientsOf(ask engine.TestSend) string {
	who := func(i int) string { return s.who(ask.Identifier, ask.Values[i]) }
	switch n := len(ask.Values); n {
	case 0:
		return "nobody"
	case 1:
		return who(0)
	case 2:
		return who(0) + " and " + who(1)
	default:
		return fmt.Sprintf("%s and %d more", who(0), n-1)
	}
}

// each names every recipient of a test, with what they are found by.
func (s *Screen) each(ask engine.TestSend) []string {
	out := slices.Clone(ask.Values)
	for i, v := range out {
		if name := s.nameBeside(ask.Identifier, v); name != "" {
			out[i] = fmt.Sprintf("%s (%s)", name, v)
		}
	}
	return out
}

// nameOfUser returns what a user is called; empty where only the ID is known.
func nameOfUser(p engine.Profile) string { return nameUnless(p.DisplayName(), p.ID) }

// meet notes the names of people that were looked up, by identifier and value.
func (s *Screen) meet(people map[string]person) {
	for key, p := range people {
		s.called[key] = ""
		if p.profile != nil {
			s.called[key] = nameOfUser(*p.profile)
		}
	}
}

// How many recipients of earlier tests are looked up by name at once.
const mostNames = 40

// learnNames looks up the names of earlier recipients.
func (s *Screen) learnNames() tea.Cmd {
	keeper, ok := s.deps.Service.(engine.ProfileKeeper)
	if !ok {
		return nil
	}
	type unknown struct{ identifier, value string }
	var all []unknown
	put := func(identifier string, values []string) {
		for _, v := range values {
			_, known := s.called[personKey(identifier, v)]
			u := unknown{identifier, v}
			if !known && len(all) < mostNames && !engine.TakesSegment(identifier) && !slices.Contains(all, u) {
				all = append(all, u)
			}
		}
	}
	put(s.form.identifier, s.recent[s.form.identifier])
	for _, t := range s.past.all {
		put(t.ask.Identifier, t.ask.Values)
	}
	if len(all) == 0 {
		return nil
	}
	return s.Run(taskNames, func(ctx context.Context) (any, error) {
		found := map[string]person{}
		for _, u := range all {
			p, err := lookUp(ctx, keeper, u.identifier, u.value)
			if err != nil {
				return found, err
			}
			found[personKey(u.identifier, u.value)] = p
		}
		return found, nil
	})
}

// spelled returns why a message failed, with the people in it by their names.
func (s *Screen) spelled(why string, ask engine.TestSend) string {
	identifier, names := peopleOf(s.workspace, ask)
	for _, v := range names {
		if name := s.nameBeside(identifier, v); name != "" && strings.HasPrefix(why, v+":") {
			return name + strings.TrimPrefix(why, v)
		}
	}
	return why
}

// moment returns a time for people, in the zone of the screen.
func (s *Screen) moment(at time.Time) string {
	return when.Moment(at.In(s.zone()), s.deps.Now().In(s.zone()))
}
