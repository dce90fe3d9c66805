// Package outbox is the screen with the messages that test sends have delivered to the local outbox.
package outbox

import (
	"cmp"
	"context"
	"fmt"
	"strings"

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
	*list.Browser[engine.OutboxMessage] // newest first

	deps   screen.Deps
	box    engine.OutboxReader // nil if the service has none
	loaded bool
	failed error
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
	s := &Screen{Base: screen.NewBase(), deps: deps, start: livepage.OpenBrowser}
	s.box, _ = deps.Service.(engine.OutboxReader)
	s.Browser = list.New(deps.Theme, list.Config[engine.OutboxMessage]{
		Title: "Messages", Columns: columns, Hint: "recipient, platform, locale, campaign or subject", Row: s.row, Has: has, Empty: s.emptyText,
		Same: func(a, b engine.OutboxMessage) bool { return a.ID == b.ID },
		Tabs: s.tabs, Head: messageTitle, PageShare: 50, Below: true,
		Labels: list.Labels{
			Noun:    "message",
			Entries: "messages", Group: groupOutbox, Read: "read the message", Filter: "filter messages by text",
			Next: "next message", Prev: "previous message",
			NextTab: []string{"tab", "right", "l"}, PrevTab: []string{"shift+tab", "left", "h"},
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
	if !s.loaded {
		return "loading…", themes.ToneMuted
	}
	return phrase.Count(s.Len(), "message"), themes.ToneMuted
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

func (s *Screen) load() tea.Cmd {
	if s.box == nil {
		s.loaded = true
		return nil
	}
	read := func(ctx context.Context) ([]engine.OutboxMessage, error) { return s.box.Outbox(ctx, 0) }
	return screen.Go(&s.Base, taskLoad, read, func(messages []engine.OutboxMessage, err error) tea.Cmd {
		if s.loaded, s.failed = true, err; err == nil {
			s.Set(messages)
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
		s.Key(msg)
	case tea.MouseMsg:
		s.Mouse(msg)
	}
	return nil
}

// has reports whether a message contains a word in lower case.
func has(m engine.OutboxMessage, word string) bool {
	text := []string{m.Recipient, m.Key, grid.KeyName(m.Key), m.Campaign, m.Connector, subject(m)}
	return strings.Contains(strings.ToLower(strings.Join(text, "\n")), word)
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
		{Text: timeparse.Brief(m.At, s.deps.Local(s.deps.Now())), Tone: themes.ToneMuted}, {Text: m.Recipient}, {Text: subject(m), Tone: themes.ToneStrong},
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

func (s *Screen) emptyText() string {
	switch {
	case s.box == nil:
		return noOutbox
	case s.failed != nil:
		return "Can't load the outbox: " + s.failed.Error() + "\nPress r to reload."
	case !s.loaded:
		return "Loading…"
	}
	return "No test messages yet. Open a draft and press t to send one."
}

// Help headings.
const (
	groupMessage = "Message"
	groupOutbox  = "Outbox"
)

// Actions returns what the user can do in the focused pane.
func (s *Screen) Actions() []screen.Action {
	noBox, empty := "", ""
	if s.box == nil {
		noBox = noOutbox
	}
	if s.Len() == 0 {
		empty = cmp.Or(noBox, "The outbox is already empty.")
	}
	return s.Browser.Actions([]screen.Action{
		s.On(screen.Action{Keys: []string{"o"}, Label: "browser", Help: "open the email in the browser", Group: groupMessage, BarPriority: 6}, noHTML, s.browse),
		s.On(screen.Action{Keys: []string{"y"}, Label: "copy", Help: "copy the message as shown", Group: groupMessage, BarPriority: 5}, nil, func(m engine.OutboxMessage) tea.Cmd {
			return s.copy(m)
		}),
		s.On(screen.Action{Name: "edit-campaign", Keys: []string{"e"}, Label: "campaign", Help: "open the campaign it was sent from", Group: groupMessage}, noCampaign, func(m engine.OutboxMessage) tea.Cmd {
			return screen.Open(screen.Route{Name: screen.Builder, ID: m.CampaignID})
		}),
		{Keys: []string{"r"}, Label: "reload", Group: groupOutbox, BarPriority: 4, DisabledReason: noBox, Run: s.load},
		{Keys: []string{"x"}, Label: "delete all", Help: "delete all messages", Group: groupOutbox, BarPriority: 2, DisabledReason: empty, Run: s.clear},
	})
}

// noHTML returns why a message cannot be opened in the browser.
func noHTML(m engine.OutboxMessage) string {
	if m.Email == nil || m.Email.HTML == "" {
		return "Only emails with HTML can be opened in the browser."
	}
	return ""
}

// noCampaign returns why a message leads to no campaign.
func noCampaign(m engine.OutboxMessage) string {
	if m.CampaignID == "" {
		return "This message was sent through the API, not from a campaign."
	}
	return ""
}

// copy copies what is shown of a message, without the lines above its text.
func (s *Screen) copy(m engine.OutboxMessage) tea.Cmd {
	tab, name := s.Page.Tab()
	text := s.Page.Text()
	if tab == 0 {
		text = body(m)
	}
	return screen.Copy(text, "the "+strings.Replace(name, "Text", "text", 1))
}

func (s *Screen) browse(m engine.OutboxMessage) tea.Cmd {
	source := livepage.Sent(m.Email)
	if s.page == nil {
		page, err := livepage.Start(source)
		if err != nil {
			return screen.Notify(widget.LevelError, phrase.Sentence(err.Error()))
		}
		s.page = page
	} else {
		s.page.Show(source)
	}
	page := s.page
	open := func(ctx context.Context) (string, error) { return page.URL(), page.Open(ctx, s.start) }
	return screen.Go(&s.Base, taskOpen, open, func(url string, err error) tea.Cmd {
		if err != nil {
			return tea.Sequence(screen.Copy(url, "the address of the page"),
				screen.Notify(widget.LevelWarning, "No browser can be opened, because "+err.Error()+". Until you leave this screen, the page is at "+url))
		}
		return screen.Notify(widget.LevelSuccess, "Opened in the browser. Until you leave this screen, the page is at "+url)
	})
}

func (s *Screen) clear() tea.Cmd {
	return screen.Ask(screen.Question{
		Title: "Clear the outbox?", Danger: true, Focus: 1,
		Body:    fmt.Sprintf("This deletes %s, from all campaigns. Nothing else changes.", phrase.Count(s.Len(), "message")),
		Buttons: []widget.Option{{Label: "Clear", Key: "y"}, {Label: "Keep", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			empty := func(ctx context.Context) (struct{}, error) { return struct{}{}, s.box.ClearOutbox(ctx) }
			return screen.Go(&s.Base, taskClear, empty, func(_ struct{}, err error) tea.Cmd {
				if err != nil {
					return screen.Notify(widget.LevelError, "Can't clear the outbox: "+err.Error())
				}
				return tea.Batch(screen.Notify(widget.LevelSuccess, "Cleared the outbox"), s.load())
			})
		},
	})
}
