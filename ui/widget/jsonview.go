package widget

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
)

// JSONView shows indented JSON text in colors, with line numbers, and can point at some of its lines.
// It draws only what is in sight, so that a long document costs what a short one does.
type JSONView struct {
	window        Window
	lines         []string
	longest       int // bytes of the longest line: an upper bound of what can be scrolled sideways
	column        int // the first cell in sight
	from, to      int // marked lines, from 0; to is not included
	theme         themes.Theme
	width, height int
}

// NewJSONView makes an empty view.
func NewJSONView(t themes.Theme) JSONView { return JSONView{theme: t} }

// SetTheme changes the theme.
func (v *JSONView) SetTheme(theme themes.Theme) { v.theme = theme }

// SetSize tells the view the cells it may use.
func (v *JSONView) SetSize(width, height int) {
	v.width, v.height = max(width, 0), max(height, 0)
	v.window.Resize(len(v.lines), v.height)
}

// SetText shows another text. Where one is in it stays, as far as there is as much of it.
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

// Mark points at the lines from up to, not including, to; the first is 0. An empty range points at none.
func (v *JSONView) Mark(from, to int) { v.from, v.to = from, to }

// GoTo scrolls until a line, the first is 0, is in sight, with some lines above it.
func (v *JSONView) GoTo(line int) {
	v.window.Cursor = clamp(line, 0, len(v.lines)-1)
	if from, to := v.window.Visible(); line >= from && line < to {
		return
	}
	v.window.Offset = line - v.window.Height/3
	v.window.clampOffset()
}

// Update takes the keys that scroll, and says whether the key was one.
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

// Mouse takes the wheel, and says whether msg was one.
func (v *JSONView) Mouse(msg tea.MouseMsg) bool { return v.window.Wheel(msg) }

// Scroll moves the text by n lines.
func (v *JSONView) Scroll(n int) { v.window.Scroll(n) }

// LineAt returns the line of the text on line y of the view, and false where there is none.
func (v *JSONView) LineAt(y int) (int, bool) { return v.window.At(y) }

// Position returns the last line in sight and the number of lines.
func (v *JSONView) Position() (last, total int) {
	_, last = v.window.Visible()
	return last, len(v.lines)
}

// View draws the view: exactly as wide and as high as SetSize said.
func (v *JSONView) View() string {
	if v.width == 0 || v.height == 0 {
		return ""
	}
	digits := len(strconv.Itoa(len(v.lines)))
	body := v.width - digits - 2
	bar := scrollbar(v.theme, &v.window, v.height)
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
	// Only what is in sight is colored: a picture in base64 is one line of a megabyte.
	text := clean(v.lines[i], newlineMark, "  ")
	cutOff := Width(text) > v.column+body
	line := TruncateLeft(v.color(cut(text, v.column+body, "")), v.column)
	if cutOff && body > 0 {
		line = fitLine(line, body-1) + v.theme.Faint.Render("…")
	}
	return start + fitLine(line, body)
}

// color draws one line of JSON. In indented JSON no string goes beyond its line, so a line can be
// colored without those before it.
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

// tokenEnd returns the end of the token that begins at i. Signs and blanks in a row are one token.
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
