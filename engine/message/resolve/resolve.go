// Package resolve fills the messages of a campaign with the data of one user, or of everyone in an audience, without
// sending anything: saved templates, content blocks, product sets, content APIs and UTM parameters included.
package resolve

import (
	"context"
	"slices"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/message/render"
	"bugle/engine/schema"
)

// Campaign is a campaign that is ready to be filled. It does not change, and is safe for concurrent use.
type Campaign struct {
	Channel   engine.Channel
	Workspace engine.Workspace // empty where the service does not describe it
	Document  doc.Value        // with the content of its saved templates
	Keys      []engine.TestKey // of its messages, in the order of sending; some may have no content

	source   doc.Value         // the document as it was handed over
	content  *assemble.Content // nil where the service does not have it
	session  *session
	deferred bool
}

// Prepare makes a campaign ready, with what the service keeps for its messages. It calls no content API. A channel that
// can only be read has no messages. With an error, which says why that cannot be read, it returns the campaign without.
func Prepare(ctx context.Context, service engine.Service, w engine.Workspace, ch engine.Channel, document doc.Value) (*Campaign, error) {
	return newSession(service).prepare(ctx, w, ch, document)
}

// With returns the campaign for an edited document. What was read and called before is used again, so that it costs
// little while texts change.
func (c *Campaign) With(ctx context.Context, document doc.Value) (*Campaign, error) {
	if document.Same(c.source) {
		return c, nil
	}
	out, err := c.session.prepare(ctx, c.Workspace, c.Channel, document)
	out.deferred = c.deferred
	return out, err
}

// Refresh returns the campaign with everything read anew, in a workspace that may have changed. Content APIs are called
// again.
func (c *Campaign) Refresh(ctx context.Context, w engine.Workspace) (*Campaign, error) {
	out, err := newSession(c.session.service).prepare(ctx, w, c.Channel, c.source)
	out.deferred = c.deferred
	return out, err
}

// Deferred returns the campaign as one that calls no content API: expressions that need one have no value, and are
// marked as [Missing.Deferred].
func (c *Campaign) Deferred() *Campaign {
	out := *c
	out.deferred = true
	return &out
}

func (s *session) prepare(ctx context.Context, w engine.Workspace, ch engine.Channel, document doc.Value) (*Campaign, error) {
	c := &Campaign{Channel: ch, Workspace: w, Document: document, source: document, session: s}
	if !ch.Writable() {
		return c, nil
	}
	var err error
	if s.keeper != nil {
		var m *assemble.Content
		var whole doc.Value
		if m, whole, err = assemble.Load(ctx, s.reader(), w, ch, document); err == nil {
			c.content, c.Document = m, whole
		}
	}
	c.Keys = engine.TestKeys(ch, c.Document, engine.KeyFilter{})
	return c, err
}

// Bare reports whether nothing was written for a message.
func (c *Campaign) Bare(key engine.TestKey) bool { return c.Document.Lookup(key.Content).Empty() }

// Written returns the keys of the messages that have content.
func (c *Campaign) Written() []engine.TestKey {
	return slices.DeleteFunc(slices.Clone(c.Keys), c.Bare)
}

// Obstacle returns why a message cannot be sent to anyone: the saved template that it takes is not there. It is empty
// where nothing is in the way.
func (c *Campaign) Obstacle(key engine.TestKey) string {
	if c.content == nil {
		return ""
	}
	return c.content.MissingTemplate(key.Content)
}

// Knows reports whether the service shows what its workspace keeps for messages. Where it does not, only its own
// previews are complete.
func (c *Campaign) Knows() bool { return c.content != nil }

// Texts returns the texts that sending the key fills.
func (c *Campaign) Texts(key engine.TestKey) []Text {
	return TextsOf(c.Channel, c.Document, c.env(), key)
}

func (c *Campaign) env() schema.Env {
	return schema.Env{Flags: c.Workspace.Flags, Lists: c.Workspace.Lists}
}

// templates returns what is known of the saved templates, for the drawing models.
func (c *Campaign) templates() render.TemplateStatus {
	if c.content == nil {
		return nil
	}
	return render.TemplatesFromUses(c.content.Templates)
}

// Filters returns the filters that pick the campaign's audience.
func (c *Campaign) Filters() doc.Value {
	return c.Document.Get(string(catalog.SegmentationDetails))
}
