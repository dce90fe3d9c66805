package render

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// BlockKind is what a [Block] is.
type BlockKind uint8

// The kinds of blocks.
const (
	Paragraph BlockKind = iota
	Heading
	Item  // of a list; Mark is its bullet or number
	Quote // quoted text
	Code  // preformatted text
	Rule  // a horizontal line without text
	Media // a separate picture
)

// Block is a part of an email's body.
type Block struct {
	Kind  BlockKind
	Text  Text
	Level int    // of a heading 1 to 6; of an item its depth from 1
	Mark  string // of an item: "•", "3."
	Image *Image
}

// Limits on what is laid out: more than anybody reads of a mail in a terminal.
const (
	maxBlocks = 4000
	maxDepth  = 400
)

var unsubscribeWords = regexp.MustCompile(`(?i)unsubscribe|opt[-_ ]?out|abmelden|abbestellen|d[ée]sabonner|desuscribir|cancelar suscripci|preference[-_ ]?cent`)

// layout lays HTML out as blocks.
type layout struct {
	placeholders *placeholders
	blocks       []Block
	open         writer // the block being written
	kind         Block
	lists        []list // those that are open, the innermost last
	quotes       int

	hides       func(*html.Node) bool // what readers do not see
	unsubscribe string
}

// Unsubscribes reports whether an address, or the words of a link, are those by which people unsubscribe.
func Unsubscribes(s string) bool { return unsubscribeWords.MatchString(s) }

type list struct {
	ordered bool
	n       int
}

// flush ends the current block.
func (l *layout) flush() {
	t := l.open.done()
	if !t.Empty() && len(l.blocks) < maxBlocks {
		b := l.kind
		b.Text = t
		l.blocks = append(l.blocks, b)
	}
	l.open = writer{}
	l.kind = Block{Kind: Paragraph}
	if l.quotes > 0 {
		l.kind.Kind = Quote
	}
}

func (l *layout) children(n *html.Node, style Span, depth int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		l.node(c, style, depth+1)
	}
}

func (l *layout) node(n *html.Node, style Span, depth int) {
	switch {
	case depth > maxDepth || len(l.blocks) >= maxBlocks:
	case n.Type == html.TextNode:
		l.open.write(n.Data, style, l.placeholders)
	case n.Type == html.DocumentNode:
		l.children(n, style, depth)
	case n.Type == html.ElementNode:
		l.element(n, style, depth)
	}
}

func (l *layout) element(n *html.Node, style Span, depth int) {
	if l.hides(n) {
		return
	}
	style = restyle(style, n.DataAtom, n.Attr, l.placeholders)
	switch n.DataAtom {
	case atom.Br:
		l.open.line()
	case atom.Img:
		l.image(n, style)
	case atom.Hr:
		l.flush()
		l.blocks = append(l.blocks, Block{Kind: Rule})
	case atom.A:
		l.link(n, style, depth)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		l.block(n, style, depth, Block{Kind: Heading, Level: int(n.Data[1] - '0')})
	case atom.Pre:
		l.flush()
		l.open.verbatim = true
		l.kind = Block{Kind: Code}
		l.children(n, style, depth)
		l.flush()
	case atom.Blockquote:
		l.flush()
		l.quotes++
		l.kind.Kind = Quote
		l.children(n, style, depth)
		l.quotes--
		l.flush()
	case atom.Ul, atom.Ol:
		l.flush()
		l.lists = append(l.lists, list{ordered: n.DataAtom == atom.Ol})
		l.children(n, style, depth)
		l.lists = l.lists[:len(l.lists)-1]
		l.flush()
	case atom.Li:
		l.block(n, style, depth, l.item())
	default:
		l.other(n, style, depth)
	}
}

func (l *layout) other(n *html.Node, style Span, depth int) {
	if isBlock(n.DataAtom) || n.DataAtom == atom.Td || n.DataAtom == atom.Th || n.DataAtom == atom.Body {
		if !l.open.empty() || l.kind.Kind != Item { // a <p> at the start of an <li> is the item
			l.flush()
		}
		l.children(n, style, depth)
		l.flush()
		return
	}
	l.children(n, style, depth)
}

func (l *layout) block(n *html.Node, style Span, depth int, b Block) {
	l.flush()
	l.kind = b
	l.children(n, style, depth)
	l.flush()
}

func (l *layout) item() Block {
	b := Block{Kind: Item, Level: max(len(l.lists), 1), Mark: "•"}
	if len(l.lists) > 0 {
		in := &l.lists[len(l.lists)-1]
		in.n++
		if in.ordered {
			b.Mark = strconv.Itoa(in.n) + "."
		}
	}
	return b
}

// link writes a link, and records an unsubscribe link.
func (l *layout) link(n *html.Node, look Span, depth int) {
	l.children(n, look, depth)
	if look.Link != "" && l.unsubscribe == "" && (Unsubscribes(look.Link) || Unsubscribes(wordsIn(n))) {
		l.unsubscribe = look.Link
	}
}

func (l *layout) image(n *html.Node, style Span) {
	alt := strings.TrimSpace(attr(n.Attr, "alt"))
	src := l.placeholders.source(strings.TrimSpace(attr(n.Attr, "src")))
	if attr(n.Attr, "width") == "1" || attr(n.Attr, "height") == "1" {
		return // counts that the mail was opened
	}
	img := newImage(src)
	img.Alt = l.placeholders.source(alt)
	if !l.open.empty() {
		if alt != "" {
			l.open.write("["+alt+"]", style, l.placeholders)
		}
		return
	}
	if len(l.blocks) < maxBlocks && src != "" {
		l.blocks = append(l.blocks, Block{Kind: Media, Image: &img, Text: linkOnly(style)})
	}
}

// linkOnly returns a text that carries a picture's link.
func linkOnly(style Span) Text {
	if style.Link == "" {
		return nil
	}
	return Text{{Link: style.Link}}
}

// start returns the first words of the email.
func (l *layout) start() Text {
	var out Text
	for _, b := range l.blocks {
		if out.Length() > 200 {
			break
		}
		if len(b.Text) > 0 && len(out) > 0 {
			out = append(out, Span{Text: " "})
		}
		out = append(out, b.Text...)
	}
	return out
}

// wordsIn returns the text in an element.
func wordsIn(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
		if b.Len() > 2000 {
			break
		}
	}
	return b.String()
}
