package workspace

import (
	"fmt"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/workspace/settings"
	"bugle/forms"
	"bugle/themes"
	"bugle/ui/screen"
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
	field  forms.Line
}

// cells returns the row in the table.
func (s *List) cells(row recordRow) widget.Cells {
	if s.section().Single {
		value := widget.Cell{Text: row.field.Value, Tone: themes.ToneText}
		if value.Text == "" {
			value = widget.Cell{Text: "not set", Tone: themes.ToneFaint}
		}
		return widget.Cells{{Text: row.field.Label}, value}
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

// fieldRows returns the fields of a section's single record that are in use, as its form has them.
func fieldRows(deps screen.Deps, sec *settings.Section, v doc.Value) []recordRow {
	var out []recordRow
	for _, l := range forms.New(forms.Config{Schema: sec.Table(v), Root: v, Theme: deps.Theme, Now: deps.Now}).Lines() {
		if l.Shown {
			out = append(out, recordRow{v, l})
		}
	}
	return out
}

// sameRecord reports whether two rows of the section are the same record or field.
func (s *List) sameRecord(a, b recordRow) bool {
	return s.section().NameOf(a.record) == s.section().NameOf(b.record) && a.field.Path.Equal(b.field.Path)
}

// has reports whether a row contains a word in lower case. A section that is only searched has the rows that match already.
func (s *List) has(row recordRow, word string) bool {
	switch {
	case s.section().SearchOnly:
		return true
	case s.section().Single:
		return strings.Contains(strings.ToLower(row.field.Label+" "+row.field.Value), word)
	}
	return strings.Contains(strings.ToLower(string(row.record.Encode())), word)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// recordCount formats a number of records; more indicates that there are others.
func recordCount(n int, more bool) string {
	if more {
		return fmt.Sprintf("%d+", n)
	}
	return fmt.Sprint(n)
}
