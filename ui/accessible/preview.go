package accessible

import (
	"context"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/message/render"
	"bugle/engine/phrase"
)

// previewer prints the messages of a campaign.
type previewer struct{ *document }

// preview prints the messages of the campaign, for no particular user or for one.
func (p previewer) preview(ctx context.Context) error {
	cells := render.Cells(p.campaign.Channel, p.root)
	if len(cells) == 0 {
		p.println("There is no message yet.")
		return nil
	}
	cell := cells[0]
	if len(cells) > 1 {
		options := make([]option, len(cells))
		names := cellNames(cells)
		for i, c := range cells {
			options[i] = option{label: names[i], help: p.cellState(c.Path)}
		}
		n, err := p.chooseOption(ctx, "Which message", options, 0)
		if err != nil {
			return err
		}
		cell = cells[n]
	}
	o := render.Options{Now: p.deps.Now()}
	root, err := p.withTemplates(ctx, &o)
	if err != nil {
		return err
	}
	if root, err = p.chooseUser(ctx, root, &o); err != nil {
		return err
	}
	for _, v := range render.Views(p.campaign.Channel, root, cell, o) {
		switch {
		case v.Mail != nil:
			messageReader{p.console}.mail(v.Mail)
		case v.Notification != nil:
			messageReader{p.console}.notification(v.Notification)
		}
	}
	p.println("End of the preview.")
	return nil
}

// withTemplates returns the document with the content of its saved templates, as far as the service returns
// them.
func (p previewer) withTemplates(ctx context.Context, o *render.Options) (doc.Value, error) {
	keeper, ok := p.deps.Service.(engine.ContentStore)
	if !ok {
		return p.root, nil
	}
	whole, taken, err := assemble.ExpandTemplates(ctx, keeper, p.campaign.Channel, p.root)
	if err != nil {
		return p.root, ctx.Err() // without them the message's own content is still printed
	}
	o.Templates = render.TemplatesFromUses(taken)
	return whole, nil
}

// chooseUser asks for a user, and lets the service evaluate the expressions.
func (p previewer) chooseUser(ctx context.Context, root doc.Value, o *render.Options) (doc.Value, error) {
	err := p.ask(ctx, question{
		prompt: "Preview as, a user ID or email address, Enter for nobody",
		help: func() []string {
			return []string{"Expressions in the message are filled in for this user. With nobody, they are read as they are."}
		},
		handle: func(a answer) error {
			user := strings.TrimSpace(a.text)
			if user == "" {
				return nil
			}
			shown, err := p.deps.Service.Preview(ctx, engine.PreviewRequest{
				Call: engine.NewCall(), Body: engine.PreviewBody(p.campaign.Channel, user, p.root.Get(string(catalog.CampaignContent))),
			})
			if err != nil {
				return invalid("%s", errorText(err))
			}
			if shown.UnknownUser {
				return invalid("There is no user %q. Press Enter to read the message for nobody.", user)
			}
			o.Fill = render.FillFromPreview(shown)
			if o.Templates == nil {
				root, o.Templates = render.WithTemplates(p.campaign.Channel, root, shown), render.TemplatesFromPreview(shown)
			}
			return nil
		},
	})
	return root, err
}

// messageReader prints one message, piece by piece.
type messageReader struct{ *console }

// piece prints a named piece of a message if it is not empty.
func (r messageReader) piece(name, text string) {
	if strings.TrimSpace(text) != "" {
		r.println("%s: %s", name, withCommas(text))
	}
}

func (r messageReader) mail(m *render.Mail) {
	r.println("Email.")
	if m.Blank {
		r.println("It is empty.")
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
func (r messageReader) block(b render.Block) {
	switch b.Kind {
	case render.Heading:
		r.println("Heading: %s", plainText(b.Text))
	case render.Item:
		r.println("List item: %s", plainText(b.Text))
	case render.Quote:
		r.println("Quote: %s", plainText(b.Text))
	case render.Code:
		r.println("Code: %s", plainText(b.Text))
	case render.Media:
		if b.Image != nil {
			r.println("%s", imageText(b.Image))
		}
	case render.Rule:
	default:
		r.println("%s", plainText(b.Text))
	}
}

func imageText(i *render.Image) string {
	text := title(string(i.Kind)) + ": " + i.Name
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

func (r messageReader) notification(n *render.Notification) {
	r.println("A notification on %s. Template: %s.", n.Platform.Label(), n.Label)
	if n.Blank {
		r.println("It is empty.")
		return
	}
	r.saved(n.Custom, "The saved template")
	r.piece("Title", plainText(n.Title))
	r.piece("Subtitle", plainText(n.Subtitle))
	r.piece("Message", plainText(n.Body))
	r.piece("Summary", plainText(n.Summary))
	if n.Image != nil {
		r.println("%s", imageText(n.Image))
	}
	for i, s := range n.Slide {
		r.println("Slide %d of %d: %s. %s", i+1, len(n.Slide), s.Image.Name, withCommas(s.Action))
	}
	if n.Banner != nil {
		r.piece("While collapsed", plainText(n.Banner.Collapsed))
	}
	for i, b := range n.Buttons {
		r.println("Button %d: %s. %s", i+1, plainText(b.Title), withCommas(b.Action))
	}
	for _, f := range n.Facts {
		r.piece(f.Name, f.Text)
	}
	r.piece("Background color", n.Colors.Background)
	if n.Backup != nil {
		r.println("Devices that cannot show the template show:")
		r.piece("Title", plainText(n.Backup.Title))
		r.piece("Message", plainText(n.Backup.Body))
	}
	r.notes(n.Missing, n.Warnings)
}

// saved prints which saved template a message uses. A missing one is reported in the notes.
func (r messageReader) saved(s render.Saved, unknown string) {
	switch {
	case s.Why != "":
	case s.Known:
		r.piece("From the saved template", s.Name)
	default:
		r.piece(unknown, s.Name)
	}
}

// notes prints unresolved expressions and warnings.
func (r messageReader) notes(missing []render.Missing, warnings []render.Warning) {
	for _, m := range missing {
		r.println("No value in %s for %s", m.Field, m.Expression)
	}
	for _, n := range warnings {
		r.println("%s", phrase.Sentence(fmt.Sprintf("Note: %s", n.Text)))
	}
}

// withCommas replaces the separators of visual text with commas.
func withCommas(s string) string { return strings.ReplaceAll(s, " · ", ", ") }
