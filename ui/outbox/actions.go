package outbox

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/message/livepage"
	"bugle/engine/phrase"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Help headings.
const (
	groupMessage = "Message"
	groupOutbox  = "Outbox"
)

// Typing reports whether the filter has the keyboard.
func (s *Screen) Typing() bool { return s.list.Filtering() }

// Actions returns what the user can do in the focused pane.
func (s *Screen) Actions() []screen.Action { return s.list.Actions(s.messageActions()) }

func (s *Screen) messageActions() []screen.Action {
	noBox, empty := "", ""
	if _, ok := s.outboxReader(); !ok {
		noBox, empty = noOutbox, noOutbox
	} else if s.list.Len() == 0 {
		empty = "The outbox is already empty."
	}
	return []screen.Action{
		s.list.On(screen.Action{Keys: []string{"o"}, Label: "browser", Help: "open the email in the browser", Group: groupMessage, BarPriority: 6}, noHTML, s.browse),
		s.list.On(screen.Action{Keys: []string{"y"}, Label: "copy", Help: "copy the message as shown", Group: groupMessage, BarPriority: 5}, nil, s.copy),
		s.list.On(screen.Action{Keys: []string{"b"}, Label: "campaign", Help: "open the campaign it was sent from", Group: groupMessage}, noCampaign, toCampaign),
		{Keys: []string{"r"}, Label: "reload", Group: groupOutbox, BarPriority: 4, DisabledReason: noBox, Run: s.load},
		{Keys: []string{"x"}, Label: "clear", Help: "delete all messages", Group: groupOutbox, BarPriority: 2, DisabledReason: empty, Run: s.clear},
	}
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

func toCampaign(m engine.OutboxMessage) tea.Cmd {
	return screen.Open(screen.Route{Name: screen.Builder, ID: m.CampaignID})
}

func (s *Screen) copy(m engine.OutboxMessage) tea.Cmd {
	text, what := s.reader.copyText(m)
	return screen.Copy(text, what)
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
	box, ok := s.outboxReader()
	if !ok {
		return nil
	}
	return screen.Ask(screen.Question{
		Title: "Clear the outbox?", Danger: true, Focus: 1,
		Body:    fmt.Sprintf("This deletes %s, from all campaigns. Nothing else changes.", phrase.Count(s.list.Len(), "message")),
		Buttons: []widget.Button{{Label: "Clear", Key: "y", Danger: true}, {Label: "Keep", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			empty := func(ctx context.Context) (struct{}, error) { return struct{}{}, box.ClearOutbox(ctx) }
			return screen.Go(&s.Base, taskClear, empty, func(_ struct{}, err error) tea.Cmd {
				if err != nil {
					return screen.Notify(widget.LevelError, "Can't clear the outbox: "+err.Error())
				}
				return tea.Batch(screen.Notify(widget.LevelSuccess, "Cleared the outbox"), s.load())
			})
		},
	})
}
