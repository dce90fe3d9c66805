package testsend

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/operation"
	"bugle/engine/phrase"
	model "bugle/engine/testsend"
	"bugle/engine/timeparse"
	"bugle/themes"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// sendContext is what all parts of the screen share: the draft, its possible recipients, and the history of
// tests.
type sendContext struct {
	deps  screen.Deps
	theme *themes.Theme
	tasks *screen.Base
	id    string // of the draft
	prefs *prefs.Prefs

	draft  model.Draft
	people *model.Directory
	past   model.History
	recent map[string][]string // recipients by identifier, newest first
	groups []group
	// changed shows names of recipients and groups that have changed.
	changed func()
}

// name returns the name of the campaign.
func (s *sendContext) name() string {
	if s.draft.Campaign.Channel == "" {
		return "Test send"
	}
	return engine.Summarize(s.draft.Campaign).Title()
}

// formatTime formats a time in the screen's zone.
func (s *sendContext) formatTime(at time.Time) string {
	return timeparse.Moment(s.deps.Local(at), s.deps.Local(s.deps.Now()))
}

// recipientLine draws a recipient with its name in w cells, after a lead.
func (s *sendContext) recipientLine(lead, identifier, value string, w int) string {
	text := widget.Truncate(lead+widget.Clean(value), max(w, 1))
	name, room := widget.Clean(s.people.Caption(identifier, value)), w-widget.Width(text)-2
	if name == "" || room < 4 {
		return text
	}
	return text + "  " + s.theme.Muted.Render(widget.Truncate(name, room))
}

// identifierName returns the display name of an identifier, also of another channel.
func (s *sendContext) identifierName(identifier string) string {
	for _, ch := range []engine.Channel{s.draft.Campaign.Channel, catalog.Push, catalog.Email} {
		if !ch.Writable() {
			continue
		}
		for _, o := range engine.NewTestFields(ch).Identifier.Options {
			if o.Value == identifier {
				return o.Title()
			}
		}
	}
	return identifier
}

// history returns the store of the workspace's tests.
func (s *sendContext) history() engine.TestHistory {
	if h, ok := s.deps.Service.(engine.TestHistory); ok {
		return h
	}
	return localHistory{s.prefs}
}

// unknownRecipients returns the recipients of earlier tests whose names have not been looked up.
func (s *sendContext) unknownRecipients(identifier string) []model.Recipient {
	if _, ok := s.deps.Service.(engine.UserStore); !ok {
		return nil
	}
	var all []model.Recipient
	put := func(identifier string, values []string) {
		for _, v := range values {
			r := model.Recipient{Identifier: identifier, Value: v}
			if !s.people.HasName(r) && len(all) < maxNameLookups && !engine.IsSegmentIdentifier(identifier) && !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	put(identifier, s.recent[identifier])
	for _, t := range s.past {
		put(t.Request.Identifier, t.Request.Values)
	}
	return all
}

// maxNameLookups is how many names are looked up at once.
const maxNameLookups = 40

// allRecipients is shown if the service does not report each recipient.
const allRecipients = "all recipients"

// recipient names the recipient of a message.
func (s *sendContext) recipient(run model.Run, d *model.SendState) string {
	if d.Recipient == "" {
		return allRecipients
	}
	identifier, _ := model.ResolveValues(s.draft.Workspace, run.Request)
	return s.people.Name(identifier, d.Recipient) + asText(run, d.As)
}

// asText returns " as Ann (USER_7)" for the ID of a user whose data a message has; "" for none.
func asText(run model.Run, id string) string {
	if id == "" {
		return ""
	}
	return " as " + personaOf(run, id).String()
}

// personaOf returns a user whose data messages of a run have.
func personaOf(run model.Run, id string) engine.TestPersona {
	if i := slices.IndexFunc(run.Request.As, func(p engine.TestPersona) bool { return p.ID == id }); i >= 0 {
		return run.Request.As[i]
	}
	return engine.TestPersona{ID: id}
}

// learnNames looks up the names of earlier recipients.
func (s *sendContext) learnNames(identifier string) tea.Cmd {
	all := s.unknownRecipients(identifier)
	if len(all) == 0 {
		return nil
	}
	service := s.deps.Service
	read := func(ctx context.Context) (map[model.Recipient]model.ResolvedUser, error) {
		return model.LookUpAll(ctx, service, all)
	}
	return screen.Go(s.tasks, taskNames, read, func(found map[model.Recipient]model.ResolvedUser, _ error) tea.Cmd {
		s.people.Add(found)
		s.changed()
		return nil
	})
}

// loadedData is the draft and the history of tests.
type loadedData struct {
	draft  model.Draft
	recent map[string][]string
	past   model.History
	groups []group
}

// maxRecent is how many recent recipients are suggested for an identifier.
const maxRecent = 20

// load reads the draft and the history of tests.
func (s *Screen) load() tea.Cmd {
	service, id, history, kept := s.deps.Service, s.id, s.history(), s.prefs
	return screen.Go(s.tasks, taskLoad, func(ctx context.Context) (loadedData, error) {
		l := loadedData{recent: map[string][]string{}}
		var err error
		if l.draft, err = model.Load(ctx, service, id); err != nil {
			return loadedData{}, err
		}
		c := l.draft.Campaign
		if !c.Channel.Writable() {
			return l, nil
		}
		if l.groups, err = prefs.Read[[]group](kept, prefGroups); err != nil {
			return loadedData{}, err
		}
		for _, o := range l.draft.Fields.Identifier.Options {
			if l.recent[o.Value], err = history.Recipients(ctx, c.Channel, o.Value, maxRecent); err != nil {
				return loadedData{}, err
			}
		}
		l.past, err = model.ReadHistory(ctx, service, history, c)
		return l, err
	}, s.showLoaded)
}

// remember adds the test that was just sent to the history and suggestions.
func (s *sendContext) remember(run model.Run, out model.Outcome) tea.Cmd {
	id, values := run.Request.Identifier, run.Request.Values
	s.recent[id] = append(slices.Clone(values), slices.DeleteFunc(slices.Clone(s.recent[id]), func(v string) bool {
		return engine.IndexRecipient(values, id, v) >= 0
	})...)
	var records []engine.TestRecord
	for i, r := range out.Results {
		records = append(records, engine.TestRecord{At: s.deps.Now(), CampaignID: s.id, Body: engine.DraftTest(s.id, out.Requests[i]), As: model.Persona(out.Requests[i]), Copies: out.Requests[i].Copies, Result: r})
	}
	s.past = s.past.Add(records, s.name())
	if k, ok := s.history().(localHistory); ok && len(records) > 0 {
		return k.keep(records)
	}
	return nil
}

// copyAction returns the action that copies a test as a curl command.
func (s *sendContext) copyAction(ask engine.TestSend) screen.Action {
	return screen.Action{Keys: []string{"y", "alt+y"}, Label: "copy curl", Help: "copy the request as a curl command", Group: groupTest, BarPriority: 3, Run: func() tea.Cmd {
		if len(ask.As) > 0 {
			return s.copyAs(ask)
		}
		return screen.Copy(operation.TestCurl(s.deps.Workspace, engine.DraftTest(s.id, ask)), "the request as a curl command")
	}}
}

// copyAs copies a test with the data of others: one command for each of them, with their data.
func (s *sendContext) copyAs(ask engine.TestSend) tea.Cmd {
	service, draft, id, workspace := s.deps.Service, s.draft, s.id, s.deps.Workspace
	return screen.Go(s.tasks, taskCopy, func(ctx context.Context) (string, error) {
		var commands []string
		for _, p := range ask.As {
			one := ask
			one.As = []engine.TestPersona{p}
			one, err := draft.WithPersona(ctx, service, one)
			if err != nil {
				return "", err
			}
			commands = append(commands, operation.TestCurl(workspace, engine.DraftTest(id, one)))
		}
		return strings.Join(commands, "\n"), nil
	}, func(text string, err error) tea.Cmd {
		if err != nil {
			return screen.Notify(widget.LevelWarning, phrase.Capitalize("cannot copy the request: "+err.Error()))
		}
		return screen.Copy(text, "the requests as curl commands")
	})
}

func (s *sendContext) outbox() tea.Cmd {
	return screen.Open(screen.Route{Name: screen.Outbox, ID: s.id})
}
