package plain

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/ui/screen"
)

// memory is what was printed of a page.
type memory struct {
	summary string
	lines   map[string]bool
	rows    map[int]string
	count   int    // of rows
	top     int    // the first row that is printed
	opened  string // the row that was opened
}

// windowRows is how many rows are printed at a time.
const windowRows = 12

// arrive prints what is new on the page and asks for a line. It returns a command instead if the page goes on by itself.
func (d *driver) arrive(page screen.Page, key string) (cmd tea.Cmd, moved bool) {
	entered := key != d.key
	if entered {
		d.key, d.paused = key, false
		d.asked = nil
	}
	m, known := d.heard[key]
	if !known {
		m = &memory{lines: map[string]bool{}, rows: map[int]string{}}
		d.heard[key] = m
	}
	rows := page.AllRows()
	asks := page.Form && !d.paused && rows.Len() > 0
	d.print(page, m, !asks && (!known || d.listing))
	d.listing = false
	switch {
	case asks && d.asked == nil:
		return d.begin(page, rows)
	case d.asked != nil && d.asked.done:
		return d.goOn(page, rows)
	case entered && !known && page.Ask > 0 && page.Ask <= rows.Len():
		d.asked = &question{at: page.Ask - 1, name: rows.Row(page.Ask - 1).Text, alone: true}
	}
	if d.asked != nil {
		d.askField(page, rows)
	} else {
		d.console.ask(promptOf(page))
	}
	return nil, false
}

// promptOf returns the prompt of a page: its place.
func promptOf(page screen.Page) string {
	if page.Question && strings.HasSuffix(page.Place, "?") {
		return page.Place
	}
	return page.Place + ">"
}

// print prints what is new on a page, or all of it.
func (d *driver) print(page screen.Page, m *memory, all bool) {
	if page.Summary != m.summary {
		d.console.say(d.spoken(page.Summary))
		m.summary = page.Summary
	}
	d.console.say(d.spoken(page.Warning))
	rows := page.AllRows()
	if page.Form && !d.paused {
		m.count = rows.Len()
		return // its fields say the rest
	}
	all = all || rows.Len() != m.count
	m.count = rows.Len()
	heard := m.lines
	m.lines = map[string]bool{}
	m.top = max(min(m.top, rows.Len()-1), 0)
	from := 0
	for _, part := range page.Parts {
		if all {
			d.console.say(nameLine(part, len(page.Parts)))
		}
		for _, line := range part.Lines {
			if !heard[line] {
				d.console.say(line)
			}
			m.lines[line] = true
		}
		if part.Rows != nil {
			d.printRows(part.Rows, from, m, all, page.Question)
			from += part.Rows.Len()
		}
	}
	if to := m.top + windowRows; all && to < rows.Len() {
		d.console.say(fmt.Sprintf("%d more.", rows.Len()-to))
	}
}

// nameLine returns the line that names a part, if it is not the only one.
func nameLine(part screen.Part, parts int) string {
	if part.Name == "" || parts < 2 {
		return ""
	}
	return part.Name + ":"
}

// printRows prints those rows of a part that are in the window and new, or all of them. from is the number of rows before the
// part. Answers that cannot be given are not printed.
func (d *driver) printRows(rows screen.Rows, from int, m *memory, all, answers bool) {
	for i := max(m.top-from, 0); i < rows.Len() && from+i < m.top+windowRows; i++ {
		row := rows.Row(i)
		text := rowLine(from+i, row)
		asked := d.asked != nil && d.asked.at == from+i && m.rows[from+i] != "" // what is new about it is said with its question
		if (all || m.rows[from+i] != text && !asked) && !(answers && row.DisabledReason != "") {
			d.console.say(text)
		}
		m.rows[from+i] = text
	}
}

// rowLine returns a row with its number.
func rowLine(i int, r screen.Row) string {
	text := fmt.Sprintf("%d. %s", i+1, r.Text)
	if r.State != "" {
		text += ": " + r.State
	}
	if r.Problem != "" {
		text = strings.TrimSuffix(text, ".") + ". " + phrase.Sentence(r.Problem)
	}
	if r.DisabledReason != "" {
		text = strings.TrimSuffix(text, ".") + ". Not available: " + phrase.Sentence(r.DisabledReason)
	}
	return text
}

// where says where the user is.
func (d *driver) where(page screen.Page) {
	d.console.say(page.Place + ". " + page.Summary)
	if rows := page.AllRows(); page.Cursor > 0 && page.Cursor <= rows.Len() {
		d.console.say("On " + rowLine(page.Cursor-1, rows.Row(page.Cursor-1)))
	}
}
