// Package calendar draws months and lets the user pick a day. Weeks begin on Monday, as in ISO 8601.
//
// Dates are UTC times at midnight, made with [Date], because a date has no zone.
package calendar

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"

	"bugle/themes"
)

// Date returns the date of t in its location.
func Date(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// Month draws one month: a title, the names of the weekdays and six weeks.
type Month struct {
	Theme *themes.Theme
	// Of is any day of the month.
	Of time.Time
	// Numbers shows the week number (ISO 8601) before each week.
	Numbers bool
	// Today and Cursor are dates to highlight; zero for none.
	Today, Cursor time.Time
	// Marked reports whether a date is marked; nil if none is.
	Marked func(date time.Time) bool
}

// Height is the number of lines of a month.
const Height = 8

const dayWidth = 3 // two digits and a sign

// Width returns the width of the month in cells.
func (m Month) Width() int { return 7*dayWidth + m.gutter() }

func (m Month) gutter() int {
	if m.Numbers {
		return 3
	}
	return 0
}

// first returns the date in the upper left corner.
func (m Month) first() time.Time {
	of := Date(m.Of)
	of = of.AddDate(0, 0, 1-of.Day())
	return of.AddDate(0, 0, -(int(of.Weekday())+6)%7)
}

// DayAt returns the date at a cell of the month; false if there is none.
func (m Month) DayAt(x, y int) (time.Time, bool) {
	x -= m.gutter()
	if x < 0 || x >= 7*dayWidth || y < 2 || y >= Height {
		return time.Time{}, false
	}
	day := m.first().AddDate(0, 0, 7*(y-2)+x/dayWidth)
	return day, day.Month() == m.Of.Month()
}

// Lines draws the month: Height lines of Width cells.
func (m Month) Lines() []string {
	t := m.Theme
	out := make([]string, 0, Height)
	out = append(out, t.Title.Width(m.Width()).Align(lipgloss.Center).Render(m.Of.Format("January 2006")))
	out = append(out, t.Faint.Render(strings.Repeat(" ", m.gutter())+"Mo Tu We Th Fr Sa Su "))
	day := m.first()
	for range Height - 2 {
		var b strings.Builder
		inside := false
		for i := range 7 {
			d := day.AddDate(0, 0, i)
			if d.Month() != m.Of.Month() {
				b.WriteString(strings.Repeat(" ", dayWidth))
				continue
			}
			inside = true
			b.WriteString(m.day(d))
		}
		line := b.String()
		if m.Numbers {
			number := "   "
			if inside {
				_, week := day.ISOWeek()
				number = fmt.Sprintf("%2d ", week)
			}
			line = t.Faint.Render(number) + line
		}
		out = append(out, line)
		day = day.AddDate(0, 0, 7)
	}
	return out
}

// day draws one day. Each style has a sign of its own, so that color is never the only indicator.
func (m Month) day(d time.Time) string {
	t := m.Theme
	marked := m.Marked != nil && m.Marked(d)
	number := fmt.Sprintf("%2d", d.Day())
	switch today := d.Equal(m.Today); {
	case d.Equal(m.Cursor) && marked:
		return t.Selected.Render(number) + t.Accent.Render("•")
	case d.Equal(m.Cursor):
		return t.Selected.Render(number) + t.Accent.Render("◂")
	case marked:
		return t.Success.Bold(true).Underline(today).Render(number) + t.Success.Render("•")
	case today:
		return t.Strong.Underline(true).Render(number) + t.Accent.Render("·")
	}
	return t.Text.Render(number) + " "
}

// Gap is the number of cells between two months.
const Gap = 2

// MonthsPerRow returns how many months fit side by side, at least one and at most most.
func MonthsPerRow(month, cells, most int) int {
	return max(min((cells+Gap)/(month+Gap), most), 1)
}

// Join joins months side by side.
func Join(months ...Month) []string {
	blocks := make([]string, 0, 2*len(months))
	for i, m := range months {
		if i > 0 {
			blocks = append(blocks, strings.Repeat(" ", Gap))
		}
		blocks = append(blocks, strings.Join(m.Lines(), "\n"))
	}
	return strings.Split(lipgloss.JoinHorizontal(lipgloss.Top, blocks...), "\n")
}

// AddMonths returns the first day of the month n months after that of t.
func AddMonths(t time.Time, n int) time.Time {
	return time.Date(t.Year(), t.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
}
