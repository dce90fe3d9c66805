// Package outbox is the screen with the messages that test sends have delivered to the local outbox.
package outbox

import (
	"context"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/edit/grid"
	"bugle/engine/message/livepage"
	"bugle/engine/phrase"
	"bugle/engine/timeparse"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Screen is the outbox.
type Screen struct {
	screen.Base
	deps   screen.Deps
	loaded bool
	failed error
	list   *list.Browser[engine.OutboxMessage] // newest first
	reader *reader
	page   *livepage.Server                             // nil until an email was opened in the browser
	start  func(ctx context.Context, file string) error // opens a browser
}

// Kinds of tasks.
const (
	taskLoad  = "load"
	taskClear = "clear"
	taskOpen  = "open"
)

// New returns the screen. It shows the messages of all campaigns, whatever the route's campaign is.
func New(deps screen.Deps, _ screen.Route) *Screen {
	s := &Screen{Base: screen.NewBase(), deps: deps, reader: newReader(deps.Theme), start: livepage.OpenBrowser}
	s.list = list.New(deps.Theme, list.Config[engine.OutboxMessage]{
		Title: "Messages", Columns: columns, Hint: "recipient, platform, locale, campaign or subject", Row: s.row, Match: matcher, Empty: s.emptyText,
		Same: func(a, b engine.OutboxMessage) bool { return a.ID == b.ID },
		Page: s.reader, Show: s.show, Head: messageTitle, PageShare: 50, Below: true,
		Labels: list.Labels{
			Noun:    "message",
			Entries: "messages", Group: groupOutbox, Read: "read the message", Filter: "filter messages by text",
			Next: "next message", Prev: "previous message",
			NextTab: []string{"tab", "right", "]", "l"}, PrevTab: []string{"shift+tab", "left", "[", "h"},
		},
	})
	return s
}

var columns = []widget.Column{
	{Title: "Sent", Min: 8},
	{Title: "To", Min: 20, Max: 32, Weight: 3},
	{Title: "Subject", Min: 16, Max: 60, Weight: 4},
	{Title: "Platform", Min: 10, Max: 34, Weight: 2, Priority: 1},
	{Title: "Campaign", Min: 14, Max: 40, Weight: 2, Priority: 2},
}

// Title returns the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Outbox" }

// Badge counts the messages.
func (s *Screen) Badge() (string, themes.Tone) {
	switch {
	case s.Running(taskLoad):
		return "loading…", themes.ToneMuted
	case !s.loaded:
		return "", themes.ToneMuted
	}
	return phrase.Count(s.list.Len(), "message"), themes.ToneMuted
}

// Init reads the outbox.
func (s *Screen) Init() tea.Cmd { return s.load() }

// Resume reads it again, because another test may have been sent.
func (s *Screen) Resume() tea.Cmd { return s.load() }

// Close ends the tasks and the page in the browser.
func (s *Screen) Close() tea.Cmd {
	page := s.page
	if page == nil {
		return s.Base.Close()
	}
	s.page = nil
	return tea.Batch(s.Base.Close(), func() tea.Msg { _ = page.Close(); return nil }) // nothing is lost with it
}

const noOutbox = "This service has no outbox. Test messages went to the real recipients."

func (s *Screen) outboxReader() (engine.OutboxReader, bool) {
	b, ok := s.deps.Service.(engine.OutboxReader)
	return b, ok
}

func (s *Screen) load() tea.Cmd {
	box, ok := s.outboxReader()
	if !ok {
		s.loaded = true
		return nil
	}
	read := func(ctx context.Context) ([]engine.OutboxMessage, error) { return box.Outbox(ctx, 0) }
	return screen.Go(&s.Base, taskLoad, read, func(messages []engine.OutboxMessage, err error) tea.Cmd {
		if s.loaded, s.failed = true, err; err == nil {
			s.list.Set(messages)
		}
		return nil
	})
}

// Update handles results, keys and mouse events.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		return msg.Done()
	case tea.KeyMsg:
		s.list.Key(msg)
	case tea.MouseMsg:
		s.list.Mouse(msg)
	}
	return nil
}

// matcher returns the predicate for messages that contain every word of the filter.
func matcher(filter string) func(engine.OutboxMessage) bool {
	words := strings.Fields(strings.ToLower(filter))
	return func(m engine.OutboxMessage) bool { return containsAll(m, words) }
}

func containsAll(m engine.OutboxMessage, words []string) bool {
	text := strings.ToLower(strings.Join([]string{m.Recipient, m.Key, grid.KeyName(m.Key), m.Campaign, m.Connector, subject(m)}, "\n"))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// subject returns the line that identifies a message.
func subject(m engine.OutboxMessage) string {
	switch {
	case m.Email != nil:
		return m.Email.Subject
	case m.Push != nil && m.Push.Title != "":
		return m.Push.Title
	case m.Push != nil:
		return m.Push.Body
	}
	return ""
}

// row returns the cells of a message.
func (s *Screen) row(m engine.OutboxMessage) widget.Cells {
	return widget.Cells{
		{Text: timeparse.Brief(m.At, s.now()), Tone: themes.ToneMuted}, {Text: m.Recipient}, {Text: subject(m), Tone: themes.ToneStrong},
		{Text: grid.KeyName(m.Key), Tone: themes.ToneMuted}, {Text: m.Campaign, Tone: themes.ToneMuted},
	}
}

// messageTitle returns the heading of a message.
func messageTitle(m engine.OutboxMessage, ok bool) (title, info string) {
	if !ok {
		return "Message", ""
	}
	return subject(m), ""
}

// show shows a message in the reader.
func (s *Screen) show(m engine.OutboxMessage, ok bool) {
	if !ok {
		s.reader.clear()
		return
	}
	now := s.now()
	s.reader.show(m, timeparse.Moment(m.At.In(now.Location()), now))
}

func (s *Screen) emptyText() string {
	_, has := s.outboxReader()
	switch {
	case !has:
		return noOutbox
	case s.failed != nil:
		return "Can't load the outbox: " + s.failed.Error() + "\nPress r to try again."
	case !s.loaded:
		return "Loading…"
	case s.list.Len() > 0:
		return "No message matches. Press esc to clear the filter."
	}
	return "No test messages yet. Open a draft and press t to send one."
}

// now returns the current time in the display zone.
func (s *Screen) now() time.Time { return s.deps.Local(s.deps.Now()) }

// SetSize divides the screen.
func (s *Screen) SetSize(width, height int) { s.list.SetSize(width, height) }

// View draws the messages and, if it fits or was opened, the selected one.
func (s *Screen) View() string { return s.list.View() }
