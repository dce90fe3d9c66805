package material

import (
	"context"
	"fmt"
	"strconv"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// maxName is how long an id may be that is looked for, in bytes.
const maxName = 100

// Taken is a saved template that a message takes.
type Taken struct {
	At      doc.Path // of the content that takes it
	ID      string
	Version string // as the content spells it; empty: the newest
	Why     string // why it cannot be taken; empty where it was
}

func (t Taken) String() string {
	if t.Version != "" {
		return t.ID + ", version " + t.Version
	}
	return t.ID
}

// Templates is where saved templates are read: a [Source] is one. What is not there is [engine.NotFound].
type Templates interface {
	ContentItem(ctx context.Context, ref engine.ContentRef) (engine.ContentItem, error)
}

// WithTemplates returns a document with the content of the saved templates that its messages take. What a
// message says itself takes precedence. The names of the templates stay.
func WithTemplates(ctx context.Context, from Templates, ch engine.Channel, document doc.Value) (doc.Value, []Taken, error) {
	var all []Taken
	for _, at := range templateUsers(ch, doc.P(string(catalog.CampaignContent), "content"), document, 0) {
		own := document.Lookup(at)
		t := Taken{At: at, ID: own.Get(catalog.CustomTemplateID).Text(), Version: own.Get(catalog.CustomTemplateVersion).Literal()}
		template, err := templateOf(ctx, from, ch, &t)
		if err != nil {
			return document, nil, err
		}
		if t.Why == "" {
			base := template.Content
			if own.Get("template_type").Text() == "Custom" { // the template's own says how it looks
				own = own.Delete(doc.P("template_type"))
			}
			if document, err = document.Set(at, overlaid(base, own)); err != nil {
				return document, nil, fmt.Errorf("reading the template %s: %w", t, err)
			}
		}
		all = append(all, t)
	}
	return document, all, nil
}

// templateOf finds the template that a message takes, or says in t why there is none.
func templateOf(ctx context.Context, from Templates, ch engine.Channel, t *Taken) (engine.ContentTemplate, error) {
	ref := engine.ContentRef{Kind: engine.KindTemplate, Name: t.ID}
	if t.Version != "" {
		n, err := strconv.ParseFloat(t.Version, 64) // 2.0 is an integer too
		if err != nil || n < 1 || n != float64(int32(n)) {
			t.Why = fmt.Sprintf("%s is not a version of a saved template", t.Version)
			return engine.ContentTemplate{}, nil
		}
		ref.Version = int(n)
	}
	if len(t.ID) > maxName {
		t.Why = "there is no saved template with this ID in this workspace"
		return engine.ContentTemplate{}, nil
	}
	item, err := from.ContentItem(ctx, ref)
	e := engine.AsError(err)
	switch {
	case e != nil && e.Code == engine.NotFound:
		t.Why = fmt.Sprintf("there is no saved template %s in this workspace", t)
		return engine.ContentTemplate{}, nil
	case err != nil:
		return engine.ContentTemplate{}, err
	}
	if place, ok := TemplatePlace(*item.Template); !ok || item.Template.Channel != ch || place[len(place)-1].Name != t.At[len(t.At)-1].Name {
		t.Why = fmt.Sprintf("the saved template %s is for %s", t, AudienceOf(*item.Template))
	}
	return *item.Template, nil
}

// templateUsers finds the messages below p that take a saved template: with locales and variations they
// are up to four steps down.
func templateUsers(ch engine.Channel, p doc.Path, document doc.Value, depth int) []doc.Path {
	v := document.Lookup(p)
	if v.Kind() != doc.Object {
		return nil
	}
	if depth > 0 && takesTemplate(ch, p[len(p)-1].Name, v) {
		return []doc.Path{p}
	}
	var out []doc.Path
	for name := range v.Members() {
		if depth < 4 {
			out = append(out, templateUsers(ch, p.Child(name), document, depth+1)...)
		}
	}
	return out
}

func takesTemplate(ch engine.Channel, member string, v doc.Value) bool {
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

// overlaid returns base with what own says in its place. What own leaves empty stays base's.
func overlaid(base, own doc.Value) doc.Value {
	if base.Kind() != doc.Object || own.Kind() != doc.Object {
		if own.Empty() {
			return base
		}
		return own
	}
	out := make([]doc.Member, 0, base.Len()+own.Len())
	for name, v := range base.Members() {
		out = append(out, doc.M(name, overlaid(v, own.Get(name))))
	}
	for name, v := range own.Members() {
		if !base.Get(name).Exists() {
			out = append(out, doc.M(name, v))
		}
	}
	return doc.NewObject(out...)
}
