package render

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/phrase"
)

// Mail is an email as an inbox lists it and a mail reader shows it.
type Mail struct {
	Blank  bool  // there is nothing to show
	Custom Saved // the saved template behind the mail's own fields

	Sender  Text // the sender's name, or else the address
	From    Text // the address
	ReplyTo Text
	Cc, Bcc []string
	Subject Text
	// Preview is the text that inboxes show after the subject. FromBody reports that there is no preview
	// text, so that it is the start of the mail; Unused is the preview text if the HTML has one of its own instead.
	Preview  Text
	FromBody bool
	Unused   Text

	// Blocks are the body of the HTML part; Text is the plain text part.
	Blocks []Block
	Text   Text

	Attachments []Image // names and addresses of the files
	// Unsubscribe is the address of the unsubscribe link, or "".
	Unsubscribe string

	Missing  []Missing
	Warnings []Warning
}

// gmailClips is the size of HTML in bytes above which Gmail clips an email (support.google.com/mail, "message
// clipped").
// maxLaidOut is the most bytes of a body that are laid out, equal to the limit of package template.
const maxLaidOut = 256 << 10

// quotedText is how many characters of a text a warning has.
const quotedText = 40

// Email returns the model of an email from its content, the value under `email`.
func Email(content doc.Value, o Options) Mail {
	r := &reading{fill: o.Fill, params: o.Params, at: o.at}
	c := r.root(catalog.Email, doc.P("email"), content)
	m := Mail{
		Blank: content.Empty(), Custom: saved(c, o),
		Sender: c.text(catalog.EmailSender), From: c.text(catalog.EmailFrom), ReplyTo: c.text(catalog.EmailReplyTo),
		Cc: c.words(catalog.EmailCc), Bcc: c.words(catalog.EmailBcc),
		Subject: c.text(catalog.EmailSubject), Preview: c.text(catalog.EmailPreviewText),
	}
	if m.Sender.Empty() {
		m.Sender = m.From
	}
	for _, a := range c.list(catalog.EmailAttachments) {
		if f := a.image("url"); f != nil {
			m.Attachments = append(m.Attachments, *f)
		}
	}
	m.body(c.pieces(catalog.EmailHTML))
	m.Missing = r.missing
	m.Warnings = append(m.Warnings, m.Custom.warnings()...)
	m.measure()
	return m
}

// words returns the texts of a list, filled where they can be.
func (p part) words(name string) []string {
	var out []string
	at, label := p.at.Child(name), p.label(name)
	for i, v := range p.get(name).Elems() {
		if v.Text() != "" {
			out = append(out, textOf(p.r.pieces(at.Elem(i), label, nil, v.Text())).String())
		}
	}
	return out
}

func (m *Mail) body(list []piece) {
	src, marks := encode(list)
	if len(src) > maxLaidOut {
		src = strings.ToValidUTF8(src[:maxLaidOut], "")
	}
	if strings.TrimSpace(src) == "" {
		return
	}
	page, err := html.Parse(strings.NewReader(src))
	if err != nil { // only a reader that fails makes it fail
		m.Text = textOf(list)
		return
	}
	l := layout{placeholders: marks, hides: delivery.Hides(page)}
	l.node(page, Span{}, 0)
	l.flush()
	m.Blocks, m.Unsubscribe = l.blocks, l.unsubscribe
	m.Text = marks.text(delivery.PlainText(src))
	var own writer
	own.write(delivery.Preheader(page), Span{}, marks)
	switch text := own.done(); {
	case !text.Empty():
		if !m.Preview.Empty() && strings.Join(strings.Fields(m.Preview.String()), " ") != text.String() {
			m.Unused = m.Preview
		}
		m.Preview = text
	case m.Preview.Empty():
		m.Preview, m.FromBody = l.start(), true
	}
}

// measure warns of texts that inboxes cut, or fill up.
func (m *Mail) measure() {
	const on = string(catalog.Email)
	m.Warnings = append(m.Warnings, measured(on, aSender, m.Sender)...)
	m.Warnings = append(m.Warnings, measured(on, aSubject, m.Subject)...)
	if !m.Unused.Empty() {
		m.Warnings = append(m.Warnings, Warning{Check: "preview-text-unused", Of: catalog.EmailHTML, Text: "The HTML hides a text of its own at its start; inboxes show “" +
			m.Preview.Cut(quotedText).String() + "” instead of the preview text"})
	}
	switch n := m.Preview.Length(); {
	case m.Blank, !m.Unused.Empty():
	case m.FromBody || m.Preview.Empty():
		m.Warnings = append(m.Warnings, Warning{Check: "preview-text-missing", Of: catalog.EmailPreviewText, Text: "No preview text; inboxes show the start of the email instead"})
	case n < shortPreview && !m.Preview.HasExpressions():
		m.Warnings = append(m.Warnings, Warning{Check: "preview-text-short", Of: catalog.EmailPreviewText, Minor: true, Text: fmt.Sprintf(
			"Preview text: %s; below %d, inboxes add the start of the email", phrase.Count(n, "character"), shortPreview)})
	default:
		m.Warnings = append(m.Warnings, measured(on, aPreview, m.Preview)...)
	}
}
