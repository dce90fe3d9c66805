package openapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"bugle/engine/doc"
)

const (
	tagDrafts = "Drafts"
	tagLive   = "Campaigns"
	tagTests  = "Tests"
)

// Operation names one method and path of the document.
type Operation struct {
	ID     string // operationId, such as "test_campaign_v5"
	Method string // GET, POST or PATCH
	Path   string // with {campaign_id} where there is one
}

// Operations lists what the document describes, in its order. Publishing has the method and
// path of the update.
func Operations() []Operation {
	var out []Operation
	for _, op := range operations {
		out = append(out, op.Operation)
	}
	return out
}

// operation is a row of the endpoint table (spec.md, Endpoints; gaps.md, Operations).
type operation struct {
	Operation
	tag, summary, about string
	keyed               bool // needs an Idempotency-Key
	ownID               bool // the request id may be left out
	scope               string
	body                func(*builder) (schema, examples doc.Value) // nil: no body
	bodyOptional        bool
	success             int
	says                string // what success means
	answer              func(*builder) doc.Value
	refusals            []int // besides those of every operation
}

const (
	campaigns = "/v5/campaigns"
	campaign  = "/v5/campaigns/{campaign_id}"

	manage  = "campaigns:create_manage"
	publish = "campaigns:create_manage_publish"

	usualLimits = "\n\nLimits: 10 requests a second, 100 a minute, 6,000 an hour."
)

var operations = []operation{
	{
		Operation: Operation{"create_campaign_v5", http.MethodPost, campaigns}, tag: tagDrafts, summary: "Create a draft",
		about: "Starts a draft with a channel, a delivery type and its creator, and any components. A `request_id` that created a campaign " +
			"cannot be used again: for an hour on Push, for a day on email.\n\n" +
			"Limits: 5 requests a second, 25 a minute, 100 an hour; 5 successful creations a minute, 25 an hour, 100 a day.",
		keyed: true, scope: manage, body: (*builder).create, success: 201, says: "The draft is there.", answer: (*builder).created, refusals: []int{409, 413, 507},
	},
	{
		Operation: Operation{"get_campaign_v5", http.MethodGet, campaign}, tag: tagDrafts, summary: "Get a campaign",
		about: "The whole campaign with its current status, of any channel." + usualLimits,
		ownID: true, success: 200, says: "The campaign.", answer: (*builder).record, refusals: []int{404},
	},
	{
		Operation: Operation{"update_campaign_v5", http.MethodPatch, campaign}, tag: tagDrafts, summary: "Change components, or publish",
		about: "Either components, each of them whole, or the publish action: a body whose `status` is `PUBLISH` and that names no component " +
			"(scope `" + publish + "`). Publishing is in beta: unless the workspace has it enabled it is refused with 422, whatever the scope. " +
			"What the campaign's state locks is refused with 409 and the locked paths." + usualLimits,
		keyed: true, scope: manage, body: (*builder).update, success: 200, says: "The campaign is changed, or published.", answer: (*builder).updated,
		refusals: []int{404, 409, 413, 422, 507},
	},
	{
		Operation: Operation{"validate_campaign_v5", http.MethodPost, campaign + "/validate"}, tag: tagDrafts, summary: "Check a campaign as publishing would",
		about: "Changes nothing. A campaign that is not valid is no error: the answer lists what is wrong." + usualLimits,
		ownID: true, body: (*builder).validate, bodyOptional: true, success: 200, says: "The outcome of the check.", answer: (*builder).validation,
		refusals: []int{404, 413},
	},
	statusOperation("update_campaign_status_v5", http.MethodPost, ""),
	statusOperation("update_campaign_status_v5_patch", http.MethodPatch, "The same as the `POST`, for clients of the published method. "),
	{
		Operation: Operation{"search_campaigns_v5", http.MethodPost, campaigns + "/search"}, tag: tagLive, summary: "Search campaigns",
		about: "Finds whole campaigns, newest change first. A page with fewer campaigns than `limit` is the last. Drafts are found only where " +
			"`DRAFT` is among the states, archived campaigns and those of flows only where asked for." + usualLimits,
		body: (*builder).search, success: 200, says: "One page of campaigns.", answer: (*builder).found, refusals: []int{413},
	},
	{
		Operation: Operation{"get_campaign_meta_v5", http.MethodPost, campaigns + "/meta"}, tag: tagLive, summary: "List campaigns in short",
		about: "A row for each campaign, newest change first, with the daily estimate of its reach where there is one." + usualLimits,
		body:  (*builder).meta, success: 200, says: "One page of rows.", answer: (*builder).rows, refusals: []int{413},
	},
	{
		Operation: Operation{"test_campaign_v5", http.MethodPost, campaigns + "/test"}, tag: tagTests, summary: "Send a test",
		about: "Sends to at most ten recipients: the content in the request (inline mode, nothing is stored), or that of a saved draft, one test " +
			"for each platform, locale and variation. A send that fails is reported in the answer, which is still 200." + usualLimits,
		keyed: true, scope: manage, body: (*builder).test, success: 200, says: "What became of each send.", answer: (*builder).tested,
		refusals: []int{404, 409, 413, 422, 507},
	},
	{
		Operation: Operation{"personalized_preview_v5", http.MethodPost, "/v5/personalization/preview"}, tag: tagTests, summary: "Preview for one user",
		about: "Resolves the expressions of inline content for one user; nothing is sent. An expression without a value stays as it stands and " +
			"is listed.\n\nLimit: 10,000 requests a minute.",
		body: (*builder).preview, success: 200, says: "The content as the user would get it.", answer: (*builder).previewed, refusals: []int{413},
	},
}

func statusOperation(id, method, about string) operation {
	return operation{
		Operation: Operation{id, method, campaign + "/status"}, tag: tagLive, summary: "Stop, pause or resume a campaign",
		about: about + "`STOP` is for one-time campaigns, `PAUSE` and `RESUME` for those that send again and again. What the state or the delivery type " +
			"does not allow is refused with 422." + usualLimits,
		keyed: true, scope: manage, body: (*builder).status, success: 200, says: "The status is changed.", answer: (*builder).statusChanged,
		refusals: []int{404, 409, 413, 422, 507},
	}
}

func (b *builder) paths() doc.Value {
	var order []string
	byPath := map[string][]doc.Member{}
	for _, op := range operations {
		if byPath[op.Path] == nil {
			order = append(order, op.Path)
		}
		byPath[op.Path] = append(byPath[op.Path], m(strings.ToLower(op.Method), b.operation(op)))
	}
	var out []doc.Member
	for _, path := range order {
		out = append(out, m(path, object(byPath[path]...)))
	}
	return object(out...)
}

func (b *builder) operation(op operation) doc.Value {
	ms := []doc.Member{
		m("tags", doc.NewStrings(op.tag)), m("operationId", op.ID), m("summary", op.summary), m("description", op.about), m("parameters", op.parameters()),
	}
	if op.scope != "" {
		ms = append(ms, m("x-required-scope", op.scope))
	}
	if op.body != nil {
		schema, examples := op.body(b)
		ms = append(ms, m("requestBody", object(
			m("required", !op.bodyOptional),
			m("content", object(m("application/json", object(m("schema", schema), m("examples", examples))))),
		)))
	}
	headers := []doc.Member{m(headerRequestID, ref("#/components/headers/request_id"))}
	if op.keyed {
		headers = append(headers, m("Idempotent-Replayed", ref("#/components/headers/replayed")))
	}
	responses := []doc.Member{m(strconv.Itoa(op.success), object(
		m("description", op.says), m("headers", object(headers...)), m("content", object(m("application/json", object(m("schema", op.answer(b)))))),
	))}
	for _, r := range refusals {
		if r.always || slices.Contains(op.refusals, r.status) {
			responses = append(responses, m(r.code(), ref("#/components/responses/"+r.name)))
		}
	}
	return object(append(ms, m("responses", object(responses...)))...)
}

func (op operation) parameters() doc.Value {
	var out []doc.Value
	use := func(name string) { out = append(out, ref("#/components/parameters/"+name)) }
	if strings.Contains(op.Path, "{campaign_id}") {
		use("campaign_id")
	}
	use("tenant")
	if op.ownID {
		use("own_request_id")
	} else {
		use("request_id")
	}
	if op.keyed {
		use("idempotency_key")
	}
	return doc.NewArray(out...)
}
