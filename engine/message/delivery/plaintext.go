package delivery

import (
	"bytes"
	"html"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	xhtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

var invisible = strings.NewReplacer("\u200b", "", "\u200c", "", "\u200d", "", "\u034f", "", "\ufeff", "", "\u00ad", "")

// PlainText converts an HTML email to text: paragraphs, lists, and links followed by their address. It leaves
// out hidden parts, such as a preheader. It never fails, even for incomplete HTML.
func PlainText(source string) string {
	doc, err := xhtml.Parse(strings.NewReader(source))
	if err != nil {
		return strings.TrimSpace(source)
	}
	dropHidden(doc, Hides(doc), 0)
	conv := converter.NewConverter(
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()),
		// Backslashes before stars are for Markdown, not for readers of plain text.
		converter.WithEscapeMode(converter.EscapeModeDisabled),
	)
	// The converter writes < and > as in HTML.
	conv.Register.TextTransformer(func(_ converter.Context, s string) string { return html.EscapeString(s) }, converter.PriorityEarly)
	conv.Register.TextTransformer(func(_ converter.Context, s string) string { return html.UnescapeString(s) }, converter.PriorityLate)
	for _, tag := range []string{"strong", "b", "em", "i", "code", "span"} {
		conv.Register.RendererFor(tag, converter.TagTypeInline, renderInside, converter.PriorityEarly)
	}
	for _, tag := range []string{"table", "center", "h1", "h2", "h3", "h4", "h5", "h6"} {
		conv.Register.RendererFor(tag, converter.TagTypeBlock, renderBlock, converter.PriorityEarly)
	}
	for _, tag := range []string{"thead", "tbody", "tfoot"} {
		conv.Register.RendererFor(tag, converter.TagTypeBlock, renderInside, converter.PriorityEarly)
	}
	conv.Register.RendererFor("tr", converter.TagTypeBlock, renderRow, converter.PriorityEarly)
	conv.Register.RendererFor("a", converter.TagTypeInline, renderLink, converter.PriorityEarly)
	conv.Register.RendererFor("img", converter.TagTypeInline, renderImage, converter.PriorityEarly)
	out, err := conv.ConvertNode(doc)
	if err != nil {
		return strings.TrimSpace(html.UnescapeString(source))
	}
	text := strings.TrimSpace(tidyLines(invisible.Replace(string(out))))
	if text == "" {
		text = pictures(doc)
	}
	return text
}

// pictures returns the addresses of the pictures of a document that has nothing else.
func pictures(doc *xhtml.Node) string {
	var lines []string
	for n := range doc.Descendants() {
		if src := attribute(n, "src"); n.DataAtom == atom.Img && strings.HasPrefix(src, "http") && attribute(n, "width") != "1" && attribute(n, "height") != "1" {
			lines = append(lines, "["+src+"]")
		}
	}
	return strings.Join(lines, "\n")
}

// tidyLines returns a text without blanks at the ends of lines, and without more than one empty line in a row. A
// preview calls it for every key, so it looks at each character once.
func tidyLines(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	empty := 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t\u00a0")
		if line != "" {
			empty = 0
		} else if empty++; empty > 1 {
			continue
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}

func renderInside(ctx converter.Context, w converter.Writer, n *xhtml.Node) converter.RenderStatus {
	ctx.RenderChildNodes(ctx, w, n)
	return converter.RenderSuccess
}

func renderBlock(ctx converter.Context, w converter.Writer, n *xhtml.Node) converter.RenderStatus {
	var inside bytes.Buffer
	ctx.RenderChildNodes(ctx, &inside, n)
	w.WriteString("\n\n" + strings.TrimSpace(inside.String()) + "\n\n")
	return converter.RenderSuccess
}

// renderRow writes cells of one line each as one line, as in an order, and others, which are columns of a layout, one after
// the other.
func renderRow(ctx converter.Context, w converter.Writer, n *xhtml.Node) converter.RenderStatus {
	var cells []string
	gap, end := "  ", "\n"
	for c := range n.ChildNodes() {
		var inside bytes.Buffer
		ctx.RenderChildNodes(ctx, &inside, c)
		text := strings.TrimSpace(inside.String())
		if text == "" {
			continue
		}
		if cells = append(cells, text); strings.Contains(text, "\n") {
			gap, end = "\n\n", "\n\n"
		}
	}
	if len(cells) == 1 {
		end = "\n\n"
	}
	w.WriteString(end[1:] + strings.Join(cells, gap) + end)
	return converter.RenderSuccess
}

func renderLink(ctx converter.Context, w converter.Writer, n *xhtml.Node) converter.RenderStatus {
	var inside bytes.Buffer
	ctx.RenderChildNodes(ctx, &inside, n)
	label := strings.TrimSpace(inside.String())
	href := strings.TrimSpace(attribute(n, "href"))
	switch {
	case href == "" || strings.HasPrefix(href, "#") || label == href || "mailto:"+label == href:
		w.WriteString(label)
	case label == "":
		w.WriteString(href)
	default:
		w.WriteString(label + " (" + href + ")")
	}
	return converter.RenderSuccess
}

func renderImage(_ converter.Context, w converter.Writer, n *xhtml.Node) converter.RenderStatus {
	if alt := strings.TrimSpace(attribute(n, "alt")); alt != "" {
		w.WriteString("[" + alt + "]")
	}
	return converter.RenderSuccess
}

func attribute(n *xhtml.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// dropHidden removes what readers do not see. Below maxDepth elements it removes everything, because the
// converter is recursive.
func dropHidden(n *xhtml.Node, hides func(*xhtml.Node) bool, depth int) {
	const maxDepth = 500
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if depth > maxDepth || hides(child) {
			n.RemoveChild(child)
		} else {
			dropHidden(child, hides, depth+1)
		}
		child = next
	}
}
