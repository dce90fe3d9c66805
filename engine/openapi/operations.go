package openapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/operation"
)

const (
	tagDrafts = "Drafts"
	tagLive   = "Campaigns"
	tagTests  = "Tests"
)

// described is the documentation of an operation in addition to its row.
type described struct {
	*operation.Operation
	tag, summary, about string
	body                func(*builder) (schema, examples doc.Value) // nil: no body
	says                string                                      // what success means
	answer              func(*builder) doc.Value
	refusals            []int // besides those of every operation
}

const usualLimits = "\n\nLimits: 10 requests a second, 100 a minute, 6,000 an hour."

var operations = []described{
	{
		Operation: operation.Create, tag: tagDrafts, summary: "Create a draft",
		about: "Creates a draft from a channel, a delivery type, the email address of its creator, and any components. A `request_id` that created a campaign " +
			"cannot be used again for one hour (Push) or 24 hours (Email).\n\n" +
			"Limits: 5 requests a second, 25 a minute, 100 an hour; 5 successful creations a minute, 25 an hour, 100 a day.",
		body: (*builder).create, says: "The draft was created.", answer: (*builder).created, refusals: []int{409, 413, 507},
	},
	{
		Operation: operation.Get, tag: tagDrafts, summary: "Get a campaign",
		about: "Returns a campaign of any channel, with all components and its current status." + usualLimits,
		says:  "The campaign.", answer: (*builder).record, refusals: []int{404},
	},
	{
		Operation: operation.Update, tag: tagDrafts, summary: "Update or publish a campaign",
		about: "Replaces the components in the body, or publishes the campaign if the body has the `status` `PUBLISH` and no components " +
			"(scope `" + operation.Publish.Scope + "`). Publishing is in beta: unless it is enabled for the workspace, it is refused with 422, even if the key has the scope. " +
			"Changes to fields that are locked in the campaign's state are refused with 409 and their paths." + usualLimits,
		body: (*builder).update, says: "The campaign was updated or published.", answer: (*builder).updated,
		refusals: []int{404, 409, 413, 422, 507},
	},
	{
		Operation: operation.Validate, tag: tagDrafts, summary: "Check if a campaign is ready to publish",
		about: "Runs the checks of publishing without changing anything. An invalid campaign is not an error: the response has status 200 and lists the problems." + usualLimits,
		body:  (*builder).validate, says: "Whether the campaign is valid, and its problems.", answer: (*builder).validation,
		refusals: []int{404, 413},
	},
	{
		Operation: operation.Status, tag: tagLive, summary: "Stop, pause or resume a campaign",
		about: "`STOP` is for one-time campaigns, `PAUSE` and `RESUME` for periodic and triggered ones. An action that the status or the delivery " +
			"type does not allow is refused with 422." + usualLimits,
		body: (*builder).status, says: "The status was changed.", answer: (*builder).statusChanged,
		refusals: []int{404, 409, 413, 422, 507},
	},
	{
		Operation: operation.Search, tag: tagLive, summary: "Search campaigns",
		about: "Returns campaigns with all components, last changed first. A page with fewer campaigns than `limit` is the last one. Drafts are " +
			"included only if the `DRAFT` status is requested; archived campaigns and those of flows only if requested." + usualLimits,
		body: (*builder).search, says: "One page of campaigns.", answer: (*builder).found, refusals: []int{413},
	},
	{
		Operation: operation.Meta, tag: tagLive, summary: "List campaign summaries",
		about: "Returns a summary of each campaign, last changed first, with the daily estimate of its reach if there is one." + usualLimits,
		body:  (*builder).meta, says: "One page of summaries.", answer: (*builder).rows, refusals: []int{413},
	},
	{
		Operation: operation.Test, tag: tagTests, summary: "Send a test",
		about: "Sends test messages to up to ten recipients: with the content in the request (inline mode, nothing is stored), or with that of a saved " +
			"draft, one message for each platform, locale and variation. A failed message is reported in the response, which still has status 200." + usualLimits,
		body: (*builder).test, says: "The result of each message.", answer: (*builder).tested,
		refusals: []int{404, 409, 413, 422, 507},
	},
	{
		Operation: operation.Preview, tag: tagTests, summary: "Preview for one user",
		about: "Resolves the expressions of inline content for one user; nothing is sent. An expression without a value stays unchanged and " +
			"is listed.\n\nLimit: 10,000 requests a minute.",
		body: (*builder).preview, says: "The content as the user would see it.", answer: (*builder).previewed, refusals: []int{413},
	},
}

func (b *builder) paths() doc.Value {
	var order []string
	byPath := map[string][]doc.Member{}
	for _, op := range operations {
		path := strings.ReplaceAll(op.Path, "{id}", "{campaign_id}")
		if byPath[path] == nil {
			order = append(order, path)
		}
		for _, method := range op.Methods {
			if method != http.MethodHead {
				byPath[path] = append(byPath[path], m(strings.ToLower(method), b.operation(op, method)))
			}
		}
	}
	var out []doc.Member
	for _, path := range order {
		out = append(out, m(path, object(byPath[path]...)))
	}
	return object(out...)
}

func (b *builder) operation(op described, method string) doc.Value {
	id, about := op.ID, op.about
	if method != op.Method() {
		id += "_" + strings.ToLower(method)
		about = "The same as the `" + op.Method() + "`, for clients of the published method. " + about
	}
	ms := []doc.Member{
		m("tags", doc.NewStrings(op.tag)), m("operationId", id), m("summary", op.summary), m("description", about), m("parameters", op.parameters()),
	}
	if op.Scope != "" {
		ms = append(ms, m("x-required-scope", op.Scope))
	}
	if op.body != nil {
		schema, examples := op.body(b)
		ms = append(ms, m("requestBody", object(
			m("required", op.Body != operation.Optional),
			m("content", object(m("application/json", object(m("schema", schema), m("examples", examples))))),
		)))
	}
	headers := []doc.Member{m(operation.HeaderRequestID, ref("#/components/headers/request_id"))}
	if op.Operation == operation.Get || op.Operation == operation.Update {
		headers = append(headers, m(operation.HeaderETag, ref("#/components/headers/revision")))
	}
	if op.NeedsKey {
		headers = append(headers, m(operation.HeaderReplayed, ref("#/components/headers/replayed")))
	}
	responses := []doc.Member{m(strconv.Itoa(op.Status), object(
		m("description", op.says), m("headers", object(headers...)), m("content", object(m("application/json", object(m("schema", op.answer(b)))))),
	))}
	if op.Operation == operation.Get {
		responses = append(responses, m("304", object(
			m("description", "The campaign has the revision in `If-None-Match`."), m("headers", object(m(operation.HeaderETag, ref("#/components/headers/revision")))),
		)))
	}
	for _, r := range refusals {
		if r.always || slices.Contains(op.refusals, r.status) {
			responses = append(responses, m(r.code(), ref("#/components/responses/"+r.name)))
		}
	}
	return object(append(ms, m("responses", object(responses...)))...)
}

func (op described) parameters() doc.Value {
	var out []doc.Value
	use := func(name string) { out = append(out, ref("#/components/parameters/"+name)) }
	if strings.Contains(op.Path, "{id}") {
		use("campaign_id")
	}
	use("tenant")
	if op.OwnID {
		use("own_request_id")
	} else {
		use("request_id")
	}
	if op.NeedsKey {
		use("idempotency_key")
	}
	switch op.Operation {
	case operation.Get:
		use("known_revision")
	case operation.Update:
		use("only_revision")
	}
	return doc.NewArray(out...)
}
