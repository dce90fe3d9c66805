package forms

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/timeparse"
	"bugle/forms/calendar"
	"bugle/themes"
)

// datePicker is the calendar that is open for a row, in place of the fields.
type datePicker struct {
	clock  timeFields
	theme  *themes.Theme
	before doc.Value // the document when the row was focused
	row    row
	of     string // the list that the row is an element of; "" if it is none
	picker *calendar.Picker
}

// newDatePicker opens a calendar at the time in a row, or tomorrow at nine.
func newDatePicker(c timeFields, t *themes.Theme, before doc.Value, r row, text, of string) *datePicker {
	today := c.now()
	if loc := c.zoneFor(before, r.Path); loc != nil {
		today = today.In(loc)
	}
	at := calendar.Date(today).AddDate(0, 0, 1).Add(9 * time.Hour)
	if had, err := c.parse(before, r, text); err == nil {
		at = had.Instant
	}
	return &datePicker{clock: c, theme: t, before: before, row: r, of: of, picker: calendar.NewPicker(t, at, today)}
}

// reading returns the chosen time.
func (p *datePicker) reading() (timeparse.Result, error) {
	return p.clock.parse(p.before, p.row, p.picker.Value().Format("2006-01-02 15:04"))
}

const pickerIndent = 2

func (p *datePicker) mouse(msg tea.MouseMsg) calendar.Outcome {
	msg.X, msg.Y = msg.X-pickerIndent, msg.Y-1
	return p.picker.Mouse(msg)
}

// view draws the calendar in w cells and h lines.
func (p *datePicker) view(w, h int) string {
	t := p.theme
	out := []string{t.Accent.Render("▸ ") + t.Accent.Render(p.row.label)}
	if p.of != "" {
		out[0] += t.Muted.Render(" of " + p.of)
	}
	rest := h - 1
	var below []string
	if at, err := p.reading(); err == nil && rest > calendar.Height+1 {
		below = append(below, indented(t.Info, w, at.Text+" · "+p.clock.relative(at.Instant), 2)...)
		for _, note := range at.Notes {
			below = append(below, indented(t.Warning, w, "! "+sentence(note), 2)...)
		}
		below = below[:min(len(below), rest-calendar.Height-1)]
	}
	if room := min(rest-len(below), calendar.Height+1); room > 0 {
		for l := range strings.SplitSeq(p.picker.View(max(w-pickerIndent, 1), room), "\n") {
			out = append(out, strings.Repeat(" ", pickerIndent)+l)
		}
	}
	out = append(out, below...)
	for i := range out {
		out[i] = cutLine(out[i], w)
	}
	return strings.Join(out[:min(len(out), h)], "\n")
}
