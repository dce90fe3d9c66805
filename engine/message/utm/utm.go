// Package utm adds a campaign's UTM parameters to the links in its messages (CONTRACT.md, utm_params).
package utm

import (
	"fmt"
	"iter"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/template"
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

// Tag adds the parameters to a link. Parameters that the link already has and everything else in it stay unchanged, byte
// for byte, but for characters that a value put there and no address has, such as blanks, which are encoded. Links that get
// none are returned unchanged ([Taggable]).
func Tag(link string, params []Param) string {
	if !Taggable(link) {
		return link
	}
	address := strings.Trim(link, blanks)
	before, after, _ := strings.Cut(link, address)
	plain := withoutExpressions(address)
	end := len(plain)
	if i := strings.IndexByte(plain, '#'); i >= 0 {
		end = i
	}
	query, sign := "", "?"
	if i := strings.IndexByte(plain[:end], '?'); i >= 0 {
		query, sign = address[i+1:end], "&"
		if query == "" || strings.HasSuffix(query, "&") {
			sign = ""
		}
	}
	named, added := queryNames(query), ""
	for _, p := range params {
		if slices.Contains(named, p.Name) {
			continue
		}
		added += sign + url.QueryEscape(p.Name) + "=" + escape(p.Value)
		sign = "&"
	}
	if added == "" {
		return link
	}
	return before + encode(address[:end], plain[:end]) + added + encode(address[end:], plain[end:]) + after
}

// blanks are the characters around an address that belong to no address (WHATWG HTML, 2.3.1).
const blanks = " \t\n\r\f"

// Taggable reports whether a link gets parameters: it is a web page's, with a host. Others, such as mailto:, an app's screen,
// an anchor or a link that is an expression, do not: what opens them need not know parameters.
func Taggable(link string) bool {
	scheme, rest, ok := strings.Cut(strings.Trim(link, blanks), "://")
	if !ok || rest == "" || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return false
	}
	host := withoutExpressions(rest)
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host = host[:i]
	}
	return !strings.ContainsAny(host, blanks+`<>"`)
}

// withoutExpressions returns a text of the same length with a letter in place of each byte of an expression.
func withoutExpressions(text string) string {
	if !schema.HasExpression(text) {
		return text
	}
	var b strings.Builder
	for part := range template.Parts(text) {
		if part.Kind == template.TextPart {
			b.WriteString(part.Source)
		} else {
			b.WriteString(strings.Repeat("x", len(part.Source)))
		}
	}
	return b.String()
}

// encode encodes what browsers encode in an address, and leaves out what they leave out. Plain is the address without
// expressions.
func encode(address, plain string) string {
	var b strings.Builder
	for i := range len(address) {
		switch c := plain[i]; c {
		case ' ', '"', '<', '>':
			fmt.Fprintf(&b, "%%%02X", c)
		case '\t', '\n', '\r', '\f':
		default:
			b.WriteByte(address[i])
		}
	}
	return b.String()
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
		if to := Tag(href, params); to != href {
			from, end := hrefAt(raw)
			raw = raw[:from] + `"` + attribute.Replace(to) + `"` + raw[end:]
		}
		b.WriteString(raw)
	}
	return b.String()
}

// HTMLLinks returns the links of an HTML text that [TagHTML] looks at, also those for Outlook alone.
func HTMLLinks(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, href := range anchors(text) {
			if href != "" && !yield(href) {
				return
			}
		}
	}
}

// anchors splits a text into tags and the text between them. href is the address that a tag leads to, or "".
func anchors(text string) iter.Seq2[string, string] {
	return func(yield func(raw, href string) bool) { readAnchors(text, true, yield) }
}

func readAnchors(text string, conditions bool, yield func(raw, href string) bool) bool {
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		kind := z.Next()
		raw := string(z.Raw())
		if kind == html.ErrorToken {
			return raw == "" || yield(raw, "")
		}
		// What a condition keeps for Outlook is a comment to all others, and comments have none within them.
		if condition := outlook.FindString(raw); conditions && kind == html.CommentToken && condition != "" {
			if !yield(condition, "") || !readAnchors(raw[len(condition):], false, yield) {
				return false
			}
			continue
		}
		if !yield(raw, anchor(z, kind)) {
			return false
		}
	}
}

var outlook = regexp.MustCompile(`^<!--\[if[^>]*\]>`)

// unfollowed are the elements whose href nobody follows.
var unfollowed = []string{"base", "link", "image", "use"}

func anchor(z *html.Tokenizer, kind html.TokenType) string {
	if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
		return ""
	}
	name, more := z.TagName()
	if slices.Contains(unfollowed, string(name)) {
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

// hrefAt returns where the value of the first href of a start tag begins and ends, with its quotes. It reads attributes as
// the tokenizer does, which does not say where they are.
func hrefAt(tag string) (from, end int) {
	i := until(tag, 0, blanks+"/>")
	for i < len(tag) && tag[i] != '>' {
		if strings.IndexByte(blanks+"/", tag[i]) >= 0 {
			i++
			continue
		}
		start := i
		i = until(tag, i+1, blanks+"/=>")
		name := tag[start:i]
		if i = past(tag, i); i == len(tag) || tag[i] != '=' {
			continue
		}
		start = past(tag, i+1)
		if i = valueEnd(tag, start); strings.EqualFold(name, "href") {
			return start, i
		}
	}
	return len(tag), len(tag)
}

// until returns where the first of some characters is at i or later, or the end of the text.
func until(s string, i int, characters string) int {
	if n := strings.IndexAny(s[i:], characters); n >= 0 {
		return i + n
	}
	return len(s)
}

// past returns where the blanks at i end.
func past(s string, i int) int { return len(s) - len(strings.TrimLeft(s[i:], blanks)) }

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
	return until(tag, i, blanks+">")
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
		if len(out) < limit && Taggable(to) {
			out = append(out, Link{p, to, Tag(to, params)})
		}
	}
	top := doc.P(string(catalog.CampaignContent))
	walk(top, s.At(top), document.Lookup(top), func(p doc.Path, n *schema.Node, text string) {
		if n.Links == schema.LinkItself {
			add(p, text)
			return
		}
		for href := range HTMLLinks(text) {
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
