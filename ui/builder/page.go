package builder

import (
	"context"
	"reflect"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/livepage"
	"bugle/engine/message/render"
	"bugle/engine/message/resolve"
	"bugle/engine/phrase"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

const taskBrowser = "browser"

// pageOpener shows the current message in the browser, on a page that follows every change until it is closed.
type pageOpener struct {
	edit  *edit.Session
	deps  screen.Deps
	tasks *screen.Base
	place func() doc.Path
	// viewer returns whose data fills the message.
	viewer func() resolve.Viewer
	start  func(ctx context.Context, file string) error // opens a browser

	server   *livepage.Server // nil until the page was opened
	messages livepage.Messages
	root     doc.Value // what the page shows
	at       doc.Path
	seenAs   resolve.Viewer
}

func newPageOpener(e *edit.Session, deps screen.Deps, tasks *screen.Base, place func() doc.Path, viewer func() resolve.Viewer) *pageOpener {
	return &pageOpener{edit: e, deps: deps, tasks: tasks, place: place, viewer: viewer, start: livepage.OpenBrowser}
}

// open opens the page in the browser.
func (p *pageOpener) open() tea.Cmd {
	if _, ok := livepage.Views(p.edit.Head().Channel, p.edit.Root(), p.place(), render.Options{Now: p.deps.Now()}); !ok {
		return screen.Notify(widget.LevelWarning, "There is no message to open here.")
	}
	if p.server == nil {
		server, err := livepage.Start(p.source())
		if err != nil {
			return screen.Notify(widget.LevelError, phrase.Sentence(err.Error()))
		}
		p.server = server
	} else {
		p.server.Show(p.source())
	}
	start, server := p.start, p.server
	return screen.Go(p.tasks, taskBrowser, func(ctx context.Context) (string, error) { return server.URL(), server.Open(ctx, start) }, openedNotice)
}

// openedNotice reports whether the browser could be opened. Where there is none, as over ssh, the address is copied.
func openedNotice(url string, err error) tea.Cmd {
	if err != nil {
		return tea.Sequence(screen.Copy(url, "the address of the page"),
			screen.Notify(widget.LevelWarning, "No browser can be opened, because "+err.Error()+". Until you leave this campaign, the page is at "+url))
	}
	return screen.Notify(widget.LevelSuccess, "Opened in the browser. Until you leave this campaign, the page follows your changes at "+url)
}

// follow shows the page what was edited, the message that the user went to, and whose data fills it.
func (p *pageOpener) follow() {
	if p.server != nil && (!p.root.Same(p.edit.Root()) || !p.at.Equal(p.place()) || !reflect.DeepEqual(p.seenAs, p.viewer())) {
		p.server.Show(p.source())
	}
}

// forget reads the content of the workspace again, because it may have changed.
func (p *pageOpener) forget() {
	p.messages.Forget()
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
	return p.messages.Source(livepage.Campaign{
		Service: p.deps.Service, Workspace: p.edit.Workspace(), Campaign: p.edit.Campaign(), At: p.at, Viewer: p.seenAs, Now: p.deps.Now(),
	})
}
