package local

import (
	"context"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/contentapi"
	"bugle/engine/message/material"
	"bugle/engine/message/personalize"
	"bugle/store"
)

// inSpace reads the content of a workspace within a transaction.
type inSpace struct {
	c  *content
	sp store.WorkspaceTx
}

var _ material.Source = inSpace{}

func (i inSpace) Content(_ context.Context, kind engine.ContentKind) ([]engine.ContentItem, error) {
	return i.c.items(i.sp, kind)
}

func (i inSpace) ContentItem(_ context.Context, ref engine.ContentRef) (engine.ContentItem, error) {
	return i.c.item(i.sp, ref)
}

// sendMaterial is the material of one send or preview, and the calls that it makes. It must be closed.
type sendMaterial struct {
	*material.Material
	apis *contentapi.Send
}

// material returns what the expressions of a document can name, and the document with its templates.
func (c *content) material(ctx context.Context, sp store.WorkspaceTx, w engine.Workspace, ch engine.Channel, document doc.Value) (*sendMaterial, doc.Value, error) {
	m, document, err := material.Of(ctx, inSpace{c, sp}, w, ch, document)
	if err != nil {
		return nil, document, err
	}
	return &sendMaterial{m, c.calls(m, w)}, document, nil
}

// calls begins the calls of content APIs of one send, preview or audience. It must be closed.
func (c *content) calls(m *material.Material, w engine.Workspace) *contentapi.Send {
	return (&contentapi.Client{Now: c.now, Logger: c.log}).Send(m.APIs, w.ContentAPIs)
}

// data returns what the expressions of one user's message can name.
func (m *sendMaterial) data(user, event map[string]any) personalize.Data {
	return m.Data(user, event, m.apis.Functions())
}

func (m *sendMaterial) close() { m.apis.Close() }
