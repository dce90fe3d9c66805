package accessible

import (
	"context"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
	"bugle/engine/timeparse"
)

// maxDelivered is how many messages are listed.
const maxDelivered = 20

// outbox lists test messages, and prints one.
func (s *session) outbox(ctx context.Context) error {
	found, err := s.deps.Service.(engine.OutboxReader).Outbox(ctx, maxDelivered)
	if err != nil {
		return s.reportError(ctx, "Cannot load the outbox", err)
	}
	if len(found) == 0 {
		s.println("The outbox is empty. Test messages appear here.")
		return nil
	}
	return s.choose(ctx, menu{
		header: func() []string { return []string{"Outbox: the newest " + phrase.Count(len(found), "message") + "."} },
		items: func() []item {
			out := make([]item, len(found))
			for i, d := range found {
				out[i] = item{
					label: subject(d), state: fmt.Sprintf("to %s, %s", d.Recipient, timeparse.Ago(d.At, s.deps.Now())),
					run: func(context.Context) error { s.delivered(d); return nil },
				}
			}
			return out
		},
		help:         func() []string { return []string{"Type the number of a message to read it."} },
		leaveOnEmpty: true,
	})
}

func subject(d engine.OutboxMessage) string {
	text := ""
	switch {
	case d.Email != nil:
		text = d.Email.Subject
	case d.Push != nil:
		text = d.Push.Title + ", on " + grid.CellName(d.Push.Platform, "", "")
	}
	if text == "" {
		return "A message without a subject"
	}
	return text
}

// delivered prints one message.
func (s *session) delivered(d engine.OutboxMessage) {
	tell := func(name, text string) {
		if strings.TrimSpace(text) != "" {
			s.println("%s: %s", name, text)
		}
	}
	tell("To", d.Recipient)
	tell("Campaign", d.Campaign)
	tell("Sent through", d.Connector)
	if m := d.Email; m != nil {
		tell("From", strings.TrimSpace(m.FromName+" "+m.From))
		tell("Reply to", m.ReplyTo)
		tell("Cc", strings.Join(m.Cc, ", "))
		tell("Subject", m.Subject)
		tell("Preview text", m.PreviewText)
		tell("Attachments", strings.Join(m.Attachments, ", "))
		s.println("%s", m.Text)
	}
	if m := d.Push; m != nil {
		tell("Title", m.Title)
		tell("Message", m.Body)
	}
	s.println("End of the message.")
}
