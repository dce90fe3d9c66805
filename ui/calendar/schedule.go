// Package calendar shows the next sends of a campaign in a list and a calendar.
package calendar

import (
	"fmt"
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
// if it fits: the months from that of the first visible send.
type schedulePanel struct {
	theme         *themes.Theme
	clock         func() time.Time
	width, height int

	document         doc.Value
	now              time.Time
	zone             *time.Location
	zoneFromDocument bool // the document sets the zone
	sends            []time.Time
	lines            []string
	at               []int // the line of each send
	list             widget.Window
	first            time.Time          // in the first month shown
	marks            map[time.Time]bool // dates of sends in the visible months
}

// NewPanel returns the side panel of the schedule form: the campaign's next sends.
func NewPanel(cfg editor.Config) editor.SidePanel {
	s := &schedulePanel{theme: cfg.Theme, clock: cfg.Now, zone: time.UTC}
	if s.clock == nil {
		s.clock = time.Now
	}
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
	now := s.clock().Truncate(time.Minute)
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
	s.mark()
	return nil
}

func (s *schedulePanel) month() months.Month {
	return months.Month{Theme: s.theme, Of: s.first, Numbers: true, Today: months.Date(s.now.In(s.zone)),
		Marked: func(d time.Time) bool { return s.marks[d] }}
}

// listWidth is the width of a line of the list.
const listWidth = 34

// placement returns where the calendar is: below the list, beside it, or hidden.
func (s *schedulePanel) placement() (below, beside bool) {
	w := s.month().Width()
	switch {
	case s.height < months.Height || s.width < w || len(s.sends) == 0:
		return false, false
	case s.width >= listWidth+months.Gap+w && s.height < 2*months.Height+6:
		return false, true
	}
	return s.height >= months.Height+6, false
}

// monthsPerRow returns how many months are side by side; 0 if there is no calendar.
func (s *schedulePanel) monthsPerRow() int {
	below, beside := s.placement()
	room := s.width
	switch {
	case beside:
		room -= listWidth + months.Gap
	case !below:
		return 0
	}
	return months.MonthsPerRow(s.month().Width(), room, 3)
}

// layout renders the lines of the list and positions the calendar.
func (s *schedulePanel) layout() {
	w, h := s.width, s.height
	below, beside := s.placement()
	if beside {
		w = listWidth
	}
	s.lines = s.text(w)
	if below {
		h = min(h-months.Height-1, len(s.lines)) // the calendar is directly below the list
	}
	s.list.Resize(len(s.lines), h)
	s.mark()
}

// mark finds the sends in the visible months.
func (s *schedulePanel) mark() {
	s.marks = map[time.Time]bool{}
	n := s.monthsPerRow()
	if n == 0 {
		return
	}
	from, _ := s.list.Visible()
	top := min(sort.SearchInts(s.at, from), len(s.sends)-1)
	s.first = months.AddMonths(s.sends[top], 0)
	till := months.AddMonths(s.first, n)
	start, _ := timeparse.At(s.first, s.zone)
	for _, t := range engine.NextSends(s.document, start, 31*n) {
		if d := months.Date(t); d.Before(till) {
			s.marks[d] = true
		}
	}
}

// text returns the lines of the list.
func (s *schedulePanel) text(w int) []string {
	var out []string
	s.at = s.at[:0]
	add := func(tone themes.Tone, text string) {
		out = append(out, widget.WrapStyled(s.theme.Tone(tone), text, w)...)
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
	now := s.now.In(s.zone)
	usual, year := s.usualTime(), now.Year()
	for i, t := range s.sends {
		if i > 0 {
			if words := clockChange(s.sends[i-1], t); words != "" {
				add(themes.ToneWarning, words)
			}
		}
		if t.Year() != year {
			year = t.Year()
			add(themes.ToneFaint, t.Format("2006"))
		}
		s.at = append(s.at, len(out))
		out = append(out, s.line(t, now, w))
		if c := timeparse.ClockOf(t); c != usual && i > 0 {
			add(themes.ToneWarning, "  "+usual.String()+" does not exist on that day")
		}
	}
	if len(s.sends) == maxSends {
		add(themes.ToneFaint, "and so on")
	}
	return out
}

// usualTime returns the time of day of most sends; a clock change may skip it once, but not twice in a row.
func (s *schedulePanel) usualTime() timeparse.Clock {
	seen := map[timeparse.Clock]int{}
	best := timeparse.ClockOf(s.sends[0])
	for _, t := range s.sends {
		c := timeparse.ClockOf(t)
		if seen[c]++; seen[c] > seen[best] {
			best = c
		}
	}
	return best
}

// line draws one send: weekday and date, time, and how far off it is.
func (s *schedulePanel) line(t, now time.Time, w int) string {
	day, clock, off := t.Format("Mon _2 Jan  "), timeparse.ClockOf(t).String(), timeparse.Until(t, now)
	line := s.theme.Paint(themes.ToneText, day) + s.theme.Paint(themes.ToneStrong, clock)
	if len(day)+len(clock)+2+len(off) <= w {
		line += "  " + s.theme.Paint(themes.ToneFaint, off)
	}
	return widget.Truncate(line, w)
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
	lines := append([]string(nil), s.lines[from:to]...)
	var ms []months.Month
	for i := range s.monthsPerRow() {
		m := s.month()
		m.Of = months.AddMonths(m.Of, i)
		ms = append(ms, m)
	}
	if len(ms) == 0 {
		return widget.Fit(strings.Join(lines, "\n"), s.width, s.height)
	}
	drawn := months.Join(ms...)
	if below, _ := s.placement(); below {
		return widget.Fit(strings.Join(append(append(lines, ""), drawn...), "\n"), s.width, s.height)
	}
	for i, l := range drawn {
		if i == len(lines) {
			lines = append(lines, "")
		}
		lines[i] = widget.PadRight(lines[i], listWidth+months.Gap) + l
	}
	return widget.Fit(strings.Join(lines, "\n"), s.width, s.height)
}

// maxSpoken is how many sends plain mode says.
const maxSpoken = 5

// Read says when the campaign sends next.
func (s *schedulePanel) Read() []string {
	if len(s.sends) == 0 {
		return []string{phrase.Sentence(engine.NoSendsReason(s.document, s.now))}
	}
	var out []string
	now := s.now.In(s.zone)
	for i, t := range s.sends[:min(len(s.sends), maxSpoken)] {
		out = append(out, fmt.Sprintf("Send %d: %s %s, %s.", i+1, timeparse.Moment(t.In(s.zone), now), s.zone,
			timeparse.Until(t, now)))
	}
	return out
}
