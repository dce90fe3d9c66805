package openapi

import (
	"strconv"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/operation"
)

// Codes are the codes of the error envelope (CONTRACT.md, Envelopes and errors).
var Codes = []string{
	"VALIDATION_FAILED", "UNPROCESSABLE_ENTITY", "BAD_REQUEST", "RATE_LIMITED", "UNAUTHORIZED", "INTERNAL_ERROR", "FORBIDDEN", "NOT_FOUND",
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
	{400, "invalid", "The request is refused: `VALIDATION_FAILED` lists in `details` all that is wrong with it, `BAD_REQUEST` says why it cannot be read.", true},
	{401, "unauthorized", "The credentials are missing or wrong.", true},
	{403, "forbidden", "The key lacks the scope, or the tenant is not the credentials'.", true},
	{404, "not_found", "There is no such campaign in this workspace.", false},
	{409, "conflict", "The `Idempotency-Key` or `request_id` was used before, a request with it is in progress, or the campaign's state locks what is changed.", false},
	{413, "too_large", "The body is longer than 1 MiB, or the change is too large for the store.", false},
	{422, "unprocessable", "The campaign's state, its delivery type or the workspace does not allow the action, or the campaign is not ready for it.", false},
	{429, "rate_limited", "Too many requests. `Retry-After` says when the next one will be taken.", true},
	{500, "internal", "Something went wrong in the service. A repeat with the same `Idempotency-Key` is safe.", true},
	{503, "busy", "The server has no room for the request now, and did not begin it. `Retry-After` says when to try again.", true},
	{507, "full", "The disk of the store is full, and nothing was changed. Free some space there, and send the request again; what was saved can still be read.", false},
	{0, "other", "Any other refusal, in the same envelope.", true},
}

func (b *builder) refusals() doc.Value {
	envelope := b.x.Define("Error", object(
		m("title", "Error envelope"), m("type", "object"),
		m("properties", object(
			m("response_id", textOf("Equals the request id where the request had one.")),
			m("error", object(
				m("type", "object"),
				m("properties", object(
					m("code", object(m("type", "string"), m("enum", doc.NewStrings(Codes...)))),
					m("message", textOf("One sentence that says what is wrong.")),
					m("target", textOf("What it is about: a path, a header, a member.")),
					m("details", object(m("type", "array"), m("items", object(
						m("type", "object"),
						m("properties", object(m("target", textOf("The path in the request.")), m("message", textOf("What is wrong there.")))),
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
			m("response_id", textOf("Equals the request id.")), m("type", object(m("type", "string"), m("enum", doc.NewStrings(kind)))), m("data", data),
		)),
		m("required", doc.NewStrings("response_id", "type", "data")),
	))
}

func (b *builder) campaignAnswer(name string, required []string, props ...doc.Member) doc.Value {
	return b.envelope(name, "campaign", shape(required, props...))
}

// shape is an object of an answer; it may have further members.
func shape(required []string, props ...doc.Member) doc.Value {
	return object(m("type", "object"), m("properties", object(props...)), m("required", doc.NewStrings(required...)))
}

func textOf(help string) doc.Value { return object(m("type", "string"), m("description", help)) }

func moment(help string) doc.Value {
	return object(m("type", "string"), m("format", "date-time"), m("description", help))
}

func enum(values doc.Value, help string) doc.Value {
	return object(m("type", "string"), m("enum", values), m("description", help))
}

func listOf(items doc.Value) doc.Value { return object(m("type", "array"), m("items", items)) }

func (b *builder) created() doc.Value {
	return b.campaignAnswer("Created", []string{"id", "status"},
		m("id", objectID()), m("status", enum(names([]catalog.State{catalog.Draft}), "A new campaign is a draft.")))
}

func (b *builder) updated() doc.Value {
	return b.campaignAnswer("Updated", []string{"id"}, m("id", object(
		m("type", "string"), m("description", "The document that holds the change: a new one where versioning made a new version."),
	)))
}

func (b *builder) statusChanged() doc.Value {
	return b.campaignAnswer("StatusChanged", []string{"id", "action"}, m("id", objectID()), m("action", enum(names(catalog.StatusActions), "What was done.")))
}

func (b *builder) validation() doc.Value {
	return b.campaignAnswer("Validation", []string{"valid"},
		m("valid", object(m("type", "boolean"))),
		m("errors", listOf(shape([]string{"field", "issue"},
			m("field", textOf("A dotted path from the campaign's root.")), m("issue", textOf("What is wrong there.")),
		))),
	)
}

func (b *builder) record() doc.Value {
	return b.envelope("Campaign", "campaign", b.campaignRecord())
}

func (b *builder) found() doc.Value {
	return b.campaignAnswer("Campaigns", []string{"campaigns"}, m("campaigns", listOf(b.campaignRecord())))
}

// campaignRecord is a campaign as it is read: its head, and its components, which may be
// unfinished or of a channel that no table here describes.
func (b *builder) campaignRecord() doc.Value {
	props := []doc.Member{
		m("id", object(m("type", "string"), m("description", "The id of this document: one for each version."))),
		m("campaign_id", textOf("The id that all versions share.")),
		m("version_number", object(m("type", "integer"), m("description", "Present when campaign versioning is on."))),
		m("status", enum(names(catalog.States), "Where the campaign is in its life.")),
		m("channel", enum(names(catalog.Channels), "The channel; all but PUSH and EMAIL can only be read.")),
		m("campaign_delivery_type", enum(deliveryTypes(), "What makes the campaign go out.")),
		m("created_by", textOf("Who created it, by email address.")),
		m("updated_by", textOf("Who changed it last, by email address.")),
		m("created_at", moment("When it was created, in UTC.")),
		m("updated_at", moment("When it was changed last, in UTC.")),
		m("sent_time", moment("When it was sent, in UTC.")),
		m("flow_id", textOf("The flow that the campaign is a node of.")),
		m("flow_name", textOf("The name of that flow.")),
		m("parent_id", textOf("The periodic campaign that this one is a run of.")),
		m("rejection_comment", textOf("Why a reviewer sent the draft back.")),
	}
	seen := map[catalog.Component]bool{}
	for _, ch := range writable {
		for _, c := range catalog.Components(ch) {
			if !seen[c.Name] {
				seen[c.Name] = true
				props = append(props, m(string(c.Name), object(m("type", "object"), m("title", c.Title), m("description", c.Help))))
			}
		}
	}
	return b.x.Define("CampaignRecord", shape([]string{"id", "campaign_id", "status", "channel"}, props...))
}

func (b *builder) rows() doc.Value {
	reach := set(shape([]string{"count", "last_updated_time"},
		m("count", object(m("type", "integer"), m("minimum", 0))), m("last_updated_time", moment("When it was computed; once a day.")),
	), doc.NewStrings("object", "null"), "type")
	row := b.x.Define("CampaignMeta", shape([]string{"campaign_id", "channel", "campaign_status"},
		m("campaign_id", textOf("The id that all versions share.")),
		m("version_number", object(m("type", "integer"))),
		m("channel", enum(names(catalog.Channels), "The channel.")),
		m("platform", listOf(object(m("type", "string")))),
		m("created_by", textOf("Who created it, by email address.")),
		m("campaign_delivery_type", enum(deliveryTypes(), "What makes the campaign go out.")),
		m("campaign_name", textOf("Its name.")),
		m("campaign_team", textOf("The team that owns it.")),
		m("campaign_tags", listOf(object(m("type", "string")))),
		m("campaign_status", enum(names(catalog.States), "Where it is in its life.")),
		m("campaign_start_time", moment("When it starts, in UTC.")),
		m("parent_campaign_id", textOf("The periodic campaign that this one is a run of.")),
		m("total_child_campaigns", object(m("type", "integer"), m("minimum", 0))),
		m("rejection_comment", textOf("Why a reviewer sent the draft back.")),
		m("reachability_details", set(reach, doc.NewString("How many users it reaches; null where that is not computed."), "description")),
	))
	return b.campaignAnswer("CampaignMetas", []string{"campaigns"}, m("campaigns", listOf(row)))
}

func (b *builder) tested() doc.Value {
	send := shape([]string{"status"},
		m("status", enum(doc.NewStrings("SENT", "FAILED"), "What became of it.")), m("failure_reason", textOf("Why it failed; present only then.")))
	return b.campaignAnswer("Tested", []string{"data", "message"},
		m("data", object(
			m("type", "object"), m("description", "By `{PLATFORM}_{locale}_{variation}`, such as `ANDROID_default_variation_1`."), m("additionalProperties", send),
		)),
		m("message", textOf("A summary in one line.")),
	)
}

func (b *builder) previewed() doc.Value {
	return b.envelope("Previewed", "personalization", shape([]string{"personalized_content"},
		m("personalized_content", object(m("type", "object"), m("description", "The campaign content with its expressions resolved."))),
		m("unresolved", listOf(shape([]string{"field", "expression"},
			m("field", textOf("A dotted path from the request's root.")), m("expression", textOf("The expression that has no value for the user.")),
		))),
	))
}
