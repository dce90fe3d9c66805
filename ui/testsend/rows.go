package testsend

import (
	"strings"

	"bugle/themes"
	"bugle/ui/widget"
)

// rowKind is a kind of row of the form.
type rowKind uint8

const (
	rowIdentifier rowKind = iota
	rowRecipient            // a recipient
	rowPrompt           // where the next is typed
	rowFilter
	rowOverride
	rowSend
	rowForecast    // the messages beside the form
	rowText // words that the cursor passes over
)

// rowID is one row of the form: its kind, and which of that kind.
type rowID struct {
	kind rowKind
	i     int
}

// row is a row of the form as it is drawn.
type row struct {
	rowID
	lines []string
}

func textRow(lines ...string) row { return row{rowID{rowText, 0}, lines} }

// labelWidth is the width of what stands before a value.
const labelWidth = 12

// line draws a row's first line, with the sign of the cursor where that is there.
func line(t themes.Theme, cursor, at rowID, label, text string, w int) row {
	mark := "  "
	if cursor == at {
		mark = t.Accent.Render("▌ ")
	}
	if label != "" {
		label = t.Muted.Render(widget.PadRight(widget.Clean(label), labelWidth))
	}
	return row{at, []string{widget.PadRight(mark+label+text, w)}}
}

// choice draws a value that can be turned.
func choice(t themes.Theme, focused bool, value string) string {
	value = widget.Clean(value)
	if focused {
		return t.Selected.Render("‹ " + value + " ›")
	}
	return value + " " + t.Faint.Render("▾")
}

// addBelow draws lines under a row, indented by n.
func addBelow(r row, n, w int, style interface{ Render(...string) string }, text string) row {
	if text == "" {
		return r
	}
	for _, l := range widget.Wrap(widget.Clean(text), max(w-n, 1)) {
		r.lines = append(r.lines, strings.Repeat(" ", n)+style.Render(l))
	}
	return r
}

// formWindow is the part of the form that is in sight.
type formWindow struct {
	top  int // the first line in sight
	more int // lines below those in sight
}

// visible returns the lines that fit, the row under the cursor among them.
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
		win.top = 0 // who it goes to is seen before it is sent
	}
	to = min(win.top+h, len(lines))
	win.more = len(lines) - to
	return lines[win.top:to:to]
}
