// Package utm adds a campaign's UTM parameters to the links in its messages (CONTRACT.md, utm_params).
package utm

import (
	"iter"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Param is a parameter to add to links.
type Param struct{ Name, Value string }

// Params returns the parameters of a document's `utm_params` in order, without empty ones.
func Params(utm doc.Value) []Param {
	var out []Param
	for name, v := range utm.Members() {
		if v.Kind() == doc.String && v.Text() != "" {
			out = append(out, Param{name, v.Text()})
		}
	}
	return out
}

// Tag adds the parameters to a link. Parameters that the link already has and everything else in it stay
// unchanged, byte for byte. Links without a host or path after the scheme (mailto:, tel:, an anchor, an app's
// screen) are returned unchanged.
func Tag(link string, params []Param) string {
	if !isTaggable(link) {
		return link
	}
	base, fragment, hasFragment := strings.Cut(link, "#")
	_, query, _ := strings.Cut(base, "?")
	named := queryNames(query)
	var b strings.Builder
	b.WriteString(base)
	sign := "?"
	if strings.Contains(base, "?") {
		sign = "&"
		if query == "" || strings.HasSuffix(query, "&") {
			sign = ""
		}
	}
	for _, p := range params {
		if slices.Contains(named, p.Name) {
			continue
		}
		b.WriteString(sign + url.QueryEscape(p.Name) + "=" + escape(p.Value))
		sign = "&"
	}
	if hasFragment {
		b.WriteString("#" + fragment)
	}
	return b.String()
}

// isTaggable reports whether a parameter may be added to a link.
func isTaggable(link string) bool {
	scheme, rest, ok := strings.Cut(link, "://")
	return ok && rest != "" && scheme != "" && !strings.ContainsAny(scheme, " \t\n{}/?#") && !strings.ContainsAny(rest, " \t\n<>\"")
}

func queryNames(query string) []string {
	var out []string
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		out = append(out, name)
	}
	return out
}

// escape escapes a query value but keeps unresolved expressions readable.
func escape(value string) string {
	if schema.HasExpression(value) {
		return value
	}
	return url.QueryEscape(value)
}

// TagHTML adds the parameters to every link of an HTML text; everything else stays unchanged, byte for byte.
func TagHTML(text string, params []Param) string {
	if len(params) == 0 || !strings.Contains(text, "://") {
		return text
	}
	var b strings.Builder
	for raw, href := range anchors(text) {
		tagged := raw
		if to := Tag(href, params); to != href {
			tagged = withHref(raw, to)
		}
		b.WriteString(tagged)
	}
	return b.String()
}

// anchors splits a text into tags and the text between them. href is the address of an anchor, or "".
func anchors(text string) iter.Seq2[string, string] {
	return func(yield func(raw, href string) bool) {
		z := html.NewTokenizer(strings.NewReader(text))
		for {
			kind := z.Next()
			raw := string(z.Raw())
			if kind == html.ErrorToken {
				if raw != "" {
					yield(raw, "")
				}
				return
			}
			if !yield(raw, anchor(z, kind)) {
				return
			}
		}
	}
}

func anchor(z *html.Tokenizer, kind html.TokenType) string {
	if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
		return ""
	}
	name, more := z.TagName()
	if s := string(name); s != "a" && s != "area" {
		return ""
	}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if string(key) == "href" {
			return string(value)
		}
	}
	return ""
}

// withHref returns a start tag with another href value.
func withHref(tag, to string) string {
	lower := lowerASCII(tag)
	for from := 0; ; {
		i := strings.Index(lower[from:], "href")
		if i < 0 {
			return tag
		}
		i += from
		from = i + len("href")
		if !strings.ContainsAny(lower[i-1:i], " \t\n\r\f/'\"") {
			continue // the end of another name, such as data-href
		}
		at := from + len(tag[from:]) - len(strings.TrimLeft(tag[from:], " \t\n\r\f"))
		if at >= len(tag) || tag[at] != '=' {
			continue
		}
		at += 1 + len(tag[at+1:]) - len(strings.TrimLeft(tag[at+1:], " \t\n\r\f"))
		end := valueEnd(tag, at)
		return tag[:at] + `"` + attribute.Replace(to) + `"` + tag[end:]
	}
}

// lowerASCII lowers only ASCII letters, so that offsets stay the same.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// attribute escapes a text for an attribute value in double quotes.
var attribute = strings.NewReplacer("&", "&amp;", `"`, "&quot;")

// valueEnd returns the end of the attribute value at i, including its quotes.
func valueEnd(tag string, i int) int {
	if i < len(tag) && (tag[i] == '"' || tag[i] == '\'') {
		if n := strings.IndexByte(tag[i+1:], tag[i]); n >= 0 {
			return i + 1 + n + 1
		}
		return len(tag)
	}
	if n := strings.IndexAny(tag[i:], " \t\n\r\f>"); n >= 0 {
		return i + n
	}
	return len(tag)
}

// Apply adds the parameters to a text if node n says that it is a link or contains links.
func Apply(n *schema.Node, text string, params []Param) string {
	if n == nil || len(params) == 0 {
		return text
	}
	switch n.Links {
	case schema.LinkItself:
		return Tag(text, params)
	case schema.LinksInHTML:
		return TagHTML(text, params)
	}
	return text
}

// Link is one link in a campaign's messages.
type Link struct {
	Path        doc.Path // path of the text that is or contains the link
	URL, Tagged string
}

// Links returns the links in a campaign's messages in document order, at most limit.
func Links(ch catalog.Channel, document doc.Value, limit int) []Link {
	s := catalog.Campaign(ch)
	params := Params(document.Get(string(catalog.UTMParams)))
	var out []Link
	add := func(p doc.Path, to string) {
		if len(out) < limit && isTaggable(to) {
			out = append(out, Link{p, to, Tag(to, params)})
		}
	}
	top := doc.P(string(catalog.CampaignContent))
	walk(top, s.At(top), document.Lookup(top), func(p doc.Path, n *schema.Node, text string) {
		if n.Links == schema.LinkItself {
			add(p, text)
			return
		}
		for _, href := range anchors(text) {
			add(p, href)
		}
	})
	return out
}

func walk(p doc.Path, n *schema.Node, v doc.Value, visit func(doc.Path, *schema.Node, string)) {
	if n == nil {
		return
	}
	switch v.Kind() {
	case doc.String:
		if n.Links != schema.NoLinks {
			visit(p, n, v.Text())
		}
	case doc.Array:
		for i, e := range v.Elems() {
			walk(p.Elem(i), n.Element, e, visit)
		}
	case doc.Object:
		for name, m := range v.Members() {
			walk(p.Child(name), n.Child(name), m, visit)
		}
	}
}
