// Package openapi describes the service as an OpenAPI 3.1 document: the ten operations of CONTRACT.md
// (publishing shares the update's method and path), with request schemas exported from bugle/engine/catalog.
package openapi

import (
	"sync"

	"bugle/engine/doc"
	"bugle/engine/operation"
	"bugle/engine/schema"
)

// Document returns the document for a version of the program. The same
// version always makes the same bytes.
func Document(version string) doc.Value { return made(version).document }

// JSON returns [Document] as compact JSON. The bytes are shared: they must not be changed.
func JSON(version string) []byte { return made(version).json }

type output struct {
	document doc.Value
	json     []byte
}

var cache sync.Map // version → func() output

func made(version string) output {
	once, _ := cache.LoadOrStore(version, sync.OnceValue(func() output {
		d := build(version)
		return output{document: d, json: d.Encode()}
	}))
	return once.(func() output)()
}

const schemas = "#/components/schemas/"

// builder gathers what the operations share while they are written.
type builder struct {
	x *schema.Exporter
}

func build(version string) doc.Value {
	b := &builder{x: schema.NewExporter(schemas)}
	b.x.DefaultKeyword = "x-default"
	paths := b.paths() // first: it fills the components
	return object(
		m("openapi", "3.1.0"),
		m("info", object(
			m("title", "Campaign management service, V5"),
			m("version", version),
			m("summary", "Builds push and email campaigns as drafts, tests them, and manages them while they are live."),
			m("description", about),
			m("license", object(m("name", "MIT"), m("identifier", "MIT"))),
		)),
		m("servers", doc.NewArray(object(
			m("url", "{base_url}"),
			m("description", "The service. Paths are relative to its base URL."),
			m("variables", object(m("base_url", object(
				m("default", "http://127.0.0.1:8080"),
				m("description", "The base URL, without a slash at the end. For a hosted service it contains the data center: 01 to 06, or 101."),
			)))),
		))),
		m("security", doc.NewArray(object(m("basic", doc.NewArray())))),
		m("tags", tags()),
		m("paths", paths),
		m("components", object(
			m("securitySchemes", object(m("basic", object(
				m("type", "http"), m("scheme", "basic"),
				m("description", "The user name is the workspace id, and the password is an API key. Each key has scopes: "+
					"`campaigns:view` to read; `campaigns:create_manage` to create, change and test as well; `campaigns:create_manage_publish` to publish as well."),
			)))),
			m("parameters", parameters()),
			m("headers", headers()),
			m("responses", b.refusals()),
			m("schemas", doc.NewObject(b.x.Defs()...)),
		)),
	)
}

const about = "A campaign is built step by step as a draft: create it with a channel, a delivery type and its creator, then update it " +
	"one component at a time. Each component is checked completely before the draft changes. Validate runs the checks of publishing " +
	"without changing anything, and test sends messages to a few recipients.\n\n" +
	"The schemas contain every rule that JSON Schema can express. Other rules, such as those that depend on the settings of the " +
	"workspace, are listed in `x-rules` of the field. `x-used-when` describes when a field is used; otherwise it is stored and ignored. `x-default` is the value that is used if the field is absent.\n\n" +
	"Every error has the same envelope; `details` lists all that is wrong with a request."

func tags() doc.Value {
	return doc.NewArray(
		object(m("name", tagDrafts), m("description", "Create, read, change, check and publish campaigns.")),
		object(m("name", tagLive), m("description", "Find campaigns, and manage those that are live.")),
		object(m("name", tagTests), m("description", "See a message before its audience does.")),
	)
}

func parameters() doc.Value {
	return object(
		m("tenant", object(
			m("name", "X-SVC-Tenant-ID"), m("in", "header"), m("required", false),
			m("description", "The workspace id. Optional: if it is set, it must be the workspace of the credentials."),
			m("schema", object(m("type", "string"), m("minLength", 1))),
		)),
		m("request_id", object(
			m("name", operation.HeaderRequestID), m("in", "header"), m("required", true),
			m("description", "Returned as `response_id`. You can send it as `request_id` in the body instead; if you send both, they must be equal."),
			m("schema", requestID()),
		)),
		m("own_request_id", object(
			m("name", operation.HeaderRequestID), m("in", "header"), m("required", false),
			m("description", "Returned as `response_id`. If it is missing, the service creates one."),
			m("schema", requestID()),
		)),
		m("idempotency_key", object(
			m("name", "Idempotency-Key"), m("in", "header"), m("required", true),
			m("description", "A UUID v4, remembered for 24 hours. A repeated request with the same body gets the stored response, byte for byte; "+
				"with another body, or while the first request is still in progress, it gets 409. The keys of refused requests are not remembered."),
			m("schema", object(
				m("type", "string"), m("format", "uuid"),
				m("pattern", "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"),
				m("examples", doc.NewStrings("7d5f3f0e-3c1b-4a53-9e0c-0f5b8a1d2c3e")),
			)),
		)),
		m("only_revision", object(
			m("name", operation.HeaderIfMatch), m("in", "header"), m("required", false),
			m("description", "The `ETag` of a response to a GET of the campaign: if the campaign was changed since then, the update is refused with 409."),
			m("schema", object(m("type", "string"), m("pattern", `^(\*|"[1-9][0-9]*")$`), m("examples", doc.NewStrings(`"17"`)))),
		)),
		m("known_revision", object(
			m("name", operation.HeaderIfNoneMatch), m("in", "header"), m("required", false),
			m("description", "The `ETag` of an earlier response: while the campaign is unchanged, the response is 304 without a body."),
			m("schema", object(m("type", "string"), m("examples", doc.NewStrings(`"17"`)))),
		)),
		m("campaign_id", object(
			m("name", "campaign_id"), m("in", "path"), m("required", true),
			m("description", "The `id` of a campaign document: one for each version of the campaign."),
			m("schema", objectID()),
		)),
	)
}

func requestID() doc.Value {
	return object(
		m("type", "string"), m("minLength", 1), m("maxLength", 256), m("pattern", "^[!-~]+$"),
		m("examples", doc.NewStrings("2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09")),
	)
}

func objectID() doc.Value {
	return object(m("type", "string"), m("pattern", "^[0-9A-Fa-f]{24}$"), m("examples", doc.NewStrings("65f0a1b2c3d4e5f60718293a")))
}

func headers() doc.Value {
	return object(
		m("request_id", object(m("description", "The `response_id`, if it is valid in a header."), m("schema", object(m("type", "string"))))),
		m("replayed", object(
			m("description", "`true` if this is the stored response to an earlier request with the same `Idempotency-Key`."),
			m("schema", object(m("type", "string"), m("enum", doc.NewStrings("true")))),
		)),
		m("revision", object(
			m("description", "The revision of the campaign: after an update, of the document that `id` names. A later update can name it in `If-Match`, and a later GET in `If-None-Match`."),
			m("schema", object(m("type", "string"), m("examples", doc.NewStrings(`"17"`)))),
		)),
		m("retry_after", object(
			m("description", "The number of seconds to wait before you repeat the request."),
			m("required", true), m("schema", object(m("type", "integer"), m("minimum", 1))),
		)),
		m("challenge", object(m("description", "The authentication scheme to use."), m("required", true), m("schema", object(m("type", "string"))))),
	)
}

func object(ms ...doc.Member) doc.Value { return doc.NewObject(ms...) }

// m makes a member of a string, a boolean, an int or a [doc.Value].
func m(name string, v any) doc.Member {
	switch v := v.(type) {
	case string:
		return doc.M(name, doc.NewString(v))
	case bool:
		return doc.M(name, doc.NewBool(v))
	case int:
		return doc.M(name, doc.NewInt(int64(v)))
	case doc.Value:
		return doc.M(name, v)
	}
	panic("openapi: a member is a string, a boolean, an int or a value")
}

func ref(to string) doc.Value { return object(m("$ref", to)) }

func names[S ~string](values []S) doc.Value {
	var out []string
	for _, v := range values {
		out = append(out, string(v))
	}
	return doc.NewStrings(out...)
}
