package testsend

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	model "bugle/engine/testsend"
	"bugle/engine/when"
	"bugle/ui/widget"
)

// recipient names who gets a message of the run.
func (s *Screen) recipient(d *model.Send) string {
	if d.Recipient == "" {
		return "all recipients"
	}
	identifier, _ := model.Addressed(s.draft.Workspace, s.run.Ask)
	return s.people.Name(identifier, d.Recipient)
}

// named draws a recipient and the name beside the value in w cells, behind a lead.
func (s *Screen) named(lead, identifier, value string, w int) string {
	text := widget.Truncate(lead+widget.Clean(value), max(w, 1))
	name, room := widget.Clean(s.people.NameBeside(identifier, value)), w-widget.Width(text)-2
	if name == "" || room < 4 {
		return text
	}
	return text + "  " + s.theme.Muted.Render(widget.Truncate(name, room))
}

// How many recipients of earlier tests are looked up by name at once.
const mostNames = 40

// learnNames looks up the names of earlier recipients.
func (s *Screen) learnNames() tea.Cmd {
	service := s.deps.Service
	if _, ok := service.(engine.ProfileKeeper); !ok {
		return nil
	}
	var all []model.Recipient
	put := func(identifier string, values []string) {
		for _, v := range values {
			r := model.Recipient{Identifier: identifier, Value: v}
			if !s.people.Met(r) && len(all) < mostNames && !engine.TakesSegment(identifier) && !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	put(s.form.identifier, s.recent[s.form.identifier])
	for _, t := range s.past.all {
		put(t.Ask.Identifier, t.Ask.Values)
	}
	if len(all) == 0 {
		return nil
	}
	return s.Run(taskNames, func(ctx context.Context) (any, error) { return model.LookUpAll(ctx, service, all) })
}

// moment returns a time for people, in the zone of the screen.
func (s *Screen) moment(at time.Time) string {
	return when.Moment(at.In(s.zone()), s.deps.Now().In(s.zone()))
}
