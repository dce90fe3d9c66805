package accessible

import (
	"context"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/material"
	"bugle/engine/render"
)

// preview tells the messages of the campaign in words, as nobody in particular or one person gets them.
func (w *work) preview(ctx context.Context) error {
	cells := render.Cells(w.campaign.Channel, w.root)
	if len(cells) == 0 {
		w.say("There is no message yet.")
		return nil
	}
	cell := cells[0]
	if len(cells) > 1 {
		options := make([]option, len(cells))
		names := cellNames(cells)
		for i, c := range cells {
			options[i] = option{label: names[i], help: w.cellState(c.Path)}
		}
		n, err := w.among(ctx, "Which message", options, 0)
		if err != nil {
			return err
		}
		cell = cells[n]
	}
	o := render.Options{Now: w.deps.Now()}
	root, err := w.withTemplates(ctx, &o)
	if err != nil {
		return err
	}
	if root, err = w.forWhom(ctx, root, &o); err != nil {
		return err
	}
	for _, v := range render.ViewsOf(w.campaign.Channel, root, cell, o) {
		switch {
		case v.Mail != nil:
			w.mail(v.Mail)
		case v.Notification != nil:
			w.notification(v.Notification)
		}
	}
	w.say("End of the preview.")
	return nil
}

// withTemplates gives the document with the content of its saved templates, as far as the service tells it.
func (w *work) withTemplates(ctx context.Context, o *render.Options) (doc.Value, error) {
	keeper, ok := w.deps.Service.(engine.ContentKeeper)
	if !ok {
		return w.root, nil
	}
	whole, taken, err := material.WithTemplates(ctx, keeper, w.campaign.Channel, w.root)
	if err != nil {
		return w.root, ctx.Err() // without them there is still what the message says itself
	}
	o.Templates = render.Taken(taken)
	return whole, nil
}

// forWhom asks for a person, and lets the service fill the expressions for them.
func (w *work) forWhom(ctx context.Context, root doc.Value, o *render.Options) (doc.Value, error) {
	err := w.ask(ctx, question{
		prompt: "Preview as, a user ID or email address, Enter for nobody",
		help: func() []string {
			return []string{"Expressions in the message are filled in for this user. With nobody, they are read as they are."}
		},
		take: func(a answer) error {
			user := strings.TrimSpace(a.text)
			if user == "" {
				return nil
			}
			shown, err := w.deps.Service.Preview(ctx, engine.PreviewRequest{
				Call: engine.NewCall(), Body: engine.PreviewBody(w.campaign.Channel, user, w.root.Get(string(catalog.CampaignContent))),
			})
			if err != nil {
				return wrong("%s", refusal(err))
			}
			o.Fill = render.Resolved(shown)
			if o.Templates == nil {
				root, o.Templates = render.WithTemplates(w.campaign.Channel, root, shown), render.Told(shown)
			}
			return nil
		},
	})
	return root, err
}

// piece tells one named piece of a message, where there is anything.
func (w *work) piece(name, text string) {
	if strings.TrimSpace(text) != "" {
		w.say("%s: %s", name, unjoined(text))
	}
}

func (w *work) mail(m *render.Mail) {
	w.say("Email.")
	if m.Blank {
		w.say("It is empty.")
		return
	}
	w.piece("From", m.Sender.String())
	if m.From.String() != m.Sender.String() {
		w.piece("Address", m.From.String())
	}
	w.piece("Reply to", m.ReplyTo.String())
	w.piece("Cc", strings.Join(m.Cc, ", "))
	w.piece("Bcc", strings.Join(m.Bcc, ", "))
	w.piece("Subject", m.Subject.String())
	if m.FromBody {
		w.piece("Inbox preview, from the start of the text", m.Preview.String())
	} else {
		w.piece("Preview text", m.Preview.String())
	}
	w.saved(m.Custom, "The body comes from the saved template")
	for _, b := range m.Blocks {
		w.block(b)
	}
	for _, a := range m.Attachments {
		w.piece("Attachment", a.Name)
	}
	w.piece("Unsubscribe link", m.Unsubscribe)
	w.notes(m.Missing, m.Warnings)
}

// block tells one block of a mail's body, with what it is and where it leads.
func (w *work) block(b render.Block) {
	switch b.Kind {
	case render.Heading:
		w.say("Heading: %s", spoken(b.Text))
	case render.Item:
		w.say("List item: %s", spoken(b.Text))
	case render.Quote:
		w.say("Quote: %s", spoken(b.Text))
	case render.Code:
		w.say("Code: %s", spoken(b.Text))
	case render.Media:
		if b.Image != nil {
			w.say("%s", pictured(b.Image))
		}
	case render.Rule:
	default:
		w.say("%s", spoken(b.Text))
	}
}

func pictured(i *render.Image) string {
	text := sentenceless(string(i.Kind)) + ": " + i.Name
	if i.Alt != "" {
		text += ", described as " + i.Alt
	}
	return text
}

// spoken gives a text with its links, and with what has no value, in words.
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

func (w *work) notification(n *render.Notification) {
	w.say("A notification on %s. Template: %s.", n.Platform.Label(), n.Label)
	if n.Blank {
		w.say("It is empty.")
		return
	}
	w.saved(n.Custom, "The saved template")
	w.piece("Title", spoken(n.Title))
	w.piece("Subtitle", spoken(n.Subtitle))
	w.piece("Message", spoken(n.Body))
	w.piece("Summary", spoken(n.Summary))
	if n.Image != nil {
		w.say("%s", pictured(n.Image))
	}
	for i, s := range n.Slide {
		w.say("Slide %d of %d: %s. %s", i+1, len(n.Slide), s.Image.Name, unjoined(s.Action))
	}
	if n.Banner != nil {
		w.piece("While collapsed", spoken(n.Banner.Collapsed))
	}
	for i, b := range n.Buttons {
		w.say("Button %d: %s. %s", i+1, spoken(b.Title), unjoined(b.Action))
	}
	for _, f := range n.Facts {
		w.piece(f.Name, f.Text)
	}
	w.piece("Background color", n.Look.Background)
	if n.Backup != nil {
		w.say("Devices that cannot show the template show:")
		w.piece("Title", spoken(n.Backup.Title))
		w.piece("Message", spoken(n.Backup.Body))
	}
	w.notes(n.Missing, n.Warnings)
}

// saved tells which saved template a message has. That there is none is among its notes.
func (w *work) saved(s render.Saved, unknown string) {
	switch {
	case s.Why != "":
	case s.Known:
		w.piece("From the saved template", s.Name)
	default:
		w.piece(unknown, s.Name)
	}
}

// notes tells what has no value, and what may come out wrong.
func (w *work) notes(missing []render.Missing, warnings []render.Warning) {
	for _, m := range missing {
		w.say("No value in %s for %s", m.Field, m.Expression)
	}
	for _, n := range warnings {
		w.say("%s", sentence(fmt.Sprintf("Note: %s", n.Text)))
	}
}

// unjoined gives words that are joined for the eye as they are said.
func unjoined(s string) string { return strings.ReplaceAll(s, " · ", ", ") }
