package widget

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
)

// JSONView shows indented JSON with syntax colors and line numbers, and can mark some lines. It renders only
// the visible lines, so the length of the document does not matter.
type JSONView struct {
	window        Window
	lines         []string
	longest       int // bytes of the longest line: an upper bound for horizontal scrolling
	column        int // the first visible column
	from, to      int // marked lines [from, to), counted from 0
	theme         *themes.Theme
	width, height int
}

// NewJSONView returns an empty view.
func NewJSONView(t *themes.Theme) JSONView { return JSONView{theme: t} }

// SetSize sets the size of the view.
func (v *JSONView) SetSize(width, height int) {
	v.width, v.height = max(width, 0), max(height, 0)
	v.window.Resize(len(v.lines), v.height)
}

// SetText replaces the text and keeps the scroll position if possible.
func (v *JSONView) SetText(text string) {
	v.lines = nil
	if text != "" {
		v.lines = strings.Split(strings.TrimRight(text, "\n"), "\n")
	}
	v.longest = 0
	for _, line := range v.lines {
		v.longest = max(v.longest, len(line))
	}
	v.column = clamp(v.column, 0, v.longest)
	v.window.Resize(len(v.lines), v.height)
}

// Text returns the text.
func (v *JSONView) Text() string { return strings.Join(v.lines, "\n") }

// Mark marks the lines from up to, but not including, to, counted from 0. An empty range marks none.
func (v *JSONView) Mark(from, to int) { v.from, v.to = from, to }

// GoTo scrolls to a line, counted from 0, with some lines above it.
func (v *JSONView) GoTo(line int) {
	v.window.Cursor = clamp(line, 0, len(v.lines)-1)
	if from, to := v.window.Visible(); line >= from && line < to {
		return
	}
	v.window.Offset = line - v.window.Height/3
	v.window.clampOffset()
}

// Update handles the keys that scroll and reports whether msg was one of them.
func (v *JSONView) Update(msg tea.KeyMsg) bool {
	switch msg.String() {
	case "left", "h":
		v.column = max(v.column-8, 0)
	case "right", "l":
		v.column = clamp(v.column+8, 0, max(v.longest-v.width/2, 0))
	case "0":
		v.column = 0
	default:
		return v.window.UpdateScroll(msg)
	}
	return true
}

// Mouse handles the mouse wheel and reports whether msg was a wheel event.
func (v *JSONView) Mouse(msg tea.MouseMsg) bool { return v.window.Wheel(msg) }

// Position returns the last visible line and the number of lines.
func (v *JSONView) Position() (last, total int) {
	_, last = v.window.Visible()
	return last, len(v.lines)
}

// View draws exactly the size set by SetSize.
func (v *JSONView) View() string {
	if v.width == 0 || v.height == 0 {
		return ""
	}
	digits := len(strconv.Itoa(len(v.lines)))
	body := v.width - digits - 2
	bar := ScrollBar(v.theme, &v.window, v.height)
	if bar != nil {
		body -= 2
	}
	from, to := v.window.Visible()
	out := make([]string, 0, v.height)
	for i := from; i < to; i++ {
		out = append(out, v.line(i, digits, max(body, 0)))
		if bar != nil {
			out[i-from] += " " + bar[i-from]
		}
	}
	return Fit(strings.Join(out, "\n"), v.width, v.height)
}

func (v *JSONView) line(i, digits, body int) string {
	number := PadLeft(strconv.Itoa(i+1), digits)
	start := v.theme.Faint.Render(number) + "  "
	if i >= v.from && i < v.to {
		start = v.theme.Marked.Render(number+"▌") + " "
	}
	// Only the visible part is colored: a base64 picture is one line of a megabyte.
	text := clean(v.lines[i], newlineMark, "  ")
	cutOff := Width(text) > v.column+body
	line := TruncateLeft(v.color(cut(text, v.column+body, "")), v.column)
	if cutOff && body > 0 {
		line = fitLine(line, body-1) + v.theme.Faint.Render("…")
	}
	return start + fitLine(line, body)
}

// color renders one line of JSON. In indented JSON no string spans lines, so a line can be colored without
// those before it.
func (v *JSONView) color(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		end := tokenEnd(line, i)
		token := line[i:end]
		switch ch := line[i]; {
		case ch == ' ':
			b.WriteString(token)
		case ch == '"' && strings.HasPrefix(strings.TrimLeft(line[end:], " "), ":"):
			b.WriteString(v.theme.JSONKey.Render(token))
		case ch == '"':
			b.WriteString(v.theme.JSONString.Render(token))
		case ch == '-' || ch >= '0' && ch <= '9':
			b.WriteString(v.theme.JSONNumber.Render(token))
		case strings.IndexByte("{}[]:,", ch) >= 0:
			b.WriteString(v.theme.JSONPunct.Render(token))
		default:
			b.WriteString(v.theme.JSONLiteral.Render(token))
		}
		i = end
	}
	return b.String()
}

// tokenEnd returns the end of the token that begins at i. Consecutive punctuation and blanks are one token.
func tokenEnd(line string, i int) int {
	const signs = "{}[]:,"
	if line[i] == '"' {
		for j := i + 1; j < len(line); j++ {
			switch line[j] {
			case '\\':
				j++
			case '"':
				return j + 1
			}
		}
		return len(line)
	}
	kind := func(ch byte) int {
		switch {
		case ch == ' ':
			return 0
		case strings.IndexByte(signs, ch) >= 0:
			return 1
		case ch == '"':
			return 2
		default:
			return 3
		}
	}
	j := i + 1
	for j < len(line) && kind(line[j]) == kind(line[i]) {
		j++
	}
	return j
}
