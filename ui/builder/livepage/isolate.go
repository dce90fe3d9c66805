package livepage

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// addition stands at the beginning of the head of a message: links open in new tabs, and what has no color of its own
// follows the colors of the frame, as mail programs do in dark mode.
const addition = `<base target="_blank"><meta name="color-scheme" content="light dark">`

// isolate returns the HTML of an email with the addition, and without what a content security policy does not prevent:
// elements that connect to other servers before anything is loaded. Of embedded pages, to which Chromium connects before
// it asks the policy, the attributes are left out. Everything else stays byte by byte.
func isolate(text string) string {
	var out bytes.Buffer
	added := false
	add := func() {
		if !added {
			out.WriteString(addition)
			added = true
		}
	}
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		raw := slices.Clone(z.Raw()) // reading the attributes changes it
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			name, attrs := z.TagName()
			a := atom.Lookup(name)
			switch {
			case a == atom.Html:
				out.Write(raw)
				continue
			case a == atom.Head:
				out.Write(raw)
				add()
				continue
			case a == atom.Link && attrs && connects(z):
				continue
			}
			add()
			switch a {
			case atom.Iframe, atom.Frame, atom.Object, atom.Embed: // what is in it stays in it
				out.WriteString("<" + a.String() + ">")
				continue
			}
		case html.TextToken:
			if len(bytes.TrimSpace(raw)) > 0 {
				add()
			}
		case html.EndTagToken:
			add()
		}
		out.Write(raw)
	}
	add()
	out.Write(z.Raw()) // what is left of a tag that does not end
	return out.String()
}

// connects reports whether a link element makes the browser connect to a server by itself.
func connects(z *html.Tokenizer) bool {
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		if string(key) != "rel" {
			continue
		}
		for _, rel := range strings.Fields(strings.ToLower(string(value))) {
			switch rel {
			case "preconnect", "dns-prefetch", "prefetch", "preload", "prerender", "modulepreload":
				return true
			}
		}
	}
	return false
}
