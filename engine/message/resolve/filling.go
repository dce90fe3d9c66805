package resolve

import (
	"context"
	"slices"
	"strings"

	"bugle/engine/message/assemble"
	"bugle/engine/message/template"
)

// Filling fills texts for one viewer, in this process. It is not safe for concurrent use.
type Filling struct {
	campaign *Campaign
	data     template.Data
	deferred []string // the content APIs that would have been called
	calls    int      // how often
}

// For returns what fills texts for a viewer. What the service alone knows of a user is missing.
func (c *Campaign) For(v Viewer) *Filling {
	f := &Filling{campaign: c}
	m := c.content
	if m == nil {
		m = assemble.OfSettings(c.Workspace, c.Document)
	}
	var apis assemble.Functions
	if c.deferred {
		apis = m.DeferredAPIs(c.Workspace.ContentAPIs, f.called)
	} else {
		apis = c.session.functions(m.APIs)
	}
	f.data = m.Data(v.user(), v.event(c.Document), apis)
	return f
}

func (f *Filling) called(api string) {
	f.calls++
	if !slices.Contains(f.deferred, api) {
		f.deferred = append(f.deferred, api)
	}
}

// Deferred returns the content APIs that the texts so far would have called.
func (f *Filling) Deferred() []string { return f.deferred }

// Text returns a text with its expressions filled. What is missing stays as it was written, and so does a text that
// cannot be read. It fails where ctx ends.
func (f *Filling) Text(ctx context.Context, text string) (string, []Missing, error) {
	before := f.calls
	out, holes, err := template.Preview(ctx, text, f.data)
	if err != nil {
		if ctx.Err() != nil {
			return "", nil, ctx.Err()
		}
		// A text without the answer of its content API proves nothing.
		return text, []Missing{{Reason: err.Error(), Deferred: f.calls > before}}, nil
	}
	var missing []Missing
	for _, h := range holes {
		missing = append(missing, Missing{
			Expression: h.Expression, Block: h.Block, Line: h.Line, Column: h.Column, Reason: h.Reason,
			Deferred: assemble.IsDeferred(h) || f.campaign.content == nil && ofWorkspace(h.Expression),
		})
	}
	return out, missing, nil
}

// Lacks returns what has no value in texts for the viewer. It fails where ctx ends.
func (f *Filling) Lacks(ctx context.Context, texts []Text) ([]Missing, error) {
	var out []Missing
	for _, t := range texts {
		_, missing, err := f.Text(ctx, t.Source)
		if err != nil {
			return out, err
		}
		for _, m := range missing {
			m.Path = t.Path
			out = append(out, m)
		}
	}
	return out, nil
}

// ofWorkspace reports whether an expression names what a workspace keeps.
func ofWorkspace(expression string) bool {
	return slices.ContainsFunc([]string{"ContentBlock", "ContentApi", "ProductSet"}, func(root string) bool {
		return strings.HasPrefix(strings.TrimLeft(expression, "( "), root)
	})
}
