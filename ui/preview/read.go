package preview

import (
	"fmt"
	"strings"

	"bugle/engine/message/render"
	"bugle/engine/phrase"
)

// Read returns a message in lines, piece by piece, as plain mode reads it.
func Read(v render.View) []string {
	var r reading
	switch {
	case v.Mail != nil:
		r.mail(v.Mail)
	case v.Notification != nil:
		r.notification(v.Notification)
	}
	return r.lines
}

// Read returns the message that is shown in lines, below what is said of the person who gets it.
func (p *Preview) Read() []string { return append(p.caption.words(), Read(p.view)...) }

// words says whose data fills the message, and what is missing.
func (c Caption) words() []string {
	if c.Name == "" {
		return nil
	}
	out := []string{phrase.Sentence("As " + c.Name)}
	if c.Note != "" {
		return append(out, phrase.Sentence(c.Note))
	}
	for _, m := range c.missing() {
		out = append(out, "No value for "+phrase.Sentence(MissingText(m)))
	}
	return out
}

func (r *reading) add(format string, args ...any) {
	r.lines = append(r.lines, strings.Split(fmt.Sprintf(format, args...), "\n")...)
}

// reading collects the pieces of one message.
type reading struct{ lines []string }

// piece prints a named piece of a message if it is not empty.
func (r *reading) piece(name, text string) {
	if strings.TrimSpace(text) != "" {
		r.add("%s: %s", name, withCommas(text))
	}
}

func (r *reading) mail(m *render.Mail) {
	if m.Blank {
		r.add("It is empty.")
		return
	}
	r.piece("From", m.Sender.String())
	if m.From.String() != m.Sender.String() {
		r.piece("Address", m.From.String())
	}
	r.piece("Reply to", m.ReplyTo.String())
	r.piece("Cc", strings.Join(m.Cc, ", "))
	r.piece("Bcc", strings.Join(m.Bcc, ", "))
	r.piece("Subject", m.Subject.String())
	if m.FromBody {
		r.piece("Inbox preview, from the start of the text", m.Preview.String())
	} else {
		r.piece("Preview text", m.Preview.String())
	}
	r.saved(m.Custom, "The body comes from the saved template")
	for _, b := range m.Blocks {
		r.block(b)
	}
	for _, a := range m.Attachments {
		r.piece("Attachment", a.Name)
	}
	r.piece("Unsubscribe link", m.Unsubscribe)
	r.notes(m.Missing, m.Warnings)
}

// block prints a block of an email's body with its kind and link.
func (r *reading) block(b render.Block) {
	switch b.Kind {
	case render.Heading:
		r.add("Heading: %s", plainText(b.Text))
	case render.Item:
		r.add("List item: %s", plainText(b.Text))
	case render.Quote:
		r.add("Quote: %s", plainText(b.Text))
	case render.Code:
		r.add("Code: %s", plainText(b.Text))
	case render.Media:
		if b.Image != nil {
			r.add("%s", imageText(b.Image))
		}
	case render.Rule:
	default:
		r.add("%s", plainText(b.Text))
	}
}

func imageText(i *render.Image) string {
	text := phrase.Capitalize(string(i.Kind)) + ": " + i.Name
	if i.Alt != "" {
		text += ", described as " + i.Alt
	}
	return text
}

// plainText describes a text with its links and unresolved expressions.
func plainText(t render.Text) string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.Text)
		if s.Kind == render.Unresolved {
			b.WriteString(" (no value)")
		}
		if s.Link != "" {
			b.WriteString(" (link to " + s.Link + ")")
		}
	}
	return b.String()
}

func (r *reading) notification(n *render.Notification) {
	r.add("A notification on %s. Template: %s.", n.Platform.Label(), n.Label)
	if n.Blank {
		r.add("It is empty.")
		return
	}
	r.saved(n.Custom, "The saved template")
	r.piece("Title", plainText(n.Title))
	r.piece("Subtitle", plainText(n.Subtitle))
	r.piece("Message", plainText(n.Body))
	r.piece("Summary", plainText(n.Summary))
	if n.Image != nil {
		r.add("%s", imageText(n.Image))
	}
	for i, s := range n.Slide {
		r.add("Slide %d of %d: %s. %s", i+1, len(n.Slide), s.Image.Name, withCommas(s.Action))
	}
	if n.Banner != nil {
		r.piece("While collapsed", plainText(n.Banner.Collapsed))
	}
	for i, b := range n.Buttons {
		r.add("Button %d: %s. %s", i+1, plainText(b.Title), withCommas(b.Action))
	}
	for _, f := range n.Facts {
		r.piece(f.Name, f.Text)
	}
	r.piece("Background color", n.Colors.Background)
	if n.Backup != nil {
		r.add("Devices that cannot show the template show:")
		r.piece("Title", plainText(n.Backup.Title))
		r.piece("Message", plainText(n.Backup.Body))
	}
	r.notes(n.Missing, n.Warnings)
}

// saved prints which saved template a message uses. A missing one is reported in the notes.
func (r *reading) saved(s render.Saved, unknown string) {
	switch {
	case s.Why != "":
	case s.Known:
		r.piece("From the saved template", s.Name)
	default:
		r.piece(unknown, s.Name)
	}
}

// notes prints unresolved expressions and warnings.
func (r *reading) notes(missing []render.Missing, warnings []render.Warning) {
	for _, m := range missing {
		r.add("No value in %s for %s", m.Field, m.Expression)
	}
	for _, n := range warnings {
		r.add("%s", phrase.Sentence(fmt.Sprintf("Note: %s", n.Text)))
	}
}

// withCommas replaces the separators of visual text with commas.
func withCommas(s string) string { return strings.ReplaceAll(s, " · ", ", ") }
