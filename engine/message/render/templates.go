package render

import (
	"fmt"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/phrase"
)

// TemplateStatus returns the problem of the saved template of the message at a path, or "" if it was
// expanded. told is false if the message uses none.
type TemplateStatus func(at doc.Path) (why string, told bool)

// TemplatesFromUses returns the status of templates that were expanded by package assemble.
func TemplatesFromUses(list []assemble.TemplateUse) TemplateStatus {
	return func(at doc.Path) (string, bool) {
		for _, t := range list {
			if t.At.Equal(at) {
				return t.Problem, true
			}
		}
		return "", false
	}
}

// TemplatesFromPreview returns the status of templates according to a service's preview of a campaign
// content.
func TemplatesFromPreview(p engine.Preview) TemplateStatus {
	return func(at doc.Path) (string, bool) {
		field := at.Child(catalog.CustomTemplateID).String()
		for _, u := range p.Unresolved {
			if u.Field == field {
				return fmt.Sprintf("the saved template %s cannot be used; it has no content for this message", u.Expression), true
			}
		}
		return "", true
	}
}

// Saved is the saved template that a message refers to.
type Saved struct {
	Name string // its id, and its version if the message has one; empty if it uses none
	// Known reports that the template was looked up: its content is shown, or Why says why it cannot be used.
	Known bool
	Why   string
}

// saved returns the template that a message refers to, and its status.
func saved(c part, o Options) Saved {
	s := Saved{Name: c.value.Get(catalog.CustomTemplateID).Text()}
	if s.Name == "" || o.Templates == nil && c.source(catalog.CustomTemplateID) == "" {
		return Saved{}
	}
	if v := c.value.Get(catalog.CustomTemplateVersion).Literal(); v != "" {
		s.Name += ", version " + v
	}
	if o.Templates != nil {
		if s.Why, s.Known = o.Templates(o.at); !s.Known {
			return Saved{} // what it names counts for nothing in it
		}
	}
	return s
}

// warnings returns a warning if the template is missing.
func (s Saved) warnings() []Warning {
	if s.Why == "" {
		return nil
	}
	return []Warning{{Check: "template-unknown", Of: catalog.CustomTemplateID, Text: phrase.Capitalize(s.Why)}}
}

// WithTemplates returns a document with the content of saved templates that a service returned in a preview
// of its campaign content. The document's own fields stay unchanged; [FillFromPreview] fills them. A template
// that the service does not have adds nothing.
func WithTemplates(ch engine.Channel, document doc.Value, p engine.Preview) doc.Value {
	shown := doc.NewObject(doc.M(contentMember, p.Content))
	for _, c := range Cells(ch, document) {
		for _, at := range templated(ch, document, c.Path) {
			own, filled := document.Lookup(at), shown.Lookup(at)
			if filled.Kind() != doc.Object {
				continue
			}
			out := added(own, filled)
			if kind := filled.Get("template_type"); kind.Exists() && own.Get("template_type").Text() == "Custom" {
				if typed, err := out.Set(doc.P("template_type"), kind); err == nil {
					out = typed
				}
			}
			if whole, err := document.Set(at, out); err == nil {
				document = whole
			}
		}
	}
	return document
}

// templated returns the paths in a message that use a saved template.
func templated(ch engine.Channel, document doc.Value, message doc.Path) []doc.Path {
	places := []doc.Path{message}
	if ch == catalog.Push {
		places = nil
		for _, p := range catalog.Platforms {
			places = append(places, message.Child(p.Member()))
		}
	}
	var out []doc.Path
	for _, at := range places {
		if document.Lookup(at).Get(catalog.CustomTemplateID).Text() != "" {
			out = append(out, at)
		}
	}
	return out
}

// added returns own with the members that only more has.
func added(own, more doc.Value) doc.Value {
	if own.Empty() {
		return more
	}
	if own.Kind() != doc.Object || more.Kind() != doc.Object {
		return own
	}
	var out []doc.Member
	for name, v := range own.Members() {
		out = append(out, doc.M(name, added(v, more.Get(name))))
	}
	for name, v := range more.Members() {
		if !own.Get(name).Exists() {
			out = append(out, doc.M(name, v))
		}
	}
	return doc.NewObject(out...)
}
