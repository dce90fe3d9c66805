// Package calendar shows the next sends of a campaign in a list and a calendar.
package calendar

import (
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/timeparse"
	months "bugle/forms/calendar"
	"bugle/themes"
	"bugle/ui/widget"
)

// Schedule lists the next sends of a document in the campaign's time zone, with a calendar if it fits. Create
// one with [NewSchedule].
type Schedule struct {
	Numbers bool // week numbers are shown

	theme         *themes.Theme
	width, height int

	document         doc.Value
	now              time.Time
	zone             *time.Location
	zoneFromDocument bool // the document sets the zone
	sends            []time.Time
	monthOffset      int // months after that of the next send
	first            time.Time
	marks            map[time.Time]bool // dates of sends in the visible months
	list             widget.Window
	lines            []string
}

// NewSchedule returns a schedule without a document.
func NewSchedule(t *themes.Theme) Schedule {
	return Schedule{theme: t, zone: time.UTC}
}

// SetSize sets the size of the view.
func (s *Schedule) SetSize(width, height int) {
	s.width, s.height = max(width, 0), max(height, 0)
	s.layout()
}

// maxSends is how many sends are listed.
const maxSends = 50

// SetDocument shows the sends of a document after now. It is cheap if neither has changed.
func (s *Schedule) SetDocument(document doc.Value, now time.Time) {
	now = now.Truncate(time.Minute)
	if document.Same(s.document) && now.Equal(s.now) {
		return
	}
	s.document, s.now = document, now
	s.zone, s.zoneFromDocument = engine.TimeZone(document)
	s.sends = engine.NextSends(document, now, maxSends)
	s.first = now.In(s.zone)
	if len(s.sends) > 0 {
		s.first = s.sends[0]
	}
	s.layout()
}

// Bindings returns the keys that work here.
func (s *Schedule) Bindings() []key.Binding {
	scroll := key.NewBinding(key.WithKeys("up", "down", "pgup", "pgdown"), key.WithHelp("↑/↓", "scroll"))
	if !s.hasCalendar() {
		return []key.Binding{scroll}
	}
	return []key.Binding{
		key.NewBinding(key.WithKeys("left", "right", "h", "l"), key.WithHelp("←/→", "month")),
		scroll,
		key.NewBinding(key.WithKeys("0"), key.WithHelp("0", "month of the next send")),
	}
}

// hasCalendar reports whether a calendar is visible.
func (s *Schedule) hasCalendar() bool {
	below, beside := s.placement()
	return below || beside
}

// Update handles a key, and reports whether it was one for the schedule.
func (s *Schedule) Update(msg tea.KeyMsg) bool {
	k := msg.String()
	switch {
	case s.hasCalendar() && (k == "left" || k == "h"):
		s.turn(-1)
	case s.hasCalendar() && (k == "right" || k == "l"):
		s.turn(1)
	case s.hasCalendar() && k == "0":
		s.turn(-s.monthOffset)
	default:
		return s.list.UpdateScroll(msg)
	}
	return true
}

// Mouse scrolls the list or changes the month: with the wheel, or a click on the arrows or the name of a later
// month. The position is relative to the view.
func (s *Schedule) Mouse(msg tea.MouseMsg) bool {
	x, y, inside := s.inCalendar(msg.X, msg.Y)
	if !inside {
		return s.list.Wheel(msg)
	}
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		s.turn(-1)
	case msg.Button == tea.MouseButtonWheelDown:
		s.turn(1)
	case widget.Pressed(msg) && y == 0:
		if x < s.month().Width()/2 {
			s.turn(-1)
		} else {
			s.turn(1)
		}
	default:
		return false
	}
	return true
}

// inCalendar returns the cell of the calendar at a position of the view; false for the list.
func (s *Schedule) inCalendar(x, y int) (int, int, bool) {
	below, beside := s.placement()
	switch {
	case below:
		y -= s.list.Height + 1
	case beside:
		x -= listWidth + months.Gap
	}
	return x, y, (below || beside) && x >= 0 && y >= 0
}

func (s *Schedule) turn(n int) {
	if y := months.AddMonths(s.first, s.monthOffset+n).Year(); y < 1971 || y > 9990 {
		return
	}
	s.monthOffset += n
	s.mark()
}

func (s *Schedule) month() months.Month {
	return months.Month{Theme: s.theme, Of: months.AddMonths(s.first, s.monthOffset), Numbers: s.Numbers, Arrows: true,
		Today: months.Date(s.now.In(s.zone)), Marked: func(d time.Time) bool { return s.marks[d] }}
}

// listWidth is the width of a line of the list.
const listWidth = 34

// placement returns where the calendar is: below the list, beside it, or hidden.
func (s *Schedule) placement() (below, beside bool) {
	w := s.month().Width()
	switch {
	case s.height < months.Height || s.width < w || !s.scheduled():
		return false, false
	case s.width >= listWidth+months.Gap+w && s.height < 2*months.Height+6:
		return false, true
	}
	return s.height >= months.Height+6, false
}

// scheduled reports whether there are sends to show in a calendar.
func (s *Schedule) scheduled() bool { return len(s.sends) > 0 }

// monthsPerRow returns how many months are side by side.
func (s *Schedule) monthsPerRow() int {
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
func (s *Schedule) layout() {
	s.mark()
	w, h := s.width, s.height
	below, beside := s.placement()
	if beside {
		w = listWidth
	}
	if below {
		h -= months.Height + 1
	}
	s.lines = s.text(w)
	if below {
		h = min(h, len(s.lines)) // the calendar is directly below the list
	}
	s.list.Resize(len(s.lines), h)
}

// mark finds the sends in the visible months.
func (s *Schedule) mark() {
	n := s.monthsPerRow()
	s.marks = map[time.Time]bool{}
	if n == 0 {
		return
	}
	from := months.AddMonths(s.first, s.monthOffset)
	till := months.AddMonths(from, n)
	start, _ := timeparse.At(from, s.zone)
	for _, t := range engine.NextSends(s.document, start, 31*n) {
		if d := months.Date(t); d.Before(till) {
			s.marks[d] = true
		}
	}
}

// text returns the lines of the list.
func (s *Schedule) text(w int) []string {
	var out []string
	add := func(tone themes.Tone, text string) {
		out = append(out, widget.WrapStyled(s.theme.Tone(tone), text, w)...)
	}
	if s.zoneFromDocument {
		add(themes.ToneMuted, "Times in "+s.zone.String())
	} else {
		add(themes.ToneWarning, "No time zone chosen; times are in UTC")
	}
	if !s.scheduled() {
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
func (s *Schedule) usualTime() timeparse.Clock {
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
func (s *Schedule) line(t, now time.Time, w int) string {
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
func (s *Schedule) View() string {
	from, to := s.list.Visible()
	lines := append([]string(nil), s.lines[from:to]...)
	if below, _ := s.placement(); s.hasCalendar() {
		var ms []months.Month
		for i := range s.monthsPerRow() {
			m := s.month()
			m.Of, m.Arrows = months.AddMonths(m.Of, i), i == 0
			ms = append(ms, m)
		}
		drawn := months.Join(ms...)
		if below {
			return widget.Fit(strings.Join(append(append(lines, ""), drawn...), "\n"), s.width, s.height)
		}
		for i := range max(len(lines), len(drawn)) {
			if i >= len(lines) {
				lines = append(lines, "")
			}
			if i < len(drawn) {
				lines[i] = widget.PadRight(lines[i], listWidth+months.Gap) + drawn[i]
			}
		}
	}
	return widget.Fit(strings.Join(lines, "\n"), s.width, s.height)
}
