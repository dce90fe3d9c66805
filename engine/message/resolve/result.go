package resolve

import (
	"context"
	"slices"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/message/render"
	"bugle/engine/message/template"
	"bugle/engine/message/utm"
)

// Result is messages as one viewer gets them. It does not change.
type Result struct {
	Viewer
	// Document is that of the campaign, with the messages as they go out: texts filled, links with their UTM
	// parameters, and without what a template does not use. What has no value stands in it as it was written.
	Document doc.Value
	Missing  []Missing
	// Answer is the preview as the service returned it, if only the service knows the viewer. Otherwise it is the zero
	// value, because the messages were filled in here. Another vendor's content may have a different shape.
	Answer engine.Preview

	campaign *Campaign
	whole    doc.Value // the document before it was filled, for the drawing models
	filled   map[string]filled
	params   []utm.Param
	later    *Filling // fills without content APIs; nil where the service fills
	saved    render.TemplateStatus
}

// Missing is what has no value in a message.
type Missing struct {
	Path       doc.Path       // of the text, from the root of the document
	Key        engine.TestKey // of the message; of UTM parameters, of the first one
	Expression string         // as written, without braces and filters; empty where the text cannot be read at all
	Block      string         // the content block that it stands in; empty for the text itself
	Line       int            // in the text or block, from 1; 0 where no place is known
	Column     int            // in characters, from 1
	Reason     string         // "the user has no attribute First Name"
	// Deferred reports that the message will have a value, or will not, when it is sent: a content API was not
	// called, or the service did not say.
	Deferred bool
}

// filled is what a text became.
type filled struct {
	source, text string
	missing      []Missing
}

// Resolve returns messages of the campaign as a viewer gets them: those of the keys, or all that have content. It fails
// where ctx ends, or where a service that fills messages itself refuses to.
func (c *Campaign) Resolve(ctx context.Context, v Viewer, keys ...engine.TestKey) (*Result, error) {
	r := &Result{Viewer: v, campaign: c, whole: c.Document, filled: map[string]filled{}, saved: c.templates()}
	fill, err := c.filler(ctx, v, r)
	if err != nil {
		return nil, err
	}
	if !v.byService() {
		r.later = c.Deferred().For(v)
	}
	if keys == nil {
		keys = c.Written()
	}
	r.Document = r.whole
	for _, key := range keys {
		if err := r.add(ctx, key, fill); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// fillFunc returns what the text at a place becomes, and what is missing in it. It fails where ctx ends.
type fillFunc func(at doc.Path, text string) (string, []Missing, error)

// filler returns what fills texts for the viewer: the service or this process.
func (c *Campaign) filler(ctx context.Context, v Viewer, r *Result) (fillFunc, error) {
	if v.byService() {
		p, err := c.session.preview(ctx, c.Channel, c.source, v)
		if err != nil {
			return nil, err
		}
		r.Answer = p
		if c.content == nil {
			r.whole, r.saved = render.WithTemplates(c.Channel, c.source, p), render.TemplatesFromPreview(p)
		}
		return c.byPreview(p), nil
	}
	f := c.For(v)
	return func(_ doc.Path, text string) (string, []Missing, error) { return f.Text(ctx, text) }, nil
}

// byPreview fills texts as a service did.
func (c *Campaign) byPreview(p engine.Preview) fillFunc {
	shown := render.FillFromPreview(p)
	content := doc.P(string(catalog.CampaignContent))
	root := doc.NewObject(doc.M(string(catalog.CampaignContent), p.Content))
	return func(at doc.Path, text string) (string, []Missing, error) {
		out, unresolved := shown(at, text)
		var missing []Missing
		for _, e := range unresolved {
			missing = append(missing, Missing{Expression: e, Reason: "the service has no value for it"})
		}
		reason := "the service fills it in when it sends the message"
		if at.HasPrefix(content) {
			if root.Lookup(at).Kind() == doc.String {
				return out, missing, nil
			}
			reason = "the answer of the service does not have this text"
		}
		list, _ := template.Expressions(text) // one that cannot be read is the service's to refuse
		for _, e := range list {
			line, column := doc.LineColumn(text, e.Start)
			missing = append(missing, Missing{Expression: e.Source, Line: line, Column: column, Deferred: true, Reason: reason})
		}
		return out, missing, nil
	}
}

// add fills one message.
func (r *Result) add(ctx context.Context, key engine.TestKey, fill fillFunc) error {
	c := r.campaign
	out, params, err := Message(c.Channel, r.whole, c.env(), key, func(at doc.Path, text string) (string, error) {
		place := at.String()
		if known, ok := r.filled[place]; ok {
			return known.text, nil
		}
		out, missing, err := fill(at, text)
		if err != nil {
			return "", err
		}
		for i := range missing {
			missing[i].Path, missing[i].Key = at, key
		}
		r.filled[place] = filled{text, out, missing}
		r.Missing = append(r.Missing, missing...)
		return out, nil
	})
	if err != nil {
		return err
	}
	r.params = params
	if out.Exists() {
		r.Document, err = r.Document.Set(key.Content, out)
	}
	return err
}

// Content returns a message as it goes out.
func (r *Result) Content(key engine.TestKey) doc.Value { return r.Document.Lookup(key.Content) }

// HTML returns the body of an email as it goes out.
func (r *Result) HTML(key engine.TestKey) string {
	return Email(r.Content(key)).HTML
}

// Email returns the email that goes out for rendered content, without recipient, plain text, headers and attachments.
func Email(content doc.Value) *delivery.Email {
	text := func(name string) string { return content.Get(name).Text() }
	return &delivery.Email{
		From: text(catalog.EmailFrom), FromName: text(catalog.EmailSender), ReplyTo: text(catalog.EmailReplyTo),
		Cc: content.Get(catalog.EmailCc).Strings(), Bcc: content.Get(catalog.EmailBcc).Strings(),
		Subject: text(catalog.EmailSubject), PreviewText: text(catalog.EmailPreviewText),
		HTML: delivery.HTML(text(catalog.EmailHTML), text(catalog.EmailPreviewText)),
	}
}

// Text returns the body of an email as readers of plain text get it.
func (r *Result) Text(key engine.TestKey) string { return delivery.PlainText(r.HTML(key)) }

// MissingIn returns what has no value in a message, its UTM parameters included.
func (r *Result) MissingIn(key engine.TestKey) []Missing {
	return slices.DeleteFunc(slices.Clone(r.Missing), func(m Missing) bool {
		return m.Path.HasPrefix(doc.P(string(catalog.CampaignContent))) && !m.Path.HasPrefix(key.Content)
	})
}

// Drawn returns the document that the drawing models are made of, and the options with which they show the messages as
// the viewer gets them.
func (r *Result) Drawn(o render.Options) (doc.Value, render.Options) {
	o.Fill, o.Params, o.Templates = r.fill, r.params, r.saved
	return r.whole, o
}

// fill is a [render.Fill]. A text that no message was filled for, such as one that a template does not use, is filled
// without the content APIs.
func (r *Result) fill(at doc.Path, text string) (string, []string) {
	f, ok := r.filled[at.String()]
	if !ok || f.source != text {
		f = filled{text: text}
		if r.later != nil {
			if out, missing, err := r.later.Text(context.Background(), text); err == nil {
				f.text, f.missing = out, missing
			}
		}
	}
	var unresolved []string
	for _, m := range f.missing {
		if m.Expression != "" {
			unresolved = append(unresolved, m.Expression)
		}
	}
	return f.text, unresolved
}
