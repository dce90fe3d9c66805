package builder

import (
	"context"
	"reflect"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/edit/grid"
	"bugle/engine/message/render"
	"bugle/engine/message/resolve"
	"bugle/ui/builder/browser"
	"bugle/ui/builder/livepage"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

const taskBrowser = "browser"

// pageOpener shows the current message in the browser, on a page that follows every change until it is closed.
type pageOpener struct {
	edit  *edit.Session
	deps  screen.Deps
	task  func(kind string, fn func(context.Context) (any, error)) tea.Cmd // starts a task of the screen
	place func() doc.Path
	// viewer returns whose data fills the message.
	viewer func() resolve.Viewer
	start  func(ctx context.Context, url string) error // opens a browser

	server   *livepage.Server // nil until the page was opened
	messages *messageSource
	root     doc.Value // what the page shows
	at       doc.Path
	seenAs   resolve.Viewer
}

func newPageOpener(e *edit.Session, deps screen.Deps, task func(string, func(context.Context) (any, error)) tea.Cmd, place func() doc.Path, viewer func() resolve.Viewer) *pageOpener {
	return &pageOpener{edit: e, deps: deps, task: task, place: place, viewer: viewer, start: browser.System, messages: &messageSource{}}
}

// opened is the result of the task that opens the browser.
type opened struct{ url string }

// open opens the page in the browser.
func (p *pageOpener) open() tea.Cmd {
	if _, ok := viewsNear(p.edit.Head().Channel, p.edit.Root(), p.place(), render.Options{Now: p.deps.Now()}); !ok {
		return screen.Notify(widget.LevelWarning, "There is no message to open here.")
	}
	if p.server == nil {
		server, err := livepage.Start(p.source())
		if err != nil {
			return screen.Notify(widget.LevelError, capitalize(err.Error())+".")
		}
		p.server = server
	} else {
		p.server.Show(p.source())
	}
	start, url := p.start, p.server.URL()
	return p.task(taskBrowser, func(ctx context.Context) (any, error) { return opened{url}, start(ctx, url) })
}

// openedNotice reports whether the browser could be opened. Where there is none, as over ssh, the address is copied.
func (p *pageOpener) openedNotice(r screen.Result) tea.Cmd {
	if r.Err != nil {
		url := r.Value.(opened).url
		return tea.Sequence(screen.Copy(url, "the address of the page"),
			screen.Notify(widget.LevelWarning, "No browser can be opened, because "+r.Err.Error()+". Until you leave this campaign, the page is at "+url))
	}
	return screen.Notify(widget.LevelSuccess, "Opened in the browser. The page follows your changes while you stay in this campaign.")
}

// follow shows the page what was edited, the message that the user went to, and whose data fills it.
func (p *pageOpener) follow() {
	if p.server != nil && (!p.root.Same(p.edit.Root()) || !p.at.Equal(p.place()) || !reflect.DeepEqual(p.seenAs, p.viewer())) {
		p.server.Show(p.source())
	}
}

// forget reads the content of the workspace again, because it may have changed.
func (p *pageOpener) forget() {
	p.messages.forget()
	p.root = doc.Value{}
}

// close ends the page.
func (p *pageOpener) close() {
	if p.server != nil {
		_ = p.server.Close() // nothing is lost with it
		p.server = nil
	}
}

// source returns what makes the page of the current message. It runs beside the screen.
func (p *pageOpener) source() livepage.Source {
	p.root, p.at, p.seenAs = p.edit.Root(), p.place(), p.viewer()
	c, w, at, viewer, now := p.edit.Campaign(), p.edit.Workspace(), p.at, p.seenAs, p.deps.Now()
	service, root, messages := p.deps.Service, p.root, p.messages
	return func(ctx context.Context) (livepage.Message, error) {
		filled, err := messages.resolve(ctx, service, w, c.Channel, root, viewer)
		if err != nil {
			return livepage.Message{}, err
		}
		whole, o := filled.Drawn(render.Options{Now: now})
		views, ok := viewsNear(c.Channel, whole, at, o)
		if !ok {
			return livepage.Message{Title: engine.Summarize(c).Title(), Note: "There is no message here."}, nil
		}
		m := livepage.Message{Title: engine.Summarize(c).Title(), Cell: grid.CellName("", views[0].Locale, views[0].Variation)}
		if viewer.Named() {
			m.Person = viewer.Name()
		}
		for _, v := range views {
			if v.Notification != nil {
				m.Push = append(m.Push, v.Notification)
			}
			if v.Mail != nil {
				m.Mail, m.HTML = v.Mail, filled.HTML(v.TestKey)
				m.Note = bodyNote(v.Mail.Custom)
			}
		}
		return m, nil
	}
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

// viewsNear returns the views of the message at a place of root, or of the first message if the place is in none.
func viewsNear(ch engine.Channel, root doc.Value, at doc.Path, o render.Options) ([]render.View, bool) {
	views, ok := render.ViewsAt(ch, root, at, o)
	if !ok && !inMessageCell(ch, root, at) {
		views, _ = render.FirstViews(ch, root, o)
	}
	return views, len(views) > 0
}

// messageSource resolves the messages of a campaign while it is edited, with what the service keeps for them read once.
// It is safe for concurrent use.
type messageSource struct {
	mu       sync.Mutex
	prepared *resolve.Campaign
}

// forget reads everything again the next time.
func (m *messageSource) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.prepared = nil
}

// resolve returns the messages of a document as the viewer gets them. What cannot be read is left as it was written.
func (m *messageSource) resolve(ctx context.Context, service engine.Service, w engine.Workspace, ch engine.Channel, root doc.Value, viewer resolve.Viewer) (*resolve.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var c *resolve.Campaign
	var err error
	if m.prepared == nil {
		c, err = resolve.Prepare(ctx, service, w, ch, root)
	} else {
		c, err = m.prepared.With(ctx, root)
	}
	switch {
	case err == nil:
		m.prepared = c
	case c == nil || ctx.Err() != nil:
		return nil, err
	}
	return c.Resolve(ctx, viewer)
}
