package render

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

var (
	anyTag   = regexp.MustCompile(`</?([a-zA-Z][a-zA-Z0-9]*)(\s[^<>]*)?/?>`)
	hexColor = regexp.MustCompile(`^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$`)
	rgbColor = regexp.MustCompile(`^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})`)
)

// maxOpen is the most nested elements that change the style.
const maxOpen = 64

// hasMarkup reports whether a text has tags of HTML; <SPRING25> is none.
func hasMarkup(s string) bool {
	return slices.ContainsFunc(anyTag.FindAllStringSubmatch(s, -1), func(tag []string) bool { return isTag(tag[1]) })
}

func isTag(name string) bool { return atom.Lookup([]byte(strings.ToLower(name))) != 0 }

// Words returns a text of a notification without its markup: what is shown where the system draws it.
func Words(s string) string { return rich([]piece{{s, Plain}}).String() }

// rich parses the HTML subset of a notification's message (CONTRACT.md, campaign_content): the elements of
// Android's Html.fromHtml. Text without tags keeps its line breaks.
func rich(list []piece) Text {
	src, m := encode(list)
	if !strings.ContainsAny(src, "<&") {
		return textOf(list)
	}
	if !hasMarkup(src) {
		return m.text(html.UnescapeString(src))
	}
	z := html.NewTokenizer(strings.NewReader(src))
	var w writer
	var stack styles
	for {
		switch z.Next() {
		case html.ErrorToken:
			return w.done()
		case html.TextToken:
			if !stack.hidden() {
				w.write(html.UnescapeString(string(z.Raw())), stack.top(), m)
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			source := string(z.Raw())
			t := z.Token()
			if !isTag(t.Data) {
				w.write(html.UnescapeString(source), stack.top(), m)
				continue
			}
			if t.Type != html.EndTagToken {
				inlineStart(&w, &stack, &t, m)
				continue
			}
			a := t.DataAtom
			stack.pop(a)
			w.brk = w.brk || isBlock(a)
		}
	}
}

func inlineStart(w *writer, stack *styles, t *html.Token, m *placeholders) {
	switch t.DataAtom {
	case atom.Br:
		w.line()
		return
	case atom.Img:
		if alt := attr(t.Attr, "alt"); alt != "" {
			w.write("["+alt+"]", stack.top(), m)
		}
		return
	}
	w.brk = w.brk || isBlock(t.DataAtom)
	if t.DataAtom == atom.Li {
		w.write("• ", stack.top(), &placeholders{})
	}
	if t.Type == html.StartTagToken {
		stack.push(t.DataAtom, restyle(stack.top(), t.DataAtom, t.Attr, m))
	}
}

// styles are the open elements, each with the style of its text.
type styles []struct {
	tag   atom.Atom
	style Span
}

func (l *styles) top() Span {
	if len(*l) == 0 {
		return Span{}
	}
	return (*l)[len(*l)-1].style
}

func (l *styles) push(tag atom.Atom, style Span) {
	if tag == 0 || len(*l) >= maxOpen || isVoid(tag) {
		return
	}
	*l = append(*l, struct {
		tag   atom.Atom
		style Span
	}{tag, style})
}

// pop closes the element and unclosed elements in it.
func (l *styles) pop(tag atom.Atom) {
	for i := len(*l) - 1; i >= 0 && tag != 0; i-- {
		if (*l)[i].tag == tag {
			*l = (*l)[:i]
			return
		}
	}
}

func (l *styles) hidden() bool {
	for _, e := range *l {
		if e.tag == atom.Script || e.tag == atom.Style || e.tag == atom.Title {
			return true
		}
	}
	return false
}

func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Br, atom.Img, atom.Hr, atom.Input, atom.Meta, atom.Link, atom.Col, atom.Wbr, atom.Source:
		return true
	}
	return false
}

func isBlock(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Div, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Li, atom.Blockquote,
		atom.Table, atom.Tr, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Center, atom.Pre:
		return true
	}
	return false
}

// restyle returns the style of an element's content.
func restyle(style Span, tag atom.Atom, attrs []html.Attribute, m *placeholders) Span {
	switch tag {
	case atom.B, atom.Strong, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Th:
		style.Bold = true
	case atom.I, atom.Em, atom.Cite, atom.Dfn:
		style.Italic = true
	case atom.U, atom.Ins:
		style.Underline = true
	case atom.S, atom.Strike, atom.Del:
		style.Strike = true
	case atom.Font:
		style.Color = orElse(ParseColor(attr(attrs, "color")), style.Color)
	case atom.A:
		style.Link = strings.TrimSpace(m.source(attr(attrs, "href")))
	}
	for _, declaration := range strings.Split(attr(attrs, "style"), ";") {
		name, value, ok := strings.Cut(declaration, ":")
		if name = strings.ToLower(strings.TrimSpace(name)); ok && tag == atom.A && strings.HasPrefix(name, "background") {
			style.Ground = orElse(ParseColor(value), style.Ground)
		} else if ok {
			style = declared(style, name, strings.ToLower(strings.TrimSpace(value)))
		}
	}
	return style
}

// declared applies one declaration of a style attribute.
func declared(style Span, name, value string) Span {
	switch name {
	case "color":
		style.Color = orElse(ParseColor(value), style.Color)
	case "font-weight":
		switch value {
		case "bold", "bolder", "600", "700", "800", "900":
			style.Bold = true
		case "normal", "400", "lighter":
			style.Bold = false
		}
	case "font-style":
		style.Italic = value == "italic" || value == "oblique"
	case "text-decoration", "text-decoration-line":
		style.Underline = strings.Contains(value, "underline")
		style.Strike = strings.Contains(value, "line-through")
	}
	return style
}

// ParseColor converts a color of a document or style to #rrggbb: hex with three, six or eight digits (read as
// web colors with alpha last, although Android has alpha first), rgb(), or one of the sixteen basic names. It
// returns "" for anything else.
func ParseColor(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	switch {
	case hexColor.MatchString(s) && len(s) == 4:
		return "#" + strings.Repeat(s[1:2], 2) + strings.Repeat(s[2:3], 2) + strings.Repeat(s[3:4], 2)
	case hexColor.MatchString(s):
		return s[:7]
	}
	if p := rgbColor.FindStringSubmatch(s); p != nil {
		return hexOf(p[1]) + hexOf(p[2])[1:] + hexOf(p[3])[1:]
	}
	return basicColors[s]
}

func hexOf(decimal string) string {
	n := 0
	for _, c := range decimal {
		n = n*10 + int(c-'0')
	}
	const digits = "0123456789abcdef"
	n = min(n, 255)
	return "#" + string(digits[n>>4]) + string(digits[n&15])
}

// basicColors are the names of CSS 1, and orange.
var basicColors = map[string]string{
	"black": "#000000", "silver": "#c0c0c0", "gray": "#808080", "grey": "#808080", "white": "#ffffff", "maroon": "#800000",
	"red": "#ff0000", "purple": "#800080", "fuchsia": "#ff00ff", "magenta": "#ff00ff", "green": "#008000", "lime": "#00ff00",
	"olive": "#808000", "yellow": "#ffff00", "navy": "#000080", "blue": "#0000ff", "teal": "#008080", "aqua": "#00ffff",
	"cyan": "#00ffff", "orange": "#ffa500",
}

func attr(attrs []html.Attribute, name string) string {
	for _, a := range attrs {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
