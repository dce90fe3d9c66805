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
	"bugle/ui/preview"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// reader shows what was delivered.
type reader struct {
	open        bool // it has the keyboard
	known       bool // the outbox was read
	box         map[string][]engine.Delivered
	view        preview.Preview
	shown       string // what the preview shows now
	title, note string // that go with it
}

// mostDelivered is how many messages of the outbox are looked through for those of a run.
const mostDelivered = 1000

func deliveredKey(key, recipient string) string { return key + "\x00" + recipient }

// readOutbox looks for what the run delivered.
func (s *Screen) readOutbox() tea.Cmd {
	box, ok := s.deps.Service.(engine.OutboxReader)
	if !ok {
		return nil
	}
	id, since := s.id, s.run.first.Truncate(time.Second)
	return s.Run(taskOutbox, func(ctx context.Context) (any, error) {
		all, err := box.Outbox(ctx, mostDelivered)
		out := map[string][]engine.Delivered{}
		for _, d := range all {
			if k := deliveredKey(d.Key, d.Recipient); d.CampaignID == id && !d.At.Before(since) {
				out[k] = append(out[k], d)
			}
		}
		return out, err
	})
}

// tookOutbox takes the messages; without them there is still the content as it is written.
func (s *Screen) tookOutbox(r screen.Result) {
	if r.Err == nil {
		s.run.read.box, s.run.read.known = r.Value.(map[string][]engine.Delivered), true
		s.run.read.shown = ""
	}
}

// message gives what the preview shows of the entry under the cursor: what was delivered to them or,
// where that is not to be had, the content as it is written. The note says which.
func (s *Screen) message() (v render.View, title, note string) {
	k, d := s.selected()
	if k == nil {
		return v, "Delivered", ""
	}
	content := s.run.document.Lookup(k.key.Content)
	title = "As written"
	switch {
	case d != nil && d.state == failed && d.why != "" && s.width >= readFrom:
		note = "Not delivered to " + d.recipient + "." // the list beside says why
	case d != nil && d.state == failed && d.why != "":
		note = "Not delivered to " + d.recipient + ": " + strings.TrimSuffix(d.why, ".") + "."
	case (d == nil || d.state != sent) && k.reason != "":
		note = "Not delivered: " + strings.TrimSuffix(k.reason, ".") + "."
	case d == nil || d.state != sent:
		note = "Not delivered."
	default:
		list := s.run.read.box[deliveredKey(k.name, d.recipient)]
		switch {
		case len(list) == 0 && s.run.read.known:
			note = "It went to a real server, which keeps what it delivers to itself; this is the content as it is written."
		case len(list) == 0:
			note = "This service does not show what it delivers; this is the content as it is written."
		default:
			content, title = list[0].Content(), "Delivered to "+d.recipient
			if len(list) > 1 && s.campaign.Channel == catalog.Push {
				note = fmt.Sprintf("On %d devices.", len(list))
			}
		}
	}
	v = render.View{TestKey: k.key}
	o := render.Options{Now: s.deps.Now()}
	switch {
	case content.Empty():
	case s.campaign.Channel == catalog.Email:
		m := render.Email(content, o)
		v.Mail = &m
	default:
		n := render.Push(catalog.Platform(k.key.Platform), content, o)
		v.Notification = &n
	}
	return v, title, note
}

// readView draws the message.
func (s *Screen) readView(b box) string {
	k, d := s.selected()
	r := &s.run.read
	of := fmt.Sprint(s.width >= readFrom)
	if k != nil {
		of += k.name + "\x00" + k.status
	}
	if d != nil {
		of += "\x00" + d.recipient + stateWords[d.state]
	}
	var v render.View
	fresh := of != r.shown
	if fresh {
		r.shown = of
		v, r.title, r.note = s.message()
	}
	panel := s.panel(r.title, b, r.open)
	w, h := panel.Inner()
	var head []string
	if r.note != "" {
		for _, l := range widget.Wrap(widget.Clean(r.note), max(w, 1)) {
			head = append(head, s.theme.Muted.Render(l))
		}
		head = append(head, "")
	}
	r.view.SetSize(w, max(h-len(head), 0))
	if fresh {
		r.view.Show(v)
	}
	return panel.View(strings.Join(append(head, r.view.View()), "\n"))
}

// openMessage gives the message the keyboard.
func (s *Screen) openMessage() tea.Cmd {
	s.run.read.open = true
	return nil
}

func (s *Screen) closeMessage() tea.Cmd {
	s.run.read.open = false
	return nil
}

// readActions are what can be done with the message.
func (s *Screen) readActions() []screen.Action {
	by := func(n int) func() tea.Cmd { return func() tea.Cmd { s.run.rows.move(n); return nil } }
	acts := []screen.Action{
		{Keys: []string{"esc", "enter"}, Label: "list", Help: "back to the list", Group: groupMessage, Bar: 9, Run: s.closeMessage},
		{Keys: []string{"n"}, Label: "next", Help: "the next message", Group: groupMessage, Bar: 8, Run: by(1)},
		{Keys: []string{"p"}, Label: "before", Help: "the message before", Group: groupMessage, Bar: 7, Run: by(-1)},
	}
	for _, b := range s.run.read.view.Bindings() {
		acts = append(acts, screen.Action{Keys: b.Keys, Label: b.Label, Help: b.Help, Group: groupMessage, Bar: 5, Run: func() tea.Cmd { b.Run(); return nil }})
	}
	return append(acts,
		screen.Action{Keys: []string{"o"}, Label: "outbox", Help: "all that was delivered, with its source", Group: groupMessage, Bar: 4, Run: s.outbox},
		screen.Action{Keys: []string{"up", "down"}, Label: "scroll", Group: groupMessage, Info: true},
	)
}
