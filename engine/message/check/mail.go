package check

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/mjml"
	"bugle/engine/message/render"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// pages calls fn with each email that has HTML.
func (r *run) pages(fn func(m *message, p *page, at doc.Path)) {
	for _, m := range r.messages {
		if m.page != nil && m.page.size > 0 {
			fn(m, m.page, m.at(catalog.EmailHTML))
		}
	}
}

// withheld reports why it is not known what all of an email is: content blocks that nobody knows here.
func (r *run) withheld(p *page) string {
	if r.facts.Workspace != nil {
		return ""
	}
	for _, e := range p.names {
		if strings.Contains(e, rootBlock) {
			return "the email includes content blocks, which are not known"
		}
	}
	return ""
}

// notCompiled finds MJML where HTML belongs, and why it was not compiled.
func notCompiled(r *run) {
	if r.facts.CompilesMJML {
		return
	}
	for _, m := range r.messages {
		source := m.text(catalog.EmailHTML)
		if !mjml.IsSource(source) || r.ctx.Err() != nil {
			continue
		}
		why := "The body is MJML that was not compiled to HTML yet"
		if _, err := mjml.Compile(r.ctx, source); err != nil {
			why = "The body is MJML that was not compiled to HTML: " + strings.TrimPrefix(err.Error(), "the MJML cannot be compiled: ")
		}
		r.find("mjml-not-compiled", m.at(catalog.EmailHTML), m.TestKey, "%s", why)
	}
}

// unverified finds HTML of which nobody knows whether it is what its MJML describes.
func unverified(r *run) {
	for _, m := range r.messages {
		if r.ctx.Err() != nil {
			return
		}
		switch err := mjml.Verify(r.ctx, m.text(catalog.EmailHTML)); {
		case errors.Is(err, mjml.ErrDiffers):
			r.find("mjml-differs", m.at(catalog.EmailHTML), m.TestKey, "%s", phrase.Capitalize(err.Error()))
		case err != nil:
			r.find("mjml-not-verified", m.at(catalog.EmailHTML), m.TestKey, "%s", phrase.Capitalize(mjml.Reason(err)))
		}
	}
}

func unsubscribe(r *run) {
	if !r.promotional() {
		return
	}
	r.pages(func(m *message, p *page, at doc.Path) {
		for _, a := range p.links {
			if render.Unsubscribes(a.href) || render.Unsubscribes(a.text) {
				return
			}
		}
		if slices.ContainsFunc(p.names, render.Unsubscribes) { // an attribute has the link
			return
		}
		if why := r.withheld(p); why != "" {
			r.skip("unsubscribe-missing", why)
			return
		}
		r.find("unsubscribe-missing", at, m.TestKey, "No link to unsubscribe was found in this promotional email")
	})
}

// postal finds an address: a street with a number near a postal code and a place, as they are written in Europe and in the
// United States, a British or Canadian code, or a post office box.
var postal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i:\bp\.?\s?o\.?\s?box\b|\bpostfach\b)` +
		`|\d{1,5}\s?[a-zA-Z]?\b[^\d]{0,60}\b(?:[A-Z]{1,2}-)?\d{4,6}\s+\p{L}` +
		`|\b\d{1,6}\s+\p{L}[^\n]{3,90}\b\p{Lu}\p{L}+,?\s+\d{5}\b` +
		`|\b\d{4}\s?[A-Z]{2}\s+\p{Lu}` +
		`|\b[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}\b|\b[A-Z]\d[A-Z]\s?\d[A-Z]\d\b`)
})

var addressName = regexp.MustCompile(`(?i)address|imprint|impressum|legal`)

func postalAddress(r *run) {
	if !r.promotional() {
		return
	}
	r.pages(func(m *message, p *page, at doc.Path) {
		if postal().MatchString(strings.Join(strings.Fields(p.words), " ")) || slices.ContainsFunc(p.names, addressName.MatchString) {
			return
		}
		if why := r.withheld(p); why != "" {
			r.skip("address-missing", why)
			return
		}
		r.find("address-missing", at, m.TestKey, "No postal address of the sender was found in this promotional email")
	})
}

func replyTo(r *run) {
	for _, m := range r.messages {
		from, reply := domainOf(m.text(catalog.EmailFrom)), domainOf(m.text(catalog.EmailReplyTo))
		if from != "" && reply != "" && !related(from, reply) {
			r.find("reply-to-domain", m.at(catalog.EmailReplyTo), m.TestKey, "Replies go to %s, and the email comes from %s", reply, from)
		}
	}
}

// domainOf returns the domain of an email address; empty where that is not known.
func domainOf(address string) string {
	_, domain, ok := strings.Cut(address, "@")
	if !ok || schema.HasExpression(domain) {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(domain))
}

// related reports whether two domains belong together as far as their names tell.
func related(a, b string) bool {
	return a == b || strings.HasSuffix(a, "."+b) || strings.HasSuffix(b, "."+a) || lastTwo(a) == lastTwo(b)
}

func lastTwo(domain string) string {
	parts := strings.Split(domain, ".")
	return strings.Join(parts[max(len(parts)-2, 0):], ".")
}

func emailImages(r *run) {
	r.pages(func(m *message, p *page, at doc.Path) {
		var mute, loose, plain []string
		for _, i := range p.images {
			name := quote(fileOf(i.src))
			if !i.alt && !i.tracking {
				mute = append(mute, name)
			}
			if !i.sized && !i.tracking {
				loose = append(loose, name)
			}
			if strings.HasPrefix(strings.ToLower(r.resolve(i.src)), "http://") {
				plain = append(plain, name)
			}
		}
		if n := len(mute); n > 0 {
			r.find("image-alt-missing", at, m.TestKey, "%s %s no alternative text: %s", phrase.Count(n, "image"), has(n), some(mute))
		}
		if n := len(loose); n > 0 {
			r.find("image-size-missing", at, m.TestKey, "%s %s neither width nor height: %s", phrase.Count(n, "image"), has(n), some(loose))
		}
		if n := len(plain); n > 0 {
			r.find("image-http", at, m.TestKey, "%s loaded over http: %s", are(n, "image"), some(plain))
		}
	})
}

func are(n int, what string) string {
	if n == 1 {
		return "1 " + what + " is"
	}
	return phrase.Count(n, what) + " are"
}

// fileOf returns what an address of a file is called for short.
func fileOf(address string) string {
	if strings.HasPrefix(address, "data:") {
		return "data:…"
	}
	if u, err := url.Parse(address); err == nil && path.Base(u.Path) != "/" && path.Base(u.Path) != "." {
		return path.Base(u.Path)
	}
	return address
}

// pushImages finds images of notifications that are loaded over http.
func pushImages(r *run) {
	for _, m := range r.messages {
		for _, t := range m.texts {
			n := r.schema.At(t.Path)
			if n != nil && n.Links == schema.NoLinks && isImageField(n.Name) && strings.HasPrefix(strings.ToLower(t.Source), "http://") {
				r.find("image-http", t.Path, m.TestKey, "%s is loaded over http", quote(t.Source))
			}
		}
	}
}

// isImageField reports whether a field of a notification holds the address of an image or video.
func isImageField(name string) bool {
	return strings.HasSuffix(name, "image_url") || strings.HasSuffix(name, "gif_url") || strings.HasSuffix(name, "icon_url") || name == "rich_media_value"
}

// imageOnly finds emails whose words are in their images.
func imageOnly(r *run) {
	r.pages(func(m *message, p *page, at doc.Path) {
		shown := slices.DeleteFunc(slices.Clone(p.images), func(i image) bool { return i.tracking })
		words := len(strings.Join(strings.Fields(p.words), " "))
		// The rules of SpamAssassin begin with 400 bytes of words for one image; the strictest counts here.
		if len(shown) > 0 && words < 200 && !p.unknown {
			r.find("image-only", at, m.TestKey, "The email has %s and %d characters of text", phrase.Count(len(shown), "image"), words)
		}
	})
}

// gmailClips is the size of HTML, in bytes, from which Gmail cuts an email off.
const gmailClips = 102 << 10

func clippedHTML(r *run) {
	r.pages(func(m *message, p *page, at doc.Path) {
		if p.size > gmailClips {
			r.find("html-clipped", at, m.TestKey, "The HTML is %d KB with its content blocks; Gmail clips emails after about 102 KB", p.size>>10)
		}
	})
}

// activeParts finds scripts, forms and style sheets from elsewhere.
func activeParts(r *run) {
	r.pages(func(m *message, p *page, at doc.Path) {
		if len(p.scripts) > 0 {
			r.find("html-script", at, m.TestKey, "The email has %s", some(p.scripts))
		}
		if len(p.forms) > 0 {
			r.find("html-form", at, m.TestKey, "The email has a form")
		}
		if len(p.sheets) > 0 {
			r.find("html-stylesheet", at, m.TestKey, "The email loads %s", some(p.sheets))
		}
	})
}

// unsupported finds what mail clients ignore.
func unsupported(r *run) {
	r.pages(func(m *message, p *page, at doc.Path) {
		var major, outlook, clients []string
		for _, f := range features {
			written, ok := p.support[f.slug]
			switch {
			case !ok:
			case len(f.clients) == 1:
				outlook = append(outlook, written)
			default:
				major = append(major, written)
				for _, c := range f.clients {
					clients = appendNew(clients, c)
				}
			}
		}
		if len(major) > 0 {
			r.find("css-unsupported", at, m.TestKey, "%s %s ignored by %s", some(major), isAre(len(major)), strings.Join(clients, ", "))
		}
		if len(outlook) > 0 {
			r.find("css-outlook", at, m.TestKey, "%s %s ignored by Outlook for Windows", some(outlook), isAre(len(outlook)))
		}
	})
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// readability finds text that is hard to read.
func readability(r *run) {
	r.pages(func(m *message, p *page, at doc.Path) {
		var list []string
		for _, c := range p.pale {
			list = append(list, fmt.Sprintf("%s has a contrast of %.1f:1 (%s on %s, at least %g:1)", quote(c.text), c.ratio, c.color, c.ground, c.least))
		}
		if len(list) > 0 {
			r.find("contrast-low", at, m.TestKey, "%s", some(list))
		}
		if n := len(p.dark); n > 0 {
			r.find("dark-mode", at, m.TestKey, "Text in %s has no background", some(p.dark))
		}
	})
}
