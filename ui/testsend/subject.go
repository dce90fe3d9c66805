package testsend

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	model "bugle/engine/testsend"
	"bugle/engine/when"
	"bugle/themes"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// subject is what every part of the screen is about: the draft, the people it can go to, and what is remembered of
// earlier tests.
type subject struct {
	deps  screen.Deps
	theme themes.Theme
	tasks *screen.Base
	id    string // of the draft
	prefs *prefs.Prefs

	draft  model.Draft
	people *model.People
	past   model.History
	recent map[string][]string // recipients by identifier, newest first
	groups []group
}

// name is what the campaign is called.
func (s *subject) name() string {
	if s.draft.Campaign.Channel == "" {
		return "Test send"
	}
	return engine.Summarize(s.draft.Campaign).Title()
}

func (s *subject) zone() *time.Location {
	if s.deps.Location == nil {
		return time.UTC
	}
	return s.deps.Location
}

// moment returns a time for people, in the zone of the screen.
func (s *subject) moment(at time.Time) string {
	return when.Moment(at.In(s.zone()), s.deps.Now().In(s.zone()))
}

// named draws a recipient and the name beside the value in w cells, behind a lead.
func (s *subject) named(lead, identifier, value string, w int) string {
	text := widget.Truncate(lead+widget.Clean(value), max(w, 1))
	name, room := widget.Clean(s.people.NameBeside(identifier, value)), w-widget.Width(text)-2
	if name == "" || room < 4 {
		return text
	}
	return text + "  " + s.theme.Muted.Render(widget.Truncate(name, room))
}

// identifierName returns an identifier as people read it, also where it is another channel's.
func (s *subject) identifierName(identifier string) string {
	for _, ch := range []engine.Channel{s.draft.Campaign.Channel, catalog.Push, catalog.Email} {
		if !ch.Writable() {
			continue
		}
		for _, o := range engine.TestFieldsOf(ch).Identifier.Options {
			if o.Value == identifier {
				return o.Title()
			}
		}
	}
	return identifier
}

// history returns what remembers the tests of the workspace.
func (s *subject) history() engine.TestHistory {
	if h, ok := s.deps.Service.(engine.TestHistory); ok {
		return h
	}
	return kept{s.prefs}
}

// unmet returns the recipients of earlier tests whose names are not known yet.
func (s *subject) unmet(identifier string) []model.Recipient {
	if _, ok := s.deps.Service.(engine.ProfileKeeper); !ok {
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
	put(identifier, s.recent[identifier])
	for _, t := range s.past {
		put(t.Ask.Identifier, t.Ask.Values)
	}
	return all
}

// mostNames is how many recipients of earlier tests are looked up by name at once.
const mostNames = 40

// allRecipients stands for the recipients of a service that does not report on each.
const allRecipients = "all recipients"

// recipient names who gets a message of a run.
func (s *subject) recipient(run model.Run, d *model.Send) string {
	if d.Recipient == "" {
		return allRecipients
	}
	identifier, _ := model.Addressed(s.draft.Workspace, run.Ask)
	return s.people.Name(identifier, d.Recipient)
}

// learnNames looks up the names of earlier recipients.
func (s *subject) learnNames(identifier string) tea.Cmd {
	all := s.unmet(identifier)
	if len(all) == 0 {
		return nil
	}
	service := s.deps.Service
	return s.tasks.Run(taskNames, func(ctx context.Context) (any, error) { return model.LookUpAll(ctx, service, all) })
}
