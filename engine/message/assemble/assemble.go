// Package assemble loads the workspace content that messages refer to: content blocks, product sets,
// content APIs and saved templates (CONTRACT.md, Personalization). It only loads definitions; it never
// calls a content API.
package assemble

import (
	"context"
	"errors"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/contentapi"
	"bugle/engine/message/template"
	"bugle/engine/schema"
)

// Source reads the content of a workspace. An [engine.ContentStore] is one, and so is a store transaction.
type Source interface {
	Content(ctx context.Context, kind engine.ContentKind) ([]engine.ContentItem, error)
	ContentItem(ctx context.Context, ref engine.ContentRef) (engine.ContentItem, error)
}

// Content is the workspace content that the expressions of one document can refer to. It is immutable.
type Content struct {
	Blocks      map[string]string
	ProductSets map[string][]map[string]any // nil if the document refers to none
	APIs        []engine.ContentAPI         // nil if the document refers to none
	Templates   []TemplateUse

	Now      time.Time      // of now(), the current time if zero
	zone     *time.Location // of the campaign, or else of the workspace
	userZone bool           // the campaign goes out in each user's own time zone
}

// Load loads the content that a document refers to, and returns it with the document after
// [ExpandTemplates]. Product sets, which are large, are only read if the document refers to one.
func Load(ctx context.Context, from Source, w engine.Workspace, ch engine.Channel, document doc.Value) (*Content, doc.Value, error) {
	document, all, err := ExpandTemplates(ctx, from, ch, document)
	if err != nil {
		return nil, document, err
	}
	m, err := load(ctx, from, w, document, string(document.Encode()))
	if err != nil {
		return nil, document, err
	}
	m.Templates = all
	return m, document, nil
}

// OfSettings returns the content that is part of a workspace's settings: its content blocks, and the time zone of a
// document.
func OfSettings(w engine.Workspace, document doc.Value) *Content {
	m := &Content{Blocks: BlockSources(w), zone: time.UTC}
	if zone, ok := schema.Location(w.Timezone); ok {
		m.zone = zone
	}
	if zone, ok := engine.TimeZone(document); ok {
		m.zone = zone
	}
	m.userZone = engine.InUserZone(document)
	return m
}

// LoadForText loads the content that a text, which may be JSON, refers to. It does not expand templates.
func LoadForText(ctx context.Context, from Source, w engine.Workspace, text string) (*Content, error) {
	return load(ctx, from, w, doc.Value{}, text)
}

func load(ctx context.Context, from Source, w engine.Workspace, document doc.Value, text string) (*Content, error) {
	m := OfSettings(w, document)
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
		m.ProductSets = make(map[string][]map[string]any, len(items))
		for _, item := range items {
			m.ProductSets[item.Products.Name] = item.Products.Products
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

// Functions maps the names of content APIs to the functions that expressions call.
type Functions = map[string]func(ctx context.Context, args ...any) (any, error)

// Data returns the data for rendering one recipient's message.
func (m *Content) Data(user, event map[string]any, apis Functions) template.Data {
	zone := m.zone
	if m.userZone {
		if own, ok := engine.UserZone(user); ok {
			zone = own
		}
	}
	return template.Data{
		Now: m.Now, Zone: zone,
		UserAttributes: user, EventAttributes: event, BusinessEventAttributes: event,
		ContentBlocks: m.Blocks, ProductSets: m.ProductSets, ContentAPIs: apis,
	}
}

// errDeferred is the error of a content API that is only called when the message is sent.
var errDeferred = errors.New("it is called when the message is sent")

// DeferredAPIs returns the content APIs as functions that make no request. A call of an API that the
// policy forbids fails as it will in a send. Any other call passes the API's name to called and leaves the
// expression unresolved; [IsDeferred] recognizes it.
func (m *Content) DeferredAPIs(p engine.ContentPolicy, called func(api string)) Functions {
	out := make(Functions, len(m.APIs))
	for _, api := range m.APIs {
		out[api.Name] = func(context.Context, ...any) (any, error) {
			if err := contentapi.Allowed(p, api); err != nil {
				return nil, err
			}
			called(api.Name)
			return nil, errDeferred
		}
	}
	return out
}

// IsDeferred reports whether an expression is unresolved only because its content API is called when the
// message is sent.
func IsDeferred(u template.Unresolved) bool {
	return strings.Contains(u.Reason, errDeferred.Error())
}

// MissingTemplate returns why the message at content cannot be sent, if its saved template is missing or
// does not fit. Otherwise it returns "".
func (m *Content) MissingTemplate(content doc.Path) string {
	for _, t := range m.Templates {
		if t.Problem != "" && t.At.HasPrefix(content) {
			return t.Problem
		}
	}
	return ""
}

// DropTemplateRefs returns the document without its references to templates that were expanded.
func (m *Content) DropTemplateRefs(document doc.Value) doc.Value {
	for _, t := range m.Templates {
		if t.Problem == "" {
			document = document.Delete(t.At.Child(catalog.CustomTemplateID)).Delete(t.At.Child(catalog.CustomTemplateVersion))
		}
	}
	return document
}

// TemplatePath returns the path of a template's content in a campaign without locales and variations. It
// returns false if no message can use the template.
func TemplatePath(t engine.ContentTemplate) (doc.Path, bool) {
	content := doc.P(string(catalog.CampaignContent), "content")
	switch {
	case t.Channel == catalog.Email && t.Platform == "":
		return content.Child("email"), true
	case t.Channel == catalog.Push && (t.Platform == string(catalog.Android) || t.Platform == string(catalog.IOS)):
		return content.Child("push").Child(catalog.Platform(t.Platform).Member()), true
	}
	return nil, false
}

// TemplateTarget describes the messages that a template is for, such as "push on Android".
func TemplateTarget(t engine.ContentTemplate) string {
	if t.Channel == catalog.Push {
		return "push on " + catalog.Platform(t.Platform).Label()
	}
	return t.Channel.Label()
}
