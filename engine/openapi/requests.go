package openapi

import (
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// The fields that distinguish the shapes of a request.
const (
	mChannel = "channel"
	mDraftID = "draft_id"
	mStatus  = "status"
)

var writable = []catalog.Channel{catalog.Push, catalog.Email}

// variant returns the table of a request as it is for one channel: the channel's own value is
// the only one that it takes, so that one request fits one variant.
func (b *builder) variant(name string, s *schema.Schema, at schema.Stage, ch catalog.Channel, edit ...func(doc.Value) doc.Value) doc.Value {
	return b.define(name, b.x.Table(s, at), ch, edit...)
}

func (b *builder) define(name string, v doc.Value, ch catalog.Channel, edit ...func(doc.Value) doc.Value) doc.Value {
	if ch != "" {
		v = set(v, doc.NewStrings(string(ch)), "properties", mChannel, "enum")
		v = v.Delete(doc.P("properties", mChannel, "x-enumDescriptions"))
		v = set(v, doc.NewString(ch.Label()+": "+v.Get("title").Text()), "title")
	}
	for _, e := range edit {
		v = e(v)
	}
	return b.x.Define(name, v)
}

// set returns v with nv at a path that is there but for its last step.
func set(v, nv doc.Value, steps ...any) doc.Value {
	out, err := v.Set(doc.P(steps...), nv)
	if err != nil {
		panic("openapi: " + err.Error())
	}
	return out
}

// byChannel returns the choice between the variants of a request by channel.
func byChannel(variants map[catalog.Channel]doc.Value) doc.Value {
	var refs []doc.Value
	var mapping []doc.Member
	for _, ch := range catalog.Channels {
		if v, ok := variants[ch]; ok {
			refs = append(refs, v)
			mapping = append(mapping, doc.M(string(ch), v.Get("$ref")))
		}
	}
	return object(
		m("oneOf", doc.NewArray(refs...)),
		m("discriminator", object(m("propertyName", mChannel), m("mapping", object(mapping...)))),
	)
}

func (b *builder) create() (body, examples doc.Value) {
	return byChannel(map[catalog.Channel]doc.Value{
		catalog.Push:  b.variant("CreatePush", catalog.CreateRequest(catalog.Push), schema.Draft, catalog.Push),
		catalog.Email: b.variant("CreateEmail", catalog.CreateRequest(catalog.Email), schema.Draft, catalog.Email),
	}), b.examples("create")
}

func (b *builder) update() (body, examples doc.Value) {
	push := b.x.Table(catalog.UpdateRequest(catalog.Push), schema.Draft)
	shared := func(name string) doc.Member { return m(name, push.Lookup(doc.P("properties", name))) }
	alone := b.x.Define("PublishAction", object(
		m("title", "Publish"), m("description", "The publish action, without components."), m("type", "object"),
		m("properties", object(
			m(mStatus, object(m("type", "string"), m("enum", names([]catalog.Action{catalog.Publish})))),
			m(mChannel, object(m("type", "string"), m("enum", names([]catalog.Channel{catalog.Push, catalog.Email})))),
			shared("campaign_delivery_type"), shared("updated_by"), shared("request_id"),
		)),
		m("required", doc.NewStrings(mStatus)), m("additionalProperties", false),
	))
	// The channel may be left out, so that a body may fit both channels: the draft's counts.
	return object(m("anyOf", doc.NewArray(
		b.define("UpdatePush", push, catalog.Push, oneComponent(catalog.Push)),
		b.variant("UpdateEmail", catalog.UpdateRequest(catalog.Email), schema.Draft, catalog.Email, oneComponent(catalog.Email)),
		alone,
	))), b.examples("update")
}

// oneComponent wants at least one component.
func oneComponent(ch catalog.Channel) func(doc.Value) doc.Value {
	return func(v doc.Value) doc.Value {
		var any []doc.Value
		for _, c := range catalog.Components(ch) {
			any = append(any, object(m("required", doc.NewStrings(string(c.Name)))))
		}
		return set(v, doc.NewArray(any...), "anyOf")
	}
}

func (b *builder) validate() (body, examples doc.Value) {
	return b.variant("ValidateRequest", catalog.ValidateRequest(), schema.Draft, ""), b.examples("validate")
}

func (b *builder) status() (body, examples doc.Value) {
	return b.variant("StatusRequest", catalog.StatusRequest(), schema.Draft, ""), b.examples("status")
}

func (b *builder) search() (body, examples doc.Value) {
	return b.variant("SearchRequest", catalog.SearchRequest(), schema.Draft, ""), b.examples("search")
}

func (b *builder) meta() (body, examples doc.Value) {
	return b.variant("MetaRequest", catalog.MetaRequest(), schema.Draft, ""), b.examples("meta")
}

func (b *builder) test() (body, examples doc.Value) {
	inline := func(v doc.Value) doc.Value { return set(v, doc.NewBool(false), "properties", mDraftID) }
	draft := func(v doc.Value) doc.Value {
		return set(set(v, doc.NewString("Draft mode"), "title"), doc.NewStrings(append(v.Get("required").Strings(), mDraftID)...), "required")
	}
	variants := map[catalog.Channel]doc.Value{}
	for _, ch := range writable {
		variants[ch] = b.variant("Test"+proper(ch), catalog.TestRequest(ch), schema.Inline, ch, inline)
	}
	return object(m("oneOf", doc.NewArray(
		b.x.Define("TestInline", set(byChannel(variants), doc.NewString("Inline mode"), "title")),
		b.variant("TestDraft", catalog.TestRequest(""), schema.Saved, "", draft),
	))), b.examples("test")
}

func (b *builder) preview() (body, examples doc.Value) {
	variants := map[catalog.Channel]doc.Value{}
	for _, ch := range []catalog.Channel{catalog.Push, catalog.Email, catalog.SMS} {
		variants[ch] = b.variant("Preview"+proper(ch), catalog.PreviewRequest(ch), schema.Draft, ch)
	}
	return byChannel(variants), b.examples("preview")
}

// proper returns the channel as a part of a schema's name.
func proper(ch catalog.Channel) string {
	if ch == catalog.SMS {
		return string(ch)
	}
	return string(ch[:1]) + strings.ToLower(string(ch[1:]))
}
