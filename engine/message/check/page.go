package check

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"bugle/engine/message/delivery"
	"bugle/engine/message/render"
	"bugle/engine/message/template"
	"bugle/engine/schema"
)

// page is what the HTML of an email holds, in the order in which it is read. Of what occurs more than once each list has
// it once.
type page struct {
	size  int // bytes of the HTML as a recipient without attributes gets it
	cut   bool
	links []anchor
	// untagged are addresses that are no links of their own: of forms, and in the text, where mail readers make links of them.
	untagged []string
	images   []image
	scripts  []string // elements and attributes that run something
	forms    []string
	sheets   []string          // external style sheets
	pale     []pale            // text that is hard to read
	dark     []string          // dark text on nothing
	support  map[string]string // features that clients lack, by slug, each with what of it was found
	words    string            // the visible text
	unknown  bool              // it has expressions whose value may be markup
	names    []string          // the expressions that are not resolved
	styled   bool              // style sheets may set colors
	// preheader is an element with the text that is hidden at the start, if any.
	preheader string
}

type anchor struct {
	href, text string
	image      bool // it has a picture
	button     bool
}

type image struct {
	src      string
	alt      bool // it says what it shows, or that it shows nothing
	sized    bool
	tracking bool
}

type pale struct {
	text, color, ground string
	ratio, least        float64
}

// Bounds of what is read of one email.
const (
	maxPage  = 1 << 20 // bytes
	maxList  = 500     // things of one kind
	maxOpen  = 256     // elements within one another
	maxStyle = 64 << 10
)

// The marks that stand for expressions while markup is read: private use, which texts have no use for.
const (
	firstMark = '\U000F0000'
	lastMark  = '\U000FFFFD'
)

// mask puts a mark in the place of each expression that is left, so that quotes and signs in it are no markup.
func mask(text string) (masked string, expressions []template.Part) {
	if !schema.HasExpression(text) && !strings.ContainsFunc(text, isMark) {
		return text, nil
	}
	var b strings.Builder
	for part := range template.Parts(text) {
		switch {
		case part.Kind == template.TextPart || part.Kind == template.RawPart || firstMark+rune(len(expressions)) > lastMark:
			b.WriteString(strings.Map(func(r rune) rune {
				if isMark(r) {
					return utf8.RuneError
				}
				return r
			}, part.Source))
		case part.Kind == template.OutputPart:
			b.WriteRune(firstMark + rune(len(expressions)))
			expressions = append(expressions, part)
		}
	}
	return b.String(), expressions
}

func isMark(r rune) bool { return r >= firstMark && r <= lastMark }

// readPage reads the HTML of an email twice: as a recipient without attributes gets it, and with all branches of its
// conditions at once.
func (r *run) readPage(source string) *page {
	p := &page{support: map[string]string{}}
	if source == "" {
		return p
	}
	shown := r.resolve(source)
	if r.reading(source).broken {
		shown = r.expand(source)
	}
	p.size = len(shown)
	if tree, err := html.Parse(strings.NewReader(shown)); err == nil {
		if text := delivery.Preheader(tree); text != "" {
			p.preheader = "<div hidden>" + html.EscapeString(text) + "</div>"
		}
	}
	p.read(shown)
	if strings.Contains(source, "{%") || strings.Contains(shown, "{{") || r.hasConditions(source) {
		more := &page{support: p.support}
		more.read(r.expand(source))
		p.merge(more)
	}
	return p
}

// hasConditions reports whether a content block that a text includes has statements.
func (r *run) hasConditions(text string) bool {
	for _, e := range r.uses(text) {
		if e.Root == rootBlock && strings.Contains(r.assembled.Blocks[e.Name], "{%") {
			return true
		}
	}
	return false
}

// merge adds what another reading of the same email found.
func (p *page) merge(o *page) {
	p.links, p.untagged = union(p.links, o.links), union(p.untagged, o.untagged)
	p.images = union(p.images, o.images)
	p.scripts, p.forms, p.sheets = union(p.scripts, o.scripts), union(p.forms, o.forms), union(p.sheets, o.sheets)
	p.pale, p.dark = union(p.pale, o.pale), union(p.dark, o.dark)
	p.names = union(p.names, o.names)
	p.unknown, p.cut = p.unknown || o.unknown, p.cut || o.cut
	p.words += " " + o.words
}

func union[T comparable](a, b []T) []T {
	for _, v := range b {
		a = once(a, v)
	}
	return a
}

func once[T comparable](list []T, v T) []T {
	if len(list) >= maxList || slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

// reader reads one text of HTML.
type reader struct {
	*page
	expressions []template.Part
	open        []element
	words       strings.Builder
	link        *anchor
	linkDepth   int
}

// element is an element that is open, with how text looks in it.
type element struct {
	tag    string
	color  string // "" where nothing sets it
	ground string // "" where nothing sets it, unknown where it is no plain color
	size   float64
	bold   bool
	hidden bool
	link   bool
}

// unknown is a ground that is a picture or a gradient, or set by a class.
const unknownColor = "?"

func (p *page) read(text string) {
	if len(text) > maxPage {
		text, p.cut = text[:maxPage], true
	}
	masked, expressions := mask(text)
	r := &reader{page: p, expressions: expressions}
	for _, e := range expressions {
		p.names = once(p.names, e.Source)
	}
	p.unknown = len(expressions) > 0
	p.styled = setsColors.MatchString(masked)
	z := html.NewTokenizer(strings.NewReader(masked))
	z.SetMaxBuf(maxPage)
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			r.endLink()
			p.words = r.words.String()
			return
		case html.TextToken:
			r.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			r.start(z.Token(), kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			name, _ := z.TagName()
			r.end(string(name))
		}
	}
}

// setsColors finds style sheets that set colors.
var setsColors = regexp.MustCompile(`(?i)<style[^>]*>[^<]*(?:color|background)`)

// source returns a text with its expressions in place of their marks.
func (r *reader) source(s string) string {
	if !strings.ContainsFunc(s, isMark) {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		if i := int(c - firstMark); isMark(c) && i < len(r.expressions) {
			b.WriteString(r.expressions[i].Source)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

func (r *reader) top() element {
	if len(r.open) == 0 {
		return element{size: 16}
	}
	return r.open[len(r.open)-1]
}

func (r *reader) text(s string) {
	at := r.top()
	switch {
	case at.tag == "style":
		r.styleSheet(s)
		return
	case at.tag == "script" || at.tag == "title" || at.tag == "noscript" || at.tag == "template" || at.tag == "textarea":
		return
	}
	words := strings.TrimSpace(s)
	if words == "" {
		r.words.WriteByte(' ')
		return
	}
	if r.link != nil && len(r.link.text) < 400 {
		r.link.text += " " + clip(r.source(words), 100)
	}
	if at.hidden {
		return
	}
	if r.link == nil && strings.Contains(words, "://") {
		for _, to := range written.FindAllString(words, maxList) {
			r.untagged = once(r.untagged, strings.TrimRight(r.source(to), ".,:;!?)"))
		}
	}
	if r.words.Len() < maxPage {
		r.words.WriteString(s)
		r.words.WriteByte(' ')
	}
	r.judge(at, words)
}

// written finds addresses in texts.
var written = regexp.MustCompile(`(?i)\bhttps?://[^\s<>"']+`)

// judge looks at the colors of a text.
func (r *reader) judge(at element, words string) {
	if at.color == unknownColor || at.ground == unknownColor || !strings.ContainsFunc(words, isLetter) {
		return
	}
	if at.color == "" && (at.ground == "" || at.link) {
		return // those of the reader's own, and links have one of theirs
	}
	color, ground := at.color, at.ground
	if color == "" {
		color = "#000000"
	}
	if ground == "" {
		ground = "#ffffff"
		if render.Contrast(color, "#000000") < 3 {
			r.dark = once(r.dark, color)
		}
	}
	least := 4.5
	if at.size >= 24 || at.bold && at.size >= 18.66 {
		least = 3
	}
	if c := render.Contrast(color, ground); c < least {
		for _, p := range r.pale {
			if p.color == color && p.ground == ground {
				return
			}
		}
		r.pale = once(r.pale, pale{clip(r.source(words), 40), color, ground, c, least})
	}
}

func isLetter(c rune) bool {
	return c > ' ' && !isMark(c) && !strings.ContainsRune("•·|–—-_.:;,&*", c) && c != 0xa0 && c != 0x200c && c != 0x34f
}

func (r *reader) start(t html.Token, closed bool) {
	e := r.top()
	e.tag = t.Data
	if at := r.top(); at.color == "" && at.link {
		e.link = true
	}
	r.element(t, &e)
	void := closed || isVoid(t.DataAtom)
	switch t.DataAtom {
	case atom.A, atom.Area:
		r.startLink(t, void)
	case atom.Button:
		if !void {
			r.endLink()
			r.link, r.linkDepth = &anchor{href: "\x00", button: true}, len(r.open)+1
		}
	case atom.Img:
		r.image(t)
	}
	if !void && len(r.open) < maxOpen {
		r.open = append(r.open, e)
	}
}

func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Br, atom.Img, atom.Hr, atom.Input, atom.Meta, atom.Link, atom.Col, atom.Wbr, atom.Source, atom.Area, atom.Base, atom.Embed, atom.Param, atom.Track:
		return true
	}
	return false
}

func (r *reader) end(tag string) {
	if tag == "a" || tag == "button" {
		r.endLink()
	}
	for i := len(r.open) - 1; i >= 0; i-- {
		if r.open[i].tag == tag {
			r.open = r.open[:i]
			return
		}
		// A cell ends nothing outside its table.
		if r.open[i].tag == "table" && tag != "table" {
			return
		}
	}
}

func (r *reader) startLink(t html.Token, void bool) {
	r.endLink()
	href, ok := attr(t, "href")
	if !ok {
		return
	}
	style, _ := attr(t, "style")
	a := &anchor{href: strings.TrimSpace(r.source(href)), button: strings.Contains(strings.ToLower(style), "background") || strings.Contains(strings.ToLower(style), "padding")}
	for _, name := range []string{"aria-label", "title", "alt"} {
		if label, ok := attr(t, name); ok && strings.TrimSpace(label) != "" {
			a.text = label
		}
	}
	if t.DataAtom == atom.Area {
		a.image = true
	}
	r.link, r.linkDepth = a, len(r.open)
	if void {
		r.endLink()
	}
}

func (r *reader) endLink() {
	if r.link == nil {
		return
	}
	r.link.text = strings.TrimSpace(r.link.text)
	r.links = once(r.links, *r.link)
	r.link = nil
}

func (r *reader) image(t html.Token) {
	src, _ := attr(t, "src")
	alt, said := attr(t, "alt")
	width, w := attr(t, "width")
	height, h := attr(t, "height")
	style, _ := attr(t, "style")
	style = strings.ToLower(style)
	img := image{
		src: strings.TrimSpace(r.source(src)), alt: said,
		sized:    w || h || widthInStyle.MatchString(style),
		tracking: width == "1" || height == "1" || width == "0" || height == "0" || strings.Contains(style, "display:none"),
	}
	r.images = once(r.images, img)
	if r.link != nil {
		r.link.image = true
		if alt != "" && r.link.text == "" {
			r.link.text = r.source(alt)
		}
	}
}

var widthInStyle = regexp.MustCompile(`(?:^|[;\s])(?:width|height)\s*:\s*[^;]*\d`)

func attr(t html.Token, name string) (string, bool) {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// element reads what an element is and how text looks in it.
func (r *reader) element(t html.Token, e *element) {
	r.lacking(kindElement, t.Data, "<"+t.Data+">")
	switch t.DataAtom {
	case atom.Script:
		r.scripts = once(r.scripts, "<script>")
	case atom.Form:
		r.forms = once(r.forms, "<form>")
	case atom.Link:
		rel, _ := attr(t, "rel")
		if href, _ := attr(t, "href"); strings.Contains(strings.ToLower(rel), "stylesheet") {
			r.sheets = once(r.sheets, r.source(href))
		}
	case atom.B, atom.Strong, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Th:
		e.bold = true
		if size, ok := headings[t.DataAtom]; ok {
			e.size = size
		}
	case atom.Iframe, atom.Object, atom.Embed:
		r.scripts = once(r.scripts, "<"+t.Data+">")
	case atom.Font:
		if v, ok := attr(t, "color"); ok {
			e.color = colorOr(v)
		}
	}
	if t.DataAtom == atom.A {
		e.color, e.link = "", true
	}
	for _, a := range t.Attr {
		switch {
		case a.Key == "bgcolor":
			e.ground = colorOr(a.Val)
		case a.Key == "background":
			e.ground = unknownColor
		case a.Key == "class" || a.Key == "id":
			if r.styled {
				e.color, e.ground = unknownColor, unknownColor
			}
		case a.Key == "hidden":
			e.hidden = true
		case a.Key == "action" || a.Key == "formaction" || a.Key == "xlink:href":
			r.untagged = once(r.untagged, r.source(a.Val))
		case strings.HasPrefix(a.Key, "on") && len(a.Key) > 4:
			r.scripts = once(r.scripts, a.Key)
		}
	}
	if style, ok := attr(t, "style"); ok {
		r.style(style, e)
	}
	if e.tag == "body" || e.tag == "html" {
		if r.styled && e.ground == "" {
			e.ground, e.color = unknownColor, unknownColor
		}
	}
}

// headings are the sizes of headings in pixels, as browsers have them.
var headings = map[atom.Atom]float64{atom.H1: 32, atom.H2: 24, atom.H3: 18.72, atom.H4: 16, atom.H5: 13.28, atom.H6: 10.72}

// style reads the declarations of a style attribute.
func (r *reader) style(style string, e *element) {
	for name, value := range declarations(style) {
		r.declared(name, value)
		switch name {
		case "color":
			e.color = colorOr(value)
		case "background", "background-color":
			switch c := colorOr(value); {
			case strings.Contains(value, "url(") || strings.Contains(value, "gradient"):
				e.ground = unknownColor
			case c != unknownColor || value != "none" && value != "transparent" && value != "inherit" && value != "initial":
				e.ground = c
			}
		case "background-image":
			if value != "none" {
				e.ground = unknownColor
			}
		case "opacity", "filter", "mix-blend-mode":
			e.color = unknownColor
		case "display":
			e.hidden = e.hidden || value == "none"
		case "visibility":
			e.hidden = e.hidden || value == "hidden"
		case "mso-hide":
			e.hidden = e.hidden || value == "all"
		case "font-size":
			if px, ok := pixels(value); ok {
				e.size = px
				e.hidden = e.hidden || px < 2
			}
		case "font-weight":
			n, err := strconv.Atoi(value)
			e.bold = value == "bold" || value == "bolder" || err == nil && n >= 700
		}
	}
}

// declarations yields the properties of a style and their values, in lower case.
func declarations(style string) func(yield func(name, value string) bool) {
	return func(yield func(name, value string) bool) {
		for d := range strings.SplitSeq(style[:min(len(style), maxStyle)], ";") {
			name, value, ok := strings.Cut(d, ":")
			if !ok {
				continue
			}
			value, _, _ = strings.Cut(strings.ToLower(value), "!")
			if !yield(strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)) {
				return
			}
		}
	}
}

func pixels(value string) (float64, bool) {
	for unit, factor := range map[string]float64{"px": 1, "pt": 4.0 / 3} {
		if s, ok := strings.CutSuffix(value, unit); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
			return n * factor, err == nil
		}
	}
	return 0, false
}

// colorOr returns a color as #rrggbb, and an unknown one where it is none that can be read.
func colorOr(value string) string {
	value = strings.TrimSpace(value)
	if strings.HasPrefix(value, "rgba") && !opaque.MatchString(value) {
		return unknownColor
	}
	if c := render.ParseColor(value); c != "" {
		return c
	}
	return unknownColor
}

var opaque = regexp.MustCompile(`[,/]\s*(?:1|1\.0*|100%)\s*\)$`)
