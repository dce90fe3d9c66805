package files

import (
	"context"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/livepage"
	"bugle/engine/message/render"
)

// page shows the message that was saved last in the browser. The page is there until the command ends.
type page struct {
	server *livepage.Server
	shown  livepage.Campaign
}

// start serves the page.
func (p *page) start(ctx context.Context, svc engine.Service) (err error) {
	p.shown.Service = svc
	if keeper, ok := svc.(engine.WorkspaceStore); ok {
		if p.shown.Workspace, err = keeper.Workspace(ctx); err != nil {
			return err
		}
	}
	p.server, err = livepage.Start(func(context.Context) (livepage.Message, error) {
		return livepage.Message{Title: "bugle watch", Note: "Save a file to see its message."}, nil
	})
	return err
}

// open opens the page in the browser, and returns what to tell the user.
func (p *page) open(ctx context.Context) string {
	if err := p.server.Open(ctx, livepage.OpenBrowser); err != nil {
		return "No browser could be opened: " + err.Error() + ". The page is at " + p.server.URL()
	}
	return "The page is at " + p.server.URL()
}

// show shows the message of a campaign that was changed, or else its first one.
func (p *page) show(c engine.Campaign, changes []doc.Change) {
	if c.ID == "" {
		return
	}
	shown := p.shown
	shown.Campaign, shown.Now = c, time.Now()
	for _, change := range changes {
		if _, ok := render.ViewsAt(c.Channel, c.Document(), change.Path, render.Options{Now: shown.Now}); ok {
			shown.At = change.Path
			break
		}
	}
	p.server.Show(new(livepage.Messages).Source(shown))
}

func (p *page) close() { _ = p.server.Close() } // nothing is lost with it
