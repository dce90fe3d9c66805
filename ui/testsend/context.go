package testsend

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/message/render"
	"bugle/engine/operation"
	"bugle/engine/phrase"
	model "bugle/engine/testsend"
	"bugle/engine/timeparse"
	"bugle/themes"
	"bugle/ui/panes"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// sendContext is what all parts of the screen share: its panes, the draft, its possible recipients, and the history of tests.
type sendContext struct {
	deps  screen.Deps
	theme *themes.Theme
	tasks *screen.Base
	panes panes.Panes
	id    string // of the draft
	prefs *prefs.Prefs

	people *model.Directory
	loadedData
}

// The panes of each stage.
const (
	paneMain = iota // the form, a list, the results
	paneSide        // what is selected in it
)

// split divides the screen for a stage.
func (s *sendContext) split(st stage) {
	width, height := s.panes.Width(), s.panes.Height()
	side := panes.Pane{Name: "details", From: 76, Share: 40, Min: 34, Max: 60, Rows: height / 3}
	if st == stageSending || st == stageDone {
		side = panes.Pane{Name: "message", From: 100, Share: 50, Hidden: st == stageSending}
	}
	s.panes = panes.New(s.theme, panes.Pane{Name: "main"}, side)
	s.panes.SetSize(width, height)
}

// onSide reports whether the second pane has the keyboard.
func (s *sendContext) onSide() bool { return s.panes.Focused() == paneSide }

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

// fill returns the values that fill a message for a recipient, or for the user with the ID as if that is not empty; nil if they are
// not known.
func (s *sendContext) fill(draft model.Draft, ask engine.TestSend, to model.Recipient, as string) render.Fill {
	if as != "" {
		to = userRecipient(as)
	}
	if u, ok := s.people.Lookup(to); ok && u.Certain {
		return draft.Fill(ask, u)
	}
	return nil
}

// history returns the store of the workspace's tests.
func (s *sendContext) history() engine.TestHistory {
	if h, ok := s.deps.Service.(engine.TestHistory); ok {
		return h
	}
	return localHistory{s.prefs}
}

// loadedData is the draft and the history of tests.
type loadedData struct {
	draft  model.Draft
	recent map[string][]string // recipients by identifier, newest first
	past   model.History
}

// maxRecent is how many recent recipients are suggested for an identifier.
const maxRecent = 20

// load reads the draft and the history of tests.
func (s *Screen) load() tea.Cmd {
	service, id, history := s.deps.Service, s.id, s.history()
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
		ask := out.Requests[i]
		records = append(records, engine.TestRecord{At: s.deps.Now(), CampaignID: s.id, Body: engine.DraftTest(s.id, ask), As: model.Persona(ask), Result: r})
	}
	s.past = s.past.Add(records, s.name())
	if k, ok := s.history().(localHistory); ok && len(records) > 0 {
		return k.keep(records)
	}
	return nil
}

// copyAction returns the action that copies a test as curl commands: one for each user whose data it has.
func (s *sendContext) copyAction(ask engine.TestSend) screen.Action {
	service, draft, id, workspace := s.deps.Service, s.draft, s.id, s.deps.Workspace
	work := func(ctx context.Context) (string, error) {
		var commands []string
		for _, one := range model.SplitPersonas([]engine.TestSend{ask}) {
			one, err := draft.WithPersona(ctx, service, one)
			if err != nil {
				return "", err
			}
			commands = append(commands, operation.TestCurl(workspace, engine.DraftTest(id, one)))
		}
		return strings.Join(commands, "\n"), nil
	}
	done := func(text string, err error) tea.Cmd {
		if err != nil {
			return screen.Notify(widget.LevelWarning, phrase.Capitalize("cannot copy the request: "+err.Error()))
		}
		return screen.Copy(text, "the request as a curl command")
	}
	return screen.Action{Label: "copy curl", Help: "copy the request as a curl command", Group: groupTest, WhileTyping: true,
		Run: func() tea.Cmd { return screen.Go(s.tasks, taskCopy, work, done) }}
}

// outboxAction returns the action that opens the messages in the outbox.
func (s *sendContext) outboxAction(group string) screen.Action {
	return screen.Action{Keys: []string{"O"}, Label: "outbox", Help: "open all delivered messages", Group: group, BarPriority: 4,
		Run: func() tea.Cmd { return screen.Open(screen.Route{Name: screen.Outbox, ID: s.id}) }}
}
