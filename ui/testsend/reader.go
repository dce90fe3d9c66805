package testsend

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/render"
	"bugle/engine/phrase"
	model "bugle/engine/testsend"
	"bugle/ui/panes"
	"bugle/ui/preview"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// reader shows a delivered message.
type reader struct {
	*layout
	deliveredMessages
	view        preview.Preview
	shown       string // identifies the content of the preview
	title, note string // of the content
	head        int    // height of the note when last drawn
}

// maxDelivered is how many messages of the outbox are searched for those of a run.
const maxDelivered = 1000

func deliveredKey(key, recipient, as string) string { return key + "\x00" + recipient + "\x00" + as }

// deliveredMessages has the delivered messages of a run and their recipients.
type deliveredMessages struct {
	messages map[string][]engine.OutboxMessage
	profiles map[model.Recipient]model.ResolvedUser
}

// load reads what a run delivered, and to which users.
func (r *reader) load(run model.Run, f model.Forecast) tea.Cmd {
	box, _ := r.deps.Service.(engine.OutboxReader)
	service, id, since := r.deps.Service, r.id, run.Started.Truncate(time.Second)
	identifier, values := f.ResolveValues(r.draft.Workspace, run.Request)
	var all []model.Recipient
	for _, v := range values {
		all = append(all, model.Recipient{Identifier: identifier, Value: v})
	}
	for _, p := range run.Request.As {
		all = append(all, personaRecipient(p))
	}
	return screen.Go(r.tasks, taskOutbox, func(ctx context.Context) (deliveredMessages, error) {
		var out deliveredMessages
		var err error
		if out.profiles, err = model.LookUpAll(ctx, service, all); err != nil || box == nil {
			return out, err
		}
		delivered, err := box.Outbox(ctx, maxDelivered)
		out.messages = map[string][]engine.OutboxMessage{}
		for _, d := range delivered {
			if k := deliveredKey(d.Key, d.Recipient, d.As); d.CampaignID == id && !d.At.Before(since) {
				out.messages[k] = append(out.messages[k], d)
			}
		}
		return out, err
	}, func(got deliveredMessages, _ error) tea.Cmd { // without the messages the unfilled content is shown
		r.deliveredMessages, r.shown = got, ""
		r.people.Add(got.profiles)
		return nil
	})
}

// show shows the message of a run for a recipient; listed reports whether the list is visible too.
func (r *reader) show(run model.Run, k *model.Key, d *model.SendState, listed bool) {
	of := fmt.Sprint(listed)
	if k != nil {
		of += k.ID + "\x00" + k.Status
	}
	if d != nil {
		of += "\x00" + d.Recipient + d.State.String() + d.As
	}
	if of == r.shown {
		return
	}
	var v render.View
	v, r.title, r.note = r.message(run, k, d, listed)
	r.shown = of
	r.view.Show(v)
}

// message returns the view to show: the delivered email or, for a push, the content filled for its recipient.
// The note explains what was not delivered.
func (r *reader) message(run model.Run, k *model.Key, d *model.SendState, listed bool) (v render.View, title, note string) {
	if k == nil {
		return v, "Delivered", ""
	}
	content, title := run.Draft.Document.Lookup(k.Key.Content), "Not delivered"
	at := r.deps.Now()
	o := render.Options{Now: at}
	if d != nil {
		o.Fill = r.fill(run, d)
	}
	switch {
	case d == nil || d.State != model.Sent:
		note = r.undeliveredReason(run, k, d, listed)
		if d != nil && d.State == model.Unknown {
			title = "May have been delivered"
		}
	default:
		title = "Delivered to " + r.recipient(run, d)
		as := ""
		if d.As != "" {
			as = personaOf(run, d.As).String()
		}
		list := r.messages[deliveredKey(k.ID, d.Recipient, as)]
		if len(list) > 0 {
			at = list[0].At
		}
		switch {
		case len(list) > 0 && list[0].Email != nil:
			content, o.Fill = list[0].Email.Content(), nil
		case len(list) > 1:
			note = fmt.Sprintf("On %d devices.", len(list))
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

// undeliveredReason returns why a recipient did not get a message, unless the list shows it.
func (r *reader) undeliveredReason(run model.Run, k *model.Key, d *model.SendState, listed bool) string {
	switch {
	case d != nil && d.Why != "" && listed:
		return "To " + r.recipient(run, d) + "."
	case d != nil && d.Why != "":
		return "To " + r.recipient(run, d) + ": " + strings.TrimSuffix(d.Why, ".") + "."
	case k.Reason != "":
		return phrase.Capitalize(k.Reason)
	}
	return ""
}

// fill returns the values that filled the texts for a recipient; nil if the recipient is not known.
func (r *reader) fill(run model.Run, d *model.SendState) render.Fill {
	identifier, _ := model.ResolveValues(r.draft.Workspace, run.Request)
	of := model.Recipient{Identifier: identifier, Value: d.Recipient}
	if d.As != "" {
		of = personaRecipient(engine.TestPersona{ID: d.As})
	}
	p, ok := r.profiles[of]
	if !ok || !p.Certain {
		return nil
	}
	return run.Draft.Fill(run.Request, p)
}

// content returns what the pane shows, with a breadcrumb if the list is hidden.
func (r *reader) content(page string) panes.Content {
	w, h := r.panes.Size(paneSide)
	title := r.title
	if !r.panes.Shown(paneMain) {
		title = r.breadcrumb(w+4, page, title)
	}
	var head []string
	if r.note != "" {
		head = append(head, widget.WrapStyled(r.theme.Muted, r.note, w)...)
		head = append(head, "")
	}
	r.head = len(head)
	r.view.SetSize(w, max(h-len(head), 0))
	return panes.Content{Title: title, Body: strings.Join(append(head, r.view.View()), "\n")}
}

// mouse handles a mouse event on the message; a click focuses it.
func (r *reader) mouse(msg tea.MouseMsg) {
	if widget.Pressed(msg) {
		r.panes.Focus(paneSide)
	}
	msg.Y -= r.head
	r.view.Mouse(msg)
}
