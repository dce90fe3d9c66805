package typeahead

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"bugle/engine/visible"
	"bugle/themes"
)

// Line is a text of one line and the place in it where typing goes on.
type Line struct {
	Text        string
	Cursor      int    // characters (runes) before the cursor
	Placeholder string // stands in an empty line
	// Clean makes a piece of the text safe to draw beside others; nil leaves out what is not drawn.
	Clean func(string) string
}

func (l Line) clean(s string) string {
	if l.Clean != nil {
		return l.Clean(s)
	}
	return clean(s)
}

// parts returns the drawn text before the cursor, under it and behind it, cut to w cells: "…" stands
// where something is cut off. skipped is how many runes are cut off at the left.
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
	if cell >= w { // no room for anything else
		return "", under, "", at
	}
	// Some of what follows stays in sight, so that a person sees where they are.
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

// View draws the line in w cells, the cursor in it.
func (l Line) View(t themes.Theme, w int) string {
	if w <= 0 {
		return ""
	}
	if l.Text == "" {
		return l.empty(t, w)
	}
	head, under, tail, _ := l.parts(w)
	return t.Text.Render(head) + cursor(t, under) + t.Text.Render(tail)
}

func (l Line) empty(t themes.Theme, w int) string {
	text := l.clean(l.Placeholder)
	if text == "" || t.IsPlain() {
		return cursor(t, " ") + t.Faint.Render(ansi.Truncate(text, w-1, "…"))
	}
	text = ansi.Truncate(text, w, "…")
	under := firstCluster(text)
	return cursor(t, under) + t.Faint.Render(text[len(under):])
}

// cursor draws the character under the cursor; where styles draw nothing, a blank shows as a line.
func cursor(t themes.Theme, under string) string {
	if under == " " && t.IsPlain() {
		return t.Caret() + "_"
	}
	return t.Caret() + t.Cursor.Render(under)
}

// At returns the place of the cursor, in runes, that column x of a line drawn in w cells stands for.
func (l Line) At(x, w int) int {
	if l.Text == "" {
		return 0
	}
	head, under, tail, skipped := l.parts(w)
	n := skipped
	if skipped > 0 {
		head = strings.TrimPrefix(head, "…")
		x-- // the sign
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

// clean returns s without what a terminal would obey instead of showing.
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
