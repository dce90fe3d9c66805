// Package typeahead draws a line of text with a cursor, and the list of suggestions below it.
//
// Enter accepts the highlighted row. A text that is not a suggestion has a row of its own, Use “text”, so that
// the effect of enter is always visible.
package typeahead

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"bugle/forms/textfield"
	"bugle/themes"
)

// MaxRows is the number of rows shown below a field.
const MaxRows = 6

// Item is a suggestion.
type Item struct {
	Value    string // the field's value once it is accepted
	Info     string // shown beside the value
	Keywords string // also matches the text
	Ref      int    // an index for the caller
}

// Items returns an item for each name.
func Items(names []string) []Item {
	out := make([]Item, len(names))
	for i, n := range names {
		out[i] = Item{Value: n, Ref: i}
	}
	return out
}

// Row is a row of the list: a suggestion, or the text itself.
type Row struct {
	Item
	Free bool // the row is the text itself
}

// Options is what a list shows for a text.
type Options struct {
	Items     []Item // matches, the best first; see [Match]
	Text      string
	Typed     bool   // the user typed the text: a row is highlighted
	Free      bool   // a text that is not a suggestion can be accepted
	Valid     bool   // the text is valid without being a suggestion: its row is highlighted
	Note      string // shown beside the row of the text
	TextFirst bool   // the row of the text comes first, not last
}

// List is the list below a field. Its zero value is empty.
type List struct {
	rows  []Row
	at    int // the highlighted row; -1 for none
	typed bool
	moved bool // the user moved to the row
	from  int  // the first row when last drawn
	drawn int  // number of rows when last drawn
}

// Show sets the rows. A row that the user moved to stays highlighted as long as it exists.
func (l *List) Show(o Options) {
	old, had := l.Highlighted()
	had = had && l.moved
	l.rows, l.at, l.typed, l.moved = l.rows[:0], -1, o.Typed, false
	exact := -1
	for i, it := range o.Items {
		if it.Value == o.Text && exact < 0 {
			exact = i
		}
		l.rows = append(l.rows, Row{Item: it})
	}
	if o.Free && o.Text != "" && exact < 0 {
		at := len(l.rows)
		if o.TextFirst {
			at = 0
		}
		l.rows = slices.Insert(l.rows, at, Row{Item: Item{Value: o.Text, Info: o.Note, Ref: -1}, Free: true})
		switch {
		case o.Valid:
			exact = at
		case o.TextFirst:
			exact = min(1, len(l.rows)-1)
		}
	}
	if o.Typed && len(l.rows) > 0 {
		l.at = max(exact, 0)
	}
	if had {
		if i := slices.IndexFunc(l.rows, func(r Row) bool { return r.Free == old.Free && (r.Free || r.Value == old.Value) }); i >= 0 {
			l.at, l.moved = i, true
		}
	}
}

// Clear empties the list.
func (l *List) Clear() { *l = List{rows: l.rows[:0], at: -1} }

// Len returns the number of rows.
func (l *List) Len() int { return len(l.rows) }

// Highlighted returns the row that enter accepts; false if there is none.
func (l *List) Highlighted() (Row, bool) {
	if l.at < 0 || l.at >= len(l.rows) {
		return Row{}, false
	}
	return l.rows[l.at], true
}

// FreeHighlighted reports whether the row of the text itself is highlighted.
func (l *List) FreeHighlighted() bool {
	r, ok := l.Highlighted()
	return ok && r.Free
}

// At returns the index of the highlighted row; -1 if there is none.
func (l *List) At() int {
	if _, ok := l.Highlighted(); !ok {
		return -1
	}
	return l.at
}

// Highlight moves to row i. It returns false if there is no such row.
func (l *List) Highlight(i int) bool {
	if i < 0 || i >= len(l.rows) {
		return false
	}
	l.at, l.moved = i, true
	return true
}

// Key handles the keys that move in the list. It returns false for others, and for an arrow that leaves the
// list: up from its first row, down from its last.
func (l *List) Key(key string) bool {
	n, at := len(l.rows), l.At()
	switch key {
	case "ctrl+n":
		return n > 0 && l.Highlight((at+1)%n)
	case "ctrl+p":
		return n > 0 && l.Highlight((max(at, 0)+n-1)%n)
	case "down":
		return l.Highlight(at + 1)
	case "up":
		if at == 0 && !l.typed {
			l.at, l.moved = -1, false
			return true
		}
		return at > 0 && l.Highlight(at-1)
	}
	return false
}

// Lines draws the rows in at most h lines of w cells, scrolled to the highlighted one.
func (l *List) Lines(t *themes.Theme, w, h int) []string {
	n := len(l.rows)
	l.drawn = max(min(h, n), 0)
	l.from = max(min(max(l.At()-l.drawn+1, 0), n-l.drawn), 0)
	var out []string
	widest := 0
	for _, r := range l.rows[l.from : l.from+l.drawn] {
		widest = max(widest, ansi.StringWidth(title(r)))
	}
	for i := l.from; i < l.from+l.drawn; i++ {
		out = append(out, l.line(t, i, w, widest))
	}
	if more := n - l.from - l.drawn; more > 0 && l.drawn > 0 {
		tail := fmt.Sprintf("  (%d more)", more)
		last := len(out) - 1
		out[last] = ansi.Truncate(out[last], max(w-len(tail), 0), "…") + t.Faint.Render(tail)
	}
	return out
}

func (l *List) line(t *themes.Theme, i, w, widest int) string {
	r := l.rows[i]
	text, info := title(r), textfield.OneLine(r.Info)
	if info != "" {
		text += strings.Repeat(" ", max(widest-ansi.StringWidth(text), 0)) + "  "
	}
	room := max(w-2, 1)
	if over := ansi.StringWidth(text) + ansi.StringWidth(info) - room; over > 0 && info != "" {
		// The value matters more than its info.
		text = title(r) + "  "
		info = ansi.Truncate(info, max(room-ansi.StringWidth(text), 0), "…")
	}
	text = ansi.Truncate(text, room, "…")
	if i == l.at {
		return t.Accent.Render("> ") + t.Selected.Render(text+info)
	}
	style := t.Faint
	if r.Free {
		style = t.Warning
	}
	return "  " + t.Text.Render(text) + style.Render(info)
}

// RowAt returns the index of the row on a line of the last drawn list.
func (l *List) RowAt(line int) (int, bool) {
	if line < 0 || line >= l.drawn || l.from+line >= len(l.rows) {
		return 0, false
	}
	return l.from + line, true
}

func title(r Row) string {
	if r.Free {
		return "Use “" + textfield.OneLine(r.Value) + "”"
	}
	return textfield.OneLine(r.Value)
}

// Match returns the items that match a text, the best first: those that equal it, begin with it, have a word
// that begins with it, or contain it. Case is ignored, and a space matches an underscore.
func Match(items []Item, text string) []Item {
	want := normalize(strings.TrimSpace(text))
	var ranks [5][]Item
	for _, it := range items {
		if r := rank(it, want); r >= 0 {
			ranks[r] = append(ranks[r], it)
		}
	}
	return slices.Concat(ranks[0], ranks[1], ranks[2], ranks[3], ranks[4])
}

func rank(it Item, want string) int {
	value := normalize(it.Value)
	at := strings.Index(value, want)
	switch {
	case value == want:
		return 0
	case at == 0:
		return 1
	case startsWord(value, want):
		return 2
	case at > 0:
		return 3
	case it.Keywords != "" && strings.Contains(normalize(it.Keywords), want):
		return 4
	}
	return -1
}

// startsWord reports whether a word of value begins with want.
func startsWord(value, want string) bool {
	for i := 1; i < len(value); i++ {
		if strings.ContainsRune(" -_./(@'\"[", rune(value[i-1])) && strings.HasPrefix(value[i:], want) {
			return true
		}
	}
	return false
}

func normalize(s string) string { return strings.ReplaceAll(strings.ToLower(s), " ", "_") }
