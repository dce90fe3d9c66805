package preview

import (
	"cmp"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"bugle/engine/message/render"
	"bugle/themes"
	"bugle/ui/widget"
)

// style is the style of a piece of text. The zero value is ordinary text.
type style struct {
	tone   themes.Tone
	fg, bg string // #rrggbb colors of a document, which override the tone; "" for none

	bold, italic, underline, strike bool
}

var (
	plain  = style{}
	bold   = style{bold: true}
	strong = style{tone: themes.ToneStrong, bold: true}
	muted  = style{tone: themes.ToneMuted}
	faint  = style{tone: themes.ToneFaint}
	accent = style{tone: themes.ToneAccent}
	danger = style{tone: themes.ToneDanger}
	button = style{tone: themes.ToneAccent, bold: true}
)

// missingMark is shown before an expression without a value.
const missingMark = "⚠"

const (
	black = "#000000"
	white = "#ffffff"
)

// minContrast is the minimum contrast at which a color of a document is drawn unchanged.
const minContrast = 2

// showsColors reports whether the colors of documents are drawn. They are not if the terminal has none, or too few to
// show them without making text unreadable.
func showsColors(t *themes.Theme) bool {
	_, none := t.Tokens.Accent.(lipgloss.NoColor)
	return !none && t.Renderer().ColorProfile() < termenv.ANSI
}

// readable returns a style with colors that are readable on the page's background: black or white, unless that of the
// document is.
func (s *page) readable(p style) style {
	if !s.colors {
		p.fg, p.bg = "", ""
		return p
	}
	p.bg = cmp.Or(p.bg, s.ground)
	behind := cmp.Or(p.bg, map[bool]string{true: black, false: white}[s.theme.DarkBackground])
	if p.fg == "" || render.Contrast(p.fg, behind) < minContrast {
		p.fg = ""
		if p.bg != "" {
			p.fg = contrasting(p.bg)
		}
	}
	return p
}

// contrasting returns black or white, whichever is more readable on a color.
func contrasting(color string) string {
	if render.Contrast(white, color) > render.Contrast(black, color) {
		return white
	}
	return black
}

// paint draws a clean text.
func (s *page) paint(text string, p style) string {
	if text == "" {
		return ""
	}
	p = s.readable(p)
	drawn, ok := s.drawn[p]
	if !ok {
		look := s.theme.Tone(p.tone).Italic(p.italic).Underline(p.underline).Strikethrough(p.strike)
		if p.bold {
			look = look.Bold(true)
		}
		if p.fg != "" {
			look = look.Foreground(lipgloss.Color(p.fg))
		}
		if p.bg != "" {
			look = look.Background(lipgloss.Color(p.bg))
		}
		drawn[0], drawn[1], _ = strings.Cut(look.Render("x"), "x")
		s.drawn[p] = drawn
	}
	return drawn[0] + text + drawn[1]
}

// clean draws a text of a document or a server, on one line.
func (s *page) clean(text string, p style) string { return s.paint(widget.Clean(text), p) }

// text draws the text of a message, of which plain pieces have the style base. Newlines are kept.
func (s *page) text(t render.Text, base style) string {
	var b strings.Builder
	for _, span := range t {
		b.WriteString(s.span(span, base))
	}
	return b.String()
}

// oneLine draws the text of a message on one line.
func (s *page) oneLine(t render.Text, base style) string {
	return strings.ReplaceAll(s.text(t, base), "\n", " ")
}

func (s *page) span(span render.Span, p style) string {
	text := widget.CleanLines(span.Text)
	p.bold, p.italic = p.bold || span.Bold, p.italic || span.Italic
	p.underline, p.strike = p.underline || span.Underline || span.Link != "", p.strike || span.Strike
	if span.Color != "" {
		p.fg = span.Color
	}
	if span.Ground != "" && text != "" {
		p.bg, p.underline, text = span.Ground, span.Underline, " "+text+" "
	}
	switch span.Kind {
	case render.Expression:
		p.fg, p.tone, p.italic, text = "", themes.ToneInfo, true, widget.Clean(text)
	case render.Unresolved:
		p.fg, p.tone, p.bold, text = "", themes.ToneDanger, true, missingMark+widget.Clean(text)
	case render.Value:
		p.fg, p.tone = "", themes.ToneSuccess
	case render.Plain:
		if span.Link != "" && span.Color == "" && span.Ground == "" {
			p.tone = themes.ToneAccent
		}
	}
	return s.paint(text, p)
}

// reset ends each style.
const reset = termenv.CSI + termenv.ResetSeq + "m"

// wrap wraps drawn text to lines of at most w cells, between words if possible. If there are more than
// most lines (0 for no limit), the last one ends in "…".
func wrap(text string, w, most int) []string {
	switch {
	case text == "":
		return nil
	case !strings.Contains(text, "\n") && widget.Width(text) <= w:
		return []string{text}
	}
	lines := strings.Split(ansi.Wrap(text, max(w, 1), ""), "\n")
	if most > 0 && len(lines) > most {
		lines = append(lines[:most-1], widget.Truncate(strings.Join(lines[most-1:], " "), w))
	}
	open := "" // the style that the line before ends in
	for i, line := range lines {
		line, open = open+line, ""
		if at := strings.LastIndex(line, termenv.CSI); at >= 0 && !strings.HasPrefix(line[at:], reset) {
			open = line[at : at+strings.IndexByte(line[at:], 'm')+1]
			line += reset
		}
		lines[i] = line
	}
	return lines
}
