package delivery

import (
	"bytes"
	"html"
	"regexp"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	xhtml "golang.org/x/net/html"
)

var (
	hiddenStyle = regexp.MustCompile(`(?i)display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all`)
	preheader   = regexp.MustCompile(`(?i)(class|id)\s*=\s*["'][^"']*(preheader|preview-?text)|display\s*:\s*none`)
	bodyTag     = regexp.MustCompile(`(?i)<body(\s[^>]*)?>`)
	htmlTag     = regexp.MustCompile(`(?i)</head\s*>|<html(\s[^>]*)?>|<!doctype[^>]*>`)
	invisible   = strings.NewReplacer("\u200b", "", "\u200c", "", "\u200d", "", "\u034f", "", "\ufeff", "", "\u00ad", "")
)

// PlainText converts an HTML email to text: paragraphs, lists, and links followed by their address. It leaves
// out hidden parts, such as a preheader. It never fails, even for incomplete HTML.
func PlainText(source string) string {
	doc, err := xhtml.Parse(strings.NewReader(source))
	if err != nil {
		return strings.TrimSpace(source)
	}
	dropHidden(doc, 0)
	conv := converter.NewConverter(
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()),
		// Backslashes before stars are for Markdown, not for readers of plain text.
		converter.WithEscapeMode(converter.EscapeModeDisabled),
	)
	for _, tag := range []string{"strong", "b", "em", "i", "code", "span"} {
		conv.Register.RendererFor(tag, converter.TagTypeInline, renderInside, converter.PriorityEarly)
	}
	for _, tag := range []string{"table", "tbody", "tr", "center"} {
		conv.Register.RendererFor(tag, converter.TagTypeBlock, renderBlock, converter.PriorityEarly)
	}
	for _, tag := range []string{"td", "th"} {
		conv.Register.RendererFor(tag, converter.TagTypeBlock, renderBlock, converter.PriorityEarly)
	}
	for _, tag := range []string{"h1", "h2", "h3", "h4", "h5", "h6"} {
		conv.Register.RendererFor(tag, converter.TagTypeBlock, renderBlock, converter.PriorityEarly)
	}
	conv.Register.RendererFor("a", converter.TagTypeInline, renderLink, converter.PriorityEarly)
	conv.Register.RendererFor("img", converter.TagTypeInline, renderImage, converter.PriorityEarly)
	out, err := conv.ConvertNode(doc)
	if err != nil {
		return strings.TrimSpace(html.UnescapeString(source))
	}
	return strings.TrimSpace(tidyLines(invisible.Replace(string(out))))
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
func dropHidden(n *xhtml.Node, depth int) {
	const maxDepth = 500
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if depth > maxDepth || hidden(child) {
			n.RemoveChild(child)
		} else {
			dropHidden(child, depth+1)
		}
		child = next
	}
}

func hidden(n *xhtml.Node) bool {
	if n.Type == xhtml.CommentNode {
		return true
	}
	if n.Type != xhtml.ElementNode {
		return false
	}
	switch n.Data {
	case "head", "style", "script", "noscript", "template", "title":
		return true
	}
	for _, a := range n.Attr {
		if a.Key == "hidden" || a.Key == "style" && hiddenStyle.MatchString(a.Val) {
			return true
		}
	}
	return false
}

// withPreheader adds the preview text where inboxes look for it: hidden at the start of the body. An email
// with a preheader of its own is unchanged.
func withPreheader(source, preview string) string {
	at := 0
	if loc := bodyTag.FindStringIndex(source); loc != nil {
		at = loc[1]
	} else if all := htmlTag.FindAllStringIndex(source, -1); len(all) > 0 {
		at = all[len(all)-1][1]
	}
	const inboxesLook = 2000
	start := source[at:min(at+inboxesLook, len(source))]
	if strings.TrimSpace(preview) == "" || preheader.MatchString(start) {
		return source
	}
	return source[:at] +
		`<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">` + html.EscapeString(preview) + `</div>` +
		source[at:]
}
