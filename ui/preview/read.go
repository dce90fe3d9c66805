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

// reading collects the pieces of one message.
type reading struct{ lines []string }

func (r *reading) add(text string) { r.lines = append(r.lines, strings.Split(text, "\n")...) }

// pieces adds names and texts, without the texts that are empty. The separators of texts that are drawn become commas.
func (r *reading) pieces(namesAndTexts ...string) {
	for i := 0; i+1 < len(namesAndTexts); i += 2 {
		if text := namesAndTexts[i+1]; strings.TrimSpace(text) != "" {
			r.add(namesAndTexts[i] + ": " + strings.ReplaceAll(text, " · ", ", "))
		}
	}
}

func (r *reading) mail(m *render.Mail) {
	if m.Blank {
		r.add("It is empty.")
		return
	}
	address, preview := m.From.String(), "Preview text"
	if address == m.Sender.String() {
		address = ""
	}
	if m.FromBody {
		preview = "Inbox preview, from the start of the text"
	}
	r.pieces("From", m.Sender.String(), "Address", address, "Reply to", m.ReplyTo.String(), "Cc", strings.Join(m.Cc, ", "),
		"Bcc", strings.Join(m.Bcc, ", "), "Subject", m.Subject.String(), preview, m.Preview.String())
	r.saved(m.Custom, "The body comes from the saved template")
	for _, b := range m.Blocks {
		if name, ok := blockNames[b.Kind]; ok {
			r.pieces(name, spoken(b.Text))
		} else if b.Image != nil {
			r.image(b.Image)
		} else if b.Kind != render.Rule {
			r.add(spoken(b.Text))
		}
	}
	for _, a := range m.Attachments {
		r.pieces("Attachment", a.Name)
	}
	r.pieces("Unsubscribe link", m.Unsubscribe)
	r.notes(m.Missing, m.Warnings)
}

// blockNames are the kinds of the blocks of an email whose name is said.
var blockNames = map[render.BlockKind]string{render.Heading: "Heading", render.Item: "List item", render.Quote: "Quote", render.Code: "Code"}

func (r *reading) image(i *render.Image) {
	if i == nil {
		return
	}
	text := phrase.Capitalize(string(i.Kind)) + ": " + i.Name
	if i.Alt != "" {
		text += ", described as " + i.Alt
	}
	r.add(text)
}

// spoken returns a text with its links and unresolved expressions.
func spoken(t render.Text) string {
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
	r.add("A notification on " + n.Platform.Label() + ". Template: " + n.Label + ".")
	if n.Blank {
		r.add("It is empty.")
		return
	}
	r.saved(n.Custom, "The saved template")
	r.pieces("Title", spoken(n.Title), "Subtitle", spoken(n.Subtitle), "Message", spoken(n.Body), "Summary", spoken(n.Summary))
	r.image(n.Image)
	for i, s := range n.Slide {
		r.pieces(fmt.Sprintf("Slide %d of %d", i+1, len(n.Slide)), strings.TrimSuffix(s.Image.Name+". "+s.Action, ". "))
	}
	if n.Banner != nil {
		r.pieces("While collapsed", spoken(n.Banner.Collapsed))
	}
	for i, b := range n.Buttons {
		r.pieces(fmt.Sprintf("Button %d", i+1), strings.TrimSuffix(spoken(b.Title)+". "+b.Action, ". "))
	}
	for _, f := range n.Facts {
		r.pieces(f.Name, f.Text)
	}
	if n.Backup != nil {
		r.add("Devices that cannot show the template show:")
		r.pieces("Title", spoken(n.Backup.Title), "Message", spoken(n.Backup.Body))
	}
	r.notes(n.Missing, n.Warnings)
}

// saved says which saved template a message uses. A missing one is reported in the notes.
func (r *reading) saved(s render.Saved, unknown string) {
	switch {
	case s.Known:
		r.pieces("From the saved template", s.Name)
	case s.Why == "":
		r.pieces(unknown, s.Name)
	}
}

// notes says unresolved expressions and warnings.
func (r *reading) notes(missing []render.Missing, warnings []render.Warning) {
	for _, m := range missing {
		r.add("No value in " + m.Field + " for " + m.Expression)
	}
	for _, n := range warnings {
		r.add(phrase.Sentence("Note: " + n.Text))
	}
}
