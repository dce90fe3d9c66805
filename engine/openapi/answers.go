package openapi

import (
	"strconv"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/operation"
	"bugle/engine/schema"
)

// codes returns the codes of the error envelope (CONTRACT.md, Envelopes and errors).
func codes() doc.Value {
	var all []doc.Value
	for _, c := range engine.Codes() {
		all = append(all, doc.NewString(string(c)))
	}
	return doc.NewArray(all...)
}

type refusal struct {
	status int // 0: every other status
	name   string
	says   string
	always bool // every operation may answer so
}

func (r refusal) code() string {
	if r.status == 0 {
		return "default"
	}
	return strconv.Itoa(r.status)
}

var refusals = []refusal{
	{400, "invalid", "The request is invalid. `VALIDATION_FAILED`: `details` lists every problem. `BAD_REQUEST`: the message says why the request cannot be read.", true},
	{401, "unauthorized", "The credentials are missing or wrong.", true},
	{403, "forbidden", "The key does not have the required scope, or the tenant in the header belongs to other credentials.", true},
	{404, "not_found", "There is no such campaign in this workspace.", false},
	{409, "conflict", "The `Idempotency-Key` or `request_id` was used before, a request with it is in progress, or fields cannot be changed in the campaign's current state.", false},
	{413, "too_large", "The body is larger than 1 MiB, or the change is too large for the store.", false},
	{422, "unprocessable", "The campaign's state, its delivery type or the workspace does not allow the action, or the campaign is not ready to be published.", false},
	{429, "rate_limited", "Too many requests. `Retry-After` is the number of seconds to wait.", true},
	{500, "internal", "The service failed. You can safely repeat the request with the same `Idempotency-Key`.", true},
	{503, "busy", "The server is busy and did not process the request. `Retry-After` is the number of seconds to wait.", true},
	{507, "full", "The disk of the store is full, and nothing was changed. Free some space, then repeat the request. Reading still works.", false},
	{0, "other", "Any other error, in the same format.", true},
}

func (b *builder) refusals() doc.Value {
	envelope := b.x.Define("Error", object(
		m("title", "Error envelope"), m("type", "object"),
		m("properties", object(
			m("response_id", textOf("The request id, if the request had one.")),
			m("error", object(
				m("type", "object"),
				m("properties", object(
					m("code", object(m("type", "string"), m("enum", codes()))),
					m("message", textOf("What is wrong, in one sentence.")),
					m("target", textOf("The path, header or field that the error is about.")),
					m("details", object(m("type", "array"), m("items", object(
						m("type", "object"),
						m("properties", object(m("target", textOf("The path of the field in the request.")), m("message", textOf("What is wrong with the field.")))),
						m("required", doc.NewStrings("target", "message")),
					)))),
					m("request_id", textOf("The `request_id` of the request.")),
				)),
				m("required", doc.NewStrings("code", "message")),
			)),
		)),
		m("required", doc.NewStrings("response_id", "error")),
	))
	var out []doc.Member
	for _, r := range refusals {
		headers := []doc.Member{m(operation.HeaderRequestID, ref("#/components/headers/request_id"))}
		switch r.status {
		case 401:
			headers = append(headers, m("WWW-Authenticate", ref("#/components/headers/challenge")))
		case 429, 503:
			headers = append(headers, m("Retry-After", ref("#/components/headers/retry_after")))
		}
		out = append(out, m(r.name, object(
			m("description", r.says), m("headers", object(headers...)),
			m("content", object(m("application/json", object(m("schema", envelope))))),
		)))
	}
	return object(out...)
}

// envelope returns the success envelope around data (CONTRACT.md, Envelopes and errors).
func (b *builder) envelope(name, kind string, data doc.Value) doc.Value {
	return b.x.Define(name, object(
		m("type", "object"),
		m("properties", object(
			m("response_id", textOf("The request id.")), m("type", object(m("type", "string"), m("enum", doc.NewStrings(kind)))), m("data", data),
		)),
		m("required", doc.NewStrings("response_id", "type", "data")),
	))
}

// answer returns the envelope of an operation's answer.
func (b *builder) answer(name string, fields []schema.Field) doc.Value {
	return b.envelope(name, "campaign", shape(fields))
}

// shape returns the schema of an object of an answer; it may have further members.
func shape(fields []schema.Field) doc.Value {
	var props []doc.Member
	var required []string
	for _, f := range fields {
		props = append(props, m(f.Name, property(f)))
		if len(f.Required) > 0 {
			required = append(required, f.Name)
		}
	}
	return object(m("type", "object"), m("properties", object(props...)), m("required", doc.NewStrings(required...)))
}

// property returns the schema of a field of an answer. An object that may be missing is null.
func property(f schema.Field) doc.Value {
	var v doc.Value
	switch f.Kind {
	case schema.Object:
		if v = object(m("type", "object")); len(f.Fields) > 0 {
			v = shape(f.Fields)
		}
		if len(f.Required) == 0 && f.Name != "" {
			v = set(v, doc.NewStrings("object", "null"), "type")
		}
	case schema.Map:
		v = object(m("type", "object"), m("additionalProperties", property(*f.Elem)))
	case schema.List:
		v = listOf(property(*f.Elem))
	case schema.Integer:
		v = object(m("type", "integer"), m("minimum", 0))
	case schema.Bool:
		v = object(m("type", "boolean"))
	case schema.Time:
		v = object(m("type", "string"), m("format", "date-time"))
	default:
		v = object(m("type", "string"))
		if len(f.Options) > 0 {
			v = set(v, doc.NewStrings(options(f)...), "enum")
		}
		if len(f.Rules) > 0 && f.Rules[0] == schema.Rule(schema.Format{As: schema.ObjectID}) {
			v = objectID()
		}
	}
	if f.Help != "" {
		v = set(v, doc.NewString(f.Help), "description")
	}
	return v
}

func options(f schema.Field) []string {
	var out []string
	for _, o := range f.Options {
		out = append(out, o.Value)
	}
	return out
}

func textOf(help string) doc.Value { return object(m("type", "string"), m("description", help)) }

func listOf(items doc.Value) doc.Value { return object(m("type", "array"), m("items", items)) }

func (b *builder) created() doc.Value { return b.answer("Created", engine.Created{}.Fields()) }

func (b *builder) updated() doc.Value { return b.answer("Updated", engine.Updated{}.Fields()) }

func (b *builder) statusChanged() doc.Value {
	return b.answer("StatusChanged", engine.StatusChanged{}.Fields())
}

func (b *builder) validation() doc.Value { return b.answer("Validation", engine.Validation{}.Fields()) }

func (b *builder) tested() doc.Value { return b.answer("Tested", engine.TestResult{}.Fields()) }

func (b *builder) previewed() doc.Value {
	return b.envelope("Previewed", "personalization", shape(engine.Preview{}.Fields()))
}

func (b *builder) record() doc.Value {
	return b.envelope("Campaign", "campaign", b.campaignRecord())
}

func (b *builder) found() doc.Value { return b.page("Campaigns", b.campaignRecord()) }

func (b *builder) rows() doc.Value {
	return b.page("CampaignMetas", b.x.Define("CampaignMeta", shape(engine.RowFields())))
}

// page returns the envelope of a page of campaigns.
func (b *builder) page(name string, row doc.Value) doc.Value {
	return b.envelope(name, "campaign", object(
		m("type", "object"), m("properties", object(m("campaigns", listOf(row)))), m("required", doc.NewStrings("campaigns")),
	))
}

// campaignRecord is a campaign as it is read: its head, and its components, which may be
// unfinished or of a channel that no table here describes.
func (b *builder) campaignRecord() doc.Value {
	record := shape(engine.HeadFields())
	seen := map[catalog.Component]bool{}
	for _, ch := range writable {
		for _, c := range catalog.Components(ch) {
			if !seen[c.Name] {
				seen[c.Name] = true
				record = set(record, object(m("type", "object"), m("title", c.Title), m("description", c.Help)), "properties", string(c.Name))
			}
		}
	}
	return b.x.Define("CampaignRecord", record)
}
