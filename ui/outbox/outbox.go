// Package outbox is the screen of what test sends delivered into the local outbox: the messages,
// and each as its recipient would read it.
package outbox

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/content"
	"bugle/engine/when"
	"bugle/themes"
	"bugle/ui/builder/browser"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Screen is the outbox.
type Screen struct {
	screen.Base
	deps  screen.Deps
	theme themes.Theme

	messages []engine.Delivered // newest first
	shown    []int              // those that the filter lets through
	loaded   bool
	failed   error

	table  widget.Table
	filter widget.Prompt
	reader reader
	focus  pane
	zoom   bool // the focused pane has the whole screen
	pages  browser.Files

	width, height int
	laid          area // where the message was when the screen was divided
}

// pane is where the keyboard is.
type pane uint8

const (
	paneTable pane = iota
	paneMessage
	paneFilter
)

// The tasks of the screen.
const (
	taskLoad  = "load"
	taskClear = "clear"
	taskOpen  = "open"
)

// New makes the screen. The route's campaign, where it has one, is not narrowed to: people look
// for the message that just left, wherever it came from.
func New(deps screen.Deps, _ screen.Route) *Screen {
	s := &Screen{
		Base: screen.NewBase(), deps: deps, theme: deps.Theme,
		table:  widget.NewTable(deps.Theme, columns...),
		filter: widget.NewPrompt(deps.Theme, "/", "recipient, platform, locale, campaign or subject"),
		reader: newReader(deps.Theme),
	}
	s.table.Focused = true
	s.show()
	return s
}

var columns = []widget.Column{
	{Title: "Sent", Min: 8},
	{Title: "To", Min: 20, Max: 32, Weight: 3},
	{Title: "Subject", Min: 16, Max: 60, Weight: 4},
	{Title: "Platform", Min: 10, Max: 34, Weight: 2, Priority: 1},
	{Title: "Campaign", Min: 14, Max: 40, Weight: 2, Priority: 2},
}

// Title is the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "Outbox" }

// Badge counts the messages.
func (s *Screen) Badge() (string, themes.Tone) {
	switch {
	case s.Running(taskLoad):
		return "loading…", themes.ToneMuted
	case !s.loaded:
		return "", themes.ToneMuted
	}
	return count(len(s.messages)), themes.ToneMuted
}

// Init reads the outbox.
func (s *Screen) Init() tea.Cmd { return s.load() }

// Resume reads it again: another test may have been sent.
func (s *Screen) Resume() tea.Cmd { return s.load() }

// Close ends the tasks, and removes the files that a browser was given.
func (s *Screen) Close() tea.Cmd {
	return tea.Batch(s.Base.Close(), func() tea.Msg { s.pages.Clean(); return nil })
}

const noOutbox = "This service has no outbox. Test messages went to the real recipients."

func (s *Screen) box() (engine.OutboxReader, bool) {
	b, ok := s.deps.Service.(engine.OutboxReader)
	return b, ok
}

func (s *Screen) load() tea.Cmd {
	box, ok := s.box()
	if !ok {
		s.loaded = true
		return nil
	}
	return s.Run(taskLoad, func(ctx context.Context) (any, error) { return box.Outbox(ctx, 0) })
}

// Update takes results, keys and the mouse.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Result:
		if s.Accept(msg) {
			return s.result(msg)
		}
	case tea.KeyMsg:
		s.key(msg)
	case tea.MouseMsg:
		s.mouse(msg)
	}
	return nil
}

func (s *Screen) result(r screen.Result) tea.Cmd {
	switch r.Kind {
	case taskLoad:
		s.loaded, s.failed = true, r.Err
		if r.Err == nil {
			s.take(r.Value.([]engine.Delivered))
		}
	case taskClear:
		if r.Err != nil {
			return screen.Notify(widget.LevelError, "Can't clear the outbox: "+r.Err.Error())
		}
		s.focus = paneTable
		return tea.Batch(screen.Notify(widget.LevelSuccess, "Cleared the outbox"), s.load())
	case taskOpen:
		if r.Err != nil {
			return screen.Notify(widget.LevelError, r.Err.Error())
		}
		return screen.Notify(widget.LevelSuccess, "Opened in the browser")
	}
	return nil
}

// take shows other messages; the cursor stays on its message.
func (s *Screen) take(messages []engine.Delivered) {
	id := ""
	if m, ok := s.selected(); ok {
		id = m.ID
	}
	s.messages = messages
	s.narrow()
	for i, at := range s.shown {
		if s.messages[at].ID == id {
			s.table.Select(i)
		}
	}
	s.show()
}

// narrow finds the messages that the filter lets through: those that hold each of its words.
func (s *Screen) narrow() {
	words := strings.Fields(strings.ToLower(s.filter.Value()))
	s.shown = s.shown[:0]
	for i, m := range s.messages {
		if holds(m, words) {
			s.shown = append(s.shown, i)
		}
	}
	s.table.SetRows(rows{s})
}

func holds(m engine.Delivered, words []string) bool {
	text := strings.ToLower(strings.Join([]string{m.Recipient, m.Key, content.KeyName(m.Key), m.Campaign, m.Connector, subject(m)}, "\n"))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// subject is the line that a message is known by.
func subject(m engine.Delivered) string {
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

// rows are the messages in the table.
type rows struct{ s *Screen }

func (r rows) Len() int { return len(r.s.shown) }

func (r rows) Row(i int) widget.Cells {
	m := r.s.messages[r.s.shown[i]]
	return widget.Cells{
		{Text: when.Brief(m.At, r.s.now()), Tone: themes.ToneMuted}, {Text: m.Recipient}, {Text: subject(m), Tone: themes.ToneStrong},
		{Text: content.KeyName(m.Key), Tone: themes.ToneMuted}, {Text: m.Campaign, Tone: themes.ToneMuted},
	}
}

func (s *Screen) selected() (engine.Delivered, bool) {
	if s.table.Cursor >= len(s.shown) {
		return engine.Delivered{}, false
	}
	return s.messages[s.shown[s.table.Cursor]], true
}

func (s *Screen) key(msg tea.KeyMsg) {
	switch s.focus {
	case paneFilter:
		if s.filter.Update(msg) {
			s.narrow()
			s.table.Home()
		} else {
			s.table.Window.Update(arrows(msg))
		}
	case paneMessage:
		s.reader.update(msg)
	default:
		s.table.Window.Update(msg)
	}
	s.show()
}

// arrows keeps the keys that move without being letters.
func arrows(msg tea.KeyMsg) tea.KeyMsg {
	if msg.Type == tea.KeyRunes {
		return tea.KeyMsg{}
	}
	return msg
}

// wide reports whether the message is shown beside the table.
func (s *Screen) wide() bool { return s.roomy() && !s.zoom }

// roomy reports whether there is room for both.
func (s *Screen) roomy() bool { return s.width >= 100 }

func (s *Screen) mouse(msg tea.MouseMsg) {
	press := msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
	a := s.readerArea()
	seen := s.wide() || s.stacked() || s.focus == paneMessage
	switch {
	case seen && msg.X >= a.x && msg.Y >= a.y:
		if press && len(s.shown) > 0 && (s.wide() || msg.Y > a.y+1) {
			s.focus = paneMessage // a press on the tabs of a message below the table leaves it there
		}
		msg.X, msg.Y = msg.X-a.x-2, msg.Y-a.y-1
		s.reader.mouse(msg)
	default:
		again := press && s.onRow(msg.Y)
		if s.table.Mouse(msg, msg.Y-s.tableTop()) && press {
			s.focus = paneTable
			if again {
				s.focus = paneMessage
			}
		}
	}
	s.show()
}

// onRow says that the chosen message is on that line of the screen.
func (s *Screen) onRow(y int) bool {
	i, ok := s.table.RowAt(y - s.tableTop())
	return ok && i == s.table.Cursor && s.focus == paneTable
}

// show brings the reader to the chosen message.
func (s *Screen) show() {
	s.table.Focused = s.focus != paneMessage
	if s.readerArea() != s.laid {
		s.SetSize(s.width, s.height)
	}
	m, ok := s.selected()
	if !ok {
		s.reader.none()
		if s.focus == paneMessage {
			s.focus = paneTable
		}
		return
	}
	s.reader.show(m, s.when(m))
}
