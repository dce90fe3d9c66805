package assemble

import (
	"context"
	"fmt"
	"strconv"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// maxIDLength is the longest template id that is looked up, in bytes.
const maxIDLength = 100

// TemplateUse is a message's reference to a saved template.
type TemplateUse struct {
	At      doc.Path // of the message content
	ID      string
	Version string // as written in the content; empty means the newest
	Problem string // why it cannot be used; empty if it was expanded
}

func (t TemplateUse) String() string {
	if t.Version != "" {
		return t.ID + ", version " + t.Version
	}
	return t.ID
}

// TemplateSource reads saved templates. Every [Source] is one. A missing template is an [engine.NotFound] error.
type TemplateSource interface {
	ContentItem(ctx context.Context, ref engine.ContentRef) (engine.ContentItem, error)
}

// ExpandTemplates returns the document with the content of the saved templates that its messages refer to,
// and one TemplateUse for each reference. Fields that a message sets itself take precedence. The references
// stay in the document; see [Content.DropTemplateRefs].
func ExpandTemplates(ctx context.Context, from TemplateSource, ch engine.Channel, document doc.Value) (doc.Value, []TemplateUse, error) {
	var all []TemplateUse
	for _, at := range messagesWithTemplate(ch, doc.P(string(catalog.CampaignContent), "content"), document, 0) {
		own := document.Lookup(at)
		t := TemplateUse{At: at, ID: own.Get(catalog.CustomTemplateID).Text(), Version: own.Get(catalog.CustomTemplateVersion).Literal()}
		template, err := findTemplate(ctx, from, ch, &t)
		if err != nil {
			return document, nil, err
		}
		if t.Problem == "" {
			base := template.Content
			if own.Get("template_type").Text() == "Custom" { // the saved template's own type decides the layout
				own = own.Delete(doc.P("template_type"))
			}
			if document, err = document.Set(at, overlay(base, own)); err != nil {
				return document, nil, fmt.Errorf("reading the template %s: %w", t, err)
			}
		}
		all = append(all, t)
	}
	return document, all, nil
}

// findTemplate returns the template that t refers to, or sets t.Problem.
func findTemplate(ctx context.Context, from TemplateSource, ch engine.Channel, t *TemplateUse) (engine.ContentTemplate, error) {
	ref := engine.ContentRef{Kind: engine.KindTemplate, Name: t.ID}
	if t.Version != "" {
		n, err := strconv.ParseFloat(t.Version, 64) // 2.0 is an integer too
		if err != nil || n < 1 || n != float64(int32(n)) {
			t.Problem = fmt.Sprintf("%s is not a version of a saved template", t.Version)
			return engine.ContentTemplate{}, nil
		}
		ref.Version = int(n)
	}
	if len(t.ID) > maxIDLength {
		t.Problem = "there is no saved template with this ID in this workspace"
		return engine.ContentTemplate{}, nil
	}
	item, err := from.ContentItem(ctx, ref)
	e := engine.AsError(err)
	switch {
	case e != nil && e.Code == engine.NotFound:
		t.Problem = fmt.Sprintf("there is no saved template %s in this workspace", t)
		return engine.ContentTemplate{}, nil
	case err != nil:
		return engine.ContentTemplate{}, err
	}
	if place, ok := TemplatePath(*item.Template); !ok || item.Template.Channel != ch || place[len(place)-1].Name != t.At[len(t.At)-1].Name {
		t.Problem = fmt.Sprintf("the saved template %s is for %s", t, TemplateTarget(*item.Template))
	}
	return *item.Template, nil
}

// messagesWithTemplate returns the paths of the messages below p that use a saved template. With locales
// and variations they are up to four levels down.
func messagesWithTemplate(ch engine.Channel, p doc.Path, document doc.Value, depth int) []doc.Path {
	v := document.Lookup(p)
	if v.Kind() != doc.Object {
		return nil
	}
	if depth > 0 && usesTemplate(ch, p[len(p)-1].Name, v) {
		return []doc.Path{p}
	}
	var out []doc.Path
	for name := range v.Members() {
		if depth < 4 {
			out = append(out, messagesWithTemplate(ch, p.Child(name), document, depth+1)...)
		}
	}
	return out
}

func usesTemplate(ch engine.Channel, member string, v doc.Value) bool {
	if v.Get(catalog.CustomTemplateID).Text() == "" {
		return false
	}
	switch ch {
	case catalog.Email:
		return member == "email"
	case catalog.Push:
		return (member == catalog.Android.Member() || member == catalog.IOS.Member()) && v.Get("template_type").Text() == "Custom"
	}
	return false
}

// overlay merges own over base: a field of base stays where own has no value for it.
func overlay(base, own doc.Value) doc.Value {
	if base.Kind() != doc.Object || own.Kind() != doc.Object {
		if own.Empty() {
			return base
		}
		return own
	}
	out := make([]doc.Member, 0, base.Len()+own.Len())
	for name, v := range base.Members() {
		out = append(out, doc.M(name, overlay(v, own.Get(name))))
	}
	for name, v := range own.Members() {
		if !base.Get(name).Exists() {
			out = append(out, doc.M(name, v))
		}
	}
	return doc.NewObject(out...)
}
