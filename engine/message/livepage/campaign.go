package livepage

import (
	"context"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/message/render"
	"bugle/engine/message/resolve"
)

// Campaign is one state of a campaign whose message is shown.
type Campaign struct {
	Service   engine.Service
	Workspace engine.Workspace
	Campaign  engine.Campaign
	At        doc.Path       // the place whose message is shown; empty for the first message
	Viewer    resolve.Viewer // whose data fills the message
	Now       time.Time
}

// Messages makes the messages of one campaign while it is edited. What the workspace has for them is read once. The zero
// value is ready to use. It is safe for concurrent use.
type Messages struct {
	mu       sync.Mutex
	prepared *resolve.Campaign
}

// Forget makes it read the workspace again the next time.
func (m *Messages) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.prepared = nil
}

// Source returns the source of a campaign's message.
func (m *Messages) Source(c Campaign) Source {
	root := c.Campaign.Document()
	return func(ctx context.Context) (Message, error) {
		filled, err := m.resolve(ctx, c, root)
		if err != nil {
			return Message{}, err
		}
		whole, o := filled.Drawn(render.Options{Now: c.Now})
		out := Message{Title: engine.Summarize(c.Campaign).Title()}
		views, ok := Views(c.Campaign.Channel, whole, c.At, o)
		if !ok {
			out.Note = "There is no message here."
			return out, nil
		}
		out.Cell = grid.CellName("", views[0].Locale, views[0].Variation)
		if c.Viewer.Named() {
			out.Person = c.Viewer.Name()
		}
		for _, v := range views {
			if v.Notification != nil {
				out.Push = append(out.Push, v.Notification)
			}
			if v.Mail != nil {
				out.Mail, out.HTML = v.Mail, filled.HTML(v.TestKey)
				out.Note = bodyNote(v.Mail.Custom)
			}
		}
		return out, nil
	}
}

// resolve returns the messages of a document as the viewer gets them. What cannot be read is left as it was written.
func (m *Messages) resolve(ctx context.Context, c Campaign, root doc.Value) (*resolve.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var prepared *resolve.Campaign
	var err error
	if m.prepared == nil {
		prepared, err = resolve.Prepare(ctx, c.Service, c.Workspace, c.Campaign.Channel, root)
	} else {
		prepared, err = m.prepared.With(ctx, root)
	}
	switch {
	case err == nil:
		m.prepared = prepared
	case prepared == nil || ctx.Err() != nil:
		return nil, err
	}
	return prepared.Resolve(ctx, c.Viewer)
}

// bodyNote explains why an email has no body.
func bodyNote(t render.Saved) string {
	switch {
	case t.Why != "":
		return "There is no body: " + t.Why + "."
	case t.Name != "":
		return "The body is that of the saved template " + t.Name + "."
	}
	return "The email has no body yet."
}

// Views returns the views of the message at a place of root, or of the first message if the place is in none. It returns
// false if there is no message.
func Views(ch engine.Channel, root doc.Value, at doc.Path, o render.Options) ([]render.View, bool) {
	views, ok := render.ViewsAt(ch, root, at, o)
	if !ok && !inMessageCell(ch, root, at) {
		views, _ = render.FirstViews(ch, root, o)
	}
	return views, len(views) > 0
}

// inMessageCell reports whether a place is in one message of several, even if it does not exist.
func inMessageCell(ch engine.Channel, root doc.Value, at doc.Path) bool {
	c, ok := grid.New(ch, root).CellAt(at)
	return ok && len(c.Path) > len(grid.Path()) && at.HasPrefix(c.Path)
}
