package local

import (
	"context"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/message/contentapi"
	"bugle/engine/message/template"
	"bugle/store"
)

// spaceSource reads the content of a workspace within a transaction.
type spaceSource struct {
	c  *content
	sp store.WorkspaceTx
}

var _ assemble.Source = spaceSource{}

func (i spaceSource) Content(_ context.Context, kind engine.ContentKind) ([]engine.ContentItem, error) {
	return i.c.items(i.sp, kind)
}

func (i spaceSource) ContentItem(_ context.Context, ref engine.ContentRef) (engine.ContentItem, error) {
	return i.c.item(i.sp, ref)
}

// sendContent is the content of one send or preview, and its content API calls. It must be closed.
type sendContent struct {
	*assemble.Content
	apis *contentapi.Session
}

// loadContent returns the content for a document's expressions, and the document with its templates expanded.
func (c *content) loadContent(ctx context.Context, sp store.WorkspaceTx, w engine.Workspace, ch engine.Channel, document doc.Value) (*sendContent, doc.Value, error) {
	m, document, err := assemble.Load(ctx, spaceSource{c, sp}, w, ch, document)
	if err != nil {
		return nil, document, err
	}
	m.Now = c.now()
	return &sendContent{m, c.calls(m, w)}, document, nil
}

// calls starts the session of content API calls of one send, preview or audience. It must be closed.
func (c *content) calls(m *assemble.Content, w engine.Workspace) *contentapi.Session {
	return (&contentapi.Client{Now: c.now, Logger: c.log}).NewSession(m.APIs, w.ContentAPIs)
}

// data returns the data for rendering one user's message.
func (m *sendContent) data(user, event map[string]any) template.Data {
	return m.Data(user, event, m.apis.Functions())
}

func (m *sendContent) close() { m.apis.Close() }
