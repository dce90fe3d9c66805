package outbox

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

// The headings of the screen's keys in the help.
const (
	groupMove    = "Move"
	groupMessage = "Message"
	groupOutbox  = "Outbox"
)

// Typing says that a filter is being typed.
func (s *Screen) Typing() bool { return s.focus == paneFilter }

// Actions are what can be done, by where the keyboard is.
func (s *Screen) Actions() []screen.Action {
	if s.focus == paneFilter {
		return []screen.Action{
			{Keys: []string{"enter"}, Label: "apply", Help: "apply the filter", Group: groupOutbox, Bar: 9, Typing: true, Run: s.keepFilter},
			{Keys: []string{"esc"}, Label: "clear filter", Help: "show all messages", Group: groupOutbox, Bar: 8, Typing: true, Run: s.dropFilter},
		}
	}
	none := ""
	if _, ok := s.selected(); !ok {
		none = "No message is selected."
	}
	acts := append(append(s.moves(none), s.zoomKey()), s.uses(none)...)
	if len(s.messages) == 0 {
		for i := range acts { // there is nothing that they could be used on
			if acts[i].Why != "" {
				acts[i].Bar = 0
			}
		}
	}
	return acts
}

func (s *Screen) moves(none string) []screen.Action {
	if s.focus == paneMessage {
		return []screen.Action{
			{Keys: []string{"esc"}, Label: "messages", Help: "back to the messages", Group: groupMove, Bar: 9, Run: s.toTable},
			{Name: "next view", Keys: []string{"tab", "right", "]", "l"}, Label: "next tab", Help: "show the next tab of the message", Group: groupMove, Bar: 8, Run: func() tea.Cmd { s.reader.turn(1); return nil }},
			{Name: "previous view", Keys: []string{"shift+tab", "left", "[", "h"}, Label: "previous tab", Help: "show the previous tab of the message", Group: groupMove, Run: func() tea.Cmd { s.reader.turn(-1); return nil }},
			{Keys: []string{"n"}, Label: "next message", Group: groupMove, Bar: 3, Run: func() tea.Cmd { return s.step(1) }},
			{Keys: []string{"p"}, Label: "previous message", Group: groupMove, Run: func() tea.Cmd { return s.step(-1) }},
		}
	}
	noFilter := ""
	if len(s.messages) == 0 {
		noFilter = "There are no messages to filter."
	}
	acts := []screen.Action{
		{Keys: []string{"enter", "tab"}, Label: "read", Help: "read the message", Group: groupMove, Bar: 9, Why: none, Run: s.toMessage},
		{Keys: []string{"/"}, Label: "filter", Help: "filter messages by text", Group: groupOutbox, Bar: 7, Why: noFilter, Run: s.toFilter},
	}
	if s.filter.Value() != "" {
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "clear filter", Help: "show all messages", Group: groupOutbox, Bar: 8, Run: s.dropFilter})
	}
	return acts
}

// zoomKey is the action that zooms the focused pane, or shows both again.
func (s *Screen) zoomKey() screen.Action {
	a := screen.ZoomAction(s.zoom, "z", groupMove, s.toggleZoom)
	if !s.roomy() {
		a.Why = "The window shows one pane at a time."
	}
	return a
}

func (s *Screen) toggleZoom() tea.Cmd {
	s.zoom = !s.zoom
	s.SetSize(s.width, s.height)
	return nil
}

func (s *Screen) uses(none string) []screen.Action {
	noHTML := none
	if m, ok := s.selected(); ok && (m.Email == nil || m.Email.HTML == "") {
		noHTML = "Only emails with HTML can be opened in the browser."
	}
	noBox, empty := "", ""
	if _, ok := s.box(); !ok {
		noBox, empty = noOutbox, noOutbox
	} else if len(s.messages) == 0 {
		empty = "The outbox is already empty."
	}
	return []screen.Action{
		{Keys: []string{"o"}, Label: "browser", Help: "open the email in the browser", Group: groupMessage, Bar: 6, Why: noHTML, Run: s.browse},
		{Keys: []string{"y"}, Label: "copy", Help: "copy the message as shown", Group: groupMessage, Bar: 5, Why: none, Run: s.copy},
		{Keys: []string{"b"}, Label: "campaign", Help: "open the campaign it was sent from", Group: groupMessage, Why: s.noCampaign(none), Run: s.toCampaign},
		{Keys: []string{"r"}, Label: "reload", Group: groupOutbox, Bar: 4, Why: noBox, Run: s.load},
		{Keys: []string{"x"}, Label: "clear", Help: "delete all messages", Group: groupOutbox, Bar: 2, Why: empty, Run: s.clear},
	}
}

func (s *Screen) noCampaign(none string) string {
	if m, ok := s.selected(); ok && m.CampaignID == "" {
		return "This message was sent through the API, not from a campaign."
	}
	return none
}

func (s *Screen) toCampaign() tea.Cmd {
	m, _ := s.selected()
	return screen.Open(screen.Route{Name: screen.Builder, ID: m.CampaignID})
}

func (s *Screen) toMessage() tea.Cmd {
	s.focus = paneMessage
	s.show()
	return nil
}

func (s *Screen) toTable() tea.Cmd {
	s.focus = paneTable
	s.show()
	return nil
}

func (s *Screen) step(n int) tea.Cmd {
	s.table.Move(n)
	s.show()
	return nil
}

func (s *Screen) toFilter() tea.Cmd {
	s.focus = paneFilter
	s.filter.Focus()
	s.SetSize(s.width, s.height)
	return nil
}

func (s *Screen) keepFilter() tea.Cmd {
	s.filter.Blur()
	s.focus = paneTable
	s.SetSize(s.width, s.height)
	return nil
}

func (s *Screen) dropFilter() tea.Cmd {
	s.filter.SetValue("")
	s.narrow()
	return s.keepFilter()
}

func (s *Screen) copy() tea.Cmd {
	m, ok := s.selected()
	if !ok {
		return nil
	}
	text, what := s.reader.copied(m)
	return screen.Copy(text, what)
}

func (s *Screen) browse() tea.Cmd {
	m, ok := s.selected()
	if !ok || m.Email == nil {
		return nil
	}
	return s.Run(taskOpen, func(ctx context.Context) (any, error) { return nil, s.pages.Show(ctx, page(m.Email)) })
}

func (s *Screen) clear() tea.Cmd {
	box, ok := s.box()
	if !ok {
		return nil
	}
	return screen.Ask(screen.Question{
		Title: "Clear the outbox?", Danger: true, Focus: 1,
		Body:    fmt.Sprintf("This deletes %s, from all campaigns. Nothing else changes.", count(len(s.messages))),
		Buttons: []widget.Button{{Label: "Clear", Key: "y", Danger: true}, {Label: "Keep", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return s.Run(taskClear, func(ctx context.Context) (any, error) { return nil, box.ClearOutbox(ctx) })
		},
	})
}

func count(n int) string {
	if n == 1 {
		return "1 message"
	}
	return fmt.Sprintf("%d messages", n)
}
