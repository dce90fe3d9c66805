package forms

import (
	"strings"
	"time"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
	"bugle/forms/calendar"
)

// isTime reports whether a row is a point in time, which can be typed in natural language.
func isTime(r row) bool {
	return r.group == groupFields && r.Shape == ShapeText && r.Write == nil && r.Node.Kind == schema.Time
}

// zoneFor returns the zone of the times at p: that of the zone field in the nearest surrounding object, else
// the screen's. It is nil if no zone has been chosen.
func (f *Form) zoneFor(root doc.Value, p doc.Path) *time.Location {
	for q := p; len(q) > 0; {
		q = q.Parent()
		n := f.cfg.Schema.At(q)
		if n == nil {
			continue
		}
		for _, child := range n.Children {
			if hasForm(child, schema.Zone) {
				return location(root.Lookup(q.Child(child.Name)).Text())
			}
		}
	}
	if f.cfg.Zone != nil {
		if loc, ok := f.cfg.Zone(root); ok {
			return loc
		}
	}
	return nil
}

func location(name string) *time.Location {
	if schema.Zone.Matches(name) {
		if loc, err := time.LoadLocation(name); err == nil {
			return loc
		}
	}
	return nil
}

func (f *Form) now() time.Time {
	if f.cfg.Now != nil {
		return f.cfg.Now()
	}
	return time.Now()
}

// parseTime parses the text of a row, using the time of day that the row has in before.
func (f *Form) parseTime(before doc.Value, r row, text string) (timeparse.Result, error) {
	in := timeparse.Context{Now: f.now(), Zone: f.zoneFor(before, r.Path)}
	if had, err := timeparse.Parse(before.Lookup(r.Path).Text(), in); err == nil && had.Exact {
		hour := timeparse.ClockOf(had.Instant)
		in.Clock = &hour
	}
	return timeparse.Parse(text, in)
}

// timeValue returns the document's format of a time typed in a row; false if it cannot be parsed, or the row is
// not a time.
func (f *Form) timeValue(before doc.Value, r row, text string) (string, bool) {
	if !isTime(r) || r.Node.Template && schema.HasExpression(text) {
		return "", false
	}
	t, err := f.parseTime(before, r, text)
	return t.Wire, err == nil
}

// timeWords formats the time in a row in the zone of the document, with the local time where that differs, and how far off
// it is.
func (f *Form) timeWords(root doc.Value, r row, t timeparse.Result) (moment, off string) {
	zone, moment := f.zoneFor(root, r.Path), t.Text
	switch {
	case zone != nil:
		moment = timeparse.Zoned(t.Instant, zone, f.now())
	case !t.Floating:
		moment = timeparse.Zoned(t.Instant, t.Instant.Location(), f.now())
	}
	return moment, timeparse.Until(t.Instant, f.now().In(t.Instant.Location()))
}

// explainTime returns how a text in a time row is interpreted, notes about it, and why it cannot be parsed.
func (f *Form) explainTime(root doc.Value, r row, text string) (words string, notes []string, err error) {
	if r.Node.Template && schema.HasExpression(text) {
		return "", nil, nil
	}
	t, err := f.parseTime(root, r, text)
	if err != nil {
		return "", nil, err
	}
	moment, off := f.timeWords(root, r, t)
	return moment + " · " + off, t.Notes, nil
}

// describeTime formats the time in a row without focus, and how far off it is; "" if it has none.
func (f *Form) describeTime(r row) (moment, off string) {
	if !isTime(r) || r.Text == "" || schema.HasExpression(r.Text) {
		return "", ""
	}
	t, err := f.parseTime(f.root, r, r.Text)
	if err != nil || !t.Exact {
		return "", ""
	}
	return f.timeWords(f.root, r, t)
}

// openCalendar opens the calendar at the time in the focused row, or tomorrow.
func (f *Form) openCalendar() {
	r, _ := f.focused()
	today := f.now()
	if loc := f.zoneFor(f.root, r.Path); loc != nil {
		today = today.In(loc)
	}
	at := today.AddDate(0, 0, 1)
	if had, err := f.parseTime(f.root, r, r.Value.Text()); err == nil {
		at = had.Instant
	}
	f.calendar = calendar.NewPicker(f.cfg.Theme, at, today)
}

// pickedTime returns the time of the chosen day: at the time of day that the row has, or at nine.
func (f *Form) pickedTime() (timeparse.Result, error) {
	r, _ := f.focused()
	return f.parseTime(f.root, r, f.calendar.Day().Format(time.DateOnly))
}

// calendarKey handles a key in the calendar.
func (f *Form) calendarKey(pressed string) {
	switch pressed {
	case "esc":
		f.calendar = nil
	case "enter":
		t, err := f.pickedTime()
		f.calendar = nil
		if r, ok := f.focused(); ok && err == nil {
			f.setValue(r, doc.NewString(t.Wire))
		}
	default:
		f.calendar.Key(pressed)
	}
}

const calendarIndent = 2

// calendarView draws the calendar in place of the fields, and what the chosen day means.
func (f *Form) calendarView() []string {
	t, w, h := f.cfg.Theme, f.layout.width, f.layout.height
	r, _ := f.focused()
	out := []string{t.Accent.Render("▸ " + r.Label)}
	if h > 1 {
		for l := range strings.SplitSeq(f.calendar.View(max(w-calendarIndent, 1), h-1), "\n") {
			out = append(out, strings.Repeat(" ", calendarIndent)+l)
		}
	}
	if at, err := f.pickedTime(); err == nil {
		moment, off := f.timeWords(f.root, r, at)
		out = append(out, indented(t.Info, w, moment+" · "+off, 2)...)
		for _, note := range at.Notes {
			out = append(out, indented(t.Warning, w, "! "+sentence(note), 2)...)
		}
	}
	return out
}
