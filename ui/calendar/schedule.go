// Package calendar shows the next sends of a campaign in a list and a calendar.
package calendar

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/timeparse"
	months "bugle/forms/calendar"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/widget"
)

// schedulePanel is the side panel of the schedule form. It lists the next sends in the campaign's time zone, with a calendar
// below them if it fits: the months from that of the first visible send.
type schedulePanel struct {
	cfg           editor.Config
	width, height int

	document         doc.Value
	now              time.Time // in the user's time zone
	zone             *time.Location
	zoneFromDocument bool // the document sets the zone
	sends            []time.Time
	lines            []string
	at               []int // the line of each send
	list             widget.Window
}

// NewPanel returns the side panel of the schedule form: the campaign's next sends.
func NewPanel(cfg editor.Config) editor.SidePanel {
	s := &schedulePanel{cfg: cfg}
	s.Show(cfg.Root, nil)
	return s
}

// Title returns the name of the panel's tab.
func (s *schedulePanel) Title() string { return "Calendar" }

// SetSize sets the size of the view.
func (s *schedulePanel) SetSize(width, height int) {
	s.width, s.height = max(width, 0), max(height, 0)
	s.layout()
}

// maxSends is how many sends are listed.
const maxSends = 50

// Show shows the sends of a document. It is cheap if neither that nor the minute has changed.
func (s *schedulePanel) Show(document doc.Value, _ doc.Path) tea.Cmd {
	now := s.cfg.Local(s.cfg.Now().Truncate(time.Minute))
	if document.Same(s.document) && now.Equal(s.now) {
		return nil
	}
	s.document, s.now = document, now
	s.zone, s.zoneFromDocument = engine.TimeZone(document)
	s.sends = engine.NextSends(document, now, maxSends)
	s.layout()
	return nil
}

// Bindings returns the keys that work here.
func (s *schedulePanel) Bindings() []key.Binding {
	return []key.Binding{key.NewBinding(key.WithKeys("up", "down", "pgup", "pgdown"), key.WithHelp("↑/↓", "scroll"))}
}

// Update scrolls the sends, which the calendar follows.
func (s *schedulePanel) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		s.list.UpdateScroll(msg)
	case tea.MouseMsg:
		s.list.Wheel(msg)
	}
	return nil
}

// minListHeight is the least number of lines for the list above a calendar.
const minListHeight = 5

// hasCalendar reports whether there is room for a calendar.
func (s *schedulePanel) hasCalendar() bool {
	return len(s.sends) > 0 && s.height > months.Height+minListHeight && s.width >= months.Month{Numbers: true}.Width()
}

// layout draws the lines of the list.
func (s *schedulePanel) layout() {
	s.lines = s.text()
	h := s.height
	if s.hasCalendar() {
		h = min(h-months.Height-1, len(s.lines))
	}
	s.list.Resize(len(s.lines), h)
}

// text returns the lines of the list.
func (s *schedulePanel) text() []string {
	var out []string
	s.at = s.at[:0]
	add := func(tone themes.Tone, text string) {
		out = append(out, widget.WrapStyled(s.cfg.Theme.Tone(tone), text, s.width)...)
	}
	if s.zoneFromDocument {
		add(themes.ToneMuted, "Times in "+s.zone.String())
	} else {
		add(themes.ToneWarning, "No time zone chosen; times are in UTC")
	}
	if len(s.sends) == 0 {
		add(themes.ToneText, engine.NoSendsReason(s.document, s.now))
		return out
	}
	for i, t := range s.sends {
		if i > 0 {
			if words := clockChange(s.sends[i-1], t); words != "" {
				add(themes.ToneWarning, words)
			}
		}
		s.at = append(s.at, len(out))
		out = append(out, s.line(t))
	}
	if len(s.sends) == maxSends {
		add(themes.ToneFaint, "and so on")
	}
	return out
}

// line draws one send: when it is, and how far off that is. The first line of the list names the zone.
func (s *schedulePanel) line(t time.Time) string {
	when, off := strings.Replace(timeparse.Zoned(t, s.zone, s.now), " "+s.zone.String(), "", 1), timeparse.Until(t, s.now)
	line := s.cfg.Theme.Paint(themes.ToneText, when)
	if len(when)+2+len(off) <= s.width {
		line += "  " + s.cfg.Theme.Paint(themes.ToneFaint, off)
	}
	return widget.Truncate(line, s.width)
}

// clockChange returns the day of a clock change between two sends; "" if there is none.
func clockChange(a, b time.Time) string {
	_, before := a.Zone()
	_, after := b.Zone()
	if before == after {
		return ""
	}
	at, _ := b.ZoneBounds()
	if at.IsZero() {
		return ""
	}
	words := timeparse.ClockChange(at)
	if words == "" {
		return ""
	}
	return "↕ " + at.Format("2 Jan") + ": " + words
}

// View draws the list and the calendar.
func (s *schedulePanel) View() string {
	from, to := s.list.Visible()
	lines := slices.Clone(s.lines[from:to])
	if s.hasCalendar() {
		lines = append(append(lines, ""), s.calendar(from)...)
	}
	return widget.Fit(strings.Join(lines, "\n"), s.width, s.height)
}

// calendar draws as many months as fit beside each other, from that of the first send at or below a line of the list.
func (s *schedulePanel) calendar(from int) []string {
	top := min(sort.SearchInts(s.at, from), len(s.sends)-1)
	first := months.AddMonths(s.sends[top], 0)
	month := months.Month{Theme: s.cfg.Theme, Numbers: true, Today: months.Date(s.now.In(s.zone))}
	n := months.MonthsPerRow(month.Width(), s.width, 3)
	marks := map[time.Time]bool{}
	start, _ := timeparse.At(first, s.zone)
	for _, t := range engine.NextSends(s.document, start, 31*n) {
		marks[months.Date(t)] = true
	}
	month.Marked = func(d time.Time) bool { return marks[d] }
	var row []months.Month
	for i := range n {
		month.Of = months.AddMonths(first, i)
		row = append(row, month)
	}
	return months.Join(row...)
}

// maxSpoken is how many sends plain mode says.
const maxSpoken = 5

// Read says when the campaign sends next.
func (s *schedulePanel) Read() []string {
	if len(s.sends) == 0 {
		return []string{phrase.Sentence(engine.NoSendsReason(s.document, s.now))}
	}
	var out []string
	for i, t := range s.sends[:min(len(s.sends), maxSpoken)] {
		out = append(out, fmt.Sprintf("Send %d: %s, %s.", i+1, timeparse.Zoned(t, s.zone, s.now), timeparse.Until(t, s.now)))
	}
	return out
}
