package livepage

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isolate returns the HTML of an email as a browser reads it, without what a content security policy does not prevent:
// above all elements that connect to other servers before anything is loaded. It reads the text into a tree and writes
// that, so that the only tags and attributes of the result are those that it has seen. Links open in new tabs, and what
// has no color of its own follows the colors of the frame, as mail programs do in dark mode.
func isolate(text string) (string, error) {
	page, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(false)) // the frame has no scripts
	if err != nil {
		return "", fmt.Errorf("its HTML cannot be read: %w", err)
	}
	keep(page)
	for n := range page.Descendants() {
		if n.DataAtom == atom.Head && n.Namespace == "" {
			for _, first := range []*html.Node{
				element("meta", attributes{"name": "color-scheme", "content": "light dark"}),
				element("meta", attributes{"http-equiv": "x-dns-prefetch-control", "content": "off"}), // of links
				element("base", attributes{"target": "_blank"}),
			} {
				n.InsertBefore(first, n.FirstChild)
			}
			break
		}
	}
	var out strings.Builder
	if err := html.Render(&out, page); err != nil {
		return "", fmt.Errorf("its HTML cannot be shown in a browser: %w", err)
	}
	return out.String(), nil
}

// keep removes from below a node what the page does not show. Whatever a browser reads differently from this parser, text
// never becomes a tag: the elements whose text is written as it is are removed or renamed, except for style.
func keep(parent *html.Node) {
	var next *html.Node
	for n := parent.FirstChild; n != nil; n = next {
		next = n.NextSibling
		if n.Type == html.CommentNode {
			parent.RemoveChild(n)
			continue
		}
		if n.Type != html.ElementNode {
			continue
		}
		n.Attr = slices.DeleteFunc(n.Attr, removed)
		switch n.Data { // in every namespace, because a browser may see another one
		case "script", "link", "base", "noembed", "noframes":
			parent.RemoveChild(n)
			continue
		case "meta":
			if !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "name" && shownMeta.MatchString(a.Val) }) {
				parent.RemoveChild(n)
				continue
			}
		case "noscript": // whose content is shown
			if next = n.FirstChild; next == nil {
				next = n.NextSibling
			}
			for c := n.FirstChild; c != nil; c = n.FirstChild {
				n.RemoveChild(c)
				parent.InsertBefore(c, n)
			}
			parent.RemoveChild(n)
			continue
		case "iframe", "frame", "object", "embed", "portal", "fencedframe": // Chromium connects before it asks the policy
			n.Attr = nil
			for n.Data == "iframe" && n.FirstChild != nil {
				n.RemoveChild(n.FirstChild)
			}
		case "xmp", "plaintext", "listing":
			n.Data, n.DataAtom = "pre", atom.Pre
		case "style":
			for c := range n.ChildNodes() {
				c.Data = tagInCSS.ReplaceAllString(strings.ReplaceAll(c.Data, "<!--", ""), `\3c $1`)
			}
		}
		keep(n)
	}
}

// shownMeta is a meta element on which it depends how a page looks.
var shownMeta = regexp.MustCompile(`(?i)^\s*(viewport|color-scheme)\s*$`)

// tagInCSS is what would begin a tag if a browser read a style as HTML. Within a string or a URL it means the same as its
// escape.
var tagInCSS = regexp.MustCompile(`<([A-Za-z/!?])`)

// removed reports whether an attribute is left out: scripts, what sends requests by itself, what reveals the address of
// the page, and where a link opens.
func removed(a html.Attribute) bool {
	switch a.Key {
	case "ping", "attributionsrc", "referrerpolicy", "srcdoc", "http-equiv", "target", "formtarget":
		return true
	}
	return strings.HasPrefix(a.Key, "on")
}
