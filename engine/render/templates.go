package render

import (
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

const templateID = "custom_template_id"

// WithTemplates gives a document with what its messages have from saved templates, as a service told in a
// preview of its campaign content. What the document says itself stays as it is, and is filled by
// [Resolved]. A template that the service does not have adds nothing.
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

// templated gives the places in a message that take a saved template.
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
		if document.Lookup(at).Get(templateID).Text() != "" {
			out = append(out, at)
		}
	}
	return out
}

// added gives own with the members that only more has.
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
