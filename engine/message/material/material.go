// Package material gathers what the messages of a workspace are made of, beside who gets them: content
// blocks, product sets, content APIs and saved templates (CONTRACT.md, Personalization). It calls nothing.
package material

import (
	"context"
	"errors"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/contentapi"
	"bugle/engine/message/personalize"
)

// Source is where the content of a workspace is read: an [engine.ContentKeeper], or a transaction.
type Source interface {
	Content(ctx context.Context, kind engine.ContentKind) ([]engine.ContentItem, error)
	ContentItem(ctx context.Context, ref engine.ContentRef) (engine.ContentItem, error)
}

// Material is what the expressions of one document can name. It does not change.
type Material struct {
	Blocks map[string]string
	Sets   map[string][]map[string]any // nil where nothing names one
	APIs   []engine.ContentAPI         // the same
	Taken  []Taken
}

// Of gathers the material of a document, and returns the document with the content of its saved templates.
// Product sets, which are large, are read where something names one.
func Of(ctx context.Context, from Source, w engine.Workspace, ch engine.Channel, document doc.Value) (*Material, doc.Value, error) {
	document, all, err := WithTemplates(ctx, from, ch, document)
	if err != nil {
		return nil, document, err
	}
	m, err := Named(ctx, from, w, string(document.Encode()))
	if err != nil {
		return nil, document, err
	}
	m.Taken = all
	return m, document, nil
}

// Named gathers the material of texts that take no template. The texts may be JSON.
func Named(ctx context.Context, from Source, w engine.Workspace, text string) (*Material, error) {
	m := &Material{Blocks: BlocksOf(w)}
	mentions := func(name string) bool {
		if strings.Contains(text, name) {
			return true
		}
		for _, b := range w.ContentBlocks {
			if strings.Contains(b.Source, name) {
				return true
			}
		}
		return false
	}
	if mentions("ProductSet") {
		items, err := from.Content(ctx, engine.KindProducts)
		if err != nil {
			return nil, err
		}
		m.Sets = make(map[string][]map[string]any, len(items))
		for _, item := range items {
			m.Sets[item.Products.Name] = item.Products.Products
		}
	}
	if mentions("ContentApi") {
		items, err := from.Content(ctx, engine.KindAPI)
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			m.APIs = append(m.APIs, *item.API)
		}
	}
	return m, nil
}

// Functions are content APIs as expressions call them, by name.
type Functions = map[string]func(ctx context.Context, args ...any) (any, error)

// Data returns what the expressions of one person's message can name.
func (m *Material) Data(user, event map[string]any, apis Functions) personalize.Data {
	return personalize.Data{
		UserAttributes: user, EventAttributes: event, BusinessEventAttributes: event,
		ContentBlocks: m.Blocks, ProductSets: m.Sets, ContentAPIs: apis,
	}
}

// errUnasked is why an expression has no value where its content API is not asked.
var errUnasked = errors.New("it is called when the message is sent")

// Unasked returns the content APIs as functions that ask nobody. An expression that calls one has no value:
// [AskedLater] tells why. One that the workspace does not let be called fails as it will in a send; each
// of the others is told to called.
func (m *Material) Unasked(p engine.ContentPolicy, called func(api string)) Functions {
	out := make(Functions, len(m.APIs))
	for _, api := range m.APIs {
		out[api.Name] = func(context.Context, ...any) (any, error) {
			if err := contentapi.Allowed(p, api); err != nil {
				return nil, err
			}
			called(api.Name)
			return nil, errUnasked
		}
	}
	return out
}

// AskedLater reports that an expression has no value because its content API was not asked.
func AskedLater(u personalize.Unresolved) bool { return strings.Contains(u.Reason, errUnasked.Error()) }

// Untaken says why a message cannot be sent: the template that it takes is not there. It is empty where
// nothing is in the way.
func (m *Material) Untaken(content doc.Path) string {
	for _, t := range m.Taken {
		if t.Why != "" && t.At.HasPrefix(content) {
			return t.Why
		}
	}
	return ""
}

// WithoutNames returns a document that no longer names the templates it has the content of.
func (m *Material) WithoutNames(document doc.Value) doc.Value {
	for _, t := range m.Taken {
		if t.Why == "" {
			document = document.Delete(t.At.Child(catalog.CustomTemplateID)).Delete(t.At.Child(catalog.CustomTemplateVersion))
		}
	}
	return document
}

// TemplatePlace returns where the content of a template stands in a campaign without locales and
// variations; false where no message takes such a template.
func TemplatePlace(t engine.ContentTemplate) (doc.Path, bool) {
	content := doc.P(string(catalog.CampaignContent), "content")
	switch {
	case t.Channel == catalog.Email && t.Platform == "":
		return content.Child("email"), true
	case t.Channel == catalog.Push && (t.Platform == string(catalog.Android) || t.Platform == string(catalog.IOS)):
		return content.Child("push").Child(catalog.Platform(t.Platform).Member()), true
	}
	return nil, false
}

// AudienceOf says for which messages a template is.
func AudienceOf(t engine.ContentTemplate) string {
	if t.Channel == catalog.Push {
		return "push on " + catalog.Platform(t.Platform).Label()
	}
	return t.Channel.Label()
}
