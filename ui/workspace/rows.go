package workspace

import (
	"fmt"
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/workspace/settings"
	"bugle/themes"
	"bugle/ui/widget"
)

// columns returns the columns of a section's table. A single record is shown with a field per row.
func columns(sec *settings.Section) []widget.Column {
	if sec.Single {
		return []widget.Column{{Title: "Setting", Min: 16, Max: 26, Weight: 1}, {Title: "Value", Min: 16, Weight: 3}}
	}
	out := make([]widget.Column, len(sec.Columns))
	for i, c := range sec.Columns {
		out[i] = widget.Column{Title: c.Title, Min: c.MinWidth, Max: c.MaxWidth, Weight: 1, Priority: c.HidePriority}
		if c.MaxWidth == 0 {
			out[i].Weight = 3
		}
		if c.Number {
			out[i].Align = widget.AlignRight
		}
	}
	return out
}

// recordRow is a record, or a field of a section's single record.
type recordRow struct {
	record doc.Value
	field  schema.FieldState
}

// cells returns the row in the table.
func (s *List) cells(row recordRow) widget.Cells {
	if s.section().Single {
		value := widget.Cell{Text: valueText(row.field), Tone: themes.ToneText}
		if value.Text == "" {
			value = widget.Cell{Text: "not set", Tone: themes.ToneFaint}
		}
		return widget.Cells{{Text: row.field.Node.Label()}, value}
	}
	cells := make(widget.Cells, len(s.section().Columns))
	for n, c := range s.section().Columns {
		cells[n] = widget.Cell{Text: oneLine(c.Text(row.record))}
		if n > 0 {
			cells[n].Tone = themes.ToneMuted
		}
	}
	return cells
}

// fieldRows returns the fields of a section's single record that are in use.
func fieldRows(sec *settings.Section, v doc.Value) []recordRow {
	st, _ := sec.Table(v).Object(v, nil, schema.Env{})
	var out []recordRow
	for _, f := range st.Fields {
		if f.Shown {
			out = append(out, recordRow{v, f})
		}
	}
	return out
}

// sameRecord reports whether two rows of the section are the same record or field.
func (s *List) sameRecord(a, b recordRow) bool {
	return s.section().NameOf(a.record) == s.section().NameOf(b.record) && a.field.Path.Equal(b.field.Path)
}

// match returns what reports whether a row contains every word of a filter. A section that is only searched has the rows that
// match already.
func (s *List) match(filter string) func(recordRow) bool {
	words := strings.Fields(strings.ToLower(filter))
	return func(row recordRow) bool {
		text := string(row.record.Encode())
		if s.section().Single {
			text = row.field.Node.Label() + " " + valueText(row.field)
		}
		text = strings.ToLower(text)
		return s.section().SearchOnly || !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	}
}

// valueText formats a value on one line, as its form does.
func valueText(f schema.FieldState) string {
	v := f.Value
	switch v.Kind() {
	case doc.Absent, doc.Null:
		if f.Node.Kind == schema.Bool && f.Node.Default == "false" {
			return "off"
		}
		return ""
	case doc.Bool:
		if v.True() {
			return "on"
		}
		return "off"
	case doc.String:
		for _, o := range f.Node.Options {
			if o.Value == v.Text() {
				return o.Title()
			}
		}
		return oneLine(v.Text())
	case doc.Array:
		var out []string
		for _, e := range v.Elems() {
			out = append(out, valueText(schema.FieldState{Node: f.Node.Element, Value: e}))
		}
		return strings.Join(out, ", ")
	case doc.Object:
		var out []string
		for _, c := range f.Node.Children {
			if m := v.Get(c.Name); !m.Empty() && (m.Kind() != doc.Bool || m.True()) {
				out = append(out, strings.ToLower(c.Label())+": "+valueText(schema.FieldState{Node: c, Value: m}))
			}
		}
		return strings.Join(out, "; ")
	}
	return v.Literal()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// recordCount formats a number of records; more indicates that there are others.
func recordCount(n int, more bool) string {
	if more {
		return fmt.Sprintf("%d+", n)
	}
	return fmt.Sprint(n)
}
