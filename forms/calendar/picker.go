package calendar

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"bugle/themes"
)

// Outcome is the state of the picker after a key or click.
type Outcome uint8

// Outcomes.
const (
	Open     Outcome = iota // the picker stays open
	Accepted                // the user accepted the shown time
	Canceled                // the user canceled
)

// Picker lets the user pick a date and a time of day. Create one with [NewPicker].
type Picker struct {
	// Start is the first day of the week; Numbers shows week numbers.
	Start   time.Weekday
	Numbers bool
	// Marked reports whether a date is marked; nil if none is.
	Marked func(date time.Time) bool

	theme      *themes.Theme
	today      time.Time
	day        time.Time
	hourMinute [2]int
	typed      string // typed digits of the time
	months     []Month
}

// NewPicker returns a picker that starts at a date and time; the locations of at and today are ignored.
func NewPicker(t *themes.Theme, at, today time.Time) *Picker {
	return &Picker{Start: time.Monday, theme: t, today: Date(today), day: Date(at), hourMinute: [2]int{at.Hour(), at.Minute()}}
}

// Value returns the shown date and time, in UTC regardless of the actual zone.
func (p *Picker) Value() time.Time {
	c := p.hourMinute
	if p.typed != "" {
		c = parseDigits(p.typed)
	}
	return time.Date(p.day.Year(), p.day.Month(), p.day.Day(), c[0], c[1], 0, 0, time.UTC)
}

// Bindings returns the picker's keys.
func Bindings() []key.Binding {
	bind := func(label, help string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(label, help))
	}
	return []key.Binding{
		bind("enter", "take", "enter"),
		bind("0-9", "time", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ":", "backspace"),
		bind("arrows", "day, week", "left", "right", "up", "down", "h", "j", "k", "l"),
		bind("pgup/pgdn", "month", "pgup", "pgdown"),
		bind("t", "today", "t"),
		bind("+/-", "quarter of an hour", "+", "-"),
		bind("home/end", "first, last of month", "home", "end"),
		bind("esc", "leave", "esc"),
	}
}

// Key handles a key.
func (p *Picker) Key(msg tea.KeyMsg) Outcome {
	if msg.Type == tea.KeyRunes && !msg.Alt {
		for _, r := range msg.Runes { // fast typing arrives in one message
			p.key(string(r))
		}
		return Open
	}
	return p.key(msg.String())
}

func (p *Picker) key(k string) Outcome {
	switch k {
	case "enter":
		p.setTyped()
		return Accepted
	case "esc":
		return Canceled
	case "backspace":
		p.typed = p.typed[:max(len(p.typed)-1, 0)]
	case ":", ".":
		if len(p.typed) == 1 {
			p.typed = "0" + p.typed
		}
	case "+", "-":
		p.setTyped()
		p.stepQuarter(k == "+")
	default:
		if len(k) == 1 && k[0] >= '0' && k[0] <= '9' {
			p.digit(k)
			return Open
		}
		p.move(k)
	}
	return Open
}

// move handles the keys that move to another day.
func (p *Picker) move(k string) {
	switch k {
	case "left", "h":
		p.goTo(p.day.AddDate(0, 0, -1))
	case "right", "l":
		p.goTo(p.day.AddDate(0, 0, 1))
	case "up", "k":
		p.goTo(p.day.AddDate(0, 0, -7))
	case "down", "j":
		p.goTo(p.day.AddDate(0, 0, 7))
	case "pgup":
		p.addMonths(-1)
	case "pgdown":
		p.addMonths(1)
	case "home":
		p.goTo(AddMonths(p.day, 0))
	case "end":
		p.goTo(AddMonths(p.day, 1).AddDate(0, 0, -1))
	case "t":
		p.goTo(p.today)
	}
}

func (p *Picker) goTo(day time.Time) {
	if day.Year() >= 1970 && day.Year() < 9998 {
		p.day = day
	}
}

// addMonths moves to another month, to the same day or the last one there.
func (p *Picker) addMonths(n int) {
	first := AddMonths(p.day, n)
	last := AddMonths(p.day, n+1).AddDate(0, 0, -1)
	p.goTo(first.AddDate(0, 0, min(p.day.Day(), last.Day())-1))
}

// digit adds a digit to the time. If the first one is above 2, the hour has only one digit.
func (p *Picker) digit(k string) {
	next := p.typed + k
	if len(p.typed) == 4 {
		next = k
	}
	if len(next) == 1 && k > "2" {
		next = "0" + k
	}
	if len(next) >= 2 && next[:2] > "23" || len(next) >= 3 && next[2] > '5' {
		return
	}
	p.typed = next
}

func (p *Picker) setTyped() {
	if p.typed != "" {
		p.hourMinute, p.typed = parseDigits(p.typed), ""
	}
}

// parseDigits parses the digits of a time; missing ones are zero.
func parseDigits(typed string) [2]int {
	if len(typed) == 1 {
		typed = "0" + typed
	}
	digits := (typed + "0000")[:4]
	var c [2]int
	for i := range c {
		c[i] = int(digits[2*i]-'0')*10 + int(digits[2*i+1]-'0')
	}
	return c
}

// stepQuarter moves to the next or previous quarter of an hour, across midnight too.
func (p *Picker) stepQuarter(up bool) {
	minutes := p.hourMinute[0]*60 + p.hourMinute[1]
	if up {
		minutes = minutes/15*15 + 15
	} else {
		minutes = (minutes+14)/15*15 - 15
	}
	switch {
	case minutes < 0:
		minutes += 24 * 60
		p.goTo(p.day.AddDate(0, 0, -1))
	case minutes >= 24*60:
		minutes -= 24 * 60
		p.goTo(p.day.AddDate(0, 0, 1))
	}
	p.hourMinute = [2]int{minutes / 60, minutes % 60}
}

// Mouse handles a click or the wheel, relative to the view. A click on the selected day accepts it.
func (p *Picker) Mouse(msg tea.MouseMsg) Outcome {
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		p.addMonths(-1)
	case msg.Button == tea.MouseButtonWheelDown:
		p.addMonths(1)
	case msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress:
		return p.click(msg.X, msg.Y)
	}
	return Open
}

func (p *Picker) click(x, y int) Outcome {
	for i, m := range p.months {
		at := x - i*(m.Width()+Gap)
		if at < 0 || at >= m.Width() {
			continue
		}
		if y == 0 {
			p.addMonths(map[bool]int{true: -1, false: 1}[i == 0 && at < m.Width()/2])
			return Open
		}
		if day, ok := m.DayAt(at, y); ok {
			if day.Equal(p.day) {
				p.setTyped()
				return Accepted
			}
			p.goTo(day)
		}
	}
	return Open
}

// View draws the picker in w cells and h lines: months side by side if they fit, with the time below. If there
// are too few lines for a month, it draws the weeks around the day.
func (p *Picker) View(w, h int) string {
	if w < 1 || h < 1 {
		return ""
	}
	m := Month{Theme: p.theme, Of: p.day, Start: p.Start, Numbers: p.Numbers, Today: p.today, Cursor: p.day, Marked: p.Marked, Arrows: true}
	p.months = []Month{m}
	for i := 1; i < MonthsPerRow(m.Width(), w, 3); i++ {
		m.Of, m.Arrows = AddMonths(p.day, i), false
		p.months = append(p.months, m)
	}
	lines := Join(p.months...)
	if room := max(h-1, 1); len(lines) > room {
		row := 2 + int(p.day.Sub(p.months[0].first()).Hours()/24)/7
		lines = append(lines[:1:1], linesAround(lines[1:], row-1, max(room-1, 0))...)
		p.months = nil // the click targets of the months are not valid
	}
	lines = append(lines[:min(len(lines), max(h-1, 0))], p.timeLine(w))
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], w, "")
	}
	return strings.Join(lines, "\n")
}

// linesAround returns at most n lines that include line at.
func linesAround(lines []string, at, n int) []string {
	from := max(min(at-n/2, len(lines)-n), 0)
	return lines[from:min(from+n, len(lines))]
}

func (p *Picker) timeLine(w int) string {
	t := p.theme
	shown := fmt.Sprintf("%02d:%02d", p.hourMinute[0], p.hourMinute[1])
	style := t.Strong
	if p.typed != "" {
		d := p.typed + "____"[len(p.typed):]
		shown, style = d[:2]+":"+d[2:], t.Accent
	}
	line := t.Muted.Render(p.day.Format("Mon 2 Jan")+", ") + style.Render(shown)
	if how := "  type digits to set the time"; ansi.StringWidth(line+how) <= w {
		line += t.Faint.Render(how)
	}
	return line
}
