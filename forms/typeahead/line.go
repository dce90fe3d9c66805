package typeahead

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"bugle/engine/visible"
	"bugle/themes"
)

// Line is a line of text with a cursor.
type Line struct {
	Text        string
	Cursor      int    // number of runes before the cursor
	Placeholder string // shown if the text is empty
	// Clean makes text safe to draw; nil removes what cannot be drawn.
	Clean func(string) string
}

func (l Line) clean(s string) string {
	if l.Clean != nil {
		return l.Clean(s)
	}
	return clean(s)
}

// parts returns the drawn text before, under and after the cursor, cut to w cells with "…" where it is cut.
// skipped is the number of runes cut off at the left.
func (l Line) parts(w int) (head, under, tail string, skipped int) {
	runes := []rune(l.Text)
	at := max(min(l.Cursor, len(runes)), 0)
	head, tail = string(runes[:at]), string(runes[at:])
	under, _, _, _ = uniseg.FirstGraphemeClusterInString(tail, -1)
	tail = l.clean(tail[len(under):])
	head, under = l.clean(head), l.clean(under)
	if under == "" {
		under = " "
	}
	before, cell, behind := ansi.StringWidth(head), ansi.StringWidth(under), ansi.StringWidth(tail)
	if before+cell+behind <= w {
		return head, under, tail, 0
	}
	if cell >= w { // no space for anything else
		return "", under, "", at
	}
	// Some of the following text stays visible as context.
	context := min(behind, max(w/4, 1))
	if before > 0 && before+cell+context > w {
		context = min(context, w-cell-1)
		room := max(w-cell-context-1, 0)
		short := ansi.TruncateLeft(head, before-room, "")
		for room > 0 && ansi.StringWidth(short) > room {
			short = short[len(firstCluster(short)):]
		}
		skipped = utf8.RuneCountInString(head) - utf8.RuneCountInString(short)
		head = "…" + short
		before = ansi.StringWidth(head)
	}
	return head, under, ansi.Truncate(tail, max(w-before-cell, 0), "…"), skipped
}

func firstCluster(s string) string {
	c, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	return c
}

// View draws the line with its cursor in w cells.
func (l Line) View(t *themes.Theme, w int) string {
	if w <= 0 {
		return ""
	}
	if l.Text == "" {
		return l.empty(t, w)
	}
	head, under, tail, _ := l.parts(w)
	return t.Text.Render(head) + cursor(t, under) + t.Text.Render(tail)
}

func (l Line) empty(t *themes.Theme, w int) string {
	text := l.clean(l.Placeholder)
	if text == "" || t.IsPlain() {
		return cursor(t, " ") + t.Faint.Render(ansi.Truncate(text, w-1, "…"))
	}
	text = ansi.Truncate(text, w, "…")
	under := firstCluster(text)
	return cursor(t, under) + t.Faint.Render(text[len(under):])
}

// cursor draws the character under the cursor; without styles, a blank is drawn as a line.
func cursor(t *themes.Theme, under string) string {
	if under == " " && t.IsPlain() {
		return t.Caret() + "_"
	}
	return t.Caret() + t.Cursor.Render(under)
}

// At returns the cursor position, in runes, for column x of a line drawn in w cells.
func (l Line) At(x, w int) int {
	if l.Text == "" {
		return 0
	}
	head, under, tail, skipped := l.parts(w)
	n := skipped
	if skipped > 0 {
		head = strings.TrimPrefix(head, "…")
		x-- // the ellipsis
	}
	for rest, state := head+under+tail, -1; rest != "" && x > 0; {
		var c string
		var cells int
		c, rest, cells, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if x < cells {
			break
		}
		x -= cells
		n += utf8.RuneCountInString(c)
	}
	return min(n, utf8.RuneCountInString(l.Text))
}

// clean returns s without control characters.
func clean(s string) string {
	if !visible.HasHidden(s) {
		return s
	}
	var b strings.Builder
	for r, drawn := range visible.Runes(s) {
		if drawn {
			b.WriteRune(r)
		}
	}
	return b.String()
}
