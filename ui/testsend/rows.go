package testsend

import (
	"github.com/charmbracelet/lipgloss"

	"bugle/themes"
	"bugle/ui/widget"
)

// rowKind is a kind of row in the form.
type rowKind uint8

const (
	rowIdentifier rowKind = iota
	rowRecipient          // a recipient
	rowPrompt             // the prompt for the next one
	rowFilter
	rowCopies
	rowPersona // a user whose data the messages have; the last one adds another
	rowOverride
	rowSend
	rowForecast // the forecast beside the form
	rowText     // text that the cursor skips
)

// rowID identifies a row by its kind and index.
type rowID struct {
	kind rowKind
	i    int
}

// row is a rendered row of the form.
type row struct {
	rowID
	lines []string
}

func textRow(lines ...string) row { return row{rowID{rowText, 0}, lines} }

// labelWidth is the width of labels.
const labelWidth = 12

// line renders a row's first line, with the cursor if it is there.
func line(t *themes.Theme, cursor, at rowID, label, text string, w int) row {
	mark := "  "
	if cursor == at {
		mark = t.Accent.Render("▌ ")
	}
	if label != "" {
		label = t.Muted.Render(widget.PadRight(widget.Clean(label), labelWidth))
	}
	return row{at, []string{widget.PadRight(mark+label+text, w)}}
}

// choice renders a value that is one of several.
func choice(t *themes.Theme, focused bool, value string) string {
	value = widget.Clean(value)
	if focused {
		return t.Selected.Render(value + " ▾")
	}
	return value + " " + t.Faint.Render("▾")
}

// addBelow adds lines to a row, indented by n.
func addBelow(r row, n, w int, style lipgloss.Style, text string) row {
	if text == "" {
		return r
	}
	r.lines = append(r.lines, widget.WrapIndented(style, text, w, n)...)
	return r
}

// formWindow is the visible part of the form.
type formWindow struct {
	top  int // the first visible line
	more int // number of lines below the visible ones
}

// visible returns the lines that fit, including the row under the cursor.
func (win *formWindow) visible(rows []row, at rowID, h int) []string {
	var lines []string
	from, to := 0, 0
	for _, r := range rows {
		if r.rowID == at && r.kind != rowText {
			from, to = len(lines), len(lines)+len(r.lines)
		}
		lines = append(lines, r.lines...)
	}
	h = max(h, 0)
	win.top = max(min(win.top, from), to-h, 0)
	win.top = min(win.top, from, max(len(lines)-h, 0))
	if at.kind == rowSend {
		win.top = 0 // show the recipients before sending
	}
	to = min(win.top+h, len(lines))
	win.more = len(lines) - to
	return lines[win.top:to:to]
}
