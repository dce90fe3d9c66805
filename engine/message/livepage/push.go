package livepage

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"bugle/engine/message/render"
	"bugle/engine/schema"
)

// notificationStyle is the style of the page of notifications.
const notificationStyle = `
  body { margin: 0; font: 15px/1.4 system-ui, sans-serif }
  main { display: flex; flex-wrap: wrap; gap: 24px; padding: 24px }
  article { width: 340px; padding: 14px 16px; border-radius: 16px; border: 1px solid #8886; box-shadow: 0 2px 10px #0003 }
  h2 { font-size: 13px; margin: 0 0 8px; opacity: .7 } img { max-width: 100%; border-radius: 10px; margin-top: 8px }
  .quiet { opacity: .7 } .buttons span { display: inline-block; margin: 8px 12px 0 0; font-weight: 600 }
`

// notifications returns the page of push notifications, or of the note. It is made of nodes, of which the compiler knows
// the fields.
func notifications(m Message) ([]byte, error) {
	main := element("main", nil)
	if m.Note != "" {
		main.AppendChild(element("p", nil, text(m.Note)))
	}
	for _, n := range m.Push {
		main.AppendChild(notification(n))
	}
	page := &html.Node{Type: html.DocumentNode}
	for _, n := range []*html.Node{
		{Type: html.DoctypeNode, Data: "html"},
		element("meta", attributes{"charset": "utf-8"}), element("meta", attributes{"name": "color-scheme", "content": "light dark"}),
		element("style", nil, text(notificationStyle)), main,
	} {
		page.AppendChild(n)
	}
	var out bytes.Buffer
	err := html.Render(&out, page)
	return out.Bytes(), err
}

func notification(n *render.Notification) *html.Node {
	title := element("b", nil, spans(n.Title)...)
	out := element("article", attributes{"style": color("background", n.Colors.Background)},
		element("h2", nil, text(n.Platform.Label()+" · "+n.App+" · "+n.Label)), title)
	if !n.Subtitle.Empty() {
		out.AppendChild(element("br", nil))
		for _, s := range spans(n.Subtitle) {
			out.AppendChild(s)
		}
	}
	out.AppendChild(element("div", nil, spans(n.Body)...))
	if n.Timer != nil {
		out.AppendChild(element("p", attributes{"class": "quiet"}, text(n.Timer.Text)))
	}
	pictures := []*render.Image{n.Image}
	for _, s := range n.Slide {
		pictures = append(pictures, &s.Image)
	}
	for _, p := range pictures {
		if p != nil && (strings.HasPrefix(p.URL, "https://") || strings.HasPrefix(p.URL, "http://")) {
			out.AppendChild(element("img", attributes{"src": p.URL, "alt": p.Name}))
		}
	}
	buttons := element("div", attributes{"class": "buttons"})
	for _, b := range n.Buttons {
		buttons.AppendChild(element("span", nil, text(b.Title.String())))
	}
	out.AppendChild(buttons)
	return out
}

func spans(t render.Text) (out []*html.Node) {
	for _, s := range t {
		style := "white-space:pre-line;" + color("color", s.Color)
		if s.Bold {
			style += "font-weight:700;"
		}
		if s.Italic {
			style += "font-style:italic;"
		}
		if s.Underline {
			style += "text-decoration:underline;"
		}
		out = append(out, element("span", attributes{"style": style}, text(s.Text)))
	}
	return out
}

// color returns a declaration with a color of the document; none where that is not a color.
func color(property, value string) string {
	if !schema.Color.Matches(value) {
		return ""
	}
	return property + ":" + value + ";"
}

type attributes map[string]string

func element(tag string, attrs attributes, children ...*html.Node) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: tag}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		if attrs[name] != "" {
			n.Attr = append(n.Attr, html.Attribute{Key: name, Val: attrs[name]})
		}
	}
	for _, c := range children {
		n.AppendChild(c)
	}
	return n
}

func text(s string) *html.Node { return &html.Node{Type: html.TextNode, Data: s} }
