package calendar

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"bugle/themes"
)

// Picker lets the user pick a day. Create one with [NewPicker].
type Picker struct {
	theme  *themes.Theme
	today  time.Time
	day    time.Time
	months []Month // as last drawn, for clicks
}

// NewPicker returns a picker that starts at the date of a time.
func NewPicker(t *themes.Theme, at, today time.Time) *Picker {
	return &Picker{theme: t, today: Date(today), day: Date(at)}
}

// Day returns the chosen day.
func (p *Picker) Day() time.Time { return p.day }

// Key handles a key that goes to another day.
func (p *Picker) Key(pressed string) {
	first := AddMonths(p.day, 0)
	switch pressed {
	case "left", "h":
		p.goTo(p.day.AddDate(0, 0, -1))
	case "right", "l":
		p.goTo(p.day.AddDate(0, 0, 1))
	case "up", "k":
		p.goTo(p.day.AddDate(0, 0, -7))
	case "down", "j":
		p.goTo(p.day.AddDate(0, 0, 7))
	case "pgup":
		p.turn(-1)
	case "pgdown":
		p.turn(1)
	case "home":
		p.goTo(first)
	case "end":
		p.goTo(first.AddDate(0, 1, -1))
	case "t":
		p.goTo(p.today)
	}
}

func (p *Picker) goTo(day time.Time) {
	if day.Year() >= 1970 && day.Year() < 9998 {
		p.day = day
	}
}

// turn moves to another month, to the same day or the last one there.
func (p *Picker) turn(months int) {
	first := AddMonths(p.day, months)
	last := first.AddDate(0, 1, -1)
	p.goTo(first.AddDate(0, 0, min(p.day.Day(), last.Day())-1))
}

// Mouse handles a click or the wheel, relative to the view. It reports whether the selected day was clicked, which accepts it.
func (p *Picker) Mouse(msg tea.MouseMsg) (accepted bool) {
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		p.turn(-1)
	case msg.Button == tea.MouseButtonWheelDown:
		p.turn(1)
	case msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress:
		return p.click(msg.X, msg.Y)
	}
	return false
}

func (p *Picker) click(x, y int) (accepted bool) {
	for i, m := range p.months {
		at := x - i*(m.Width()+Gap)
		day, ok := m.DayAt(at, y)
		switch {
		case at < 0 || at >= m.Width():
		case ok && day.Equal(p.day):
			return true
		case ok:
			p.goTo(day)
		}
	}
	return false
}

// View draws the picker in w cells and at most h lines: months side by side if they fit.
func (p *Picker) View(w, h int) string {
	if w < 1 || h < 1 {
		return ""
	}
	m := Month{Theme: p.theme, Of: p.day, Today: p.today, Cursor: p.day}
	p.months = []Month{m}
	for i := 1; i < MonthsPerRow(m.Width(), w, 3); i++ {
		m.Of = AddMonths(p.day, i)
		p.months = append(p.months, m)
	}
	lines := Join(p.months...)
	lines = lines[:min(len(lines), h)]
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], w, "")
	}
	return strings.Join(lines, "\n")
}
