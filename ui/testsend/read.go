package testsend

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/render"
	model "bugle/engine/testsend"
	"bugle/ui/preview"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// reader shows what was delivered.
type reader struct {
	open bool // it has the keyboard
	received
	view        preview.Preview
	shown       string // what the preview shows now
	title, note string // that go with it
	head        int    // the lines of the note, as drawn last
}

// mostDelivered is how many messages of the outbox are looked through for those of a run.
const mostDelivered = 1000

func deliveredKey(key, recipient string) string { return key + "\x00" + recipient }

// received is what a run came to on the other side: the messages, and who got them.
type received struct {
	box    map[string][]engine.Delivered
	people map[model.Recipient]model.Person
}

// readOutbox looks for what the run delivered, and to whom.
func (s *Screen) readOutbox() tea.Cmd {
	box, _ := s.deps.Service.(engine.OutboxReader)
	service := s.deps.Service
	id, since := s.id, s.run.First.Truncate(time.Second)
	identifier, values := s.forecast.Addressed(s.draft.Workspace, s.run.Ask)
	var all []model.Recipient
	for _, v := range values {
		all = append(all, model.Recipient{Identifier: identifier, Value: v})
	}
	return s.Run(taskOutbox, func(ctx context.Context) (any, error) {
		var out received
		var err error
		if out.people, err = model.LookUpAll(ctx, service, all); err != nil {
			return out, err
		}
		if box == nil {
			return out, nil
		}
		all, err := box.Outbox(ctx, mostDelivered)
		out.box = map[string][]engine.Delivered{}
		for _, d := range all {
			if k := deliveredKey(d.Key, d.Recipient); d.CampaignID == id && !d.At.Before(since) {
				out.box[k] = append(out.box[k], d)
			}
		}
		return out, err
	})
}

// tookOutbox takes the messages; without them there is still the content as it is written.
func (s *Screen) tookOutbox(r screen.Result) {
	if got, ok := r.Value.(received); ok {
		s.run.read.received, s.run.read.shown = got, ""
		s.people.Meet(got.people)
	}
}

// message returns what the preview shows of the entry under the cursor: the mail that was delivered or, of
// a push, the content filled for its recipient, as it went out. The note says what was not delivered.
func (s *Screen) message() (v render.View, title, note string) {
	k, d := s.selected()
	if k == nil {
		return v, "Delivered", ""
	}
	content, title := s.run.Draft.Document.Lookup(k.Key.Content), "Not delivered"
	at := s.deps.Now()
	o := render.Options{Now: at}
	if d != nil {
		o.Fill = s.fillFor(d.Recipient)
	}
	switch {
	case d == nil || d.State != model.Sent:
		note = s.undelivered(k, d)
	default:
		title = "Delivered to " + s.recipient(d)
		list := s.run.read.box[deliveredKey(k.ID, d.Recipient)]
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
	v = render.View{TestKey: k.Key, At: at.In(s.zone())}
	switch {
	case content.Empty():
	case s.draft.Campaign.Channel == catalog.Email:
		m := render.Email(content, o)
		v.Mail = &m
	default:
		n := render.Push(catalog.Platform(k.Key.Platform), content, o)
		v.Notification = &n
	}
	return v, title, note
}

// undelivered returns why somebody did not get a message, unless the list beside says so.
func (s *Screen) undelivered(k *model.Key, d *model.Send) string {
	switch {
	case d != nil && d.Why != "" && s.listShown():
		return "To " + s.recipient(d) + "."
	case d != nil && d.Why != "":
		return "To " + s.recipient(d) + ": " + strings.TrimSuffix(d.Why, ".") + "."
	case k.Reason != "":
		return problems.Sentence(k.Reason)
	}
	return ""
}

// fillFor returns how texts were filled for a recipient; nil where it is not known who that is.
func (s *Screen) fillFor(recipient string) render.Fill {
	identifier, _ := model.Addressed(s.draft.Workspace, s.run.Ask)
	p, ok := s.run.read.people[model.Recipient{Identifier: identifier, Value: recipient}]
	if !ok || !p.Sure {
		return nil
	}
	return s.run.Draft.Fill(s.run.Ask, p)
}

// readView draws the message.
func (s *Screen) readView(b box) string {
	k, d := s.selected()
	r := &s.run.read
	of := fmt.Sprint(s.listShown())
	if k != nil {
		of += k.ID + "\x00" + k.Status
	}
	if d != nil {
		of += "\x00" + d.Recipient + d.State.String()
	}
	var v render.View
	fresh := of != r.shown
	if fresh {
		r.shown = of
		v, r.title, r.note = s.message()
	}
	title := r.title
	if !s.listShown() {
		title = s.crumbs(b.w, stageNames[s.stage], title)
	}
	panel := s.panel(title, b, r.open)
	w, h := panel.Inner()
	var head []string
	if r.note != "" {
		for _, l := range widget.Wrap(widget.Clean(r.note), max(w, 1)) {
			head = append(head, s.theme.Muted.Render(l))
		}
		head = append(head, "")
	}
	r.head = len(head)
	r.view.SetSize(w, max(h-len(head), 0))
	if fresh {
		r.view.Show(v)
	}
	return panel.View(strings.Join(append(head, r.view.View()), "\n"))
}

// listShown reports whether the results are in sight beside or above the message.
func (s *Screen) listShown() bool {
	list, _ := s.runBoxes()
	return list.w > 0
}

// openMessage gives the message the keyboard.
func (s *Screen) openMessage() tea.Cmd {
	s.run.read.open = true
	return nil
}

func (s *Screen) closeMessage() tea.Cmd {
	s.run.read.open, s.zoom = false, false
	return nil
}

// readActions are what can be done with the message.
func (s *Screen) readActions() []screen.Action {
	by := func(n int) func() tea.Cmd { return func() tea.Cmd { s.run.rows.move(n); return nil } }
	acts := []screen.Action{
		s.upKey(groupMessage),
		{Keys: []string{"enter"}, Label: "results", Help: "go back to the results", Group: groupMessage, Run: s.closeMessage},
		{Keys: []string{"n"}, Label: "next", Help: "read the next message", Group: groupMessage, Bar: 8, Run: by(1)},
		{Keys: []string{"p"}, Label: "previous", Help: "read the previous message", Group: groupMessage, Bar: 7, Run: by(-1)},
	}
	for _, b := range s.run.read.view.Bindings() {
		acts = append(acts, screen.Action{Keys: b.Keys, Label: b.Label, Help: b.Help, Group: groupMessage, Bar: 5, Run: func() tea.Cmd { b.Run(); return nil }})
	}
	return append(acts,
		screen.Action{Keys: []string{"o"}, Label: "outbox", Help: "open all delivered messages", Group: groupMessage, Bar: 4, Run: s.outbox},
		s.zoomKey(),
		screen.Action{Keys: []string{"up", "down"}, Label: "scroll", Group: groupMessage, Info: true},
	)
}
