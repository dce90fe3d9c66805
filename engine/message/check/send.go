package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/push"
	"bugle/engine/message/mjml"
	"bugle/engine/message/render"
	"bugle/engine/message/resolve"
	"bugle/engine/message/template"
	"bugle/engine/message/utm"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/visible"
)

// unsendable finds messages that are refused when they are sent, whoever the recipient is: it asks what sends them.
func unsendable(r *run) {
	for _, m := range r.messages {
		if err := r.refusal(m, nil); err != nil {
			r.find("send-refused", m.Content, m.TestKey, "%s", phrase.Capitalize(err.Error()))
			continue
		}
		a := r.facts.Audience
		if a == nil || len(a.longest) == 0 || r.channel != catalog.Push {
			continue
		}
		if err := r.refusal(m, a.longest); err != nil {
			r.find("send-refused", m.Content, m.TestKey, "With the longest values in the audience, %s", err)
		}
	}
}

// refusal returns why nobody with the attributes of a user can get a message; nil if nothing is known against it.
func (r *run) refusal(m *message, user map[string]any) error {
	data := r.data(user)
	fill := func(text string) string {
		if user == nil {
			return r.resolve(text)
		}
		filled, _, err := template.Preview(r.ctx, text, data)
		if err != nil {
			return text // it cannot be read, as the validation says
		}
		return filled
	}
	content, _, err := resolve.Message(r.channel, r.document, r.env, m.TestKey, func(_ doc.Path, text string) (string, error) {
		return shortest(fill(text)), nil
	})
	switch {
	case err != nil:
		return nil
	case r.channel == catalog.Email:
		e := resolve.Email(content)
		// What the tables refuse is a problem already.
		bad := func(at doc.Path, address string) bool { return refused(r.schema.At(at), address) }
		if bad(m.at(catalog.EmailFrom), e.From) {
			e.From = ""
		}
		if bad(m.at(catalog.EmailReplyTo), e.ReplyTo) {
			e.ReplyTo = ""
		}
		e.Cc = slices.DeleteFunc(e.Cc, func(a string) bool { return bad(m.at(catalog.EmailCc, 0), a) })
		e.Bcc = slices.DeleteFunc(e.Bcc, func(a string) bool { return bad(m.at(catalog.EmailBcc, 0), a) })
		return delivery.CheckEmail(e)
	}
	_, err = push.Build(catalog.Platform(m.Platform), content, push.Options{
		Advanced: r.document.Get(string(catalog.Advanced)), Message: r.document.Lookup(m.Content.Parent()), Now: r.facts.Now,
	})
	return err
}

// shortest returns a text with a letter for each expression whose value is not known.
func shortest(text string) string {
	if !schema.HasExpression(text) {
		return text
	}
	var b strings.Builder
	for part := range template.Parts(text) {
		switch part.Kind {
		case template.OutputPart:
			b.WriteByte('x')
		case template.TextPart, template.RawPart:
			b.WriteString(part.Source)
		}
	}
	return b.String()
}

// lengthen keeps the values of a user that are longer than those of the users before.
func (a *Audience) lengthen(attributes map[string]any) {
	for name, v := range attributes {
		if n := len(fmt.Sprint(v)); n > a.lengths[name] {
			a.lengths[name], a.longest[name] = n, v
		}
	}
}

// blankTexts finds required texts that are there, but of which nothing is seen. One that is not there is a problem already.
func blankTexts(r *run) {
	for _, m := range r.messages {
		for _, t := range m.texts {
			n := r.schema.At(t.Path)
			if n == nil || t.Source == "" || r.reading(t.Source).broken || len(n.Required) == 0 && !isHTML(t.Path) || n.Links == schema.LinkItself || n.Twin == catalog.TwinButtonText || !t.Path.HasPrefix(m.Content) {
				continue
			}
			text := r.resolve(t.Source)
			switch {
			case isHTML(t.Path):
				if text = m.page.words; len(m.page.images) > 0 || m.page.size == 0 {
					continue
				}
			case r.channel == catalog.Push:
				text = render.Words(text)
			}
			if visible.IsBlank(text) {
				r.find("text-blank", t.Path, m.TestKey, "%s is blank", the(n.Label()))
			}
		}
	}
}

// the returns a label in a sentence: The subject.
func the(label string) string { return "The " + phrase.Uncapitalize(label) }

// unparameterized finds links to pages that do not get the campaign's UTM parameters.
func unparameterized(r *run) {
	if len(utm.Params(r.own.Get(string(catalog.UTMParams)))) == 0 {
		return
	}
	for _, m := range r.messages {
		var found []string
		at := m.Content
		add := func(p doc.Path, to string, taggable bool) {
			if leadsToPage(to) && !taggable {
				found, at = appendNew(found, quote(to)), p
			}
		}
		for _, l := range r.linksOf(m) {
			if l.tap {
				add(l.at, l.to, utm.Taggable(l.to))
			}
		}
		if m.page != nil {
			for to := range utm.HTMLLinks(r.expand(mjml.Without(m.text(catalog.EmailHTML)))) {
				add(m.at(catalog.EmailHTML), to, utm.Taggable(to))
			}
			for _, to := range m.page.untagged {
				add(m.at(catalog.EmailHTML), to, false)
			}
		}
		if n := len(found); n > 0 {
			r.find("utm-missing", at, m.TestKey, "%s %s no UTM parameters", some(found), gets(n))
		}
	}
}

func gets(n int) string {
	if n == 1 {
		return "gets"
	}
	return "get"
}

var pageAddress = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^\s*(?:https?:|//|www\.)`) })

func leadsToPage(to string) bool { return pageAddress().MatchString(to) }
