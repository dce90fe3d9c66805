package widget

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
)

// Item is one entry of a List.
type Item struct {
	// Icon is shown before the text, usually one cell wide; "" if the list has none.
	Icon string
	// IconTone colors the icon.
	IconTone themes.Tone
	// Text is the entry.
	Text string
	// Info is shown at the right edge: a count, a state.
	Info string
	// InfoTone colors the info.
	InfoTone themes.Tone
	// Dim marks an entry that cannot be chosen now; DisabledReason is shown beside it.
	Dim            bool
	DisabledReason string
	// Heading marks a line between entries that the cursor skips.
	Heading bool
	// Continuation marks another line of the entry above. Both are selected and drawn as one.
	Continuation bool
}

// selectable reports whether the cursor can be on the entry.
func (i Item) selectable() bool { return !i.Heading && !i.Continuation }

// WrapItem wraps an entry into as many items as a list of that width needs.
func WrapItem(item Item, width int) []Item {
	lines := Wrap(Clean(item.Text), max(width-2-Width(Clean(item.Icon))-1-2, 1)) // without the cursor and the scroll bar
	item.Text = lines[0]
	out := []Item{item}
	for _, line := range lines[1:] {
		out = append(out, Item{Text: line, Dim: item.Dim, Continuation: true})
	}
	return out
}

// List shows entries one below another with a cursor, for menus and the components of a campaign.
type List struct {
	Window // the visible entries and the selected one

	// Focused reports whether the list has the keyboard.
	Focused bool
	// Empty is shown instead of the entries if there are none.
	Empty string

	theme *themes.Theme
	items []Item
	width int
}

// NewList returns a list of items.
func NewList(t *themes.Theme, items ...Item) List {
	l := List{theme: t}
	l.SetItems(items)
	return l
}

// SetSize sets the size of the list.
func (l *List) SetSize(width, height int) {
	l.width = max(width, 0)
	l.Resize(len(l.items), height)
	l.skipHeadings(1)
}

// SetItems replaces the entries. The cursor keeps its index, or moves to the last entry.
func (l *List) SetItems(items []Item) {
	l.items = items
	l.Resize(len(items), l.Height)
	l.skipHeadings(1)
}

// Items returns the entries.
func (l *List) Items() []Item { return l.items }

// Up moves the cursor to the entry above.
func (l *List) Up() { l.move((*Window).Up, -1) }

// Down moves the cursor to the entry below.
func (l *List) Down() { l.move((*Window).Down, 1) }

// PageUp moves the cursor up by a page.
func (l *List) PageUp() { l.move((*Window).PageUp, -1) }

// PageDown moves the cursor down by a page.
func (l *List) PageDown() { l.move((*Window).PageDown, 1) }

// Home moves the cursor to the first entry.
func (l *List) Home() { l.move((*Window).Home, 1) }

// End moves the cursor to the last entry.
func (l *List) End() { l.move((*Window).End, -1) }

// SelectItem moves the cursor to entry i, or to the next one that is not a heading.
func (l *List) SelectItem(i int) { l.Select(i); l.skipHeadings(1) }

// Update handles the keys that move the cursor and reports whether msg was one of them.
func (l *List) Update(msg tea.KeyMsg) bool {
	before := l.Cursor
	if !l.Window.Update(msg) {
		return false
	}
	if l.Cursor < before || l.Cursor == 0 {
		l.skipHeadings(-1)
	} else {
		l.skipHeadings(1)
	}
	return true
}

// Mouse handles the wheel and a click on line y, which selects the entry there.
func (l *List) Mouse(msg tea.MouseMsg, y int) bool {
	if l.Wheel(msg) {
		l.skipHeadings(1)
		return true
	}
	if !Pressed(msg) {
		return false
	}
	i, ok := l.At(y)
	for ok && i > 0 && l.items[i].Continuation {
		i--
	}
	if !ok || !l.items[i].selectable() {
		return false
	}
	l.Select(i)
	return true
}

func (l *List) move(step func(*Window), direction int) {
	step(&l.Window)
	l.skipHeadings(direction)
}

// skipHeadings moves the cursor off a heading in the given direction, or back if nothing follows.
func (l *List) skipHeadings(direction int) {
	for _, d := range []int{direction, -direction} {
		for i := l.Cursor; i >= 0 && i < len(l.items); i += d {
			if l.items[i].selectable() {
				l.Select(i)
				l.showHeading()
				l.showMore()
				return
			}
		}
	}
}

// showHeading keeps the heading above the first visible entry visible, since the cursor cannot reach it.
func (l *List) showHeading() {
	for l.Offset > 0 && l.Offset == l.Cursor && l.items[l.Offset-1].Heading && l.Height > 1 {
		l.Offset--
		if l.Cursor >= l.Offset+l.Height {
			l.Offset++
			return
		}
	}
}

// showMore scrolls the continuation lines of the selected entry into view, as far as they fit.
func (l *List) showMore() {
	last := l.Cursor
	for last+1 < len(l.items) && l.items[last+1].Continuation {
		last++
	}
	l.Offset = min(max(l.Offset, last-l.Height+1), l.Cursor)
}

// View draws exactly the size set by SetSize.
func (l *List) View() string {
	if l.width == 0 || l.Height == 0 {
		return ""
	}
	lines := make([]string, 0, l.Height)
	if len(l.items) == 0 {
		for _, line := range Wrap(CleanLines(l.Empty), max(l.width-2, 1)) {
			lines = append(lines, "  "+l.theme.Faint.Render(line))
		}
		return Fit(strings.Join(lines, "\n"), l.width, l.Height)
	}
	bar := scrollbar(l.theme, &l.Window, l.Height)
	width := l.width
	if bar != nil {
		width = max(width-2, 0)
	}
	icons := l.iconWidth()
	from, to := l.Visible()
	for i := from; i < to; i++ {
		line := l.line(i, width, icons)
		if bar != nil {
			line = fitLine(line, width) + " " + bar[i-from]
		}
		lines = append(lines, line)
	}
	return Fit(strings.Join(lines, "\n"), l.width, l.Height)
}

// iconWidth returns the width of the icon column; 0 if no entry has an icon.
func (l *List) iconWidth() int {
	w := 0
	for _, item := range l.items {
		w = max(w, Width(Clean(item.Icon)))
	}
	return w
}

func (l *List) line(i, width, icons int) string {
	item := l.items[i]
	if item.Heading {
		return l.theme.Header.Render(Truncate("  "+Clean(item.Text), width))
	}
	of := i
	for of > 0 && l.items[of].Continuation {
		of--
	}
	selected := of == l.Cursor
	start := cursorMark(selected, l.Focused) + " "
	icon := ""
	if icons > 0 {
		icon = PadRight(Clean(item.Icon), icons) + " "
	}
	text, info := Clean(item.Text), Clean(item.Info)
	if item.Dim && item.DisabledReason != "" {
		text += " · " + Clean(item.DisabledReason)
	}
	body := width - Width(start) - Width(icon)
	if info != "" && body-Width(info)-1 < 8 {
		if room := body - Width(text) - 1; room >= 8 {
			info = Truncate(info, room)
		} else {
			info = "" // the text matters more than the info beside it
		}
	}
	if info != "" {
		body -= Width(info) + 1
	}
	text = PadRight(truncateWords(text, body), body)

	switch {
	case selected && l.Focused:
		return l.theme.Selected.Render(fitLine(start+icon+text+gap(info)+info, width))
	case item.Dim:
		return l.theme.Faint.Render(start + icon + text + gap(info) + info)
	case selected:
		return l.theme.SelectedBlur.Render(start + icon + text + gap(info) + info)
	}
	if icon != "" {
		icon = l.theme.Paint(item.IconTone, icon)
	}
	if info != "" {
		info = " " + l.theme.Paint(item.InfoTone, info)
	}
	return start + icon + l.theme.Text.Render(text) + info
}

func gap(s string) string {
	if s == "" {
		return ""
	}
	return " "
}
