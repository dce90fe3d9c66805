package list

import (
	"cmp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Rows returns the rows shown, for plain mode. moved runs after one was selected, and open opens one; if they are nil, nothing
// else happens, and a row is opened as enter does.
func (l *List[T]) Rows(moved func() tea.Cmd, open func(T) tea.Cmd) screen.Rows {
	all := spokenRows[T]{l, moved, open}
	if _, ok := l.body.(*table[T]); ok {
		return all // a table may be long, and has no headings
	}
	var rows screen.RowSlice
	for i := range all.Len() {
		if row := all.Row(i); row.Select != nil {
			rows = append(rows, row)
		}
	}
	return rows
}

// At returns the number of the row under the cursor, from 1; 0 if it is on none.
func (l *List[T]) At() int { return l.body.cursor() + 1 }

// Search shows the rows that match a text; all if it is empty.
func (l *List[T]) Search(text string) tea.Cmd {
	l.filter.SetValue(text)
	l.filter.Blur()
	l.Refresh()
	return nil
}

// spokenRows are the rows of a list in words.
type spokenRows[T any] struct {
	list  *List[T]
	moved func() tea.Cmd
	open  func(T) tea.Cmd
}

// Len returns the number of rows.
func (r spokenRows[T]) Len() int { return len(r.list.shown) }

// Row returns a row in words.
func (r spokenRows[T]) Row(i int) screen.Row {
	text, state, heading := r.list.words(r.list.shown[i])
	row := screen.Row{Text: text, State: state}
	if heading {
		return row
	}
	row.Select = func() tea.Cmd {
		if r.list.SelectIndex(i); r.moved != nil {
			return r.moved()
		}
		return nil
	}
	if r.open != nil {
		row.Open = func() tea.Cmd { return r.open(r.list.shown[i]) }
	}
	return row
}

// signs are what drawn rows begin with: what they say is in words, too.
const (
	marks = "✓✗▌○●◐▸▍ "
	signs = marks + "?·!"
)

// Spoken returns a drawn text in words: without styles, marks of columns, and runs of blanks.
func Spoken(text string) string {
	text = strings.ReplaceAll(strings.Join(strings.Fields(widget.Clean(ansi.Strip(text))), " "), " · ", ", ")
	return strings.NewReplacer(" › ", ", ", "…", "...").Replace(text)
}

// SpokenLines returns the lines of a drawn text in words, without those that are empty.
func SpokenLines(text string) []string {
	var out []string
	for line := range strings.SplitSeq(ansi.Strip(text), "\n") {
		if line = strings.TrimLeft(Spoken(line), marks); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// Read says the entries, or the one whose page is open.
func (b *Browser[T]) Read() screen.Page {
	if b.Reading() {
		title, info := b.cfg.Head(b.Selected())
		return screen.Page{Place: b.cfg.Title + ", " + cmp.Or(title, b.cfg.Labels.Noun),
			Summary: phrase.Sentence(Spoken(info)), Parts: []screen.Part{{Lines: b.Page.lines()}}}
	}
	show := func() tea.Cmd {
		b.show()
		return nil
	}
	page := screen.Page{Summary: phrase.Count(len(b.Shown()), b.cfg.Labels.Noun) + ".", Cursor: b.At(),
		Search: b.Search, Parts: []screen.Part{{Rows: b.Rows(show, nil)}}}
	if b.cfg.Above != nil {
		page.Summary += " " + strings.Join(SpokenLines(strings.Join(b.cfg.Above(screen.Wide), "\n")), " ")
	}
	if len(b.Shown()) == 0 {
		page.Summary = Spoken(b.emptyText())
	}
	return page
}
