package testsend

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/render"
	"bugle/engine/phrase"
	model "bugle/engine/testsend"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// maxDelivered is how many messages of the outbox are searched for those of a run.
const maxDelivered = 1000

// readOutbox reads what the run delivered, if the service shows it.
func (r *results) readOutbox() tea.Cmd {
	box, ok := r.deps.Service.(engine.OutboxReader)
	if !ok {
		return nil
	}
	id, since := r.id, r.run.Started.Truncate(time.Second)
	return screen.Go(r.tasks, taskOutbox, func(ctx context.Context) ([]engine.OutboxMessage, error) {
		all, err := box.Outbox(ctx, maxDelivered)
		return slices.DeleteFunc(all, func(m engine.OutboxMessage) bool { return m.CampaignID != id || m.At.Before(since) }), err
	}, func(delivered []engine.OutboxMessage, _ error) tea.Cmd { // without them, the content of the draft is shown
		r.delivered, r.shown = delivered, ""
		return nil
	})
}

// recipient names the recipient of a message.
func (r *results) recipient(d *model.SendState) string {
	if d.Recipient == "" {
		return "all recipients" // the service does not report each
	}
	identifier, _ := model.ResolveValues(r.draft.Workspace, r.run.Request)
	return r.people.Name(identifier, d.Recipient) + r.asText(d)
}

// persona names the user whose data a message has in place of the recipient's, "Ann (USER_7)"; empty if there is none.
func (r *results) persona(d *model.SendState) string {
	for _, p := range r.run.Request.As {
		if p.ID == d.As {
			return p.String()
		}
	}
	return d.As
}

// asText returns the persona of a message after " as ".
func (r *results) asText(d *model.SendState) string {
	if d.As == "" {
		return ""
	}
	return " as " + r.persona(d)
}

// view returns the message under the cursor: the delivered email or, for a push, the content filled for its recipient.
// The note explains what was not delivered.
func (r *results) view() (v render.View, title, note string) {
	k, d := r.selected()
	if k == nil {
		return v, "Delivered", ""
	}
	content, at := r.run.Draft.Document.Lookup(k.Key.Content), r.deps.Now()
	o := render.Options{Now: at}
	if d != nil {
		identifier, _ := model.ResolveValues(r.draft.Workspace, r.run.Request)
		o.Fill = r.fill(r.run.Draft, r.run.Request, model.Recipient{Identifier: identifier, Value: d.Recipient}, d.As)
	}
	switch {
	case d == nil || d.State != model.Sent:
		if title = "Not delivered"; d != nil && d.State == model.Unknown {
			title = "May have been delivered"
		}
		if note = phrase.Capitalize(k.Reason); d != nil && d.Why != "" {
			note = "To " + r.recipient(d) + ": " + strings.TrimSuffix(d.Why, ".") + "."
		}
	default:
		title = "Delivered to " + r.recipient(d)
		got := slices.DeleteFunc(slices.Clone(r.delivered), func(m engine.OutboxMessage) bool {
			return m.Key != k.ID || m.Recipient != d.Recipient || m.As != r.persona(d)
		})
		if len(got) > 0 {
			at = got[0].At
		}
		switch {
		case len(got) > 0 && got[0].Email != nil:
			content, o.Fill = got[0].Email.Content(), nil
		case len(got) > 1:
			note = fmt.Sprintf("On %d devices.", len(got))
		case o.Fill == nil:
			title, note = "As written", "This service does not show delivered messages. This is the content of the draft."
		}
	}
	v = render.View{TestKey: k.Key, At: r.deps.Local(at)}
	switch {
	case content.Empty():
	case r.draft.Campaign.Channel == catalog.Email:
		m := render.Email(content, o)
		v.Mail = &m
	default:
		n := render.Push(catalog.Platform(k.Key.Platform), content, o)
		v.Notification = &n
	}
	return v, title, note
}

// messageContent returns what the pane of the message shows.
func (r *results) messageContent(w, h int) panes.Content {
	e, _ := r.rows.Selected()
	if of := fmt.Sprint(e); of != r.shown {
		view, title, note := r.view()
		r.shown, r.title, r.note = of, title, note
		r.message.Show(view)
	}
	c := panes.Content{Title: r.title}
	var head []string
	if r.note != "" {
		head = append(widget.WrapStyled(r.theme.Muted, r.note, w), "")
	}
	r.noteLines = len(head)
	r.message.SetSize(w, max(h-len(head), 0))
	c.Body = strings.Join(append(head, r.message.View()), "\n")
	return c
}
