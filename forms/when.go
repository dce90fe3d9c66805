package forms

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
	"bugle/forms/calendar"
)

// isTime reports a row whose text is a moment, read as people type it.
func isTime(r row) bool {
	return r.group == shown && r.shape == oneline && r.Node != nil && r.Node.Kind == schema.Time
}

// zoneFor returns the zone of the times at p: that of the field for one in the nearest object around
// it, else the screen's. It is nil where none is chosen yet.
func (f *Form) zoneFor(p doc.Path) *time.Location {
	for q := p; len(q) > 0; {
		q = q.Parent()
		n := f.cfg.Schema.At(q)
		if n == nil {
			continue
		}
		for _, c := range n.Children {
			if hasForm(c, schema.Zone) {
				return location(f.root.Lookup(q.Child(c.Name)).Text())
			}
		}
	}
	if f.cfg.Zone != nil {
		if loc, ok := f.cfg.Zone(f.root); ok {
			return loc
		}
	}
	return nil
}

func location(name string) *time.Location {
	if !schema.Zone.Matches(name) {
		return nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return loc
}

func (f *Form) now() time.Time {
	if f.cfg.Now != nil {
		return f.cfg.Now()
	}
	return time.Now()
}

// readTime reads a text for a row, with the time of day that the row held when it was reached.
func (f *Form) readTime(r row, text string) (timeparse.Reading, error) {
	c := timeparse.Context{Now: f.now(), Zone: f.zoneFor(r.Path)}
	if had, err := timeparse.Read(f.before.Lookup(r.Path).Text(), timeparse.Context{Now: c.Now, Zone: c.Zone}); err == nil && had.Exact {
		clock := timeparse.ClockOf(had.Instant)
		c.Clock = &clock
	}
	return timeparse.Read(text, c)
}

// wireTime returns how a document spells what was typed in a row for a time; false where it is not
// understood, or not such a row.
func (f *Form) wireTime(r row, text string) (string, bool) {
	if !isTime(r) || r.Node.Template && schema.HasExpression(text) {
		return "", false
	}
	t, err := f.readTime(r, text)
	return t.Wire, err == nil
}

// typedTime returns the text of the focused row where it is one for a time that a person changed.
func (f *Form) typedTime() (row, string, bool) {
	r, ok := f.focusedRow()
	in, text := f.ed.(*input)
	if !ok || !text || f.naming != nil || !isTime(r) || in.text == in.start {
		return r, "", false
	}
	return r, unpack(in.text), true
}

// settleTime puts the document's spelling in the place of what was typed, once Enter is pressed.
func (f *Form) settleTime() {
	r, text, ok := f.typedTime()
	if !ok {
		return
	}
	if wire, ok := f.wireTime(r, text); ok && wire != text {
		f.absorb()
		f.reedit()
	}
}

// reedit makes the editor of the focused row anew, with what the document holds.
func (f *Form) reedit() {
	if f.list {
		f.before = f.root
		if r, ok := f.focusedRow(); ok {
			f.ed = f.newEditor(r)
		}
		f.arrange()
		return
	}
	f.focus(f.at)
}

// understood returns what stands in a row for a time: what it means, what is odd about it, and why it
// is not understood.
func (f *Form) understood(r row) (words string, notes []string, refused string) {
	if !isTime(r) {
		return "", nil, ""
	}
	text := r.Value.Text()
	_, typed, changed := f.typedTime()
	if changed {
		text = typed
	}
	if text == "" || r.Node.Template && schema.HasExpression(text) {
		return "", nil, ""
	}
	t, err := f.readTime(r, text)
	if err != nil {
		return "", nil, err.Error()
	}
	return t.Words + " · " + timeparse.Until(t.Instant, f.now().In(t.Instant.Location())), t.Notes, ""
}

// atRest returns the time in a row that has not the focus as people say it, and how far off that is; "" where
// it holds none.
func (f *Form) atRest(r row) (moment, off string) {
	text := r.Value.Text()
	if !isTime(r) || text == "" || schema.HasExpression(text) {
		return "", ""
	}
	t, err := f.readTime(r, text)
	if err != nil || !t.Exact {
		return "", ""
	}
	at, now, zone := t.Instant, f.now(), ""
	switch loc := f.zoneFor(r.Path); {
	case loc != nil:
		at = at.In(loc)
	case schema.HasOffset(text):
		zone = at.Format(" MST")
	}
	return timeparse.Moment(at, now) + zone, timeparse.Until(at, now.In(at.Location()))
}

// picking is an open calendar for a row.
type picking struct {
	row    row
	picker *calendar.Picker
}

// pick opens the calendar at the time that the row holds, or tomorrow at nine.
func (f *Form) pick(r row) {
	loc := f.zoneFor(r.Path)
	today := f.now()
	if loc != nil {
		today = today.In(loc)
	}
	at := calendar.Date(today).AddDate(0, 0, 1).Add(9 * time.Hour)
	text := r.Value.Text()
	if _, typed, ok := f.typedTime(); ok {
		text = typed
	}
	if t, err := f.readTime(r, text); err == nil {
		at = t.Instant
	}
	f.picking = &picking{row: r, picker: calendar.NewPicker(f.cfg.Theme, at, today)}
	f.arrange()
}

// pickable reports a row for which a calendar can be opened now.
func (f *Form) pickable(r row) bool {
	return isTime(r) && r.locked == "" && (f.ed != nil || f.list) && f.naming == nil
}

func (f *Form) pickingKey(msg tea.KeyMsg) { f.picked(f.picking.picker.Key(msg)) }

// picked goes on after a key or click in the calendar.
func (f *Form) picked(o calendar.Outcome) {
	if o == calendar.Open {
		return
	}
	p := f.picking
	f.picking = nil
	if o == calendar.Taken {
		at := p.picker.Value()
		if t, err := f.readTime(p.row, at.Format("2006-01-02 15:04")); err == nil {
			f.take(p.row, doc.NewString(t.Wire))
			return
		}
	}
	f.arrange()
}

// take writes a value that was chosen outside the row's editor.
func (f *Form) take(r row, v doc.Value) {
	root, err := f.write(f.root, r.Path, v)
	if err != nil {
		f.failure = "Cannot change this field: " + err.Error() + "."
		f.arrange()
		return
	}
	f.ed = nil
	f.setRoot(root)
	f.focus(f.at)
}

// pickingView draws the calendar in the place of the fields.
func (f *Form) pickingView() string {
	t, r := f.cfg.Theme, f.picking.row
	out := []string{t.Accent.Render("▸ ") + t.Accent.Render(r.label)}
	if f.list {
		out[0] += t.Muted.Render(" of " + f.node.Label())
	}
	rest := f.cfg.Height - 1
	var below []string
	if at, err := f.readTime(r, f.picking.picker.Value().Format("2006-01-02 15:04")); err == nil && rest > calendar.Height+1 {
		below = append(below, f.indented(t.Info, at.Words+" · "+timeparse.Until(at.Instant, f.now().In(at.Instant.Location())), 2)...)
		for _, note := range at.Notes {
			below = append(below, f.indented(t.Warning, "! "+f.sentence(note), 2)...)
		}
		below = below[:min(len(below), rest-calendar.Height-1)]
	}
	if h := min(rest-len(below), calendar.Height+1); h > 0 {
		for l := range strings.SplitSeq(f.picking.picker.View(max(f.cfg.Width-pickerIndent, 1), h), "\n") {
			out = append(out, strings.Repeat(" ", pickerIndent)+l)
		}
	}
	out = append(out, below...)
	for i := range out {
		out[i] = fit(out[i], f.cfg.Width)
	}
	return strings.Join(out[:min(len(out), f.cfg.Height)], "\n")
}

const pickerIndent = 2

func (f *Form) pickingMouse(msg tea.MouseMsg) {
	msg.X, msg.Y = msg.X-pickerIndent, msg.Y-1
	f.picked(f.picking.picker.Mouse(msg))
}
