package delivery

import (
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"

	xhtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"bugle/engine/visible"
)

// HTML returns the HTML of an email as it is sent: with the preview text hidden at the start of its body, where inboxes look
// for it, unless it has a preheader of its own. A line ends with LF.
func HTML(source, preview string) string {
	source = lineEnds.Replace(source)
	if strings.TrimSpace(source) == "" || visible.IsBlank(preview) {
		return source
	}
	if doc, err := xhtml.Parse(strings.NewReader(source)); err == nil && Preheader(doc) != "" {
		return source
	}
	at := bodyStart(source)
	return source[:at] +
		`<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">` + html.EscapeString(preview) + `</div>` +
		source[at:]
}

// bodyStart returns where the content of the body begins, also if no tag says so. Comments are no part of it, so the body
// of an email that has another one for Outlook is the one of all other readers.
func bodyStart(source string) int {
	z := xhtml.NewTokenizer(strings.NewReader(source))
	at, end, inside := 0, 0, atom.Atom(0)
	body := false
	for {
		kind := z.Next()
		if kind == xhtml.ErrorToken {
			return at
		}
		raw := string(z.Raw())
		end += len(raw)
		name, _ := z.TagName()
		tag := atom.Lookup(name)
		starts := kind == xhtml.StartTagToken || kind == xhtml.SelfClosingTagToken
		switch {
		case body && (strings.HasPrefix(raw, "<!--<![endif]") || strings.HasPrefix(raw, "<![endif]")):
			return end // of the condition that has the tag for these readers
		case kind == xhtml.CommentToken, kind == xhtml.TextToken && strings.TrimSpace(raw) == "":
			continue
		case body:
			return at
		case inside != 0:
			if kind == xhtml.EndTagToken && tag == inside {
				inside = 0
			}
		case starts && tag == atom.Body:
			body = true
		case starts && inHead(tag):
			switch tag {
			case atom.Title, atom.Style, atom.Script, atom.Noscript:
				inside = tag
			}
		case kind == xhtml.DoctypeToken, kind == xhtml.EndTagToken && inHead(tag):
		default:
			return at
		}
		at = end
	}
}

func inHead(tag atom.Atom) bool {
	switch tag {
	case atom.Html, atom.Head, atom.Title, atom.Meta, atom.Link, atom.Base, atom.Style, atom.Script, atom.Noscript:
		return true
	}
	return false
}

// Preheader returns the text that a document hides at the start of its body, for inboxes to show after the subject. It is
// empty if there is none.
func Preheader(doc *xhtml.Node) string {
	if n, _ := hiddenStart(doc, Hides(doc)); n != nil {
		return words(n)
	}
	return ""
}

// WithoutPreheader returns the HTML of an email without the element that holds its own preheader, so that its preview text
// is used. It returns the source unchanged if there is none, or if what is seen would change.
func WithoutPreheader(source string) string {
	doc, err := xhtml.Parse(strings.NewReader(source))
	if err != nil {
		return source
	}
	own, _ := hiddenStart(doc, Hides(doc))
	if own == nil {
		return source
	}
	before := 0 // elements that are written alike
	for n := range doc.Descendants() {
		if n == own {
			break
		}
		if n.Data == own.Data && slices.Equal(n.Attr, own.Attr) {
			before++
		}
	}
	z := xhtml.NewTokenizer(strings.NewReader(source))
	start, end, depth := 0, 0, 0
	for {
		kind := z.Next()
		if kind == xhtml.ErrorToken {
			return source
		}
		from := end
		end += len(z.Raw())
		switch t := z.Token(); {
		case t.Data != own.Data:
		case kind == xhtml.StartTagToken && depth > 0:
			depth++
		case kind == xhtml.StartTagToken && slices.Equal(t.Attr, own.Attr):
			if before--; before < 0 {
				start, depth = from, 1
			}
		case kind == xhtml.EndTagToken && depth == 1:
			if out := source[:start] + source[end:]; PlainText(out) == PlainText(source) {
				return out
			}
			return source
		case kind == xhtml.EndTagToken && depth > 0:
			depth--
		}
	}
}

// hiddenStart returns the element with the first text if it is hidden, and whether there is any text.
func hiddenStart(n *xhtml.Node, hides func(*xhtml.Node) bool) (own *xhtml.Node, found bool) {
	for c := range n.ChildNodes() {
		switch {
		case c.Type == xhtml.TextNode && words(c) != "":
			return nil, true
		case c.DataAtom == atom.Head:
		case hides(c):
			if words(c) != "" && !isUnseen(c) && !hasMore(c) {
				return c, true
			}
		case c.DataAtom == atom.Img && strings.TrimSpace(attribute(c, "alt")) != "":
			return nil, true
		default:
			if own, found := hiddenStart(c, hides); found {
				return own, true
			}
		}
	}
	return nil, false
}

// hasMore reports whether an element has pictures or links, which no preheader has: other screens show it.
func hasMore(n *xhtml.Node) bool {
	for c := range n.Descendants() {
		if c.DataAtom == atom.Img || c.DataAtom == atom.A && attribute(c, "href") != "" {
			return true
		}
	}
	return n.DataAtom == atom.A && attribute(n, "href") != ""
}

// words returns the text in an element, without what fills up the line of an inbox.
func words(n *xhtml.Node) string {
	const enough = 2000
	var b strings.Builder
	if n.Type == xhtml.TextNode {
		b.WriteString(n.Data)
	}
	for c := range n.Descendants() {
		if c.Type == xhtml.TextNode && b.Len() < enough {
			b.WriteString(c.Data)
		}
	}
	return strings.Join(strings.Fields(invisible.Replace(b.String())), " ")
}

// Hides returns a function that reports whether readers of a document do not see a node.
func Hides(doc *xhtml.Node) func(*xhtml.Node) bool {
	rules := map[string]bool{}
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Style && n.FirstChild != nil {
			maps.Copy(rules, hidingRules(n.FirstChild.Data))
		}
	}
	return func(n *xhtml.Node) bool {
		return n.Type == xhtml.CommentNode || isUnseen(n) || slices.ContainsFunc(n.Attr, func(a xhtml.Attribute) bool {
			switch a.Key {
			case "hidden":
				return true
			case "style":
				return hiddenStyle.MatchString(a.Val)
			case "id":
				return rules["#"+a.Val]
			case "class":
				return slices.ContainsFunc(strings.Fields(a.Val), func(class string) bool { return rules["."+class] })
			}
			return false
		})
	}
}

// isUnseen reports whether the content of an element is no text.
func isUnseen(n *xhtml.Node) bool {
	switch n.DataAtom {
	case atom.Head, atom.Style, atom.Script, atom.Noscript, atom.Template, atom.Title:
		return n.Type == xhtml.ElementNode
	}
	return false
}

var (
	hiddenStyle = regexp.MustCompile(`(?i)display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|max-height\s*:\s*0|opacity\s*:\s*0(\.0*)?\s*(;|!|$)`)
	cssComment  = regexp.MustCompile(`(?s)/\*.*?\*/`)
	oneName     = regexp.MustCompile(`^\w*([.#][\w-]+)$`)
)

// hidingRules returns the classes and ids that a style sheet hides, with their signs. What it hides on some screens only is
// seen on others.
func hidingRules(css string) map[string]bool {
	out := map[string]bool{}
	css = cssComment.ReplaceAllString(css, "")
	depth, from, selectors := 0, 0, ""
	for i := range len(css) {
		switch css[i] {
		case '{':
			if depth == 0 {
				selectors = css[from:i]
			}
			depth, from = depth+1, i+1
		case '}':
			if depth == 1 && !strings.Contains(selectors, "@") && hiddenStyle.MatchString(css[from:i]) {
				for s := range strings.SplitSeq(selectors, ",") {
					if m := oneName.FindStringSubmatch(strings.TrimSpace(s)); m != nil {
						out[m[1]] = true
					}
				}
			}
			depth, from = max(depth-1, 0), i+1
		}
	}
	return out
}
