package textfield

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"bugle/themes"
)

// line is a line of text with a cursor. Its text has nothing that cannot be drawn.
type line struct {
	text        string
	cursor      int    // number of runes before the cursor
	placeholder string // shown if the text is empty
}

// parts returns the drawn text before, under and after the cursor, cut to w cells with "…" where it is cut.
// skipped is the number of runes cut off at the left.
func (l line) parts(w int) (head, under, tail string, skipped int) {
	runes := []rune(l.text)
	at := max(min(l.cursor, len(runes)), 0)
	head, tail = string(runes[:at]), string(runes[at:])
	under, _, _, _ = uniseg.FirstGraphemeClusterInString(tail, -1)
	tail = tail[len(under):]
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

// view draws the line with its cursor in w cells.
func (l line) view(t *themes.Theme, w int) string {
	if w <= 0 {
		return ""
	}
	if l.text == "" {
		return l.empty(t, w)
	}
	head, under, tail, _ := l.parts(w)
	return t.Text.Render(head) + cell(t, under) + t.Text.Render(tail)
}

func (l line) empty(t *themes.Theme, w int) string {
	text := OneLine(l.placeholder)
	if text == "" || t.IsPlain() {
		return cell(t, " ") + t.Faint.Render(ansi.Truncate(text, w-1, "…"))
	}
	text = ansi.Truncate(text, w, "…")
	under := firstCluster(text)
	return cell(t, under) + t.Faint.Render(text[len(under):])
}

// cell draws the character under the cursor; without styles, a blank is drawn as a line.
func cell(t *themes.Theme, under string) string {
	if under == " " && t.IsPlain() {
		return t.Caret() + "_"
	}
	return t.Caret() + t.Cursor.Render(under)
}

// at returns the cursor position, in runes, for column x of a line drawn in w cells.
func (l line) at(x, w int) int {
	if l.text == "" {
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
	return min(n, utf8.RuneCountInString(l.text))
}
