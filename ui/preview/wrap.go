package preview

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"bugle/engine/message/render"
	"bugle/themes"
	"bugle/ui/widget"
)

// missingMark is shown before an expression without a value.
const missingMark = "⚠"

// runs converts a text to styled runs of clean text; newlines are kept. base is the style of plain text.
func runs(t render.Text, base textStyle) []run {
	out := make([]run, 0, len(t))
	for _, s := range t {
		text := widget.CleanLines(s.Text)
		if text == "" {
			continue
		}
		p := base
		p.bold, p.italic = p.bold || s.Bold, p.italic || s.Italic
		p.underline, p.strike = p.underline || s.Underline || s.Link != "", p.strike || s.Strike
		if s.Color != "" {
			p.fg = s.Color
		}
		if s.Ground != "" {
			p.bg, p.underline, text = s.Ground, s.Underline, " "+text+" "
		}
		switch s.Kind {
		case render.Expression:
			p.fg, p.tone, p.italic = "", themes.ToneInfo, true
			text = widget.Clean(text)
		case render.Unresolved:
			p.fg, p.tone, p.bold = "", themes.ToneDanger, true
			text = missingMark + widget.Clean(text)
		case render.Value:
			p.fg, p.tone = "", themes.ToneSuccess
		case render.Plain:
			if s.Link != "" && s.Color == "" && s.Ground == "" {
				p.tone = themes.ToneAccent
			}
		}
		out = append(out, run{text, p})
	}
	return out
}

// glyph is one grapheme cluster.
type glyph struct {
	text  string
	width int
	run   int // index of its run
}

func glyphs(list []run) []glyph {
	n := 0
	for _, r := range list {
		n += len(r.text)
	}
	out := make([]glyph, 0, n)
	for i, r := range list {
		for s := r.text; s != ""; {
			if c := s[0]; c == '\n' || c >= ' ' && c <= '~' && (len(s) == 1 || s[1] < 0x80) {
				w := 1
				if c == '\n' {
					w = 0
				}
				out = append(out, glyph{s[:1], w, i})
				s = s[1:]
				continue
			}
			cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
			if cluster == "" {
				break
			}
			out = append(out, glyph{cluster, widget.Width(cluster), i})
			s = s[len(cluster):]
		}
	}
	return out
}

// wrapRuns wraps text to lines of at most w cells: between words if possible, after the slashes of URLs, and
// between wide characters. If there are more than most lines (0 for no limit), the last one ends in "…".
func wrapRuns(list []run, w, most int) []line {
	if w <= 0 {
		return nil
	}
	g := glyphs(list)
	var out []line
	for from := 0; from < len(g); {
		if most > 0 && len(out) == most-1 {
			end, next := breakAt(g, from, w)
			if strings.TrimSpace(glyphText(g[next:])) == "" {
				return append(out, lineOf(list, g[from:end]))
			}
			end, _ = hardBreak(g, from, w-1)
			l := lineOf(list, trimmed(g[from:end]))
			mark := run{text: "…"}
			if len(l) > 0 {
				mark.style = l[len(l)-1].style
			}
			return append(out, append(l, mark))
		}
		end, next := breakAt(g, from, w)
		out = append(out, lineOf(list, trimmed(g[from:end])))
		from = next
	}
	return out
}

func glyphText(g []glyph) string {
	var b strings.Builder
	for _, x := range g {
		b.WriteString(x.text)
	}
	return b.String()
}

// breakAt returns the end of the line that begins at from, and the start of the next one.
func breakAt(g []glyph, from, w int) (end, next int) {
	width, breakEnd, breakNext, slash := 0, -1, -1, -1
	for i := from; i < len(g); i++ {
		switch {
		case g[i].text == "\n":
			return i, i + 1
		case g[i].text == " ":
			if width > w {
				return i, i + 1
			}
			breakEnd, breakNext = i, i+1
		case g[i].width > 1 && i > from:
			breakEnd, breakNext = i, i
		}
		width += g[i].width
		if width > w && g[i].text != " " {
			if breakEnd > from && (slash <= breakNext || wordFits(g[breakNext:], w)) {
				return breakEnd, breakNext
			}
			if slash > from {
				return slash, slash
			}
			i = max(i, from+1) // at least one character
			return i, i
		}
		if isSlash(g, i) {
			slash = i + 1
		}
	}
	return len(g), len(g)
}

// wordFits reports whether the word at the start of g fits on a line of its own.
func wordFits(g []glyph, w int) bool {
	for _, x := range g {
		if x.text == " " || x.text == "\n" {
			break
		}
		if w -= x.width; w < 0 {
			return false
		}
	}
	return true
}

// isSlash reports whether a URL may be broken after a character, which excludes "://".
func isSlash(g []glyph, i int) bool {
	switch g[i].text {
	case "?", "&":
		return true
	case "/":
		return i > 0 && g[i-1].text != "/" && g[i-1].text != ":"
	}
	return false
}

// hardBreak is breakAt within words.
func hardBreak(g []glyph, from, w int) (end, next int) {
	width := 0
	for i := from; i < len(g); i++ {
		if g[i].text == "\n" {
			return i, i + 1
		}
		if width += g[i].width; width > w {
			return i, i
		}
	}
	return len(g), len(g)
}

func trimmed(g []glyph) []glyph {
	for len(g) > 0 && g[len(g)-1].text == " " {
		g = g[:len(g)-1]
	}
	return g
}

func lineOf(list []run, g []glyph) line {
	var out line
	for i := 0; i < len(g); {
		j := i
		size := 0
		for ; j < len(g) && g[j].run == g[i].run; j++ {
			size += len(g[j].text)
		}
		var b strings.Builder
		b.Grow(size)
		for _, x := range g[i:j] {
			b.WriteString(x.text)
		}
		out = append(out, run{b.String(), list[g[i].run].style})
		i = j
	}
	return out
}

// singleLine puts a text on one line, with newlines as blanks.
func singleLine(t render.Text, base textStyle) line {
	list := runs(t, base)
	out := make(line, len(list))
	for i, r := range list {
		out[i] = run{strings.ReplaceAll(r.text, "\n", " "), r.style}
	}
	return out
}
