package testsend

import (
	"strings"

	"bugle/themes"
	"bugle/ui/widget"
)

// place is a kind of row of the form.
type place uint8

const (
	onIdentifier place = iota
	onValue            // a recipient
	onPrompt           // where the next is typed
	onNarrowing
	onOverride
	onSend
	onGrid    // the messages beside the form
	onNothing // words that the cursor passes over
)

// spot is one row of the form: its kind, and which of that kind.
type spot struct {
	place place
	i     int
}

// row is a row of the form as it is drawn.
type row struct {
	spot
	lines []string
}

func words(lines ...string) row { return row{spot{onNothing, 0}, lines} }

// labelWidth is the width of what stands before a value.
const labelWidth = 12

// line draws a row's first line, with the sign of the cursor where that is there.
func line(t themes.Theme, cursor, at spot, label, text string, w int) row {
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

// below draws lines under a row, indented by n.
func below(r row, n, w int, style interface{ Render(...string) string }, text string) row {
	if text == "" {
		return r
	}
	for _, l := range widget.Wrap(widget.Clean(text), max(w-n, 1)) {
		r.lines = append(r.lines, strings.Repeat(" ", n)+style.Render(l))
	}
	return r
}

// window is the part of the form that is in sight.
type window struct {
	top  int // the first line in sight
	more int // lines below those in sight
}

// inSight returns the lines that fit, the row under the cursor among them.
func (win *window) inSight(rows []row, at spot, h int) []string {
	var lines []string
	from, to := 0, 0
	for _, r := range rows {
		if r.spot == at && r.place != onNothing {
			from, to = len(lines), len(lines)+len(r.lines)
		}
		lines = append(lines, r.lines...)
	}
	h = max(h, 0)
	win.top = max(min(win.top, from), to-h, 0)
	win.top = min(win.top, from, max(len(lines)-h, 0))
	if at.place == onSend {
		win.top = 0 // who it goes to is seen before it is sent
	}
	to = min(win.top+h, len(lines))
	win.more = len(lines) - to
	return lines[win.top:to:to]
}
