package check

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/message/mjml"
	"bugle/engine/message/render"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// drawn takes what the drawings of the messages warn of.
func drawn(r *run) {
	for _, t := range r.assembled.Templates {
		// With HTML of its own beside the template, the tables refuse the message already.
		if t.Problem != "" && r.own.Lookup(t.At).Get(catalog.EmailHTML).Empty() {
			r.find("template-unknown", t.At.Child(catalog.CustomTemplateID), noCell, "%s", phrase.Capitalize(t.Problem))
		}
	}
	for _, m := range r.messages {
		if mail := m.view.Mail; mail != nil {
			r.take(m, mail.Warnings, "")
			continue
		}
		n := m.view.Notification
		r.take(m, n.Warnings, "basic_details")
		if n.Backup != nil {
			r.take(m, n.Backup.Warnings, "template_backup")
		}
	}
}

// take takes warnings. Fields that the message itself does not have are in the part of it.
func (r *run) take(m *message, list []render.Warning, part string) {
	for _, w := range list {
		at := m.Content
		if w.Of != "" {
			at = m.at(w.Of)
		}
		for _, in := range []string{part, "advanced"} {
			if part != "" && !r.document.Lookup(at).Exists() {
				at = m.at(in, w.Of)
			}
		}
		severity := Severity("")
		if w.Minor {
			severity = Note
		}
		r.grade(w.Check, severity, at, m.TestKey, "%s", w.Text)
		if w.Check == "preview-text-unused" {
			r.offer(m.at(catalog.EmailHTML), w.Check, delivery.WithoutPreheader)
		}
	}
}

// offer adds what the text at a place becomes with the remedy to the last finding. What MJML is compiled to is not edited.
func (r *run) offer(at doc.Path, check string, fix func(string) string) {
	text := r.own.Lookup(at).Text()
	if f := &r.found[len(r.found)-1]; f.Check == check && f.Path.Equal(at) && mjml.Without(text) == text && len(text) <= maxPage {
		if fixed := fix(text); fixed != text {
			f.Fix = fixed
		}
	}
}

func previewRepeats(r *run) {
	for _, m := range r.messages {
		subject, preview := plainWords(r.resolve(m.text(catalog.EmailSubject))), plainWords(r.resolve(m.text(catalog.EmailPreviewText)))
		if subject != "" && (preview == subject || len([]rune(subject)) > 15 && strings.HasPrefix(preview, subject)) {
			r.find("preview-text-repeats", m.at(catalog.EmailPreviewText), m.TestKey, "Subject and preview text both say %s", quote(m.text(catalog.EmailSubject)))
		}
	}
}

// plainWords returns the letters and digits of a text, in lower case.
func plainWords(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }), " ")
}

var placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i:\blorem ipsum\b|\bdolor sit amet\b)|\b(?:TODO|TBD|FIXME|XXX+)\b|(?i:\[(?:your|insert|first|last|company|product|name|date|link)[ a-z_-]*\])|(?i:<<[a-z_ ]+>>)|\*\|[A-Z_:]+\|\*|%%[A-Za-z_]+%%` +
		// tags of other programs
		`|%[A-Z][A-Z_]{2,}%|%recipient\.[\w.]+%|\$\{[A-Za-z_][\w. ]*\}|\[\[[\w :.]+\]\]|\{[$!][\w.]+\}|\{contactfield=\w+\}|<%=?[^<>%]*%>|(?i:\{(?:unsubscribe\w*|first_?name|last_?name|name|e?mail)\})`)
})

// placeholders finds texts that somebody meant to replace.
func placeholders(r *run) {
	for _, m := range r.messages {
		for _, t := range m.texts {
			text := t.Source
			if isHTML(t.Path) && m.page != nil {
				text = m.page.words
			}
			if r.linkAt(t.Path) {
				continue // another check looks at those
			}
			text = r.resolve(text)
			if found := placeholder().FindAllString(text[:min(len(text), maxPage)], 5); found != nil {
				var list []string
				for _, f := range found {
					list = appendNew(list, quote(f))
				}
				r.find("text-placeholder", t.Path, m.TestKey, "The text holds %s", some(list))
			}
		}
	}
}

func isHTML(p doc.Path) bool { return p.Last().Name == catalog.EmailHTML }

// subjectSpam finds what spam filters count against a subject.
func subjectSpam(r *run) {
	for _, m := range r.messages {
		subject := r.resolve(m.text(catalog.EmailSubject))
		letters, lower := 0, 0
		for _, c := range subject {
			if unicode.IsLetter(c) {
				letters++
			}
			if unicode.IsLower(c) {
				lower++
			}
		}
		at := m.at(catalog.EmailSubject)
		// The rule takes subjects of several words and at least ten characters.
		if letters >= 10 && lower == 0 && len(strings.Fields(subject)) > 1 {
			r.find("subject-caps", at, m.TestKey, "%s is all capitals", quote(subject))
		}
		if strings.Contains(subject, "!") && strings.Contains(subject, "?") && !schema.HasExpression(subject) {
			r.find("subject-marks", at, m.TestKey, "%s has both ! and ?", quote(subject))
		}
	}
}

// link is a text that leads somewhere, as the recipient gets it.
type link struct {
	at   doc.Path
	to   string
	says string // what people click on; empty where that is not known
	tap  bool   // the app gets it
}

// linksOf returns the links of a message.
func (r *run) linksOf(m *message) []link {
	var out []link
	r.walkLinks(m.Content, r.schema.At(m.Content), m.content, &out)
	if m.page != nil {
		for _, a := range m.page.links {
			if a.href != "\x00" {
				out = append(out, link{at: m.at(catalog.EmailHTML), to: r.resolve(a.href), says: a.text})
			}
		}
	}
	return out
}

func (r *run) walkLinks(p doc.Path, n *schema.Node, v doc.Value, out *[]link) {
	if n == nil {
		return
	}
	switch v.Kind() {
	case doc.Array:
		for i, e := range v.Elems() {
			r.walkLinks(p.Elem(i), n.Element, e, out)
		}
	case doc.Object:
		for name, m := range v.Members() {
			child := n.Child(name)
			if child != nil && child.Links == schema.LinkItself && m.Kind() == doc.String {
				if m.Text() != "" && leads(v) && !refused(child, m.Text()) {
					*out = append(*out, link{at: p.Child(name), to: strings.TrimSpace(r.resolve(m.Text())), tap: true})
				}
				continue
			}
			r.walkLinks(p.Child(name), child, m, out)
		}
	}
}

// refused reports whether the tables refuse a text as no address.
func refused(n *schema.Node, text string) bool {
	return slices.ContainsFunc(n.Rules, func(rule schema.Rule) bool {
		f, ok := rule.(schema.Format)
		return ok && !schema.HasExpression(text) && !f.As.Matches(text)
	})
}

// linkAt reports whether a text is a link as a whole.
func (r *run) linkAt(p doc.Path) bool {
	n := r.schema.At(p)
	return n != nil && (n.Links == schema.LinkItself || strings.HasSuffix(n.Name, "url"))
}

// leads reports whether the action of a button or a tap follows a link. The field that names the action has options; of
// those, two do.
func leads(object doc.Value) bool {
	for name, v := range object.Members() {
		if strings.HasSuffix(name, "click_action") || strings.HasSuffix(name, "click_action_type") {
			return v.Text() == "DEEPLINKING" || v.Text() == "RICH_LANDING"
		}
	}
	return true
}

// badLinks finds links that cannot work.
func badLinks(r *run) {
	for _, m := range r.messages {
		bad, fake, numeric := map[string][]string{}, map[string][]string{}, map[string][]string{}
		var order []doc.Path
		add := func(in map[string][]string, l link, why string) {
			key := l.at.String()
			if bad[key] == nil && fake[key] == nil && numeric[key] == nil {
				order = append(order, l.at)
			}
			in[key] = appendNew(in[key], why)
		}
		for _, l := range r.linksOf(m) {
			what := quote(l.to)
			if l.says != "" {
				what += " (" + quote(l.says) + ")"
			}
			switch why, kind := r.judgeLink(l); kind {
			case linkBad:
				add(bad, l, what+" "+why)
			case linkFake:
				add(fake, l, what+" "+why)
			case linkNumber:
				add(numeric, l, what)
			}
		}
		for _, at := range order {
			if list := bad[at.String()]; list != nil {
				r.find("link-bad", at, m.TestKey, "%s", some(list))
			}
			if list := fake[at.String()]; list != nil {
				r.find("link-placeholder", at, m.TestKey, "%s", some(list))
			}
			if list := numeric[at.String()]; list != nil && r.channel == catalog.Email {
				r.find("link-ip", at, m.TestKey, "%s has an address of numbers", some(list))
			}
		}
	}
}

type verdict int

const (
	linkFine verdict = iota
	linkBad
	linkFake
	linkNumber
)

var (
	schemeName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`) })
	fakeLink   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:#|todo|tbd|xxx*|link|url|https?://|https?://(?:todo|tbd|xxx*|link|url|www\.?)/?|\[[^\]]*\]|\*\|[A-Z_:]+\|\*)$`)
	})
	bareHost = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:www\.|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|net|org|de|fr|uk|io|co|eu|at|ch|nl|es|it)(?:[/?#]|$))`)
	})
)

// judgeLink says what is wrong with a link.
func (r *run) judgeLink(l link) (why string, v verdict) {
	to := l.to
	scheme := strings.ToLower(strings.TrimSuffix(schemeName().FindString(to), ":"))
	switch {
	case to == "":
		return "", linkFine // an empty button, see buttons
	case fakeLink().MatchString(to):
		return "leads nowhere", linkFake
	case strings.HasPrefix(to, "#"), wholeExpression(to), strings.HasPrefix(to, "{{"), strings.HasPrefix(to, "{%"):
		return "", linkFine // a place in the same email, or an address that is not known yet
	case scheme == "javascript" || scheme == "vbscript" || scheme == "data" || scheme == "file" || scheme == "about":
		return "does nothing in a message", linkBad
	case scheme == "mailto" && !strings.Contains(to, "@") && !schema.HasExpression(to), scheme == "tel" && !strings.ContainsAny(to, "0123456789{"):
		return "has no address", linkBad
	case scheme == "mailto" || scheme == "tel" || scheme == "sms" || scheme == "geo" || scheme == "market" || scheme == "intent":
		return "", linkFine
	case scheme == "" || bareHost().MatchString(to):
		return "does not begin with https://", linkBad
	case !strings.HasPrefix(to[len(scheme)+1:], "//") && (scheme == "http" || scheme == "https"):
		return "does not begin with https://", linkBad
	}
	rest := strings.TrimPrefix(to[len(scheme)+1:], "//")
	host := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host = rest[:i]
	}
	if strings.Contains(rest, "{{") && (strings.Contains(host, "{{") || strings.Contains(host, "}}")) {
		return "has an expression without a value in its host", linkFake
	}
	if scheme != "http" && scheme != "https" {
		return "", linkFine // a deep link
	}
	return r.judgeHost(to, host)
}

func wholeExpression(s string) bool {
	return strings.HasPrefix(s, "{{") && strings.Index(s, "}}") == len(s)-2
}

func (r *run) judgeHost(to, host string) (why string, v verdict) {
	if strings.ContainsAny(to, " \t\n") && !schema.HasExpression(to) {
		return "has a space in it", linkBad
	}
	if _, port, ok := strings.Cut(host, ":"); ok && strings.Trim(port, "0123456789") == "" {
		host, _, _ = strings.Cut(host, ":")
	}
	if _, after, ok := strings.Cut(host, "@"); ok {
		host = after
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return "", linkNumber
	}
	if _, err := url.Parse("https://" + host); err != nil || host == "" || !strings.Contains(host, ".") {
		return "has no valid host", linkBad
	}
	if r.reserved(host) {
		return "is an example", linkFake
	}
	return "", linkFine
}

// reservedNames are the domains for examples and tests (RFC 2606), and those that templates use for them.
var reservedNames = []string{"example.com", "example.org", "example.net", "yourdomain.com", "your-domain.com", "yoursite.com", "yourcompany.com"}

// reserved reports whether a host is for examples. The hosts below a domain that the campaign itself is written from
// are its own: a workspace to try things in lives there.
func (r *run) reserved(host string) bool {
	top := host[strings.LastIndexByte(host, '.')+1:]
	if top == "example" || top == "invalid" || top == "test" || top == "localhost" {
		return true
	}
	for _, name := range reservedNames {
		switch {
		case host == name || host == "www."+name:
			return true
		case strings.HasSuffix(host, "."+name):
			return !slices.Contains(r.ownDomains(), name)
		}
	}
	return false
}

// ownDomains are those of the people who write the campaign.
func (r *run) ownDomains() []string {
	list := []string{r.campaign.CreatedBy, r.campaign.UpdatedBy}
	if w := r.facts.Workspace; w != nil {
		list = append(list, w.Author)
	}
	for _, m := range r.messages {
		list = append(list, m.text(catalog.EmailFrom))
	}
	var out []string
	for _, address := range list {
		if _, domain, ok := strings.Cut(address, "@"); ok {
			out = appendNew(out, strings.ToLower(domain))
		}
	}
	return out
}

// emptyButtons finds buttons and links that nobody sees, or that do nothing.
func emptyButtons(r *run) {
	for _, m := range r.messages {
		for i, b := range m.content.Get("buttons").Elems() {
			r.button(m, m.at("buttons", i), b)
		}
		if m.page == nil {
			continue
		}
		var empty []string
		for _, a := range m.page.links {
			words := strings.TrimSpace(strings.Trim(r.resolve(a.text), "\u00a0\u200b"))
			switch {
			case words == "" && !a.image:
				what := "a link to " + quote(a.href)
				if a.href == "\x00" {
					what = "a button"
				}
				empty = appendNew(empty, what+" has no text")
			case a.href == "":
				empty = appendNew(empty, quote(a.text)+" has no address")
			}
		}
		if len(empty) > 0 {
			r.find("button-empty", m.at(catalog.EmailHTML), m.TestKey, "%s", phrase.Capitalize(some(empty)))
		}
	}
}

// button looks at a button of a notification: what it says and what it does. Those that stand for buttons of the app have
// neither.
func (r *run) button(m *message, at doc.Path, b doc.Value) {
	n := r.schema.At(at)
	if n == nil || b.Kind() != doc.Object {
		return
	}
	for _, c := range n.Children {
		v := b.Get(c.Name)
		switch {
		case c.Twin == catalog.TwinButtonText && strings.TrimSpace(r.resolve(v.Text())) == "":
			r.find("button-empty", at, m.TestKey, "A button has no text")
		case c.Twin == catalog.TwinButtonOpens && leads(b) && strings.TrimSpace(r.resolve(v.Text())) == "":
			r.find("button-empty", at, m.TestKey, "The button %s leads nowhere", quote(r.resolve(textOf(n, b))))
		}
	}
}

// textOf returns what a button says.
func textOf(n *schema.Node, b doc.Value) string {
	for _, c := range n.Children {
		if c.Twin == catalog.TwinButtonText {
			return b.Get(c.Name).Text()
		}
	}
	return ""
}

// untagged finds links without UTM parameters among links with them, where the campaign adds none.
func untagged(r *run) {
	if !r.own.Get(string(catalog.UTMParams)).Empty() {
		return
	}
	for _, m := range r.messages {
		var with, without []string
		var at doc.Path
		for _, l := range r.linksOf(m) {
			u, err := url.Parse(l.to)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || render.Unsubscribes(l.to) || render.Unsubscribes(l.says) {
				continue
			}
			if strings.Contains(u.RawQuery, "utm_") {
				with = appendNew(with, u.Host)
			} else {
				without = appendNew(without, quote(l.to))
				if at == nil {
					at = l.at
				}
			}
		}
		if len(with) > 0 && len(without) > 0 {
			r.find("utm-partial", at, m.TestKey, "%s %s no UTM parameters", some(without), has(len(without)))
		}
	}
}
