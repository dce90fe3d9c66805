package testsend

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/widget"
)

// entry is a key of a run or one of its recipients.
type entry struct {
	key, send int // send is -1 for the key itself
	lines     []string
}

// rowList is a list with a cursor and entries of several lines.
type rowList struct {
	entries []entry
	window  widget.Window // over the lines
	cursor  int           // index of an entry
	moved   bool          // the user has moved it; otherwise it follows the progress
	height  int
}

// reset makes the cursor follow the progress.
func (l *rowList) reset() { l.cursor, l.moved, l.window = 0, false, widget.Window{} }

// setEntries sets the entries and keeps the cursor visible.
func (l *rowList) setEntries(entries []entry, height int) {
	l.entries, l.height = entries, max(height, 0)
	n := 0
	for _, e := range entries {
		n += len(e.lines)
	}
	l.cursor = max(min(l.cursor, len(entries)-1), 0)
	l.window.Resize(n, l.height)
}

// show scrolls to the entry under the cursor.
func (l *rowList) show() {
	from := 0
	for i, e := range l.entries {
		if i == l.cursor {
			l.window.Select(from + len(e.lines) - 1)
			l.window.Select(from)
			return
		}
		from += len(e.lines)
	}
}

func (l *rowList) move(n int) {
	l.cursor, l.moved = max(min(l.cursor+n, len(l.entries)-1), 0), true
	l.show()
}

func (l *rowList) update(msg tea.KeyMsg) {
	switch msg.String() {
	case "up", "k":
		l.move(-1)
	case "down", "j":
		l.move(1)
	case "pgup", "ctrl+b":
		l.move(-max(l.height-1, 1))
	case "pgdown", "ctrl+f":
		l.move(max(l.height-1, 1))
	case "home", "g":
		l.move(-len(l.entries))
	case "end", "G":
		l.move(len(l.entries))
	}
}

// at returns the entry on a line of the list.
func (l *rowList) at(y int) (int, bool) {
	line, ok := l.window.At(y)
	for i, e := range l.entries {
		if line < len(e.lines) {
			return i, ok
		}
		line -= len(e.lines)
	}
	return 0, false
}

// view returns the visible lines.
func (l *rowList) view() []string {
	var lines []string
	for _, e := range l.entries {
		lines = append(lines, e.lines...)
	}
	from, to := l.window.Visible()
	return lines[from:to]
}
