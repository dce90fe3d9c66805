package forms

import (
	"time"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
)

// timeFields parses and formats the times in the rows of a form.
type timeFields struct{ cfg *Config }

// isTime reports whether a row is a point in time, which can be typed in natural language.
func isTime(r row) bool {
	return r.group == groupFields && r.shape == shapeInput && r.input == nil && r.Node != nil && r.Node.Kind == schema.Time
}

// zoneFor returns the zone of the times at p: that of the zone field in the nearest surrounding object, else
// the screen's. It is nil if no zone has been chosen.
func (c timeFields) zoneFor(root doc.Value, p doc.Path) *time.Location {
	for q := p; len(q) > 0; {
		q = q.Parent()
		n := c.cfg.Schema.At(q)
		if n == nil {
			continue
		}
		for _, child := range n.Children {
			if hasForm(child, schema.Zone) {
				return location(root.Lookup(q.Child(child.Name)).Text())
			}
		}
	}
	if c.cfg.Zone != nil {
		if loc, ok := c.cfg.Zone(root); ok {
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

func (c timeFields) now() time.Time {
	if c.cfg.Now != nil {
		return c.cfg.Now()
	}
	return time.Now()
}

// parse parses the text of a row, using the time of day that the row has in before.
func (c timeFields) parse(before doc.Value, r row, text string) (timeparse.Result, error) {
	in := timeparse.Context{Now: c.now(), Zone: c.zoneFor(before, r.Path)}
	if had, err := timeparse.Parse(before.Lookup(r.Path).Text(), in); err == nil && had.Exact {
		hour := timeparse.ClockOf(had.Instant)
		in.Clock = &hour
	}
	return timeparse.Parse(text, in)
}

// timeValue returns the document's format of a time typed in a row; false if it cannot be parsed, or the row is
// not a time.
func (c timeFields) timeValue(before doc.Value, r row, text string) (string, bool) {
	if !isTime(r) || r.Node.Template && schema.HasExpression(text) {
		return "", false
	}
	t, err := c.parse(before, r, text)
	return t.Wire, err == nil
}

// relative formats how far off a time is.
func (c timeFields) relative(at time.Time) string {
	return timeparse.Until(at, c.now().In(at.Location()))
}

// explain returns how a text in a time row is interpreted, notes about it, and why it cannot be parsed.
func (c timeFields) explain(before doc.Value, r row, text string) (words string, notes []string, refused string) {
	if !isTime(r) || text == "" || r.Node.Template && schema.HasExpression(text) {
		return "", nil, ""
	}
	t, err := c.parse(before, r, text)
	if err != nil {
		return "", nil, err.Error()
	}
	return t.Text + " · " + c.relative(t.Instant), t.Notes, ""
}

// describe formats the time in a row without focus, and how far off it is; "" if it has none.
func (c timeFields) describe(root doc.Value, r row) (moment, off string) {
	text := r.Value.Text()
	if !isTime(r) || text == "" || schema.HasExpression(text) {
		return "", ""
	}
	t, err := c.parse(root, r, text)
	if err != nil || !t.Exact {
		return "", ""
	}
	at, zone := t.Instant, ""
	switch loc := c.zoneFor(root, r.Path); {
	case loc != nil:
		at = at.In(loc)
	case schema.HasOffset(text):
		zone = at.Format(" MST")
	}
	return timeparse.Moment(at, c.now()) + zone, c.relative(at)
}
